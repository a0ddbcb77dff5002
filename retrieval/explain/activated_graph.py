"""The part of the graph over which activation moved for one answer, hop by hop, for display.

Every edge states how much activation moved over it, and how much of each memory's score came over
it. It is the strongest part: edges that are left out are counted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...core.codec import to_object
from ...core.text import shorten
from ...core.types import Json
from ...graph.adjacency import Adjacency
from ...graph.schema import HAS_WORD
from ...graph.view import Floats, Ints
from ...storage.store import Store
from ...traversal.paths import amounts_into
from ...traversal.policies import Flows
from ..candidates.activation import ActivationResult
from ..ranked import Ranked

#: Edges shown for each node that is shown, at most.
_EDGES_PER_NODE = 4
_TEXT_CHARS = 80
#: Of a flow: how much of a score came over it, by rank.
_Shares = Mapping[int, Mapping[int, float]]
#: Less of a score than this is left over by rounding.
_ROUNDING = 1e-9
#: Edge type → what lies at the end that is no memory.
_KINDS: Mapping[str, str] = {
    HAS_WORD: "word",
    "ABOUT": "concept",
    "MENTIONS": "entity",
    "SPOKEN_BY": "person",
    "INVOLVES": "person",
    "IN_SESSION": "session",
    "REFERENCES": "artifact",
}


@dataclass(frozen=True, slots=True)
class ActivatedNode:
    """A node as activation came to it after `hop` edges; 0: where it began.

    `rank` is that in the answer, `seq` the sequence of a memory; None where there is none.
    """

    hop: int
    id: str
    kind: str
    name: str
    amount: float
    seq: int | None
    rank: int | None


@dataclass(frozen=True, slots=True)
class ActivatedEdge:
    """An edge that activation moved over at a hop, from `source` to `target`.

    `along` says whether that is the edge's own direction. `shares` is how much of the score of
    each memory of the answer came over it, by rank.
    """

    hop: int
    type: str
    source: str
    target: str
    along: bool
    amount: float
    shares: Mapping[int, float]


@dataclass(frozen=True, slots=True)
class ActivatedGraph:
    """What activation reached: nodes and edges by hop, the strongest first.

    `folded_nodes` and `folded_edges` count what is left out. `label` says how it moved.
    """

    recall: str
    label: str
    nodes: Sequence[ActivatedNode]
    edges: Sequence[ActivatedEdge]
    folded_nodes: int
    folded_edges: int

    def as_json(self) -> dict[str, Json]:
        """Return it as plain JSON values."""
        return {
            "recall": self.recall,
            "label": self.label,
            "nodes": [to_object(node) for node in self.nodes],
            "edges": [
                {**to_object(e), "shares": {str(k): v for k, v in e.shares.items()}}
                for e in self.edges
            ],
            "folded": {"nodes": self.folded_nodes, "edges": self.folded_edges},
        }


def activated_graph(
    recall: str, ranked: Ranked, file: Store, adjacency: Adjacency, limit: int
) -> ActivatedGraph:
    """Return the strongest `limit` nodes that activation reached, and the edges between them.

    A node is as strong as what it gave to the scores of the answer, then as what reached it.
    """
    activation = ranked.activation
    if activation is None or not len(activation.starts.node):
        return ActivatedGraph(recall, "none moved hop by hop", [], [], 0, 0)
    flows, visits = activation.flows, _visits(activation)
    given, shares = _shares(ranked, activation)
    passed = np.zeros(len(visits.node))
    for ends in (visits.sources, visits.targets):
        passed += np.bincount(ends, given, minlength=len(passed))
    order = np.lexsort((-visits.amount, -np.where(passed > _ROUNDING, passed, 0.0)))[:limit]
    chosen = np.isin(np.arange(len(passed)), order)
    between = np.flatnonzero(chosen[visits.sources] & chosen[visits.targets])
    strongest = np.lexsort((-flows.amount[between], -given[between]))
    edges = between[strongest][: _EDGES_PER_NODE * limit]
    order = order[np.lexsort((-visits.amount[order], visits.hop[order]))]
    names = _names(ranked, file, adjacency, visits.node[order])
    return ActivatedGraph(
        recall,
        activation.label,
        _nodes(ranked, flows, visits, order, names),
        _edges(flows, edges, shares, names),
        len(passed) - len(order),
        len(flows.amount) - len(edges),
    )


@dataclass(frozen=True, slots=True)
class _Visits:
    """Each node at each hop at which it was reached; `sources` and `targets` place the flows."""

    hop: Ints
    node: Ints
    amount: Floats
    sources: Ints
    targets: Ints


def _visits(activation: ActivationResult) -> _Visits:
    starts, flows = activation.starts, activation.flows
    size = int(np.concatenate([starts.node, flows.source, flows.target]).max()) + 1
    begun = np.concatenate([starts.node, (flows.hop - 1) * size + flows.source])
    arrived = flows.hop * size + flows.target
    keys, places = np.unique(np.concatenate([begun, arrived]), return_inverse=True)
    sources, targets = places[len(starts.node) : len(begun)], places[len(begun) :]
    amount = np.bincount(targets, flows.amount, minlength=len(keys)).astype(np.float64)
    amount[places[: len(starts.node)]] += starts.mass
    return _Visits(keys // size, keys % size, amount, sources, targets)


def _shares(ranked: Ranked, activation: ActivationResult) -> tuple[Floats, _Shares]:
    """Return how much of all scores of the answer came over each flow, and of each score."""
    flows, view = activation.flows, ranked.pool.space.view
    given, shares = np.zeros(len(flows.amount)), defaultdict[int, dict[int, float]](dict)
    for rank, place in enumerate(ranked.order.tolist(), start=1):
        units = [c.unit for c in ranked.contributions if c.paths and c.values[place] != 0.0]
        if units:
            node = int(view.experiences.node[ranked.pool.rows[place]])
            moved = sum(units) * amounts_into(flows, node)
            given += np.abs(moved)
            for flow in np.flatnonzero(np.abs(moved) > _ROUNDING).tolist():
                shares[flow][rank] = float(moved[flow])
    return given, shares


def _names(
    ranked: Ranked, file: Store, adjacency: Adjacency, nodes: Ints
) -> Mapping[int, tuple[str, str]]:
    """Return the id of each node and what it is called: of a memory, how its text begins."""
    space, nodes = ranked.pool.space, np.unique(nodes)
    view = space.view
    numbers, rows = view.numbers[nodes].tolist(), view.experience_of[nodes]
    identified = adjacency.identify(space.name, numbers)
    seqs = np.where(rows >= 0, view.experiences.seqs[rows], 0)
    memories = file.catalog.fetch(space.name, seqs[rows >= 0].tolist())
    names = {}
    for node, number, seq in zip(nodes.tolist(), numbers, seqs.tolist(), strict=True):
        id, name = identified.get(number, (str(number), "?"))
        if seq:
            name = shorten(memories[seq].text, _TEXT_CHARS) if seq in memories else "?"
        names[node] = id, name
    return names


def _nodes(
    ranked: Ranked,
    flows: Flows,
    visits: _Visits,
    order: Ints,
    names: Mapping[int, tuple[str, str]],
) -> list[ActivatedNode]:
    view = ranked.pool.space.view
    ranks = {row: n for n, row in enumerate(ranked.pool.rows[ranked.order].tolist(), start=1)}
    kinds = {}
    for type, source, target in zip(flows.type, flows.source, flows.target, strict=True):
        kinds[int(source)] = kinds[int(target)] = _KINDS.get(flows.types[type], "node")
    nodes = []
    for place in order.tolist():
        node, row = int(visits.node[place]), int(view.experience_of[visits.node[place]])
        nodes.append(
            ActivatedNode(
                int(visits.hop[place]),
                names[node][0],
                "memory" if row >= 0 else kinds[node],
                names[node][1],
                float(visits.amount[place]),
                int(view.experiences.seqs[row]) if row >= 0 else None,
                ranks.get(row) if row >= 0 else None,
            )
        )
    return nodes


def _edges(
    flows: Flows, places: Ints, shares: _Shares, names: Mapping[int, tuple[str, str]]
) -> list[ActivatedEdge]:
    return [
        ActivatedEdge(
            int(flows.hop[place]),
            flows.types[flows.type[place]],
            names[int(flows.source[place])][0],
            names[int(flows.target[place])][0],
            bool(flows.along[place]),
            float(flows.amount[place]),
            shares.get(place, {}),
        )
        for place in places.tolist()
    ]
