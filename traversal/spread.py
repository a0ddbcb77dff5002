"""One step of spreading activation, as pure functions over a GraphView.

Activation flows from start nodes along typed edges; every flow is returned one by one, so that
whoever adds them up can also say where each came from. Nothing here reads a store or a clock.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..graph.view import Floats, GraphView, Ints


@dataclass(frozen=True, slots=True)
class Flows:
    """Activation that moved: from and to rows of `view.experiences`, by which node, how much.

    `via` is the dense index of the shared node (-1: a direct edge).
    """

    source: Ints
    target: Ints
    via: Ints
    amount: Floats

    def sums(self, rows: Ints) -> Floats:
        """Return what reached each of `rows` (ascending), summed."""
        total = np.zeros(len(rows))
        place = np.searchsorted(rows, self.target)
        np.add.at(total, place, self.amount)
        return total


def neighbours(view: GraphView, rows: Ints, steps: int) -> Ints:
    """Return the experience `steps` places later (negative: earlier) in the same session, or -1."""
    links = view.links("NEXT", outgoing=steps > 0)
    here = rows
    for _ in range(abs(steps)):
        inside = here >= 0
        found = links.of(view.experiences.node[np.where(inside, here, 0)])
        following = np.full(len(rows), -1, np.int64)
        following[found.position] = view.experience_of[found.target]
        here = np.where(inside, following, -1)
    return here


def over_shared(view: GraphView, type: str, starts: Ints, mass: Floats, share_max: float) -> Flows:
    """Spread from experiences to those that share a node with them, by edges of `type`.

    A start splits its mass over its nodes by their rarity ln(n/degree), and each node splits
    what it got over its other neighbours, so a hub passes little on. A node that more than
    `share_max` of all experiences share passes nothing.
    """
    count = len(view.experiences.seqs)
    out = view.links(type).of(view.experiences.node[starts])
    degree = view.links(type, outgoing=False).degrees(out.target)
    open_ = (degree > 1) & (degree <= max(share_max * count, 2))
    position, via, degree = out.position[open_], out.target[open_], degree[open_]
    rarity = np.log(count / degree)
    total = np.bincount(position, rarity, minlength=len(starts))
    amount = mass[position] * rarity / np.maximum(total[position], 1e-12) / (degree - 1)
    back = view.links(type, outgoing=False).of(via)
    source = starts[position][back.position]
    target = view.experience_of[back.target]
    keep = (target >= 0) & (target != source)
    return Flows(source[keep], target[keep], via[back.position][keep], amount[back.position][keep])
