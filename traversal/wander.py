"""A random walk of a few edges, for lateral thinking (`retrieval.ranking.lateral`).

Each step takes one of the edges that lead away, by weight; no node is visited twice. The given
generator is the only source of randomness.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..graph.view import Ints, Way
from .paths import ActivationPath
from .walk import EdgeSource


def wander(
    edges: EdgeSource,
    start: int,
    hops: int,
    ways: Sequence[Way],
    random: np.random.Generator,
    fan_out_max: int,
) -> ActivationPath | None:
    """Walk `hops` edges from a node; None where it comes to an end before.

    The amount is the product of the weights, at most 1. From a node with more than `fan_out_max`
    edges no step leads on.
    """
    nodes, types, along, signal = [start], list[str](), list[bool](), 1.0
    for _ in range(hops):
        hop = edges.hop(ways, np.array([nodes[-1]], np.int64), fan_out_max)
        open_: Ints = np.flatnonzero(~np.isin(hop.target, nodes) & (hop.weight > 0))
        if not len(open_):
            return None
        weight = hop.weight[open_]
        chosen = int(open_[random.choice(len(open_), p=weight / weight.sum())])
        type, forward = ways[int(hop.way[chosen])]
        nodes.append(int(hop.target[chosen]))
        types.append(type)
        along.append(forward)
        signal *= min(float(hop.weight[chosen]), 1.0)
    return ActivationPath(tuple(nodes), tuple(types), tuple(along), signal, "by lateral thinking")
