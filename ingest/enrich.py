"""The enrichment worker: what follows the acknowledgement, in passes over the journal.

One worker at a time does a space, by a lease; a crash repeats at most one batch. No model is
asked here: what a model thinks of it comes afterwards, and never holds anything up.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from ..core.errors import NotFound, StorageFull, Unavailable
from ..core.people import Gazetteer
from ..core.ports import Embedder
from ..core.settings import Settings
from ..core.types import Space
from ..graph import leases, listing
from ..graph.adjacency import Adjacency
from ..graph.journal_file import JournalFile
from ..graph.vectors import VectorIndexes
from .arrival import rules_of
from .endings import Endings
from .feedback_tracking import Tracking
from .knowledge import Entities, Knowing, gazetteer
from .register import STANDARD, Thresholds
from .relate import Relating
from .scoring import Scoring
from .understand import Understanding
from .vectorise import Vectorising
from .work import GoOn, Pass, Progress, position, run

_LEASE = "enrichment"
#: How long to wait before asking again whether another worker is done, seconds.
_POLL_S = 0.05
_RENEW_S = 15.0


@dataclass(frozen=True, slots=True)
class Manner:
    """How enrichment works: texts at once, words of a part, thresholds, scoring."""

    batch: int = 32
    chunk_words: int = 160
    thresholds: Thresholds = STANDARD
    scoring: Scoring = Scoring()  # noqa: RUF009 - frozen
    pipeline: str = ""


def manner_of(settings: Settings) -> Manner:
    """Return the manner that the settings ask for."""
    return Manner(
        batch=settings.embedding.batch,
        chunk_words=settings.embedding.chunk_words,
        thresholds=Thresholds(**settings.transitions.model_dump()),
        scoring=rules_of(settings).scoring,
        pipeline=settings.entities.pipeline,
    )


class Enrichment:
    """Enriches captured experiences of any space in one file."""

    def __init__(
        self,
        file: JournalFile,
        embedder: Callable[[], Embedder | None],
        indexes: VectorIndexes,
        manner: Manner = Manner(),
    ) -> None:
        self._file = file
        self._embedder = embedder
        self._indexes = indexes
        self._manner = manner
        self._vectors = Vectorising(file, embedder, manner.chunk_words, manner.batch)
        self._entities = Entities(file, manner.pipeline)
        self._understanding = Understanding(file, self._entities, manner.thresholds, manner.batch)
        relating = Relating(file, embedder, indexes, self._vectors)
        tracking = Tracking(file, embedder, indexes)
        self._endings = Endings(file, manner.scoring, tracking)
        #: In order: what a later pass needs, an earlier one has done.
        self._passes: tuple[Pass, ...] = (self._understanding, self._vectors, relating)

    def cursor(self, space: Space) -> int:
        """Return the last journal sequence that is found by meaning, or else understood."""
        return position(self._file, space, self._passes[0 if self._embedder() is None else 1])

    def lag(self, space: Space) -> int:
        """Return how many journal sequences the pass that is farthest behind has to do."""
        return max(max(0, p.until(space) - position(self._file, space, p)) for p in self._passes)

    def gazetteer(self, space: Space) -> Gazetteer:
        """Return the people the space knows."""
        return gazetteer(self._file, space)

    def catch_up(
        self,
        space: Space,
        go_on: GoOn = lambda: True,
        progress: Progress = lambda done, total: None,
    ) -> bool:
        """Enrich what is missing while `go_on()`; return whether nothing is left."""
        if not self._is_behind(space):
            return True
        with self._leased(space, go_on) as ours:
            return ours is not None and self._catch_up(space, ours, progress)

    def reembed(self, space: Space) -> None:
        """Have the next `catch_up` embed with the model in use, beside what another one left."""
        self._vectors.admit(space)

    def understood(self, space: Space) -> int:
        """Return the last journal sequence that every stage by rule has worked on."""
        return position(self._file, space, self._understanding)

    def look_again(self, space: Space) -> int:
        """Give the skeletons of sessions that still go on a second look; count what changed."""
        return self._endings.look_again(space)

    def _catch_up(self, space: Space, go_on: GoOn, progress: Progress) -> bool:
        while self.lag(space):
            for of in self._passes:
                if not run(self._file, space, of, go_on, progress):
                    return False
        self._understanding.again(space)
        known = self._knowing(space)
        if not self._endings.catch_up(space, known, go_on):
            return False
        self._expire(space)
        return not self.lag(space) or self._catch_up(space, go_on, progress)

    def _knowing(self, space: Space) -> Knowing:
        return Knowing(self._file, space, self._entities, self._manner.thresholds)

    def _is_behind(self, space: Space) -> bool:
        return bool(
            self.lag(space)
            or self._understanding.due(space)
            or self._endings.due(space)
            or self._is_due(space)
        )

    def _is_due(self, space: Space) -> bool:
        number = self._file.journal.number(space)
        with self._file.database.reading() as connection:
            return listing.is_due(connection, number, self._file.clock())

    def _expire(self, space: Space) -> None:
        """Erase held events whose time is over."""
        if not self._is_due(space):
            return
        number = self._file.journal.number(space)
        with self._file.database.erasing() as connection:
            listing.expire(connection, number, self._file.clock(), self._file.analyser)
        self._indexes.forget(number)

    @contextmanager
    def _leased(self, space: Space, go_on: GoOn) -> Iterator[GoOn | None]:
        """Hold the space's lease; give a `go_on` that renews it, or None when time ran out."""
        owner, number = leases.new_owner(), self._file.journal.number(space)
        while not self._take(number, owner):
            if not go_on():
                yield None
                return
            time.sleep(_POLL_S)
        renewed = time.monotonic()

        def still() -> bool:
            nonlocal renewed
            if time.monotonic() - renewed > _RENEW_S:
                self._take(number, owner)
                renewed = time.monotonic()
            return go_on()

        try:
            yield still
        finally:
            with self._file.database.writing() as connection:
                leases.release(connection, number, _LEASE, owner)

    def _take(self, number: int, owner: str) -> bool:
        with self._file.database.writing() as connection:
            return leases.take(connection, number, _LEASE, owner, self._file.clock())


def bring_up(
    file: JournalFile, enrichment: Enrichment, adjacency: Adjacency, space: Space, wait_s: float
) -> Sequence[str]:
    """Enrich what is missing, for at most `wait_s` seconds; return what a reader should know."""
    deadline = time.monotonic() + wait_s
    try:
        caught_up = enrichment.catch_up(space, go_on=lambda: time.monotonic() < deadline)
        file.index(space)
        adjacency.catch_up(space)
    except NotFound:
        raise
    except (Unavailable, StorageFull) as error:
        return [f"answered without the newest memories: {error}"]
    if caught_up:
        return []
    return ["enrichment is still running: the newest memories are found by words only"]
