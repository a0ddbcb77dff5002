"""What a pack sees of a space: the memories that had happened and were known by then.

Read as of a moment and one sequence, what was found of memories included, so that a pack asked for
again sees the same. Nothing is ranked here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from ..core.types import Filters, MemoryRecord, Seq, Space
from ..storage.cutoff import Cutoff
from ..storage.store import Store
from .experience_views import (
    ExperienceView,
    concerning,
    read_back,
    shared,
)

#: A core summary stands for so many memories more than the one before.
TENS = 10


class SnapshotReader:
    """Reads one space as of a moment (what had happened) and a sequence (what was known)."""

    def __init__(self, file: Store, space: Space, at: datetime, seq: int) -> None:
        self._file = file
        self._space = space
        self.at = at
        self.seq = seq
        self.then = Cutoff(at, Seq(seq), Seq(seq))

    def newest(self, limit: int, *, person: str | None = None) -> list[MemoryRecord]:
        """Return the newest visible memories, newest first; `person` leaves only what they said."""
        return self._file.catalog.newest(
            self._space, self.then.bound(Filters(person=person)), limit
        )

    def shared_with(self, person: str, limit: int) -> list[MemoryRecord]:
        """Return what was said in the sessions that a person spoke in, newest first."""
        spoken = self.newest(limit, person=person)
        return shared(self._file, self._space, spoken, self.then, limit)

    def fetch(self, seqs: Iterable[int]) -> list[MemoryRecord]:
        """Return the memories of some sequences."""
        return list(self._file.catalog.fetch(self._space, seqs).values())

    def tens(self, limit: int) -> list[MemoryRecord]:
        """Return the newest of the memories that a core summary stands for."""
        seqs = self._file.catalog.matching(self._space, self.then.bound(Filters()))
        return self.fetch(seqs[: len(seqs) // TENS * TENS][-limit:])

    def read(
        self, memories: Sequence[MemoryRecord], person: str | None = None
    ) -> list[ExperienceView]:
        """Return some memories with all that was known of them by the sequence, oldest first.

        With a `person`, those alone that are their affair.
        """
        views = read_back(self._file, self._space, memories, self.then)
        return views if person is None else concerning(views, person)
