"""One step of spreading activation, as pure functions over a GraphView.

Activation flows from start nodes along typed edges; every flow is returned one by one, so that
whoever adds them up can also say where each came from. Nothing here reads a store or a clock.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..graph.view import Floats, GraphView, Ints

#: What would reach more than this many experiences reaches each with next to nothing.
FAN_OUT_MAX = 64


@dataclass(frozen=True, slots=True)
class Flows:
    """Activation that moved: from and to rows of `view.experiences`, by which node, how much.

    `via` is the dense index of the shared node (-1: a direct edge).
    """

    source: Ints
    target: Ints
    via: Ints
    amount: Floats

    def to(self, rows: Ints) -> Flows:
        """Return the flows that reached one of `rows`."""
        kept = np.isin(self.target, rows)
        return Flows(self.source[kept], self.target[kept], self.via[kept], self.amount[kept])

    def sums(self, rows: Ints) -> Floats:
        """Return what reached each of `rows` (ascending), summed."""
        place = np.searchsorted(rows, self.target)
        total: Floats = np.bincount(place, self.amount, minlength=len(rows)).astype(np.float64)
        return total


def over_shared(view: GraphView, type: str, starts: Ints, mass: Floats, share_max: float) -> Flows:
    """Spread from experiences to those that share a node with them, by edges of `type`.

    A start splits its mass over its nodes by their rarity ln(n/degree), and each node splits
    what it got over its other neighbours, so a hub passes little on. A node that more than
    `share_max` of all experiences share, or more than `FAN_OUT_MAX` of them, passes nothing.
    """
    count = len(view.experiences.seqs)
    out = view.links(type).of(view.experiences.node[starts])
    degree = view.links(type, outgoing=False).degrees(out.target)
    open_ = (degree > 1) & (degree <= min(max(share_max * count, 2), FAN_OUT_MAX + 1))
    position, via, degree = out.position[open_], out.target[open_], degree[open_]
    rarity = np.log(count / degree)
    total = np.bincount(position, rarity, minlength=len(starts))
    amount = mass[position] * rarity / np.maximum(total[position], 1e-12) / (degree - 1)
    back = view.links(type, outgoing=False).of(via)
    source = starts[position][back.position]
    target = view.experience_of[back.target]
    keep = (target >= 0) & (target != source)
    return Flows(source[keep], target[keep], via[back.position][keep], amount[back.position][keep])
