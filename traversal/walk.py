"""Policy `walk`: the depth-first probabilistic recall of the source, with its pitfalls fixed.

From the best start nodes, depth first: every edge is taken with a probability that grows with its
weight and the remaining signal. A path lists the edges by which a signal came; a wander is a random
walk of a few edges, for lateral thinking (`retrieval.ranking.optional_terms`). Pure functions: all
randomness comes from the given generator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..core.errors import InvalidInput
from ..graph.view import Floats, Hop, Ints, Way
from .tracerank import NodeRanks, unranked


@dataclass(frozen=True, slots=True)
class ActivationPath:
    """One path of activation: the nodes from a start node on, their edges, the signal on arrival.

    `along` says for each edge whether it was followed in its own direction; `note` is a remark for
    the reader.
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


#: A walk goes over the edges of any hub.
_ALL = 2**62


class EdgeSource(Protocol):
    """A source of edges, one hop at a time: the arrays of a view, or a graph engine."""

    def hop(self, ways: Sequence[Way], nodes: Ints, fan_out_max: int) -> Hop:
        """Return the edges that lead away from `nodes` (ascending, each once)."""
        ...


@dataclass(frozen=True, slots=True)
class WalkRules:
    """Options of `walk`; without `both_ways` and `equal_shares` it is the source to the letter."""

    types: tuple[str, ...] = ("RELATED",)
    max_nodes: int = 5
    exploration: float = 2.0
    both_ways: bool = True
    equal_shares: bool = True

    def __post_init__(self) -> None:
        if self.max_nodes < 1:
            raise InvalidInput(f"walk: max_nodes is {self.max_nodes}: give at least 1")
        if not self.exploration >= 0:
            raise InvalidInput(f"walk: exploration is {self.exploration}: give 0 or more")


@dataclass(frozen=True, slots=True)
class WalkStep:
    """One edge that was followed: its type, whether along its direction, where to.

    `signal` is the strength on arrival. `probability` is at most 1; `capped` says that the
    formula gave more.
    """

    type: str
    along: bool
    node: int
    weight: float
    signal: float
    probability: float
    capped: bool


@dataclass(frozen=True, slots=True)
class Visit:
    """One recalled node and the path by which it was reached; a start node has no steps."""

    node: int
    start: int
    steps: tuple[WalkStep, ...] = ()

    @property
    def hops(self) -> int:
        """Return how many edges lie between the start node and this one."""
        return len(self.steps)

    @property
    def signal(self) -> float:
        """Return the signal strength on arrival, which is the path score."""
        return self.steps[-1].signal if self.steps else 1.0


def start_nodes(nodes: Ints, scores: Floats, active: NDArray[np.bool_], count: int = 3) -> Ints:
    """Return the `count` best active nodes, best first; equals in ascending order of node."""
    nodes, scores = nodes[active], scores[active]
    return nodes[np.lexsort((nodes, -scores))[:count]]


def walk(
    edges: EdgeSource,
    starts: Ints,
    random: np.random.Generator,
    rank: NodeRanks = unranked,
    rules: WalkRules | None = None,
) -> tuple[Visit, ...]:
    """Return the nodes that a walk from `starts` (best first) recalls, in the order of visiting.

    With equal shares every start node that has a place is recalled as itself, never by way of
    another; the remaining places go round, one a start node, while its walk still finds any.
    """
    rules = rules or WalkRules()
    ordered = list(dict.fromkeys(starts.tolist()))
    walker = _Walker(edges, random, rank, rules)
    if not rules.equal_shares:
        tours = (visit for start in ordered for visit in walker.tour(start))
        return tuple(islice(tours, rules.max_nodes))
    walker.reserved.update(ordered)
    running = [walker.tour(start) for start in ordered]
    share = rules.max_nodes // max(len(ordered), 1)
    visits = [visit for tour in running for visit in islice(tour, share)]
    visits += islice(_in_turn(running), rules.max_nodes - len(visits))
    return tuple(visits)


def _in_turn(tours: list[Iterator[Visit]]) -> Iterator[Visit]:
    """Yield one visit of each tour in turn until all have ended."""
    while tours:
        left = []
        for tour in tours:
            visit = next(tour, None)
            if visit is not None:
                yield visit
                left.append(tour)
        tours = left


class _Walker:
    """Walks over one view that share the visited nodes and the random generator."""

    def __init__(
        self, edges: EdgeSource, random: np.random.Generator, rank: NodeRanks, rules: WalkRules
    ) -> None:
        self._source, self._random, self._rank, self._rules = edges, random, rank, rules
        self._visited: set[int] = set()
        #: Start nodes, which only their own tour may visit.
        self.reserved: set[int] = set()

    def tour(self, start: int) -> Iterator[Visit]:
        """Yield the visits of a depth-first walk, drawing only as far as it is read."""
        if start in self._visited:
            return
        self._visited.add(start)
        yield Visit(start, start)
        pending = [self._from(Visit(start, start))]
        while pending:
            visit = next(pending[-1], None)
            if visit is None:
                pending.pop()
            elif visit.node not in self._visited:
                self._visited.add(visit.node)
                yield visit
                pending.append(self._from(visit))

    def _from(self, visit: Visit) -> Iterator[Visit]:
        """Return the visits that would follow one, drawn now."""
        steps = self._chosen(visit)
        return (Visit(step.node, visit.start, (*visit.steps, step)) for step in steps)

    def _chosen(self, visit: Visit) -> list[WalkStep]:
        """Draw the neighbours to go to; each is drawn for by itself."""
        edges = self._edges(visit.node)
        if not edges:
            return []
        ranks = self._rank(np.array([node for _, node, _, _ in edges], np.int64)).tolist()
        draws = self._random.random(len(edges)).tolist()
        chosen = []
        for (falling, node, type, along), rank, draw in zip(edges, ranks, draws, strict=True):
            weight = -falling
            p = weight * rank * visit.signal * self._rules.exploration
            if draw < p:
                signal = visit.signal * weight
                chosen.append(WalkStep(type, along, node, weight, signal, min(p, 1.0), p > 1.0))
        return chosen

    def _edges(self, node: int) -> list[tuple[float, int, str, bool]]:
        """Return (−weight, neighbour, type, along) of the edges to go by, the strongest first.

        The source leaves their order open; this one does not depend on how they are stored.
        """
        directions = (True, False) if self._rules.both_ways else (True,)
        ways = [(type, along) for type in self._rules.types for along in directions]
        hop = self._source.hop(ways, np.array([node], np.int64), _ALL)
        rows = zip(hop.weight.tolist(), hop.target.tolist(), hop.way.tolist(), strict=True)
        closed = self._visited | self.reserved
        return sorted(
            (-weight, other, *ways[way]) for weight, other, way in rows if other not in closed
        )


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
