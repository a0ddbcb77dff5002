"""Random typed graphs as views, and activation over them in plain Python with networkx."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import networkx as nx
import numpy as np
from hypothesis import strategies as st

from meridia.graph.view import EdgeLayers, Experiences, GraphView, SparseRows
from meridia.traversal.transfer import SpreadingRules

#: (Type, source, target, weight).
Edge = tuple[str, int, int, float]

TYPES = ("ABOUT", "NEXT", "RELATED", "SUPERSEDES")


@dataclass(frozen=True)
class TypedGraph:
    """A number of nodes, the edges between them, and the TraceRank of each node."""

    nodes: int
    edges: tuple[Edge, ...]
    ranks: tuple[float, ...]

    def rank(self, nodes):
        return np.array(self.ranks)[nodes]


def a_graph(nodes: int, *edges: Edge, ranks: tuple[float, ...] | None = None) -> TypedGraph:
    return TypedGraph(nodes, edges, ranks or (1.0,) * nodes)


def links(edges: list[Edge], nodes: int, *, reverse: bool) -> SparseRows:
    pairs = np.array([(t, s) if reverse else (s, t) for _, s, t, _ in edges], np.int64)
    weights = np.array([weight for *_, weight in edges], np.float64)
    source, target = pairs.reshape(-1, 2).T
    return SparseRows.build(source, target, weights, nodes)


def a_view(graph: TypedGraph, base_edges: int | None = None) -> GraphView:
    """Build a view, all nodes experiences; edges from `settled` on lie in the overlay."""
    outgoing, incoming = {}, {}
    for type in sorted({edge[0] for edge in graph.edges}):
        layers = [[e for e in graph.edges[:base_edges] if e[0] == type]]
        if base_edges is not None:
            layers.append([e for e in graph.edges[base_edges:] if e[0] == type])
        for every, reverse in ((outgoing, False), (incoming, True)):
            # A settled layer may be older than the newest nodes.
            every[type] = EdgeLayers(
                tuple(links(layer, _nodes_of(layer), reverse=reverse) for layer in layers)
            )
    row = np.arange(graph.nodes)
    none = np.full(graph.nodes, -1)
    experiences = Experiences(row + 1, *[none] * 5, row, none, none)
    return GraphView(1, row, row, experiences, [], [], outgoing, incoming)


def _nodes_of(edges: list[Edge]) -> int:
    return max((max(source, target) for _, source, target, _ in edges), default=-1) + 1


weights = st.one_of(st.just(0.0), st.just(1.0), st.floats(1 / 64, 1.0, width=32))


@st.composite
def graphs(draw, nodes_max: int = 9, edges_max: int = 30) -> TypedGraph:
    """Draw a graph with loops, edges of several types between two nodes, and lonely nodes."""
    nodes = draw(st.integers(1, nodes_max))
    node = st.integers(0, nodes - 1)
    key = st.tuples(st.sampled_from(TYPES), node, node)
    least = draw(st.integers(0, min(edges_max, 2 * nodes * nodes)))
    edge_weights = draw(st.dictionaries(key, weights, min_size=least, max_size=edges_max))
    ranks = draw(st.lists(st.sampled_from([0.0, 0.01, 0.7, 1.0, 2.5]), min_size=nodes))
    edges = tuple((*key, weight) for key, weight in edge_weights.items())
    return TypedGraph(nodes, edges, tuple(ranks[:nodes]))


@st.composite
def masses_of(draw, graph: TypedGraph) -> dict[int, float]:
    """Draw start nodes and the mass of each."""
    node = st.integers(0, graph.nodes - 1)
    return draw(st.dictionaries(node, st.floats(0, 1, allow_subnormal=False), max_size=5))


@dataclass
class ReferenceSpread:
    """What plain activation found: flows by (source, type, along, target, hop), and losses."""

    flows: dict[tuple, float]
    activation: dict[int, float]
    lost: list[float]


def reference_spread(
    graph: TypedGraph, masses: dict[int, float], rules: SpreadingRules
) -> ReferenceSpread:
    """Spread activation node by node, edge by edge, as the rule is told in words."""
    network = as_network(graph)
    result = ReferenceSpread(defaultdict(float), defaultdict(float, masses), [])
    frontier = dict(masses)
    for hop in range(1, rules.hops + 1):
        next_frontier: dict[int, float] = defaultdict(float)
        for node, mass in inhibited(frontier, rules).items():
            if mass <= rules.threshold:
                continue
            for (type, along, other), share in shares_of(network, graph, node, rules).items():
                amount = mass * rules.damping * share
                result.flows[node, type, along, other, hop] += amount
                result.activation[other] += amount
                next_frontier[other] += amount
        result.lost.append(sum(frontier.values()) - sum(next_frontier.values()))
        frontier = next_frontier
    return result


def inhibited(frontier: dict[int, float], rules: SpreadingRules) -> dict[int, float]:
    strongest = sorted(frontier.values(), reverse=True)[: rules.rivals]
    return {
        node: max(
            0.0, mass - rules.inhibition * sum(other - mass for other in strongest if other > mass)
        )
        for node, mass in frontier.items()
    }


def as_network(graph: TypedGraph) -> nx.MultiDiGraph:
    network = nx.MultiDiGraph()
    network.add_nodes_from(range(graph.nodes))
    for type, source, target, weight in graph.edges:
        network.add_edge(source, target, type=type, weight=float(np.float32(weight)))
    return network


def shares_of(
    network: nx.MultiDiGraph, graph: TypedGraph, node: int, rules: SpreadingRules
) -> dict[tuple, float]:
    """Return (type, along, neighbour) → the share of a node's activation that goes there."""
    ways = [(d["type"], True, t, d["weight"]) for _, t, d in network.out_edges(node, data=True)]
    ways += [(d["type"], False, s, d["weight"]) for s, _, d in network.in_edges(node, data=True)]
    factor = {(type, i == 0): f for type, two in rules.factors.items() for i, f in enumerate(two)}
    ways = [way for way in ways if factor.get(way[:2], 0) > 0]
    if len(ways) > rules.fan_out_max:
        return {}
    raw: dict[tuple, float] = defaultdict(float)
    for type, along, other, weight in ways:
        if other != node:
            raw[type, along, other] += weight * factor[type, along] * graph.ranks[other] / len(ways)
    limit = max(1.0, sum(raw.values()))
    return {way: share / limit for way, share in raw.items() if share > 0}
