"""MemRank: PageRank of memories over their associations, how central each is whatever is asked.

    rank(v) = (1 − d)/n + d · (Σ rank(u) · weight(u, v) / Σ weights of u + what has no way on / n)

d = .85 (feature 103). Edges `RELATED` are followed both ways. It looks at the memories that
can be seen, and at nothing else.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..graph.view import Floats, GraphView

_DAMPING = 0.85
#: The largest total change that counts as none, and the most rounds until then.
_SETTLED, _ROUNDS_MAX = 1e-10, 200


def memrank(view: GraphView, visible: NDArray[np.bool_]) -> Floats:
    """Return the rank of each experience, summing to 1: 0 where it cannot be seen, else more."""
    visible_rows = np.flatnonzero(visible)
    ranks = np.zeros(len(visible))
    if not len(visible_rows):
        return ranks
    place = np.full(len(visible), -1, np.int64)
    place[visible_rows] = np.arange(len(visible_rows))
    edges = view.links("RELATED").of(view.experiences.node[visible_rows])
    row = view.experience_of[edges.target]
    other = np.where(row >= 0, place[row], -1)
    valid = (other >= 0) & (other != edges.position) & (edges.weight > 0)
    source, target, weight = edges.position[valid], other[valid], edges.weight[valid]
    source, target = np.concatenate([source, target]), np.concatenate([target, source])
    weight = np.concatenate([weight, weight])
    passed = np.bincount(source, weight, minlength=len(visible_rows)).astype(np.float64)
    share = weight / passed[source]
    rank = np.full(len(visible_rows), 1 / len(visible_rows))
    for _ in range(_ROUNDS_MAX):
        stuck = float(rank[passed == 0].sum())
        came = np.bincount(target, rank[source] * share, minlength=len(visible_rows))
        following = (1 - _DAMPING + _DAMPING * stuck) / len(visible_rows) + _DAMPING * came
        change = float(np.abs(following - rank).sum())
        rank = following
        if change < _SETTLED:
            break
    ranks[visible_rows] = rank
    return ranks
