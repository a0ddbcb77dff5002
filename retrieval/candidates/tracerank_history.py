"""TraceRank of memories from their reinforcements and facts, as of the question's moment.

Both are journal entries; what was read is cached in memory. The moment is the one that the question
is asked as of, or else the time of the newest visible memory, not the clock, so that a repeated
question has the same result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from ...core.entries import FactAsserted, MemoryReinforced
from ...core.time import DAY_S
from ...core.types import Entry, EntryKind
from ...core.types import Space as SpaceName
from ...graph.adjacency import Adjacency
from ...graph.view import Floats, Ints
from ...storage.space_caches import SpaceCache
from ...storage.store import Store
from ...traversal.tracerank import SOURCE, NodeFactors, NodeRanks, Reinforcements, factors_over
from .pool import Mask, SpaceView

#: One reinforcement: its place in the journal, whom it reinforced, when (seconds since 1970), and
#: by what experience.
_Reinforcement = tuple[int, str, float, str]
#: One stated fact: its place in the journal, the experience that states it, its lifetime in days.
_Lifetime = tuple[int, str, float]
_Listed = TypeVar("_Listed", _Reinforcement, _Lifetime)


class TraceRankHistory:
    """TraceRank of the memories of a journal's spaces."""

    def __init__(self, file: Store, adjacency: Adjacency) -> None:
        self._journal = file.journal
        self._adjacency = adjacency
        self._reinforcements: SpaceCache[list[_Reinforcement]] = SpaceCache(file.caches)
        self._lifetimes: SpaceCache[list[_Lifetime]] = SpaceCache(file.caches)

    def ranks(self, space: SpaceView) -> NodeRanks:
        """Return the TraceRank of a space's nodes as a question sees them."""
        factors = self.factors(space)
        return lambda nodes: factors(nodes).total

    def factors(self, space: SpaceView) -> NodeFactors:
        """Return what a space's nodes have TraceRank from, as a question sees them."""
        experiences = space.view.experiences
        newest = int(np.max(experiences.at[space.visible], initial=0))
        now = newest if space.moment is None else int(space.moment.timestamp())
        reinforcements = self._reinforced(space)
        owner = experience_rows(self._adjacency, space, [id for _, id, *_ in reinforcements])
        age = (now - np.array([at for _, _, at, _ in reinforcements], np.float64)) / DAY_S
        valid = (owner >= 0) & (age >= 0)
        repeated = Reinforcements(owner[valid], age[valid])
        return factors_over(space.view, now, repeated, self._lifetime_days(space))

    def repeats(self, space: SpaceView) -> Mask:
        """Say which experiences only repeat another one that may be returned."""
        reinforced = self._reinforced(space)
        repeated = np.zeros(len(space.allowed), np.bool_)
        owners = experience_rows(
            self._adjacency, space, [canonical for _, canonical, *_ in reinforced]
        )
        rows = experience_rows(
            self._adjacency, space, [experience for *_, experience in reinforced]
        )
        stands = (owners >= 0) & (rows >= 0)
        stands[stands] = space.allowed[owners[stands]]
        repeated[rows[stands]] = True
        return repeated

    def _reinforced(self, space: SpaceView) -> list[_Reinforcement]:
        kind = EntryKind.MEMORY_REINFORCED
        return self._until(space.name, _end(space), kind, self._reinforcements, _reinforcement)

    def _lifetime_days(self, space: SpaceView) -> Floats:
        """Return how fast each experience ages, in days: as the shortest-lived fact it states.

        Infinite for what states no fact, or only such as do not change.
        """
        stated = self._until(
            space.name, _end(space), EntryKind.FACT_ASSERTED, self._lifetimes, _lifetime
        )
        days = np.full(len(space.view.experiences.seqs), np.inf)
        rows = experience_rows(self._adjacency, space, [id for _, id, _ in stated])
        lifetimes = np.array([lifetime for *_, lifetime in stated], np.float64)
        np.minimum.at(days, rows[rows >= 0], lifetimes[rows >= 0])
        return days

    def _until(
        self,
        space: SpaceName,
        until: int,
        kind: EntryKind,
        caches: SpaceCache[list[_Listed]],
        read: Callable[[Entry], _Listed | None],
    ) -> list[_Listed]:
        """Return what entries of a kind say up to `until`; only what is new is read."""
        with caches.lock(space):
            cached = caches.get(space) or []
            if not cached or cached[-1][0] < until:
                after = cached[-1][0] if cached else 0
                entries = self._journal.of_kind(space, kind, after)
                cached += [listed for listed in map(read, entries) if listed is not None]
                caches.put(space, cached)
            return [listed for listed in cached if listed[0] <= until]


def _end(space: SpaceView) -> int:
    """Return the last journal sequence that a question sees."""
    until = space.view.until
    return until if space.last_seq is None else min(until, space.last_seq)


def _reinforcement(entry: Entry) -> _Reinforcement | None:
    if not isinstance(entry.payload, MemoryReinforced):
        return None
    payload = entry.payload
    return int(entry.seq), payload.canonical, entry.at.timestamp(), payload.experience


def _lifetime(entry: Entry) -> _Lifetime | None:
    if not isinstance(entry.payload, FactAsserted):
        return None
    days = SOURCE.lifetime_days(entry.payload.stability)
    return int(entry.seq), entry.payload.experience, days


def experience_rows(adjacency: Adjacency, space: SpaceView, ids: Sequence[str]) -> Ints:
    """Return the rows of `view.experiences` of some experiences; -1 for what is not there."""
    numbers = adjacency.numbers(space.name, sorted(set(ids)))
    nodes = space.view.nodes_of(np.array([numbers.get(id, -1) for id in ids], np.int64))
    return np.where(nodes >= 0, space.view.experience_of[nodes], -1)
