"""What an engine adds for itself is not shown, and what a node does not have is null on both."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from meridia.core.ports import GraphStore
from meridia.core.types import Space
from meridia.graph.partition import public_labels
from meridia.graph.projector import project
from meridia.graph.queries.own_names import without_engine_properties, without_own_names
from meridia.graph.schema import LABELS
from tests.histories import HistoryEvent, TestJournal, live


@pytest.fixture
def filled(graph_store: GraphStore, journal: TestJournal, space: Space) -> Iterator[GraphStore]:
    """Yield a graph with a conversation, on either engine."""
    live(journal, space, *(HistoryEvent(f"rain {n}", "Dana") for n in range(3)))
    project(journal, graph_store, space, 10)
    return graph_store


def ask(store: GraphStore, statement: str) -> list[list[object]]:
    return [list(row) for row in store.query(statement, {}, 20, 99).rows]


@pytest.mark.parametrize("name", ["title", "type", "label", "node_type", "none", "embedding"])
def test_a_property_that_a_node_does_not_have_is_null(filled: GraphStore, name: str):
    for where in (
        "MATCH (x)",
        "MATCH (:Experience)-[x]->()",
        "MATCH (x:Person)",
        "MATCH (e)-->(x)",
    ):
        rows = ask(filled, f"{where} RETURN x.{name} AS v")
        assert rows
        assert {row[0] for row in rows} == {None}
        assert ask(filled, f"{where} WHERE x.{name} IS NOT NULL RETURN x.space AS v") == []


def test_labels_are_those_of_the_graph(filled: GraphStore):
    rows = ask(filled, "MATCH (x) RETURN DISTINCT labels(x) AS labels")
    assert sorted(map(sorted, (row[0] for row in rows))) == [
        ["Experience", "Memory"],
        ["Person"],
        ["Relationship"],
        ["Session"],
    ]
    counted = "MATCH (x) UNWIND labels(x) AS label RETURN label, count(*) AS n ORDER BY label"
    assert [row[0] for row in ask(filled, counted)] == [
        *("Experience", "Memory", "Person", "Relationship", "Session"),
    ]
    first = "MATCH (x) WHERE labels(x)[0] = 'Session' RETURN size(labels(x)) AS n, x.key AS key"
    assert ask(filled, first) == [[1, "s1"]]


def test_keys_are_those_of_the_graph(filled: GraphStore):
    for label in ("Experience", "Person", "Session"):
        for (keys,) in ask(filled, f"MATCH (x:{label}) RETURN keys(x) AS keys"):
            assert set(keys) <= {"id", *LABELS[label].properties}
    for (keys,) in ask(filled, "MATCH (:Experience)-[r]->() RETURN keys(r) AS keys"):
        assert sorted(keys) == ["since", "source_seq", "space", "weight"]


@pytest.mark.parametrize(
    "statement",
    [
        "RETURN keys({title: 1, type: 2}) AS keys",
        "WITH {title: 1} AS m RETURN m.title AS title",
        "MATCH (x) RETURN 'labels(x)' AS text, x.labels AS labels",
        "CALL db.labels() YIELD label RETURN label",
        "MATCH (x) RETURN type(x) AS t",
    ],
)
def test_what_is_somebodys_own_stays_as_it_is_written(statement: str):
    assert without_engine_properties(without_own_names(statement)) == statement


def test_columns_are_headed_as_they_were_written(filled: GraphStore):
    table = filled.query("MATCH (x:Person) RETURN labels(x), keys(x), x.title", {}, 20, 9)
    assert table.columns == ["labels(x)", "keys(x)", "x.title"]
    assert public_labels(table.rows[0][0]) == table.rows[0][0] == ["Person"]
