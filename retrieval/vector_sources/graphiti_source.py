"""Graphiti's own search as a vector source.

It finds facts; the score of a memory is the cosine of its fact with the question. What Graphiti's
model read from a whole session counts half for each of its memories. Where it does not answer,
recall continues without it.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...core.calls.arguments import checked
from ...core.entries import EpisodeSynthesised
from ...core.errors import MeridiaError
from ...core.ports import Journal, VectorQuery
from ...core.types import EntryKind, Space
from ...graph.graphiti.client import GraphitiClient
from ...graph.graphiti.mapping import EXPERIENCE, group_of, uuid_of
from ...graph.schema import partition

#: An answer waits so long for it, seconds.
_TIMEOUT_S = 3.0
_OF_EPISODE = 0.5


@checked
class GraphitiSource:
    """A `VectorSource` over the group that the sink fills."""

    name = "graphiti"

    def __init__(self, client: GraphitiClient, journal: Journal) -> None:
        self._client = client
        self._journal = journal

    def is_available(self, space: Space) -> bool:
        """Say whether its search answers now, without raising."""
        try:
            self._client.search(group_of(space), "?", 1, _TIMEOUT_S)
        except MeridiaError:
            return False
        return True

    def until(self, space: Space) -> int:
        """Return the end of the journal: what it lacks, it does not find."""
        return int(self._journal.head(space).seq)

    def search(self, query: VectorQuery) -> Sequence[tuple[int, float]]:
        """Return journal sequences of experiences and their scores, best first, each once."""
        group = group_of(query.space)
        facts = self._client.search(group, query.text, query.limit, _TIMEOUT_S)
        by_id: dict[str, float] = {}
        for fact, cosine in facts:
            own = fact.attributes.get(EXPERIENCE)
            share = cosine if own else _OF_EPISODE * cosine
            for id in [own] if own else self._sources(query.space, fact.episodes):
                by_id[id] = max(share, by_id.get(id, -1.0))
        entries = self._journal.by_ids(query.space, sorted(by_id))
        scored = [(int(e.seq), by_id[e.id]) for e in entries if e.seq <= query.until]
        if query.among is not None:
            scored = [(seq, score) for seq, score in scored if seq in query.among]
        return sorted(scored, key=lambda each: (-each[1], each[0]))

    def _sources(self, space: Space, episodes: Sequence[str]) -> list[str]:
        """Return the memories of the sessions that some episodes are."""
        mine, kind = partition(self._journal, space), EntryKind.EPISODE_SYNTHESISED
        return [
            source
            for entry in self._journal.of_kind(space, kind)
            if isinstance(entry.payload, EpisodeSynthesised)
            and uuid_of(mine, entry.payload.episode) in episodes
            for source in entry.payload.sources
        ]
