"""Compare capture, enrichment and recall with those of another checkout of this project, in turns.

    python -m bench.versions OTHER-CHECKOUT [--rounds 40]

Each version runs in a process of its own, with this environment's libraries, over a journal of its
own on the same disk, and captures one event after the other through `Memory.capture`. Capture is
timed by the clock; enrichment and recall in processor time, of all threads of the process.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from bench.measure import Comparison, at_most_times, interleaved, table

#: Events a turn; the first of them finds the other version's caches, and is not counted.
_TURN = 20
_WARM_UP = 2
_AIM = 1.3
_HERE = Path(__file__).resolve().parents[1]
#: What is timed; the first two are captures of such events.
KINDS = ("message", "tool", "enrichment", "recall")
#: Captures the events of each line it reads, and answers with the seconds of an event: the median
#: of the captures, or the mean of what follows them.
_WORKER = """
import json, statistics, sys, time
from meridia import Memory
from meridia.core.events import parse_event
with Memory.open(sys.argv[1], "bench") as memory:
    for line in sys.stdin:
        seconds, fields = [], json.loads(line)
        for event in map(parse_event, fields):
            started = time.perf_counter()
            memory.capture(event)
            seconds.append(time.perf_counter() - started)
        answer = statistics.median(seconds[1:])
        if sys.argv[2] in ("enrichment", "recall"):
            started = time.process_time()
            memory.enrich()
            if sys.argv[2] == "recall":
                started = time.process_time()
                for event in fields:
                    memory.recall(event["payload"]["text"])
            answer = (time.process_time() - started) / len(fields)
        print(answer, flush=True)
"""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("other", type=Path, help="the root of another checkout")
    parser.add_argument("--rounds", type=int, default=40, help=f"turns of {_TURN} events each")
    arguments = parser.parse_args()
    if not (arguments.other / "memory.py").is_file():
        parser.error(f"{arguments.other} is no checkout of this project")
    print(table([compared(arguments.other, kind, arguments.rounds) for kind in KINDS]))


def compared(other: Path, kind: str, rounds: int) -> Comparison:
    """Return how long one of `KINDS` takes here, against another checkout."""
    floor = "the other checkout"
    measured = f"capture of a {kind}" if kind in KINDS[:2] else f"{kind}, of the processor"
    turns = {name: map(partial(_events, kind), count()) for name in (measured, floor)}
    with _running(_HERE, kind) as here, _running(other, kind) as there:
        times = interleaved(
            {
                measured: lambda: _seconds(here, next(turns[measured])),
                floor: lambda: _seconds(there, next(turns[floor])),
            },
            rounds,
            _WARM_UP,
        )
    return at_most_times(measured, times, floor, _AIM)


@contextmanager
def _running(checkout: Path, kind: str) -> Iterator[subprocess.Popen[str]]:
    """Run a worker over a checkout, which is the package `meridia` whatever its folder's name."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "meridia").symlink_to(checkout.resolve())
        command = [sys.executable, "-c", _WORKER, str(Path(folder) / "journal.db"), kind]
        environment = os.environ | {"PYTHONPATH": folder, "PYTHONSAFEPATH": "1"}
        with subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=folder,
            env=environment,
        ) as worker:
            yield worker
            assert worker.stdin is not None
            worker.stdin.close()


def _seconds(worker: subprocess.Popen[str], events: list[dict[str, Any]]) -> float:
    assert worker.stdin is not None
    assert worker.stdout is not None
    worker.stdin.write(json.dumps(events) + "\n")
    worker.stdin.flush()
    return float(worker.stdout.readline())


def _events(kind: str, turn: int) -> list[dict[str, Any]]:
    """Return a session of twenty events, each of them new."""
    numbers = range(turn * _TURN, (turn + 1) * _TURN)
    return [
        {
            "id": f"e{n}",
            "ts": f"2026-03-01T{n // 60 % 24:02d}:{n % 60:02d}:00Z",
            "session": {"key": f"s{turn}"},
            **(_tool_event(n) if kind == "tool" else _message_event(n)),
        }
        for n in numbers
    ]


def _message_event(n: int) -> dict[str, Any]:
    text = (
        f"Number {n}: I think the heron at the pond moved {n * 7 % 31} steps towards the reeds, "
        "and we should look again tomorrow."
    )
    return {"kind": "user_message", "person": ("Dana", "Ravi")[n % 2], "payload": {"text": text}}


def _tool_event(n: int) -> dict[str, Any]:
    payload = {"args": {"cmd": f"make test{n}"}, "result": f"line of output {n}\n" * 20}
    return {"kind": "tool_result", "tool": {"name": "bash"}, "payload": payload}


if __name__ == "__main__":
    main()
