"""Random typed graphs as views."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from meridia.graph.view import EdgeLayers, Experiences, GraphView, SparseRows

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
