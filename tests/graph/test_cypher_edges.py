"""Hops by Cypher: what an engine gives is what the arrays give, to the bit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from meridia.core.ports import GraphStore, Head, Table
from meridia.core.types import EdgeUpsert, NodeUpsert, Seq, Space
from meridia.graph.cypher_edges import CypherEdges
from meridia.graph.schema import EDGES

WAYS = [("ABOUT", True), ("ABOUT", False), ("NEXT", True), ("RELATED", False)]
IDS = ["e0", "e1", "e2", "c0", "c1"]


def edge(type: str, source: int, target: int, weight: float = 1.0, seq: int = 1) -> EdgeUpsert:
    ends = EDGES[type][0]
    properties = {"weight": weight, "since": "2026-01-01T00:00:00Z", "source_seq": seq}
    return EdgeUpsert(type, ends.source, IDS[source], ends.target, IDS[target], properties)


@pytest.fixture
def stored(graph_store: GraphStore, space: Space) -> GraphStore:
    """A store of three experiences and two concepts."""
    labels = ["Experience"] * 3 + ["Concept"] * 2
    nodes = [NodeUpsert(label, id, {}) for label, id in zip(labels, IDS, strict=True)]
    edges = [
        *(edge("ABOUT", experience, 3) for experience in range(3)),
        edge("ABOUT", 0, 4),
        edge("NEXT", 0, 1),
        edge("RELATED", 2, 0, 0.7),
        edge("RELATED", 1, 0, 0.9, seq=2),
    ]
    with graph_store.transaction() as writer:
        writer.apply([*nodes, *edges])
        writer.move_cursor(Head(Seq(2), b""))
    return graph_store


def over(
    run: Callable[[str, Mapping[str, Any]], Table], until: int = 2, known: Sequence[str] = IDS
) -> CypherEdges:
    return CypherEdges(
        run,
        lambda nodes: [IDS[node] for node in nodes.tolist()],
        lambda ids: np.array([IDS.index(id) if id in known else -1 for id in ids], np.int64),
        until,
    )


def rows(found) -> list[tuple]:
    columns = (found.position, found.way, found.target, found.weight)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def test_every_edge_comes_by_way_node_and_neighbour(stored: GraphStore):
    found = over(stored.run).hop(WAYS, np.array([0, 3], np.int64), 256)
    single = float(np.float32(0.7)), float(np.float32(0.9))
    assert rows(found) == [
        (0, 0, 3, 1.0),
        (0, 0, 4, 1.0),
        *[(1, 1, node, 1.0) for node in range(3)],
        (0, 2, 1, 1.0),
        (0, 3, 1, single[1]),
        (0, 3, 2, single[0]),
    ]
    assert found.fan_out.tolist() == [5, 3]


def test_a_larger_hub_is_counted_and_not_listed(stored: GraphStore):
    found = over(stored.run).hop(WAYS, np.array([1, 3], np.int64), 2)
    assert found.fan_out.tolist() == [1, 3]
    assert {position for position, *_ in rows(found)} == {0}


def test_what_came_later_than_the_view_is_not_there(stored: GraphStore):
    found = over(stored.run, until=1).hop([("RELATED", False)], np.array([0], np.int64), 256)
    assert [target for _, _, target, _ in rows(found)] == [2]


def test_a_node_that_the_view_lacks_is_not_reached(stored: GraphStore):
    edges = over(stored.run, known=IDS[:4])
    found = edges.hop([("ABOUT", True)], np.array([0], np.int64), 256)
    assert [target for _, _, target, _ in rows(found)] == [3]


def test_nothing_asked_asks_nothing():
    def run(statement: str, parameters: Mapping[str, Any]) -> Table:
        raise AssertionError("no query was needed")

    none = np.zeros(0, np.int64)
    assert rows(over(run).hop(WAYS, none, 256)) == []
    assert over(run).hop([], np.array([0, 1], np.int64), 256).fan_out.tolist() == [0, 0]
