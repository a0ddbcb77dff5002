"""Speed, as ratios to the bare operations in the same run.

    python -m bench.speed [--sizes 10000,100000] [--work DIR] [--json FILE] [--locomo FILE]

Measures capturing one event against a bare durable insert, the recall core against the sum of the
three searches it cannot do without, and start-up against bare Python. Spaces are synthetic (see
`bench.synthetic`), so this tells nothing of how good recall is. With `--locomo`, the public calls
too, over real messages: `recall` against one encoding, `remember` against a bare durable insert.
Writes nothing but what it is told to: a JSON report, and the built spaces, which another run then
takes from `--work`.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sqlite3
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np

from bench import locomo, start
from bench.measure import (
    Comparison,
    aligned,
    at_most_above,
    at_most_times,
    interleaved,
    median_ms,
    table,
)
from bench.stages import Stages
from bench.synthetic import SPACE, Language, SyntheticSpace, built, events, opened
from meridia import Memory
from meridia.core.events import Event, encode, parse_event
from meridia.core.settings import RecallSettings, Settings
from meridia.core.time import system_clock
from meridia.core.types import Filters
from meridia.graph.view import Ints
from meridia.ingest.capture.service import CaptureService
from meridia.ingest.curation import gazetteer
from meridia.language.questions.question import parse_question
from meridia.models.embedder import MiniLmEmbedder
from meridia.retrieval.recall_service import RecallRequest, RecallService, SpaceInfo, SpaceSnapshot
from meridia.storage.store import open_store
from meridia.storage.vectors import Matrix

EVENTS, QUESTIONS, TOP = 500, 50, 200
PARTS = ("capture", "recall", "start", "calls")
#: From this size on, the recall core is held to a ratio; below, to milliseconds above its floor.
_LARGE = 50_000
_START_NODES = 10
_CAPTURE, _PARSED, _INSERT = "capture of one event", "the same, from a dict", "bare insert"
_CORE, _TEXTS = "recall core", "texts and reasons of 10 hits"
_FULL_TEXT, _SCAN, _STEP = "full text", "vector scan", "graph step"
_FLOOR = "full text + scan + step"
_REMEMBER, _RECALL, _ENCODING = (
    "memory.remember",
    "memory.recall, 20 hits",
    "encoding of a question",
)
_BEFORE = "enrich first, and what else is before"
#: Calls of the public API that are timed, and how many hits a recall asks for.
_CALLS, _HITS = 200, 20


@dataclass(frozen=True, slots=True)
class RecallReport:
    """The recall core at one size: against its floor, the floor's parts, its own stages (ms)."""

    size: int
    core: Comparison
    floor: dict[str, float]
    beside: dict[str, float]
    stages: dict[str, float]

    def as_json(self) -> dict[str, Any]:
        """Return the report as plain JSON values."""
        return {
            "memories": self.size,
            "core": self.core.as_json(),
            "floor_ms": self.floor,
            "beside_ms": self.beside,
            "stages_ms": self.stages,
        }


