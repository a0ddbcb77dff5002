"""How mutations become statements: folded, bounded, and counted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from meridia.core.errors import Damaged
from meridia.core.ports import START
from meridia.core.types import EdgeUpsert, NodeUpsert
from meridia.graph import batch_writer


class Recorder:
    """Stands for a transaction: notes what is run, and finds every edge's ends."""

    def __init__(self, missing: int = 0) -> None:
        self.ran: list[tuple[str, list[dict[str, Any]]]] = []
        self._missing = missing

    def __call__(self, statement: str, parameters: Mapping[str, Any]) -> list[dict[str, Any]]:
        rows = list(parameters["rows"])
        self.ran.append((statement, rows))
        return [{"written": len(rows) - self._missing}]


def edge(source: str, target: str, **properties: Any) -> EdgeUpsert:
    return EdgeUpsert("SPOKEN_BY", "Experience", source, "Person", target, properties)


def test_a_node_named_often_is_written_once_with_the_latest_of_each_property():
    run = Recorder()
    first = NodeUpsert("Person", "p", {"name": "Dana", "aliases": ["D"]})
    batch_writer.apply(run, [first, NodeUpsert("Person", "p", {"name": "Dana K."})])
    ((_, rows),) = run.ran
    (row,) = rows
    assert row["properties"] == {"name": "Dana K.", "aliases": ["D"]}


def test_nodes_are_written_before_edges_in_whatever_order_they_come():
    run = Recorder()
    nodes = [NodeUpsert("Experience", "e", {}), NodeUpsert("Person", "p", {})]
    batch_writer.apply(run, [edge("e", "p"), *nodes])
    assert ["MERGE (x:" in statement for statement, _ in run.ran] == [True, True, False]


def test_only_memories_get_the_second_label():
    run = Recorder()
    batch_writer.apply(run, [NodeUpsert("Experience", "e", {}), NodeUpsert("Person", "p", {})])
    assert ["SET x:Memory" in statement for statement, _ in run.ran] == [True, False]


def test_a_large_batch_is_cut_into_statements_of_bounded_size():
    run = Recorder()
    batch_writer.apply(run, [NodeUpsert("Person", f"p{n}", {}) for n in range(12_001)])
    assert [len(rows) for _, rows in run.ran] == [5_000, 5_000, 2_001]


def test_an_edge_that_was_not_written_is_told():
    with pytest.raises(Damaged, match="1 of 2 SPOKEN_BY edges"):
        batch_writer.apply(Recorder(missing=1), [edge("a", "p"), edge("b", "p")])


def test_a_position_is_current_only_for_its_version_and_engine():
    position = batch_writer.Position(START, batch_writer.PROJECTION_VERSION, "x")
    assert position.is_current("x")
    assert not position.is_current("y")
    assert not batch_writer.Position(START, 0, "x").is_current("x")


def test_what_is_new_for_sure_is_created_and_what_may_be_there_is_looked_for():
    written: set[int] = set()
    nodes = [NodeUpsert("Experience", "e", {}), NodeUpsert("Person", "p", {})]

    def ways(mutations, so_far) -> list[bool]:
        run = Recorder()
        batch_writer.apply_by_key(run, mutations, ["Meridia"], so_far)
        new = {batch_writer.cypher(f"neo4j/create_{name}") for name in ("nodes", "edges")}
        return [statement in new for statement, _ in run.ran]

    assert ways([*nodes, edge("e", "p")], written) == [True, True]
    again = [nodes[1], NodeUpsert("Person", "q", {}), edge("e", "p"), edge("e", "q")]
    assert ways(again, written) == [True, False, True, False]
    assert ways(again, None) == [False, False]


def test_edges_are_sent_as_numbers_and_lists_that_these_count_in():
    run: list[Mapping[str, Any]] = []

    def keep(_: str, parameters: Mapping[str, Any]) -> list[dict[str, Any]]:
        run.append(parameters)
        return [{"written": len(parameters["rows"])}]

    edges = [edge("e", "p", since="t", source_seq=7, weight=0.5), edge("f", "p", since="t")]
    batch_writer.apply_by_key(keep, edges, [], set())
    assert run == [
        {
            "ids": ["e", "p", "f"],
            "types": ["SPOKEN_BY"],
            "times": ["t"],
            "rows": [[0, 0, 1, 0, 7, 0.5, None], [0, 2, 1, 0, None, None, None]],
        }
    ]
