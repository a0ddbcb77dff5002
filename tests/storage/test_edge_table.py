"""Nodes and edges as rows: written once, found by number and id, in one space."""

from __future__ import annotations

import pytest

from meridia.core.types import EdgeUpsert, NodeUpsert
from meridia.storage.edge_table import EdgeTable
from tests.fakes import numbered

WEIGHT = {"weight": 0.5, "source_seq": 2}


@pytest.fixture
def table(private_file) -> EdgeTable:
    edges = numbered(private_file).edges
    with private_file.writing():
        edges.apply(1, [NodeUpsert("Person", "p", {"name": "Dana"})])
        said_by = EdgeUpsert("SPOKEN_BY", "Experience", "e", "Person", "p", WEIGHT)
        edges.apply(2, [NodeUpsert("Experience", "e", {}), said_by])
    return edges


def test_nodes_are_found_by_id_and_by_number(table):
    numbers = table.numbers(["p", "e", "none"])
    assert table.existing_ids(["p", "none"]) == {"p"}
    assert table.names([numbers["p"], numbers["e"]]) == {numbers["p"]: "Dana", numbers["e"]: None}
    assert table.names_of(["p", "e"]) == {"p": "Dana"}
    assert table.identify([numbers["e"]]) == {numbers["e"]: ("e", None)}
    assert table.has_node(numbers["e"])
    assert not table.has_node(None)


def test_what_entries_made_is_read_as_of_a_sequence(table):
    numbers = table.numbers(["p", "e"])
    assert table.nodes(0, 1) == [(numbers["p"], "Person", 1)]
    assert table.nodes(numbers["p"], 2) == [(numbers["e"], "Experience", 2)]
    edge = (1, numbers["e"], numbers["p"], 0.5)
    assert table.edge_types() == {1: "SPOKEN_BY"}
    assert list(table.edges(0, 2)) == [[edge]]
    assert list(table.edges(2, 3)) == []


def test_another_space_has_none_of_it_and_all_can_be_cleared(table, private_file):
    assert numbered(private_file, 2).edges.numbers(["p"]) == {}
    table.clear()
    assert table.numbers(["p", "e"]) == {}


def test_what_an_entry_made_is_cut_and_a_node_begins_with_another(table):
    numbers = table.numbers(["p", "e"])
    assert [node.id for node in table.made_by(["p", "e"], [2])] == ["e"]
    assert table.into(numbers["p"], 0) == [2]
    table.begin(numbers["p"], 2, "Dee")
    assert table.nodes(0, 1) == []
    assert table.names([numbers["p"]]) == {numbers["p"]: "Dee"}
    (cut,) = table.cut([2])
    assert (cut.type, cut.source, cut.target) == ("SPOKEN_BY", numbers["e"], numbers["p"])
    assert list(table.edges(0, 9)) == []


def test_a_node_goes_with_its_edges_in_both_directions(table):
    numbers = table.numbers(["p", "e"])
    assert len(table.remove([numbers["p"]])) == 1
    assert table.existing_ids(["p", "e"]) == {"e"}
    assert table.remove([numbers["e"]]) == []


def test_edges_that_are_older_than_the_beginning_of_a_node_go(table):
    table.begin(table.numbers(["p"])["p"], 3, "Dana")
    assert list(table.edges(0, 9)) == []
