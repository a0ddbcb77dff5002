"""Does an operation cost more where more is remembered? Every public call, over growing spaces.

    python -m bench.scale [--sizes 2000,8000] [--only PREFIX] [--limit 0.3] [--json FILE]

Builds a space of each size (three quarters of the messages in sessions of about twenty, one in a
session that never ends), and measures the processor's time of every operation of
`bench.scale_operations`. The slope is that of log time over log size: 0 does not grow, 1 grows with
the space. An operation about one thing may not exceed the limit; one that reads all of something
says so in its line. Only the sentence encoder is replaced (`bench.synthetic`). Exit status 1 if any
operation exceeds the limit.
"""

from __future__ import annotations

import argparse
import json
import math
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from bench.measure import aligned
from bench.scale_operations import ENDLESS, OPERATIONS, SELDOM, SMALL, Operation, Subject
from bench.synthetic import SPACE, Language, SyntheticEmbedder, events
from meridia.core.settings import EmbeddingSettings, JournalSettings, Settings
from meridia.memory import Memory

#: Slopes above that are faults.
SLOPE_MAX = 0.3
#: What takes less, seconds, is lost in what a call costs at least.
_NOISE_S = 0.000_3
#: A call that seems to grow is repeated so often, or for so long, seconds of the processor.
_REPEATS_LEAST, _REPEATS, _ENOUGH_S = 5, 24, 2.0
_BATCH = 500
_STATED = (" I live in {}.", " I promise to send it to {} tomorrow.", " My dog is called {}.")
_SELDOM = frozenset({17, 130, 250, 377})


