"""The closed lists, and that nothing else gets into the text of a statement."""

from __future__ import annotations

import pytest

from meridia.core.types import Space
from meridia.graph import schema
from meridia.graph.schema import (
    BOOKKEEPING,
    CYPHER,
    EDGE_PROPERTIES,
    EDGES,
    INDEXED_PROPERTIES,
    LABELS,
    MEMORY,
    EdgeType,
    Partition,
    comment,
    cypher,
    for_edge,
    for_label,
    for_property,
    partition,
    public_labels,
    public_properties,
)
from tests.histories import HistoryEvent, TestJournal, live


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


def test_a_statement_comes_without_its_comment():
    path = CYPHER / "traversal" / "hop.cypher"
    first, _, rest = path.read_text("utf-8").partition("\n")
    assert cypher("traversal/hop") == rest.strip()
    assert f"// {comment(path)}" == first


def test_a_statement_that_is_not_there_is_not_made_up():
    with pytest.raises(FileNotFoundError):
        cypher("read/nothing")


def test_a_file_without_its_reason_is_a_mistake_of_ours(tmp_path, monkeypatch):
    (tmp_path / "bare.cypher").write_text("RETURN 1\n")
    monkeypatch.setattr(schema, "CYPHER", tmp_path)
    with pytest.raises(AssertionError, match="starts with a comment"):
        cypher("bare")


HOME = Space("home")


def test_a_statement_names_the_partition_only_where_others_share_the_store():
    by_key = "MATCH (x:Person{ours} {key id}){seek x} RETURN x.id AS id"
    all_of_it = "MATCH (x:Person{scope}) RETURN x.id AS id"
    assert Partition(HOME).statement(by_key) == "MATCH (x:Person {id: id}) RETURN x.id AS id"
    assert Partition(HOME).statement(all_of_it) == "MATCH (x:Person) RETURN x.id AS id"
    shared = Partition(HOME, "ab").statement(by_key)
    assert "(x:Person:Meridia {node_key: $partition + ':' + id})" in shared
    assert "(x:Person:Meridia:Space_ab)" in Partition(HOME, "ab").statement(all_of_it)
    assert "USING INDEX SEEK x:Meridia(node_key)" in shared


def test_a_copy_of_a_journal_has_the_same_partition_and_another_journal_another():
    with TestJournal() as first, TestJournal() as second:
        nobody = partition(first, HOME)
        for journal in (first, second):
            live(journal, HOME, HistoryEvent("hello", "Dana"))
        mine = partition(first, HOME)
        live(first, HOME, HistoryEvent("again", "Dana"))
        assert partition(first, HOME) == mine
        assert len({nobody.id, mine.id, partition(second, HOME).id}) == 3


def test_what_tells_partitions_apart_is_not_shown():
    assert public_labels(["Person", "Meridia", "Space_ab", "Sailor"]) == ["Person", "Sailor"]
    assert public_properties({"node_key": "x", "partition": "y", "key": "z"}) == {"key": "z"}
