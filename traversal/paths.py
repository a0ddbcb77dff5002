"""Paths: by which ways the activation of a node came from the start nodes.

Flows forget where activation came from: what a node passes on is a mixture of all that reached it.
A path owns its part of the mixture, hop by hop:

    path's amount = flow(u → v, hop h) · (path's part of what reached u at hop h − 1)

so that the paths into a node add up to the flows into it. Reads no store, and drops nothing: who
asks decides how many paths are shown.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..graph.view import Floats, Ints
from ..storage.sorted_arrays import places
from .policies import Flows, StartNodes

_LEAST = np.finfo(np.float64).tiny


@dataclass(frozen=True, slots=True)
class ActivationPath:
    """One way of activation: the nodes from a start node on, the edges between, what arrived.

    `along` says of each edge whether it was followed in its own direction; `note` is what else a
    reader should know of it.
    """

    nodes: tuple[int, ...]
    types: tuple[str, ...]
    along: tuple[bool, ...]
    amount: float
    note: str = ""

    @property
    def hops(self) -> int:
        """Return how many edges lie between the start node and the last one."""
        return len(self.types)

    def links(self) -> Iterator[tuple[str, int, int]]:
        """Yield each edge in its own direction: type, source and target."""
        for type, along, ends in zip(self.types, self.along, pairwise(self.nodes), strict=True):
            yield (type, *(ends if along else ends[::-1]))


#: Finds the paths into an experience by its row, the strongest first.
PathsTo = Callable[[int], Iterator[ActivationPath]]

#: What orders paths (amount downwards, nodes, types, directions), the hop it has come to, itself.
_Pending = tuple[float, tuple[int, ...], tuple[str, ...], tuple[bool, ...], int, ActivationPath]


def paths_into(flows: Flows, node: int) -> Iterator[ActivationPath]:
    """Yield the paths into a node, the strongest first, found only as far as they are read.

    A path that comes back to where it began is left out; see `returned_activation`.
    """
    pending: list[_Pending] = []

    def extend(place: int, rest: ActivationPath, amount: float) -> None:
        source, type = int(flows.source[place]), flows.types[int(flows.type[place])]
        path = ActivationPath(
            (source, *rest.nodes),
            (type, *rest.types),
            (bool(flows.along[place]), *rest.along),
            amount,
        )
        # Equal amounts come in the order of their nodes, so that an answer repeats itself.
        key = (-amount, path.nodes, path.types, path.along)
        heapq.heappush(pending, (*key, int(flows.hop[place]), path))

    end = ActivationPath((node,), (), (), 0.0)
    for place in np.flatnonzero(flows.target == node).tolist():
        extend(place, end, float(flows.amount[place]))
    while pending:
        *_, hop, path = heapq.heappop(pending)
        if hop > 1:
            before = np.flatnonzero((flows.target == path.nodes[0]) & (flows.hop == hop - 1))
            fraction = path.amount / max(float(flows.amount[before].sum()), _LEAST)
            for place in before.tolist():
                extend(place, path, float(flows.amount[place]) * fraction)
        elif path.nodes[0] != node:
            yield path


def returned_activation(flows: Flows, starts: StartNodes) -> Floats:
    """Return how much of what reached each start node (ascending) it had sent out itself."""
    count = len(starts.node)
    returned = np.zeros(count)
    nodes, parts = starts.node, np.eye(count)
    last = int(flows.hop.max(initial=0))
    for hop in range(1, last + 1):
        here = np.flatnonzero(flows.hop == hop)
        source, target, amount = flows.source[here], flows.target[here], flows.amount[here]
        where = places(starts.node, target)
        back = np.flatnonzero(where >= 0)
        where = where[back]
        owed = parts[np.searchsorted(nodes, source[back]), where] * amount[back]
        returned += np.bincount(where, owed, minlength=count)
        if hop < last:
            nodes, parts = _mixed(parts[np.searchsorted(nodes, source)], target, amount)
    return returned


def amounts_into(flows: Flows, node: int) -> Floats:
    """Return how much of what reached a node moved over each flow, as the sum of all paths into it.

    What the node had sent out itself is left out, as in `paths_into`. The result is as long as the
    flows; the amounts of each hop sum to what arrived after at least so many hops.
    """
    last = int(flows.hop.max(initial=0))
    size = int(max(flows.source.max(initial=node), flows.target.max(initial=node))) + 1
    amount, moved = flows.amount.copy(), np.zeros(len(flows.amount))
    own = np.zeros(size)
    own[node] = 1.0
    hops = [np.flatnonzero(flows.hop == hop) for hop in range(1, last + 1)]
    for here in hops:
        target, returned = flows.target[here], amount[here] * own[flows.source[here]]
        arrived = np.bincount(target, amount[here], minlength=size)
        own = np.bincount(target, returned, minlength=size) / np.maximum(arrived, _LEAST)
        amount[here] -= returned
    passed = np.zeros(size)
    for here in reversed(hops):
        target = flows.target[here]
        arrived = np.bincount(target, amount[here], minlength=size)
        onward = passed[target] / np.maximum(arrived[target], _LEAST)
        moved[here] = amount[here] * (onward + (target == node))
        passed = np.bincount(flows.source[here], moved[here], minlength=size).astype(np.float64)
    return moved


def _mixed(parts: Floats, target: Ints, amount: Floats) -> tuple[Ints, Floats]:
    """Return the nodes reached, and which part of what reached each came from which start."""
    nodes, place = np.unique(target, return_inverse=True)
    owed = np.stack(
        [np.bincount(place, column * amount, minlength=len(nodes)) for column in parts.T], axis=1
    )
    return nodes, owed / np.maximum(owed.sum(axis=1, keepdims=True), _LEAST)
