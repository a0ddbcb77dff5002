"""Nodes and edges as rows: written once, found by number and id, in one space."""

from __future__ import annotations

import pytest

from meridia.core.errors import NotFound
from meridia.core.types import EdgeUpsert, NodeUpsert, Space
from meridia.storage.edge_table import EdgeTable
from tests.fakes import numbered
from tests.retrieval.plans.plan_samples import filled

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
    assert numbers.keys() == {"p", "e"}
    assert table.names_of(["p", "e"]) == {"p": "Dana"}
    assert table.identify([numbers["e"], numbers["p"]]) == {
        numbers["p"]: ("Person", "p", "Dana"),
        numbers["e"]: ("Experience", "e", None),
    }
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
    assert table.names_of(["p"]) == {"p": "Dee"}
    (cut,) = table.cut([2])
    assert (cut.type, cut.source, cut.target) == ("SPOKEN_BY", numbers["e"], numbers["p"])
    assert list(table.edges(0, 9)) == []


def test_a_node_goes_with_its_edges_in_both_directions(table):
    numbers = table.numbers(["p", "e"])
    assert len(table.remove([numbers["p"]])) == 1
    assert table.numbers(["p", "e"]).keys() == {"e"}
    assert table.remove([numbers["e"]]) == []


def test_edges_that_are_older_than_the_beginning_of_a_node_go(table):
    table.begin(table.numbers(["p"])["p"], 3, "Dana")
    assert list(table.edges(0, 9)) == []


LABELS = {"Experience", "Episode", "Fact", "Artifact"}


@pytest.fixture(scope="module")
def memory():
    with filled() as opened:
        yield opened


@pytest.fixture(scope="module")
def links(memory):
    return memory.parts.space(memory.space).links


def test_everything_that_a_plan_can_name_is_listed_in_order(links):
    found = links.list_all()
    assert {place.label for place in found} == LABELS
    assert [place.seq for place in found] == sorted(place.seq for place in found)
    assert sum(place.label == "Experience" for place in found) == 7


def test_an_edge_is_found_from_either_end(links):
    for place in links.list_all():
        for link in links.touching([place.id]):
            assert place in (link.source, link.target)
            other = link.target if place == link.source else link.source
            assert link in links.touching([other.id])


def test_edges_to_anything_else_are_left_out(links):
    ids = [place.id for place in links.list_all()]
    ends = [end for link in links.touching(ids) for end in (link.source, link.target)]
    assert {end.label for end in ends} == LABELS


def test_ids_that_nobody_knows_are_left_out(links):
    assert links.nodes(["nobody"]) == []
    assert links.touching(["nobody"]) == []
    (known,) = links.nodes([links.list_all()[0].id, "nobody"])
    assert known == links.list_all()[0]


def test_another_space_has_links_of_its_own(memory):
    memory.in_space("away").remember("Alone.", session="s1")
    away = memory.in_space("away")
    away.enrich()
    links = memory.parts.space(Space("away")).links
    assert [place.label for place in links.list_all()] == ["Experience"]
    assert links.nodes([memory.get("m-1").id]) == []
    with pytest.raises(NotFound):
        memory.parts.space(Space("nowhere"))
