"""How far enrichment is in a space, and whether any work is left.

Loads none of the passes, so that reading enriched memories loads no rules.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta

from ..core.errors import NotFound, Refused, StorageFull, Unavailable
from ..core.time import within
from ..core.types import Space
from ..graph.adjacency import PROJECTION, Adjacency
from ..models.tokens import Embedder
from ..storage.projections.session_states import READING
from ..storage.store import Store

#: The passes among the cursors, by name and version. Another version begins again.
RULES, ASSOCIATIONS = (READING, 3), ("associations", 1)
_VECTORS_VERSION = 3
#: A session that is silent for so long is over: the source's compaction runs every four hours.
IDLE_PERIOD = timedelta(hours=4)

#: What was captured last is indexed before an answer, for at most so long, seconds; and a reader
#: waits at most so long for another writer.
_INDEX_S, _LOCK_S = 0.3, 0.6

#: Enriches what is missing in a space while it may continue; returns whether nothing is left.
CatchUp = Callable[[Space, Callable[[], bool]], bool]


def vectors_of(embedder: Embedder | None) -> tuple[str, int]:
    """Return name and version of the pass of vectors, of the model in use."""
    return (f"vectors {embedder.model}" if embedder else "vectors"), _VECTORS_VERSION


class EnrichmentState:
    """Where the passes stand in the spaces of one file."""

    def __init__(self, file: Store, embedder: Callable[[], Embedder | None]) -> None:
        self._file = file
        self._embedder = embedder

    def cursor(self, space: Space) -> int:
        """Return the last journal sequence that is found by meaning, or else understood."""
        embedder = self._embedder()
        projection = RULES if embedder is None else vectors_of(embedder)
        return self._file.space(space).cursors.position(*projection)

    def rule_position(self, space: Space) -> int:
        """Return the last journal sequence that every stage by rule has worked on."""
        return self._file.space(space).cursors.position(*RULES)

    def unread(self, space: Space) -> int:
        """Return how many experiences no rule has read yet, or are not found by meaning yet."""
        until = min(self.cursor(space), self.rule_position(space))
        return self._file.catalog.count_after(space, until)

    def largest_lags(self) -> dict[str, int]:
        """Return the largest lag of each index over all spaces, in journal sequences."""
        enrichment = RULES if (embedder := self._embedder()) is None else vectors_of(embedder)
        return {"enrichment": self._file.largest_lag(*enrichment)}

    def head(self, space: Space) -> int:
        """Return the last sequence of the journal."""
        return self._file.journal.head(space).seq

    def behind(self, space: Space) -> tuple[tuple[int, int], int]:
        """Return how far the rules have read, where the journal ended then, and what is unread."""
        return (self.rule_position(space), self.head(space)), self.unread(space)

    def is_current(self, space: Space) -> bool:
        """Return whether nothing is left to do: no pass, no index, no session that may be over."""
        state = self._file.space(space).cursors.state(IDLE_PERIOD, self._file.clock())
        embedder = self._embedder()
        projections = [RULES, PROJECTION]
        if embedder is not None:
            projections += [vectors_of(embedder), ASSOCIATIONS]
        return not state.due and all(state.is_current(*p) for p in projections)

    def catch_up_within(
        self, space: Space, wait_s: float, catch_up: CatchUp, adjacency: Adjacency
    ) -> Sequence[str]:
        """Index what is missing, and enrich for at most `wait_s` seconds; say what is not read yet.

        `catch_up` and `adjacency` are used only where something is missing.
        """
        notes = []
        try:
            if self.is_current(space):
                return []
            if wait_s > 0:
                catch_up(space, within(wait_s))
            with self._file.waiting_at_most(_LOCK_S):
                adjacency.catch_up(space, within(_INDEX_S))
        except NotFound:
            raise
        except (Unavailable, StorageFull, Refused) as error:
            notes.append(f"answered without the newest memories: {error}")
        if unread := self.unread(space):
            notes.append(unread_note(unread))
        missing = self._file.catalog.count_after(space, adjacency.cursor(space))
        if missing > unread:
            which = "1 memory is" if missing == 1 else f"{missing:,} memories are"
            notes.append(f"{which} being indexed and not found yet: ask again in a moment")
        return notes


def unread_note(unread: int) -> str:
    """Return what a reader should know of memories that enrichment has not come to."""
    which = "1 memory is" if unread == 1 else f"{unread:,} memories are"
    return f"{which} not read yet: found by words, and by meaning as soon as there is a vector"
