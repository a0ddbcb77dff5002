"""A whole ingest for tests: a journal, capture and enrichment, under a clock that tests move."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from meridia.core.errors import MeridiaError
from meridia.core.events import parse_event
from meridia.core.settings import EmbeddingSettings, IngestSettings, Settings
from meridia.core.types import Acknowledgement, Entry, EntryKind, Outcome, Space
from meridia.ingest.capture.commit import CaptureRules
from meridia.ingest.capture.service import CaptureService
from meridia.ingest.enrichment.worker import EnrichmentWorker
from meridia.storage.store import Store, open_store
from meridia.storage.vectors import VectorIndexes
from tests.drafts import recorded
from tests.fakes import FakeEmbedder, SeededBytes, TickingClock

HOME = Space("home")
#: Of one who wants outlines: a skeleton loses its text after a week.
WEEK = CaptureRules(skeleton_period=timedelta(days=7))


@dataclass
class World:
    """One journal and what works on it; `clock.now` may be set."""

    file: Store
    clock: TickingClock
    embedder: FakeEmbedder | None
    rules: CaptureRules = field(default_factory=CaptureRules)
    batch: int = 32

    def __post_init__(self) -> None:
        self.capture = CaptureService(self.file, self.rules)
        self.indexes = VectorIndexes(self.file)
        self.enrichment = self.another_worker()

    def another_worker(self, batch: int | None = None) -> EnrichmentWorker:
        """Return one more worker over the same journal, with nothing in its memory."""
        period = self.rules.skeleton_period
        ingest = IngestSettings(skeleton_days=period and period.total_seconds() / 86_400)
        embedding = EmbeddingSettings(batch=batch or self.batch)
        settings = Settings(embedding=embedding, ingest=ingest)
        indexes = VectorIndexes(self.file)
        return EnrichmentWorker(self.file, lambda: self.embedder, indexes, settings)

    def take(self, *events: Mapping[str, Any]) -> list[Acknowledgement]:
        """Capture events one by one."""
        return [self.capture.capture_event(HOME, parse_event(event)) for event in events]

    def live(self, *events: Mapping[str, Any]) -> list[Acknowledgement]:
        """Capture events and enrich them."""
        answers = self.take(*events)
        self.catch_up()
        return answers

    def catch_up(self) -> None:
        """Enrich everything."""
        assert self.enrichment.catch_up(HOME)

    def later(self, **span: float) -> None:
        """Let time pass."""
        self.clock.now += timedelta(**span)

    def entries(self, kind: EntryKind | None = None) -> list[Entry]:
        """Return the entries of the journal, of one kind or all."""
        kinds = [] if kind is None else [kind]
        return self.file.journal.read(HOME, 0, 1_000_000, kinds)

    def payloads_of(self, kind: EntryKind) -> list[dict[str, Any]]:
        """Return the payloads of the entries of a kind."""
        return [recorded(entry) for entry in self.entries(kind)]

    def payload(self, id: str) -> dict[str, Any]:
        """Return the payload of one entry."""
        (entry,) = self.file.journal.by_ids(HOME, [id])
        return recorded(entry)

    def rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """Look into a table."""
        return self.file.database.connection.execute(statement, values).fetchall()

    def restart(self) -> None:
        """Go on as another process would, with nothing in memory."""
        self.capture = CaptureService(self.file, self.rules)
        self.indexes = VectorIndexes(self.file)
        self.enrichment = self.another_worker()

    def forget_sessions(self) -> None:
        """Drop what is remembered of sessions between two events, in the file and in memory."""
        with self.file.database.writing() as connection:
            connection.execute("DELETE FROM session_state")
        self.restart()


@contextmanager
def a_world(
    path: Path | None = None,
    *,
    embedder: FakeEmbedder | None = None,
    rules: CaptureRules | None = None,
    seed: int = 0,
) -> Iterator[World]:
    """Open a world; without a path it disappears."""
    clock = TickingClock()
    file = open_store(path, Settings(), clock, SeededBytes(seed))
    try:
        yield World(file, clock, embedder, rules or CaptureRules())
    finally:
        file.close()


def outcomes(answers: Sequence[Acknowledgement | MeridiaError]) -> list[Outcome]:
    """Return what became of each event."""
    return [
        Outcome.REFUSED if isinstance(answer, MeridiaError) else answer.outcome
        for answer in answers
    ]


def dump(world: World) -> str:
    """Return every table of the file as text."""
    return "\n".join(world.file.database.connection.iterdump())
