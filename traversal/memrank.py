"""MemRank: PageRank of memories over their associations, how central each is whatever is asked.

    rank(v) = (1 − d)/n + d · (Σ rank(u) · weight(u, v) / Σ weights of u + what has no way on / n)

d = .85 (FACTS row 103, D18). Edges `RELATED` are followed both ways. It looks at the memories that
can be seen, and at nothing else.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..core.errors import InvalidInput
from ..graph.view import Floats, GraphView

DAMPING = 0.85
#: The largest total change that counts as none, and the most rounds until then.
_SETTLED, _ROUNDS_MAX = 1e-10, 200


def memrank(view: GraphView, visible: NDArray[np.bool_], damping: float = DAMPING) -> Floats:
    """Return the rank of each experience: 0 where it cannot be seen, else above 0; they sum to 1.

    `damping` is 0 (all the same) to below 1.
    """
    if not 0 <= damping < 1:
        raise InvalidInput(f"memrank: damping is {damping}; give 0 to below 1")
    seen = np.flatnonzero(visible)
    ranks = np.zeros(len(visible))
    if not len(seen):
        return ranks
    place = np.full(len(visible), -1, np.int64)
    place[seen] = np.arange(len(seen))
    edges = view.links("RELATED").of(view.experiences.node[seen])
    row = view.experience_of[edges.target]
    other = np.where(row >= 0, place[row], -1)
    kept = (other >= 0) & (other != edges.position) & (edges.weight > 0)
    source, target, weight = edges.position[kept], other[kept], edges.weight[kept]
    source, target = np.concatenate([source, target]), np.concatenate([target, source])
    weight = np.concatenate([weight, weight])
    passed = np.bincount(source, weight, minlength=len(seen)).astype(np.float64)
    share = weight / passed[source]
    found = np.full(len(seen), 1 / len(seen))
    for _ in range(_ROUNDS_MAX):
        stuck = float(found[passed == 0].sum())
        came = np.bincount(target, found[source] * share, minlength=len(seen))
        following = (1 - damping + damping * stuck) / len(seen) + damping * came
        change = float(np.abs(following - found).sum())
        found = following
        if change < _SETTLED:
            break
    ranks[seen] = found
    return ranks
