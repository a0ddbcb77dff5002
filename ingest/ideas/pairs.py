"""Pairs of memories that may belong together: they share something rare, and nothing links them.

    insight = bridge · closeness       0 to 1
    bridge = 1 - Π ln df / ln n    over the topics and things that both name; df of n name it
    closeness = cosine / .6, at most 1

Two memories of one session are no pair, nor are two as near as .6: those are associated already.
A pure function of a view and its vectors: the same space gives the same pairs.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from ...core.lazy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ...graph.view import GraphView, Ints
    from ...storage.vectors import VectorIndex

_BRIDGES = ("ABOUT", "MENTIONS")
#: What more memories name than this tells nothing of two of them.
_SHARED_MAX = 20
#: From this cosine on, memories are associated (`RELATED`).
_NEAR = 0.6


@dataclass(frozen=True, slots=True)
class Pair:
    """Two rows of experiences, the earlier first, and how much it may be worth to link them."""

    earlier: int
    later: int
    insight: float


def pairs_of(
    view: GraphView,
    index: VectorIndex,
    allowed: NDArray[np.bool_],
    since: int,
    insight_min: float,
    limit: int,
) -> list[Pair]:
    """Return the best pairs of which one came after sequence `since`, best first.

    Each memory is in one pair at most. `allowed` is a mask over the experiences.
    """
    bridges = _bridges(view, allowed, since)
    earlier, later = np.array(list(bridges), np.int64).reshape(-1, 2).T
    cosines = (_vectors(view, index, earlier) * _vectors(view, index, later)).sum(axis=1)
    insight = np.array(list(bridges.values())) * np.clip(cosines / _NEAR, 0.0, 1.0)
    # What is as near as this is associated already.
    enough = np.flatnonzero((insight >= insight_min) & (cosines < _NEAR))
    chosen, taken = list[Pair](), set[int]()
    for place in enough[np.lexsort((later[enough], earlier[enough], -insight[enough]))]:
        rows = int(earlier[place]), int(later[place])
        if not taken & set(rows) and len(chosen) < limit:
            chosen.append(Pair(*rows, float(insight[place])))
            taken |= set(rows)
    return chosen


def _bridges(
    view: GraphView, allowed: NDArray[np.bool_], since: int
) -> dict[tuple[int, int], float]:
    """Return the bridge of each pair that shares something, tells of two sessions, and is new."""
    session, fresh = view.experiences.session, view.experiences.seqs > since
    count = math.log(max(int(allowed.sum()), 2))
    missing: dict[tuple[int, int], float] = defaultdict(lambda: 1.0)
    for rows in _sharing(view, allowed):
        for earlier, later in combinations(rows, 2):
            if session[earlier] != session[later] and (fresh[earlier] or fresh[later]):
                missing[earlier, later] *= math.log(len(rows)) / count
    return {pair: 1 - product for pair, product in missing.items()}


def _sharing(view: GraphView, allowed: NDArray[np.bool_]) -> Iterator[list[int]]:
    """Yield the rows, ascending, that name each topic and thing that few name."""
    nodes = np.flatnonzero(view.experience_of < 0)
    for type in _BRIDGES:
        edges = view.links(type, outgoing=False).of(nodes)
        rows = view.experience_of[edges.target]
        usable = (rows >= 0) & allowed[rows]
        position, rows = edges.position[usable], rows[usable]
        starts = np.flatnonzero(np.diff(position, prepend=-1))
        for group in np.split(rows, starts[1:]):
            distinct_rows = sorted(set(group.tolist()))
            if 2 <= len(distinct_rows) <= _SHARED_MAX:
                yield distinct_rows


def _vectors(view: GraphView, index: VectorIndex, rows: Ints) -> NDArray[np.float64]:
    """Return the first vector of each row's experience; zeros where there is none."""
    vectors = np.zeros((len(rows), index.rows.shape[1]))
    places = index.places(view.experiences.seqs[rows])
    vectors[places >= 0] = index.rows[index.starts[places[places >= 0]]]
    return vectors