@dataclass(frozen=True, slots=True)
class Growth:
    """What a call took at each size, seconds of the processor."""

    operation: Operation
    seconds: Mapping[int, float]

    @property
    def slope(self) -> float:
        """The slope of log time over log size, between the smallest and the largest."""
        smallest, largest = min(self.seconds), max(self.seconds)
        low, high = (max(self.seconds[size], _NOISE_S) for size in (smallest, largest))
        return math.log(high / low) / math.log(largest / smallest)

    def exceeds(self, slope_max: float = SLOPE_MAX) -> bool:
        """Say whether the call grows, and may not."""
        return not self.operation.grows and self.slope > slope_max

    def as_json(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        times = {str(size): 1000 * seconds for size, seconds in self.seconds.items()}
        named = {"operation": self.operation.name, "grows": self.operation.grows}
        return {**named, "slope": round(self.slope, 3), "ms": times}


def settings() -> Settings:
    """Return the settings of spaces that are measured."""
    # A power loss is not what is measured.
    return Settings(
        journal=JournalSettings(synchronous="normal"),
        embedding=EmbeddingSettings(batch=_BATCH),
    )


@contextmanager
def opened(path: Path, language: Language) -> Iterator[Memory]:
    """Open a space whose enrichment is asked for, with the synthetic encoder."""
    embedder = SyntheticEmbedder(language)
    with Memory(path, SPACE, settings(), embedder=embedder) as memory:
        yield memory


def messages(language: Language) -> Iterator[dict[str, Any]]:
    """Yield events without an end: every fourth belongs to a session that never ends.

    Every tenth states something. What one person says, and what is marked, does not grow.
    """
    for number, event in enumerate(events(10**9, language)):
        if number % 4 == 3:
            event["session"] = {"key": ENDLESS}
        if number % 10 == 1:
            place = language.words[number % 3000].capitalize()
            event["payload"]["text"] += _STATED[number // 10 % len(_STATED)].format(place)
        if number in _SELDOM:
            event["person"], event["metadata"] = SELDOM, {"colour": "blue"}
        yield event


def build(sizes: Sequence[int], folder: Path, language: Language) -> dict[int, Path]:
    """Build spaces of some sizes, each from the one before; return their files."""
    told, done, paths = messages(language), 0, dict[int, Path]()
    growing = folder / "growing.db"
    with opened(growing, language) as memory:
        small = memory.in_space(SMALL)
        small.remember_many([{"text": f"The boat number {n} is old."} for n in range(20)])
        small.enrich()
    for size in sorted(sizes):
        with opened(growing, language) as memory:
            while batch := list(islice(told, min(_BATCH, size - done))):
                memory.capture_many(batch)
                done += len(batch)
                memory.enrich()
            memory.graph.project()
            memory.in_space(SMALL).graph.project()
        place = folder / str(size)
        place.mkdir()
        for file in folder.glob("growing.db*"):
            shutil.copy(file, place)
        paths[size] = place / growing.name
    return paths


def measure(subject: Subject, operation: Operation) -> float:
    """Return the time of the processor that a call took."""
    operation.prepare(subject)
    subject.memory._components.flush()  # noqa: SLF001 - what is written behind an answer
    started = time.process_time()
    operation.call(subject)
    return time.process_time() - started


def growths(
    paths: Mapping[int, Path], operations: Sequence[Operation], language: Language
) -> Iterator[Growth]:
    """Measure operations at each size, in turns; yield each when it is done.

    What seems to grow is measured again: the least time counts.
    """
    with ExitStack() as stack:
        subjects = {
            size: Subject(stack.enter_context(opened(path, language)), language, path.parent)
            for size, path in paths.items()
        }
        for operation in operations:
            growth = Growth(operation, dict.fromkeys(subjects, math.inf))
            until = time.process_time() + _ENOUGH_S
            for turn in range(_REPEATS):
                times = {size: measure(each, operation) for size, each in subjects.items()}
                least = {size: min(times[size], growth.seconds[size]) for size in times}
                growth = Growth(operation, least)
                enough = turn > 0 and (operation.grows or growth.slope <= SLOPE_MAX / 2)
                if enough or (turn >= _REPEATS_LEAST and time.process_time() > until):
                    break
            yield growth


def main() -> None:
    """Measure all, print a table, and say what grows."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--sizes", default="2000,8000", help="memories, with commas between")
    parser.add_argument("--only", default="", help="beginnings of names of operations")
    parser.add_argument("--limit", type=float, default=SLOPE_MAX, help="the largest slope")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    parser.add_argument("--work", type=Path, help="keep or find the spaces in this folder")
    given = parser.parse_args()
    sizes = [int(size) for size in given.sizes.split(",")]
    chosen = [o for o in OPERATIONS if o.name.startswith(tuple(given.only.split(",")))]
    language = Language()
    with tempfile.TemporaryDirectory() as folder:
        paths = _copies(given.work, sizes, Path(folder), language)
        measured = []
        for growth in growths(paths, chosen, language):
            measured.append(growth)
            print(*_row(growth, given.limit), sep="  ", flush=True)
    print("\n" + table(measured, given.limit))
    if given.json:
        given.json.write_text(json.dumps([g.as_json() for g in measured], indent=1) + "\n")
    sys.exit(any(growth.exceeds(given.limit) for growth in measured))


def _copies(
    kept: Path | None, sizes: Sequence[int], folder: Path, language: Language
) -> dict[int, Path]:
    """Return spaces of some sizes in `folder`: of those in `kept`, where they are, copies."""
    if kept is None:
        return build(sizes, folder, language)
    if not all((kept / str(size)).exists() for size in sizes):
        kept.mkdir(parents=True, exist_ok=True)
        build(sizes, kept, language)
    for size in sizes:
        shutil.copytree(kept / str(size), folder / str(size))
    return {size: folder / str(size) / "growing.db" for size in sizes}


def table(measured: Sequence[Growth], limit: float = SLOPE_MAX) -> str:
    """Write growths as aligned text, the steepest first."""
    ordered = sorted(measured, key=lambda growth: -growth.slope)
    sizes = sorted(ordered[0].seconds) if ordered else []
    heading = ("operation", *(f"ms at {size:,}" for size in sizes), "slope", "")
    rows = [heading, *(_row(growth, limit) for growth in ordered)]
    return aligned(rows, right=set(range(1, len(sizes) + 2)))


def _row(growth: Growth, limit: float) -> tuple[str, ...]:
    times = [f"{1000 * growth.seconds[size]:.2f}" for size in sorted(growth.seconds)]
    verdict = growth.operation.grows or ("GROWS" if growth.exceeds(limit) else "")
    return growth.operation.name, *times, f"{growth.slope:+.2f}", verdict


if __name__ == "__main__":
    main()
