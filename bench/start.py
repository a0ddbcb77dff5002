"""Start-up: whole processes of the `meridia` command against bare Python with the same libraries.

    python -m bench.start [--runs 15] [--profile]

A hook of an agent pays this at every event. Measures processes only; no service is kept warm.
Times are of the processor, of all threads of a process: what others do meanwhile adds little.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.measure import Comparison, Timed, aligned, at_most_times, interleaved, table

RUNS = 15
VERSION, CAPTURE = "meridia --version", "meridia capture (one event)"
IMPORT, PEOPLE = "from meridia import Memory", "meridia people"
RECALL, FIRST = "cold recall, journal of ten", "cold: remember one, recall it"
NUMPY, ENCODER = "python: numpy", "python: numpy, encoder, one text"
BARE, BARE_MODEL = "python: click, sqlite3", "python: click, sqlite3, pydantic model"

_EVENT = {
    "kind": "user_message",
    "person": "Dana",
    "session": {"key": "start"},
    "payload": {"text": "The heron came back to the pond behind the bakery this morning."},
}
_MODEL = """\
import click, sqlite3, pydantic
class Event(pydantic.BaseModel):
    kind: str
    payload: dict[str, object]
"""
_ENCODER = """\
import numpy
from meridia.models.encoders import encoder_of
encoder_of("minilm").encode("Where is the heron?")
"""
_JOURNAL = "small.db"
_FILL = f"""\
from meridia import Memory
with Memory.open({_JOURNAL!r}) as memory:
    for day in range(10):
        memory.remember(f"On day {{day}} the heron came back to the pond.", person="Dana")
    memory.enrich()
"""
_RECALL = f"""\
from meridia import Memory
with Memory.open({_JOURNAL!r}) as memory:
    assert memory.recall("Where is the heron?").hits
"""
_FIRST = """\
from meridia import Memory
with Memory.open() as memory:
    memory.remember("The heron came back to the pond.", person="Dana")
    assert memory.recall("Where is the heron?").hits
"""
_IMPORT_TIME = re.compile(r"^import time:\s*(\d+) \|\s*(\d+) \| *(\S+)$", re.MULTILINE)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--runs", type=int, default=RUNS, help="processes of each kind")
    parser.add_argument("--profile", action="store_true", help="list what takes long to import")
    arguments = parser.parse_args()
    print(table(compare(arguments.runs)))
    if arguments.profile:
        for name, rows in imports().items():
            print(f"\nSlowest imports of {name} (ms: itself, with what it imports)")
            print(aligned([(f"{own:.1f}", f"{all_:.1f}", n) for own, all_, n in rows], {0, 1}))


def compare(runs: int = RUNS) -> list[Comparison]:
    """Start each kind of process `runs` times, in turns."""
    with tempfile.TemporaryDirectory(prefix="meridia-start-") as folder:
        here = _prepared(folder)
        times = interleaved({name: _run(args, here) for name, args in _commands().items()}, runs)
    return [
        at_most_times(VERSION, times, BARE, 2.0),
        at_most_times(CAPTURE, times, BARE_MODEL, 1.6),
        at_most_times(IMPORT, times, NUMPY, 2.0),
        at_most_times(RECALL, times, ENCODER, 1.3),
        at_most_times(FIRST, times, ENCODER, 1.3),
        at_most_times(PEOPLE, times, BARE_MODEL, 3.0),
    ]


def imports(count: int = 15) -> dict[str, list[tuple[float, float, str]]]:
    """Return for each kind of process its slowest imports: own ms, cumulative ms, module."""
    slowest = {}
    with tempfile.TemporaryDirectory(prefix="meridia-start-") as folder:
        here = _prepared(folder)
        for name, arguments in _commands().items():
            command = [sys.executable, "-X", "importtime", *arguments[1:]]
            done = _process(command, here)
            rows = [
                (int(own) / 1000, int(all_) / 1000, module)
                for own, all_, module in _IMPORT_TIME.findall(done.stderr.decode())
            ]
            slowest[name] = sorted(rows, reverse=True)[:count]
    return slowest


def _commands() -> dict[str, list[str]]:
    """Return the arguments of each process; the first is the interpreter."""
    meridia = str(Path(sys.executable).with_name("meridia"))
    return {
        VERSION: [sys.executable, meridia, "--version"],
        BARE: [sys.executable, "-c", "import click, sqlite3"],
        CAPTURE: [sys.executable, meridia, "capture", "--quiet"],
        BARE_MODEL: [sys.executable, "-c", _MODEL],
        IMPORT: [sys.executable, "-c", IMPORT],
        NUMPY: [sys.executable, "-c", "import numpy"],
        RECALL: [sys.executable, "-c", _RECALL],
        FIRST: [sys.executable, "-c", _FIRST],
        PEOPLE: [sys.executable, meridia, "--db", _JOURNAL, "people"],
        ENCODER: [sys.executable, "-c", _ENCODER],
    }


def _prepared(folder: str) -> Path:
    """Return the folder, with a small journal in it whose messages are enriched."""
    _process([sys.executable, "-c", _FILL], Path(folder))
    return Path(folder)


def _run(arguments: Sequence[str], folder: Path) -> Timed:
    """Return what starts a process and waits for it; it gives the processor's seconds."""

    def timed() -> float:
        before = _processor_s()
        _process(arguments, folder)
        return _processor_s() - before

    return timed


def _processor_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _process(arguments: Sequence[str], folder: Path) -> subprocess.CompletedProcess[bytes]:
    # Without compiled modules a process would compile every module that it imports.
    left_out = ("MERIDIA_", "PYTHONDONTWRITEBYTECODE")
    environment = {name: v for name, v in os.environ.items() if not name.startswith(left_out)}
    return subprocess.run(
        arguments,
        input=json.dumps(_EVENT).encode(),
        capture_output=True,
        check=True,
        cwd=folder,
        env=environment | {"MERIDIA_DB": str(folder / "start.db")},
    )


if __name__ == "__main__":
    main()
