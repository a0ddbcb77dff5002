"""The part of the graph that contributed to an answer, hop by hop, for display.

Every edge says how much of each memory's score came over it; the edges are those of the trace. The
strongest part is returned, and omitted edges are counted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ...core.codec import to_object
from ...core.text import shorten
from ...core.types import Json, Space
from ...graph.adjacency import Adjacency
from ...graph.schema import EDGES
from ...graph.view import GraphView
from ...storage.store import Store
from ..ranked import Ranked
from .counterfactual import chain

#: Edges shown for each node that is shown, at most.
_EDGES_PER_NODE = 4
_TEXT_CHARS = 80


@dataclass(frozen=True, slots=True)
class ActivatedNode:
    """A node at `hop` edges from the evidence (0: the evidence); `amount` came over its edges.

    `rank` is its rank in the answer, `seq` the sequence of a memory; None without one.
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
    """An edge that part of a score came over at a hop, from `source` to `target`.

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
    """The part of the graph that contributed to an answer: nodes and edges by hop, strongest first.

    `folded_nodes` and `folded_edges` count omitted ones. `label` names the policy.
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


#: An edge at a hop: its type, the node that it came from and the one it led to, and whether that
#: is its own direction.
_Step = tuple[int, str, int, int, bool]


def activated_graph(
    recall: str, ranked: Ranked, file: Store, adjacency: Adjacency, limit: int
) -> ActivatedGraph:
    """Return the strongest `limit` nodes that contributed to an answer, and their edges.

    The strength of a node is the amount that came over its edges to the scores of the answer.
    """
    shares: dict[_Step, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    for rank, place in enumerate(ranked.order.tolist(), start=1):
        for steps, value in _ways(ranked, place):
            for step in steps:
                shares[step][rank] += value
    if not shares:
        return ActivatedGraph(recall, "none moved hop by hop", [], [], 0, 0)
    amounts = {step: sum(abs(value) for value in of.values()) for step, of in shares.items()}
    passed: dict[tuple[int, int], float] = defaultdict(float)
    for (hop, _, source, target, _), amount in amounts.items():
        passed[hop - 1, source] += amount
        passed[hop, target] += amount
    strongest = sorted(passed, key=lambda node: (-passed[node], node))[:limit]
    chosen = set(strongest)
    between = [s for s in shares if {(s[0] - 1, s[2]), (s[0], s[3])} <= chosen]
    between.sort(key=lambda step: (-amounts[step], step))
    edges = between[: _EDGES_PER_NODE * limit]
    space, nodes = ranked.pool.space, {node for _, node in strongest}
    names = node_names(file, adjacency, space.name, space.view, nodes, _TEXT_CHARS)
    kinds = {node: EDGES[type][0].target.lower() for _, type, *ends, _ in shares for node in ends}
    return ActivatedGraph(
        recall,
        "what the words of the question reached",
        _nodes(ranked, sorted(strongest), passed, kinds, names),
        [
            ActivatedEdge(
                hop,
                type,
                names[source][0],
                names[target][0],
                along,
                amounts[step],
                dict(shares[step]),
            )
            for step in edges
            for hop, type, source, target, along in [step]
        ],
        len(passed) - len(strongest),
        len(shares) - len(edges),
    )


def _ways(ranked: Ranked, place: int) -> Iterator[tuple[list[_Step], float]]:
    """Yield each part of a score, with the consecutive edges over which it came."""
    view, row = ranked.pool.space.view, int(ranked.pool.rows[place])
    node = int(view.experiences.node[row])
    for contribution in ranked.contributions:
        value = float(contribution.values[place])
        if not value:
            continue
        if contribution.paths is not None:
            for path in contribution.paths(row):
                ends = zip(path.types, path.nodes[:-1], path.nodes[1:], path.along, strict=True)
                steps = [(hop, *step) for hop, step in enumerate(ends, start=1)]
                yield steps, contribution.unit * path.amount
        elif contribution.source is not None:
            nodes = chain(view.experiences, row, int(contribution.source[place]))
            along = contribution.offset < 0
            yield (
                [
                    (hop, "NEXT", source, target, along)
                    for hop, (source, target) in enumerate(pairwise(reversed(nodes)), start=1)
                ],
                value,
            )
        elif contribution.edge is not None:
            ends = view.links(contribution.edge).of(np.array([node], np.int64)).target.tolist()
            for end in ends:
                yield [(1, contribution.edge, end, node, False)], value / len(ends)


def _nodes(
    ranked: Ranked,
    visits: Sequence[tuple[int, int]],
    passed: Mapping[tuple[int, int], float],
    kinds: Mapping[int, str],
    names: Mapping[int, tuple[str, str, int]],
) -> list[ActivatedNode]:
    view, nodes = ranked.pool.space.view, np.array([node for _, node in visits], np.int64)
    ranks = {row: n for n, row in enumerate(ranked.pool.rows[ranked.order].tolist(), start=1)}
    return [
        ActivatedNode(
            hop,
            names[node][0],
            "memory" if row >= 0 else kinds[node],
            names[node][1],
            passed[hop, node],
            int(view.experiences.seqs[row]) if row >= 0 else None,
            ranks.get(row),
        )
        for (hop, node), row in zip(visits, view.experience_of[nodes].tolist(), strict=True)
    ]


def node_names(
    file: Store, adjacency: Adjacency, space: Space, view: GraphView, nodes: set[int], chars: int
) -> Mapping[int, tuple[str, str, int]]:
    """Return the id and name of each node, and the sequence of a memory, else 0.

    The name of a memory is the beginning of its text.
    """
    ordered = np.array(sorted(nodes), np.int64)
    numbers, rows = view.numbers[ordered].tolist(), view.experience_of[ordered]
    identified = adjacency.identify(space, numbers)
    seqs = np.where(rows >= 0, view.experiences.seqs[rows], 0)
    memories = file.catalog.fetch(space, seqs[rows >= 0].tolist())
    names = {}
    for node, number, seq in zip(ordered.tolist(), numbers, seqs.tolist(), strict=True):
        id, name = identified.get(number, (str(number), "?"))
        if seq:
            name = shorten(memories[seq].text, chars) if seq in memories else "?"
        names[node] = id, name, seq
    return names