def main() -> None:
    """Measure everything and print it."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--sizes", default="10000,100000", help="memories, separated by commas")
    parser.add_argument("--work", type=Path, help="keep the built spaces here for another run")
    parser.add_argument("--json", type=Path, help="write the report here as well")
    parser.add_argument("--parts", default=",".join(PARTS), help="what to measure")
    parser.add_argument("--events", type=int, default=EVENTS, help="events captured")
    parser.add_argument("--questions", type=int, default=QUESTIONS, help="questions a size")
    parser.add_argument("--locomo", type=Path, help="LoCoMo's JSON file, for the part calls")
    parser.add_argument("--runs", type=int, default=start.RUNS, help="processes of each kind")
    arguments = parser.parse_args()
    sizes = [int(size) for size in arguments.sizes.split(",")]
    parts = arguments.parts.split(",")
    if unknown := set(parts) - set(PARTS):
        parser.error(f"no part {', '.join(unknown)}: choose from {', '.join(PARTS)}")
    report: dict[str, Any] = {"machine": _machine()}
    with ExitStack() as stack:
        work = arguments.work or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        if "capture" in parts:
            report["capture"] = _shown(capture(work, arguments.events))
        if "start" in parts:
            report["start"] = _shown(start.compare(arguments.runs))
        if "calls" in parts and arguments.locomo:
            report["calls"] = _shown_calls(work, arguments.locomo)
        if "recall" in parts:
            report["recall"] = [_shown_recall(r, arguments.questions, work) for r in sizes]
    if arguments.json:
        arguments.json.write_text(json.dumps(report, indent=2) + "\n", "utf-8")


def capture(work: Path, count: int) -> list[Comparison]:
    """Capture `count` events one by one, each acknowledged, in turns with bare durable inserts."""
    warm_up = 20
    fields = list(events(2 * (count + warm_up), Language()))
    ready: Iterator[Event] = map(parse_event, fields[::2])
    raw = iter(fields[1::2])
    bodies = iter([encode({"event": event}) for event in fields])
    work.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=work, prefix="capture-") as folder, ExitStack() as stack:
        file = stack.enter_context(closing(open_store(Path(folder) / "journal.db", Settings())))
        bare = stack.enter_context(_bare(Path(folder) / "bare.db"))
        capture_event = CaptureService(file).capture_event
        prepared = list(ready)
        waiting = iter(prepared)
        times = interleaved(
            {
                _CAPTURE: lambda: capture_event(SPACE, next(waiting)),
                _PARSED: lambda: capture_event(SPACE, parse_event(next(raw))),
                _INSERT: lambda: _insert(bare, next(bodies)),
            },
            count,
            warm_up,
        )
    return [
        at_most_times(_CAPTURE, times, _INSERT, 1.5),
        at_most_times(_PARSED, times, _INSERT, 1.5),
    ]


def calls(work: Path, data: Path, count: int = _CALLS) -> tuple[list[Comparison], dict[str, float]]:
    """Time public calls over all messages of `data` in one space, in turns with their floors.

    What is remembered goes into another space, so that a recall has nothing to enrich. Returns the
    comparisons, and the median milliseconds of each stage of a recall.
    """
    asked = [q["question"] for sample in json.loads(data.read_text("utf-8")) for q in sample["qa"]]
    questions, texts = cycle(asked), cycle(asked[1:])
    work.mkdir(parents=True, exist_ok=True)
    stages: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory(dir=work, prefix="calls-") as folder, ExitStack() as stack:
        path = work / "locomo-calls.db"
        memory = stack.enter_context(Memory.open(path))
        if memory.parts.journal.spaces() == []:
            locomo.import_conversations(memory, data, merged=True)
        here, other = memory.in_space(locomo.MERGED), memory.in_space("calls")
        bare = stack.enter_context(_bare(Path(folder) / "bare.db"))
        encoder = MiniLmEmbedder()

        def recalled() -> float:
            started = time.perf_counter()
            timings = here.recall(next(questions), limit=_HITS).timings_ms
            passed = time.perf_counter() - started
            for name, ms in {_BEFORE: passed * 1000 - sum(timings.values()), **timings}.items():
                stages.setdefault(name, []).append(ms / 1000)
            return passed

        operations = {
            _RECALL: recalled,
            _REMEMBER: lambda: other.remember(next(texts), person="Dana", session="calls"),
            _ENCODING: lambda: encoder.encode(next(texts)),
            _INSERT: lambda: _insert(bare, encode({"text": next(texts)})),
        }
        times = interleaved(operations, count, warm_up=10)
    return [
        at_most_times(_RECALL, times, _ENCODING, 4.0),
        at_most_times(_REMEMBER, times, _INSERT, 2.5),
    ], {name: median_ms(seconds) for name, seconds in stages.items()}


@contextmanager
def _bare(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a SQLite file of one table with one text, as durable as the journal."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("CREATE TABLE bare (body TEXT)")
        yield connection


def _insert(connection: sqlite3.Connection, body: str) -> None:
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("INSERT INTO bare (body) VALUES (?)", (body,))
    connection.execute("COMMIT")


def recall(path: Path, size: int, count: int, language: Language) -> RecallReport:
    """Ask `count` questions of a space; run the core and each part of its floor in turns."""
    with opened(path, language) as space:
        questions = space.questions(count)
        core = _Core(space, questions)
        floor = _Floor(space, core.snapshot(), questions)
        parts = {_FULL_TEXT: floor.full_text, _SCAN: floor.scan, _STEP: floor.step}
        times = interleaved({_CORE: core.ask, **parts}, count)
        # Timers cost time, so the stages are measured apart from the comparison.
        core.texts.clear()
        with Stages() as stages:
            for _ in questions:
                core.ask()
        core.close()
    times[_FLOOR] = [sum(three) for three in zip(*(times[name] for name in parts), strict=True)]
    compare = at_most_times if size >= _LARGE else at_most_above
    return RecallReport(
        size,
        compare(_CORE, times, _FLOOR, 1.5 if size >= _LARGE else 3.0),
        {name: median_ms(times[name]) for name in parts},
        {_TEXTS: median_ms(core.texts), "first view and vectors": core.first_ms},
        stages.median_ms(),
    )


class _Core:
    """Asks one question after the other and tells how long the core of each took."""

    def __init__(self, space: SyntheticSpace, questions: Sequence[str]) -> None:
        settings = RecallSettings(keep=False)
        self._recall_service = RecallService(space.file, space.adjacency, space.indexes, settings)
        self._space = space
        enrichment = space.enrichment
        self._info = SpaceInfo(gazetteer(space.file, SPACE), enrichment.cursor(SPACE))
        self._questions = cycle(questions)
        self.texts: list[float] = []
        self.first_ms = self._answer(questions[0])["views"]

    def ask(self) -> float:
        timings = self._answer(next(self._questions))
        self.texts.append(timings["texts"] / 1000)
        return timings["core"] / 1000

    def snapshot(self) -> SpaceSnapshot:
        return self._recall_service.snapshot(SPACE, self._space.embedder, self._info.enriched)

    def close(self) -> None:
        self._recall_service.close()

    def _answer(self, question: str) -> dict[str, float]:
        request = RecallRequest(question, 10, Filters())
        answer = self._recall_service.answer(
            SPACE, "bench", request, self._space.embedder, self._info
        )
        return dict(answer.timings_ms)


class _Floor:
    """The three bare searches, each going through the same questions on its own."""

    def __init__(
        self, space: SyntheticSpace, snapshot: SpaceSnapshot, questions: Sequence[str]
    ) -> None:
        people = gazetteer(space.file, SPACE)
        asked = [
            parse_question(question, space.file.analyser, people, system_clock())
            for question in questions
        ]
        self._words = cycle([analysed.terms for analysed in asked])
        self._full_text = space.file.space(SPACE).full_text
        # The same arrays as the core's: a second copy would push the first out of the caches.
        assert snapshot.index is not None
        self._view, self._index = snapshot.view, snapshot.index
        vectors: Matrix = space.embedder.embed(questions)
        self._vectors = cycle(vectors)
        self._starts = cycle([self._start_nodes(vector) for vector in vectors])

    def full_text(self) -> None:
        self._full_text.match(next(self._words), TOP)

    def scan(self) -> None:
        scores = self._index.rows @ next(self._vectors)
        np.argpartition(-scores, min(TOP, len(scores) - 1))[:TOP]

    def step(self) -> None:
        nodes = next(self._starts)
        for type in ("NEXT", "HAS_WORD"):
            for layer in self._view.links(type).layers:
                layer.of(nodes)

    def _start_nodes(self, vector: Matrix) -> Ints:
        best = np.argsort(-self._index.similarities(vector))[:_START_NODES]
        rows = self._view.experiences.index_of(self._index.seqs[best])
        return self._view.experiences.node[rows]


def _shown(comparisons: Sequence[Comparison]) -> list[dict[str, Any]]:
    print(table(comparisons), end="\n\n", flush=True)
    return [comparison.as_json() for comparison in comparisons]


def _shown_calls(work: Path, data: Path) -> dict[str, Any]:
    comparisons, stages = calls(work, data)
    shown = _shown(comparisons)
    rows = [(name, f"{ms:.3f}") for name, ms in stages.items()]
    print(aligned([("stage of a recall (median)", "ms"), *rows], right={1}), end="\n\n")
    return {"calls": shown, "stages_ms": stages}


def _shown_recall(size: int, questions: int, work: Path) -> dict[str, Any]:
    language = Language()
    report = recall(built(size, work, language), size, questions, language)
    print(f"{size:,} memories, {questions} questions")
    print(table([report.core]))
    for heading, rows in (("floor", report.floor), ("beside the core", report.beside)):
        print(f"{heading}: " + ", ".join(f"{name} {ms:.2f} ms" for name, ms in rows.items()))
    stages = [(name, f"{ms:.3f}") for name, ms in report.stages.items()]
    print(
        aligned([("stage of the core (median, with timers)", "ms"), *stages], right={1}), end="\n\n"
    )
    return report.as_json()


def _machine() -> dict[str, Any]:
    return {
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "numpy": np.__version__,
        "system": platform.platform(terse=True),
        "processors": os.cpu_count(),
    }


if __name__ == "__main__":
    main()
