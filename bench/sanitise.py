"""Cost of redaction before an acknowledgement, as ratios to writing the same event as JSON.

    python -m bench.sanitise [--rounds N] [--json FILE]

Measures an ordinary message of 20 words, tool results of code and of prose in growing sizes, and a
message with a secret; where detect-secrets is installed, also its scan of the same message. The
texts are the Python installation's own. Tells nothing of what is found: the tests do.
"""

from __future__ import annotations

import argparse
import json
import sysconfig
import time
from collections.abc import Callable, Sequence
from functools import partial
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

from bench.measure import Comparison, Timed, at_most_times, interleaved, median_ms, table
from meridia.core.events import encode
from meridia.ingest.redaction.sanitise import RedactionPolicy, sanitise, sanitise_for_sink

ORDINARY = (
    "Morning, Robin. I finally got the tarpaulin off Lapwing on Saturday, and the paint on the "
    "port side hangs off in strips."
)
SECRET = f"{ORDINARY} By the way, the token is ghp_{'a1B2c3D4e5F6' * 3}."
SIZES = (1_000, 10_000, 100_000)
#: Aims: an ordinary message against writing it as JSON, and growth from a size to the tenfold,
#: with what the processor's caches add.
_MESSAGE_MAX, _GROWTH_MAX = 25.0, 25.0
_WRITE, _MESSAGE = "writing it as JSON", "message of 20 words"
_TIMES = 50


def message(text: str) -> dict[str, Any]:
    """Return an event as a chat gives it."""
    return {
        "id": "550e8400-e29b-41d4-a716-446655440000",
        "kind": "user_message",
        "ts": "2026-03-01T10:00:40Z",
        "session": {"key": "2026-03-01"},
        "person": "Dana",
        "payload": {"text": text},
    }


def tool_result(text: str) -> dict[str, Any]:
    """Return an event as a tool gives it."""
    return {
        "kind": "tool_result",
        "tool": {"name": "bash", "callId": "call_1"},
        "payload": {"args": {"cmd": "cat notes.txt"}, "result": text},
    }


def code(length: int) -> str:
    """Return `length` characters of code: a piece of a module of the installation, repeated."""
    module = Path(sysconfig.get_path("stdlib")) / "argparse.py"
    piece = module.read_text("utf-8")[40_000 : 40_000 + SIZES[0]]
    return (piece * (length // SIZES[0] + 1))[:length]


def operations() -> dict[str, Timed]:
    """Return what is timed, by name."""
    policy = RedactionPolicy()
    ordinary, secret = message(ORDINARY), message(SECRET)
    timed: dict[str, Timed] = {
        _WRITE: _repeated(lambda: encode(ordinary)),
        _MESSAGE: _repeated(lambda: sanitise(ordinary, policy)),
        "the same for a sink": _repeated(lambda: sanitise_for_sink(ordinary, policy)),
        "message with a token": _repeated(lambda: sanitise(secret, policy)),
    }
    for size in SIZES:
        for name, text in (("code", code(size)), ("prose", (ORDINARY + " ") * (size // 120))):
            event = tool_result(text)
            timed[f"{size:,} characters of {name}"] = partial(sanitise, event, policy)
    if find_spec("detect_secrets"):
        timed["detect-secrets, the same message"] = _other()
    return timed


def _repeated(operation: Callable[[], object]) -> Callable[[], float]:
    """Return `operation` as it is in a stream of its like, seconds a time."""

    def run() -> float:
        started = time.perf_counter()
        for _ in range(_TIMES):
            operation()
        return (time.perf_counter() - started) / _TIMES

    return run


def _other() -> Callable[[], object]:
    from detect_secrets.core.scan import scan_line  # noqa: PLC0415 - a dependency of tests only
    from detect_secrets.settings import default_settings  # noqa: PLC0415

    def scan() -> object:
        with default_settings():
            return list(scan_line(ORDINARY))

    return scan


def compared(times: dict[str, list[float]]) -> list[Comparison]:
    """Compare every time with writing the message as JSON, and sizes with each other."""
    comparisons = [at_most_times(_MESSAGE, times, _WRITE, _MESSAGE_MAX)]
    floor = median_ms(times[_WRITE])
    comparisons += [
        Comparison(name, median_ms(seconds), _WRITE, floor, "no aim", met=True)
        for name, seconds in times.items()
        if name not in {_WRITE, _MESSAGE}
    ]
    for less, more in pairwise(SIZES):
        for name in ("code", "prose"):
            small, large = (f"{size:,} characters of {name}" for size in (less, more))
            comparisons.append(at_most_times(large, times, small, _GROWTH_MAX))
    return comparisons


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print the table and write the report that was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args(arguments)
    comparisons = compared(interleaved(operations(), chosen.rounds))
    print(table(comparisons))
    if chosen.json:
        chosen.json.write_text(json.dumps([c.as_json() for c in comparisons], indent=1), "utf-8")


if __name__ == "__main__":
    main()
