"""The people of a mutation as they are now."""

from __future__ import annotations

from meridia.core.ids import relationship_id
from meridia.core.people import Directory, Identity, NameState, PersonName
from meridia.core.types import EdgeUpsert, NodeUpsert
from meridia.core.vocabulary import NameSource
from meridia.graph.upserts.identities import with_identities

NAMES = (PersonName("q", "Stein", NameSource.INTRODUCED, NameState.LEARNED),)
ONE = Identity("q", "Robert")
DIRECTORY = Directory("o", {"p": "Bob", "q": "Robert"}, {"p": ONE}, NAMES, "home")


def test_an_edge_leads_to_who_somebody_is():
    edge = EdgeUpsert("SPOKEN_BY", "Experience", "e", "Person", "p", {})
    assert with_identities(edge, DIRECTORY).target == "q"
    other = EdgeUpsert("NEXT", "Experience", "p", "Experience", "p", {})
    assert with_identities(other, DIRECTORY) == other


def test_a_person_has_all_their_names_and_what_is_their_own():
    node = NodeUpsert("Person", "p", {"name": "Bob"})
    names = {"name": "Robert", "aliases": ["Bob", "Stein"]}
    assert with_identities(node, DIRECTORY) == NodeUpsert("Person", "q", names)


def test_what_the_other_one_was_to_the_agent_stays():
    other = NodeUpsert("Relationship", relationship_id("p"), {"kind": "primary", "since": "now"})
    assert with_identities(other, DIRECTORY) == NodeUpsert("Relationship", relationship_id("q"), {})
    own = NodeUpsert("Relationship", relationship_id("q"), {"kind": "primary"})
    assert with_identities(own, DIRECTORY) == own
    edge = EdgeUpsert(
        "UNDERWENT", "Relationship", relationship_id("p"), "Transition", "t", {"weight": 1.0}
    )
    assert with_identities(edge, DIRECTORY).source == relationship_id("q")


def test_what_says_only_a_name_has_it_looked_up():
    node = with_identities(NodeUpsert("Person", "q", {"space": "home"}), DIRECTORY)
    assert node.properties["name"] == "Robert"
    assert node.properties["aliases"] == ["Bob", "Stein"]


def test_other_nodes_stay_as_they_are():
    node = NodeUpsert("Entity", "p", {"name": "Bob"})
    assert with_identities(node, DIRECTORY) == node
