"""What a pack sees of a space: the memories that had happened and were known by then.

Read as of a moment and one sequence, what was found of memories included, so that a pack asked for
again sees the same. Nothing is ranked here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from ...core.entries import RelationshipChanged
from ...core.facts import Fact
from ...core.types import EntryKind, Filters, MemoryRecord, Seq, Space
from ...core.vocabulary import Relationship
from ...storage.store import Store
from ..history.experience_views import (
    Cutoff,
    ExperienceView,
    concerning,
    facts_as_of,
    read_back,
    read_experiences,
    shared,
)
from ..history.open_threads import Thread, threads_of

#: A core summary stands for so many memories more than the one before.
TENS = 10


@dataclass(frozen=True, slots=True)
class PackSnapshot:
    """Memories oldest first and facts as they were known, as of a moment.

    `threads` are those that these memories opened, closed by whatever closed them in the space.
    `relevance` is how well memories answer a question, 0 to 1, by sequence.
    `relationships` are what a person is to the agent, by name, where that was ever changed.
    """

    experiences: Sequence[ExperienceView]
    facts: Sequence[Fact]
    threads: Sequence[Thread]
    at: datetime
    relevance: Mapping[int, float]
    relationships: Mapping[str, Relationship]

    def recency(self, experience: ExperienceView, half_life_h: float) -> float:
        """Return exp(-age / half-life), 1 for what happens now or later."""
        age_h = max((self.at - experience.memory.at).total_seconds(), 0.0) / 3600
        return math.exp(-age_h / half_life_h)


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

    def since(self, lookback_h: float | None, minimum: int, limit: int) -> list[MemoryRecord]:
        """Return the newest memories no older than the last by a lookback, at least `least`."""
        memories = self.newest(limit)
        if lookback_h is None or not memories:
            return memories
        bound = memories[0].at - timedelta(hours=lookback_h)
        recent = [memory for memory in memories if memory.at >= bound]
        return recent if len(recent) >= minimum else memories[: max(minimum * 5, 50)]

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
        self,
        memories: Sequence[MemoryRecord],
        relevance: Mapping[int, float] | None = None,
        person: str | None = None,
    ) -> PackSnapshot:
        """Return some memories with all that was known of them by the sequence.

        With a `person`, those alone that are their affair.
        """
        experiences = read_back(self._file, self._space, memories, self.then)
        if person is not None:
            experiences = concerning(experiences, person)
        speakers = {view.memory.person for view in experiences if view.memory.person is not None}
        return PackSnapshot(
            experiences,
            self._facts(),
            self._threads(experiences),
            self.at,
            relevance or {},
            self._relationships(speakers),
        )

    def _threads(self, experiences: Sequence[ExperienceView]) -> list[Thread]:
        """Return the threads that experiences opened; all that came later can have closed them."""
        if not experiences:
            return []
        since = Filters(since=experiences[0].memory.at)
        later = read_experiences(self._file, self._space, since, self.then)
        opened = {view.memory.id for view in experiences}
        threads = threads_of(later, self._file.analyser, self.at)
        return [thread for thread in threads if thread.opened.id in opened]

    def _relationships(self, names: Iterable[str]) -> dict[str, Relationship]:
        """Return what each person was to the agent by then, by name."""
        kind, latest = EntryKind.RELATIONSHIP_CHANGED, dict[str, Relationship]()
        directory = self._file.space(self._space).identities.directory()
        for entry in filter(self.then.includes, self._file.journal.of_kind(self._space, kind)):
            if isinstance(entry.payload, RelationshipChanged):
                latest[directory.shown(entry.payload.person)] = entry.payload.type
        return {name: latest[name] for name in names if name in latest}

    def _facts(self) -> list[Fact]:
        """Return the facts that held at the moment, as they were known by the sequence."""
        facts = facts_as_of(self._file, self._space, self.then).values()
        held = [fact for fact in facts if fact.valid_at(self.at) and not fact.is_end_record]
        return sorted(held, key=lambda fact: (fact.t_valid, fact.text, fact.id))
