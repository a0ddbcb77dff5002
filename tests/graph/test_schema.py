"""The closed lists, and that nothing else gets into the text of a statement."""

from __future__ import annotations

import pytest

from meridia.graph.schema import (
    BOOKKEEPING,
    EDGE_PROPERTIES,
    EDGES,
    INDEXED_PROPERTIES,
    LABELS,
    MEMORY,
    EdgeType,
    for_edge,
    for_label,
    for_property,
)


def test_edges_join_labels_that_exist():
    for edge in (edge for pairs in EDGES.values() for edge in pairs):
        assert {edge.source, edge.target} <= set(LABELS)


def test_what_can_be_recalled_is_marked():
    assert {label.name for label in LABELS.values() if label.recalled} == {
        "Experience",
        "Episode",
        "Fact",
    }
    assert {MEMORY, BOOKKEEPING}.isdisjoint(LABELS)


def test_every_node_and_edge_carries_its_space():
    assert "space" in EDGE_PROPERTIES
    for label in LABELS.values():
        assert "space" in label.properties


def test_properties_avoid_the_names_that_an_engine_makes_up():
    for label in LABELS.values():
        assert {"title", "type", "id", "labels"}.isdisjoint(label.properties)
        assert list(label.properties) == sorted(label.properties)


def test_a_statement_is_filled_with_names_of_ours():
    page = for_label("read/page_of_nodes", "Session")
    assert "MATCH (x:Session{scope})" in page
    assert "x.key AS key, x.name AS name, x.space AS space" in page
    edges = for_edge("write/upsert_edges", EDGES["SPOKEN_BY"][0])
    assert "(a:Experience {id: row.source})" in edges
    assert "MERGE (a)-[x:SPOKEN_BY]->(b)" in edges


@pytest.mark.parametrize("name", ["Person) DETACH DELETE (x", "person", ""])
def test_a_name_that_is_not_ours_never_gets_into_a_statement(name: str):
    for fill in (
        lambda: for_label("read/count_nodes", name),
        lambda: for_edge("read/count_edges", EdgeType(name, "Person", "Person")),
        lambda: for_edge("read/count_edges", EdgeType("KNOWS", name, "Person")),
        lambda: for_property("schema/index_property", "Person", name),
    ):
        with pytest.raises(KeyError):
            fill()


def test_what_is_looked_up_is_a_property():
    for label, properties in INDEXED_PROPERTIES.items():
        assert set(properties) <= set(LABELS[label].properties)
