"""The rank of a memory without one edge, by computing the answer again.

The edge is removed from an immutable view, never from the graph. Nothing is estimated from a trace:
an edge also changes what other memories get, so the whole question is computed again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from ...core.codec import to_object
from ...core.types import Json
from ...graph.view import Experiences, GraphView, Ints
from ..ranked import Ranked
from ..ranking.context_norms import norms
from ..ranking.contributions import Contribution, best_first
from ..ranking.formula import session_lengths
from ..ranking.score_trace import strongest_paths
from ..space_snapshot import SpaceSnapshot


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge of the graph by its type and the ids of its two ends."""

    type: str
    source: str
    target: str


@dataclass(frozen=True, slots=True)
class Counterfactual:
    """Where a memory stood, and where it would have stood without an edge.

    `rank_without` is None where it would not even have been a candidate. `description` is the edge
    in words.
    """

    edge: Edge
    description: str
    rank: int
    score: float
    rank_without: int | None
    score_without: float | None

    def as_json(self) -> dict[str, Json]:
        """Return it as plain JSON values."""
        return {
            "edge": to_object(self.edge) | {"description": self.description},
            "rank": self.rank,
            "score": self.score,
            "rank_without": self.rank_without,
            "score_without": self.score_without,
        }


#: An edge by its type and the dense indices of its ends.
Link = tuple[str, int, int]


def rank_and_score(ranked: Ranked, row: int) -> tuple[int, float] | None:
    """Return rank and score of an experience among all candidates; None if it was none."""
    rows = ranked.pool.rows
    place = int(np.searchsorted(rows, row))
    if place >= len(rows) or rows[place] != row:
        return None
    order = best_first(rows, ranked.scores)
    return int(np.flatnonzero(order == place)[0]) + 1, float(ranked.scores[place])


def without(snapshot: SpaceSnapshot, link: Link) -> SpaceSnapshot:
    """Return what a question would see of a space without one edge."""
    type, source, target = link
    view = snapshot.view.without(type, source, target)
    if view is snapshot.view:
        return snapshot
    lengths = session_lengths(view) if type == "IN_SESSION" else snapshot.session_words
    changed = replace(snapshot, view=view, session_words=lengths)
    if type == "NEXT" and snapshot.index is not None:
        ends = snapshot.view.experience_of[[source, target]]
        fresh = snapshot.norms.copy()
        fresh[ends] = norms(view, snapshot.index, ends)
        changed = replace(changed, norms=fresh)
    return changed


def links_of(ranked: Ranked, row: int) -> list[Link]:
    """Return every edge that the trace of a candidate names, each once, in the trace's order."""
    view, place = ranked.pool.space.view, int(np.searchsorted(ranked.pool.rows, row))
    links: dict[Link, None] = {}
    for contribution in ranked.contributions:
        if contribution.edge is not None and contribution.values[place] != 0:
            links |= dict.fromkeys(_links(view, contribution, row, place))
    paths = strongest_paths(ranked.contributions, np.array([place]), np.array([row]))
    for path in paths.get(row, ()):
        links |= dict.fromkeys(path.links())
    return list(links)


def _links(view: GraphView, contribution: Contribution, row: int, place: int) -> Iterator[Link]:
    node = int(view.experiences.node[row])
    if contribution.source is not None:
        nodes = chain(view.experiences, row, int(contribution.source[place]))
        ordered = nodes if contribution.offset > 0 else nodes[::-1]
        yield from (("NEXT", a, b) for a, b in pairwise(ordered))
    elif contribution.edge is not None:
        ends: Ints = view.links(contribution.edge).of(np.array([node], np.int64)).target
        yield from ((contribution.edge, node, end) for end in ends.tolist())


def chain(experiences: Experiences, row: int, source: int) -> list[int]:
    """Return the nodes of experiences in a row, from one to another up to two places away."""
    here = np.array([row], np.int64)
    for offset in (-1, 1, -2, 2):
        if int(experiences.neighbours(here, offset)[0]) == source:
            step = 1 if offset > 0 else -1
            path = [int(experiences.neighbours(here, s)[0]) for s in range(0, offset + step, step)]
            nodes: list[int] = experiences.node[path].tolist()
            return nodes
    return []
