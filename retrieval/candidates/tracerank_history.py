"""Histories: how much each memory's own past raises or lowers it, for a question's moment.

Reinforcements are entries of the journal; what is read of them is kept in memory. The moment is
that of the newest memory to be seen, not the clock's, so that a question asked again gets the same.
"""

from __future__ import annotations

from collections import defaultdict
from threading import Lock

import numpy as np

from ...core.entries import MemoryReinforced
from ...core.ports import Journal
from ...core.types import EntryKind
from ...core.types import Space as SpaceName
from ...graph.adjacency import Adjacency
from ...traversal.tracerank import NodeFactors, NodeRanks, Reinforcements, factors_over
from .pool import SpaceView

_DAY_S = 86_400

#: One reinforcement: its place in the journal, whom it reinforced, when (seconds since 1970).
_Reinforcement = tuple[int, str, float]


class TraceRankHistory:
    """TraceRank of the memories of a journal's spaces."""

    def __init__(self, journal: Journal, adjacency: Adjacency) -> None:
        self._journal = journal
        self._adjacency = adjacency
        self._reinforcements: dict[SpaceName, list[_Reinforcement]] = defaultdict(list)
        self._lock = Lock()

    def ranks(self, space: SpaceView) -> NodeRanks:
        """Return the TraceRank of a space's nodes as a question sees them."""
        factors = self.factors(space)
        return lambda nodes: factors(nodes).total

    def factors(self, space: SpaceView) -> NodeFactors:
        """Return what a space's nodes have TraceRank from, as a question sees them."""
        experiences = space.view.experiences
        now = int(np.max(experiences.at[space.visible], initial=0))
        last = int(np.max(experiences.seqs[space.visible], initial=0))
        until = space.view.until if space.visible.all() else last
        reinforcements = self._until(space.name, until)
        numbers = self._adjacency.numbers(space.name, sorted({id for _, id, _ in reinforcements}))
        nodes = space.view.nodes_of(
            np.array([numbers.get(id, -1) for _, id, _ in reinforcements], np.int64)
        )
        owner = np.where(nodes >= 0, space.view.experience_of[nodes], -1)
        age = (now - np.array([at for *_, at in reinforcements], np.float64)) / _DAY_S
        valid = (owner >= 0) & (age >= 0)
        return factors_over(space.view, now, Reinforcements(owner[valid], age[valid]))

    def _until(self, space: SpaceName, until: int) -> list[_Reinforcement]:
        """Return the reinforcements of a space up to `until`; only what is new is read."""
        with self._lock:
            cached = self._reinforcements[space]
            if not cached or cached[-1][0] < until:
                after = cached[-1][0] if cached else 0
                for entry in self._journal.of_kind(space, EntryKind.MEMORY_REINFORCED, after):
                    if isinstance(entry.payload, MemoryReinforced):
                        at = entry.at.timestamp()
                        cached.append((int(entry.seq), entry.payload.canonical, at))
            return [reinforcement for reinforcement in cached if reinforcement[0] <= until]
