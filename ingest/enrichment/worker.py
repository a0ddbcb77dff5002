"""The enrichment worker: runs the passes over the journal, after the acknowledgement.

One worker at a time works on a space, by a lease; a crash repeats at most one batch. No model is
asked here: the model pass comes afterwards and delays nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ...core.settings import Settings
from ...core.types import Space
from ...graph.adjacency import Adjacency
from ...models.embedder import EncodingCache
from ...models.tokens import Embedder
from ...storage import work
from ...storage.store import Store
from ...storage.upkeep import refresh_readings
from ...storage.vectors import VectorIndexes
from ..capture.commit import capture_rules_of
from ..enrichment_state import IDLE_PERIOD, EnrichmentState
from ..feedback.tracking import ReferenceTracker
from .passes import EnrichmentPass, Progress, ShouldContinue, position, run_batch, run_pass
from .rule_pass import RulePass
from .session_end import SessionCloser
from .space_names import NamesCache
from .vector_pass import AssociationPass, VectorPass

#: The name of the lease under which a space is changed.
LEASE = "enrichment"
#: How long to wait before asking again whether another worker is done, seconds.
_POLL_S = 0.05
_RENEW_S = 15.0


class EnrichmentWorker(EnrichmentState):
    """Enriches captured experiences of any space in one file."""

    def __init__(
        self,
        file: Store,
        embedder: Callable[[], Embedder | None],
        indexes: VectorIndexes,
        settings: Settings,
        pause: Callable[[], None] = lambda: None,
    ) -> None:
        """Enrich the spaces of a file; `pause` is called often, between two small steps."""
        super().__init__(file, embedder)
        self._indexes = indexes
        self._edges = Adjacency(file)
        self._makes_outlines = settings.ingest.skeleton_days is not None
        chosen = settings.embedding
        # A batch is understood and then embedded: its texts and captions are encoded once.
        encodings = EncodingCache(embedder, 4 * chosen.batch, pause)
        self._vector_pass = VectorPass(file, embedder, encodings, chosen.chunk_words, chosen.batch)
        names = NamesCache(file, settings.entities.pipeline)
        tracker = ReferenceTracker(file, embedder, indexes)
        closer = SessionCloser(file, capture_rules_of(settings).scoring, tracker)
        self._rule_pass = RulePass(file, names, encodings, closer, settings, pause)
        self._association_pass = AssociationPass(file, embedder, indexes, self._vector_pass)
        #: In order: what a later pass needs, an earlier one has done.
        self._passes: tuple[EnrichmentPass, ...] = (
            self._rule_pass,
            self._vector_pass,
            self._association_pass,
        )

    def lag(self, space: Space) -> int:
        """Return how many journal sequences the pass that is farthest behind has to do."""
        return max(max(0, p.until(space) - position(self._file, space, p)) for p in self._passes)

    def catch_up(
        self,
        space: Space,
        should_continue: ShouldContinue = lambda: True,
        progress: Progress = lambda done, total: None,
        *,
        waits: bool = True,
    ) -> bool:
        """Enrich what is missing while `should_continue()`; return whether nothing is left.

        Another worker's turn is waited for, unless `waits` is off.
        """
        if not (
            self.lag(space)
            or self._rule_pass.due(space)
            or self._file.space(space).sessions.due(IDLE_PERIOD, self._file.clock())
            or self._has_expired(space)
        ):
            return True
        leased = self._leased(space, should_continue, progress, waits=waits)
        with leased as continue_with_lease:
            return continue_with_lease is not None and self._catch_up(
                space, continue_with_lease, progress
            )

    def reembed(self, space: Space) -> None:
        """Have the next `catch_up` embed with the model in use, beside what another one left."""
        self._vector_pass.allow_other_model(space)

    def restart(self, space: Space) -> None:
        """Have the next `catch_up` read every message and end every session again by the rules.

        What was not read yet is read first: its names are known when the others are read again.
        """
        self.catch_up(space)
        store = self._file.space(space)
        with self._file.writing(appends=False):
            store.cursors.forget(self._rule_pass.name)
            store.sessions.reopen(self.head(space))

    def _catch_up(self, space: Space, should_continue: ShouldContinue, progress: Progress) -> bool:
        while self.lag(space):
            if not self._run_passes(space, should_continue, progress):
                return False
        refresh_readings(self._file, space)
        self._rule_pass.retry_due(space)
        if not self._rule_pass.end_sessions(space, should_continue):
            return False
        self._expire(space)
        self._edges.catch_up(space)
        return not self.lag(space) or self._catch_up(space, should_continue, progress)

    def _run_passes(
        self, space: Space, should_continue: ShouldContinue, progress: Progress
    ) -> bool:
        """Run every pass to its end: the rules and the vectors by turns, a batch each.

        An encoder that fails holds up no rule: its error is raised when the rules are done.
        """
        failure: Exception | None = None
        start = done = position(self._file, space, self._rule_pass)
        while done < (end := self._rule_pass.until(space)):
            progress(done - start, end - start)
            if not should_continue():
                return False
            done = run_batch(self._file, space, self._rule_pass)
            try:
                if failure is None:
                    run_pass(self._file, space, self._vector_pass, until=done)
            except Exception as error:  # noqa: BLE001 - raised below
                failure = error
            self._edges.catch_up(space)
        progress(done - start, done - start)
        if failure is not None:
            raise failure
        later = (self._vector_pass, self._association_pass)
        return all(run_pass(self._file, space, p, should_continue, progress) for p in later)

    def _has_expired(self, space: Space) -> bool:
        """Return whether events are to be made outlines; without a period what is held stays."""
        if not self._makes_outlines:
            return False
        return self._file.space(space).held_events.is_due(self._file.clock())

    def _expire(self, space: Space) -> None:
        """Erase held events whose time is over."""
        if not self._has_expired(space):
            return
        self._file.space(space).held_events.expire(self._file.clock())
        self._indexes.forget(space)

    @contextmanager
    def _leased(
        self, space: Space, should_continue: ShouldContinue, progress: Progress, *, waits: bool
    ) -> Iterator[ShouldContinue | None]:
        """Hold the space's lease; give a `go_on` that renews it, or None when time ran out.

        While it waits it tells its progress: a caller may raise there, and waits no longer.
        """
        owner, held = work.new_owner(), self._file.space(space).leases
        while not self._take(held, owner):
            if not waits or not should_continue():
                yield None
                return
            progress(0, 0)
            time.sleep(_POLL_S)
        renewed = time.monotonic()

        def renew_and_continue() -> bool:
            nonlocal renewed
            if time.monotonic() - renewed > _RENEW_S:
                self._take(held, owner)
                renewed = time.monotonic()
            return should_continue()

        try:
            yield renew_and_continue
        finally:
            held.release(LEASE, owner)

    def _take(self, held: work.Leases, owner: str) -> bool:
        return held.take(LEASE, owner, self._file.clock())
