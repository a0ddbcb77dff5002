"""Who is who, as a person says: merges, names, refusals; every list, pack and graph follows."""

from __future__ import annotations

from itertools import permutations

import pytest

from meridia import Memory
from meridia.core.errors import InvalidInput, NotFound
from meridia.graph import maintenance

SAID = [
    ("Bob", "I like old clocks."),
    ("Robert Stein", "I live in Ghent on a barge."),
    ("rstein", "I speak Danish and collect stamps."),
    ("Ana", "I am allergic to judo mats."),
]


@pytest.fixture
def memory():
    with Memory.open() as opened:
        for place, (person, text) in enumerate(SAID):
            opened.remember(text, person=person, session=f"s{place}")
        opened.enrich()
        yield opened


def people(memory: Memory) -> dict[str, int]:
    return {one.display_name: one.interaction_count for one in memory.chronicle.relations()}


def is_rebuilt_the_same(memory: Memory) -> bool:
    memory.enrich()
    before = memory.graph.digest()
    memory.upkeep.rebuild()
    return before == memory.graph.digest()


def test_what_both_said_is_said_by_one_until_they_are_parted(memory):
    memory.curation.merge("Bob", "Robert Stein")
    assert people(memory) == {"Robert Stein": 2, "rstein": 1, "Ana": 1}
    said = [one.text for one in memory.list(person="Bob").memories]
    assert said == ["I like old clocks.", "I live in Ghent on a barge."]
    assert {fact.subject for fact in memory.chronicle.facts()} >= {"Robert Stein", "rstein", "Ana"}
    pack = memory.resume("Bob")
    assert "barge" in pack.text
    assert "judo" not in pack.text
    assert memory.recall("Where does Bob live?").hits[0].text == "I live in Ghent on a barge."
    spoken = memory.query(
        "MATCH (e)-[:SPOKEN_BY]->(p:Person) RETURN p.name AS name, e.text AS text"
    )
    assert ["Robert Stein", "I like old clocks."] in [list(row) for row in spoken.rows]
    assert is_rebuilt_the_same(memory)
    memory.curation.unmerge("Bob")
    assert people(memory) == {"Bob": 1, "Robert Stein": 1, "rstein": 1, "Ana": 1}
    assert [one.text for one in memory.list(person="Bob").memories] == ["I like old clocks."]
    assert is_rebuilt_the_same(memory)


@pytest.mark.parametrize("order", list(permutations(["Bob", "rstein"])))
def test_three_are_one_in_any_order_and_parted_in_any_other(memory, order):
    for name in order:
        memory.people.merge(name, "Robert Stein")
    assert people(memory) == {"Robert Stein": 3, "Ana": 1}
    assert is_rebuilt_the_same(memory)
    for name in ("Bob", "rstein"):
        memory.people.unmerge(name)
    assert len(people(memory)) == 4
    assert is_rebuilt_the_same(memory)


def test_a_chain_of_merges_leads_to_its_end(memory):
    memory.people.merge("rstein", "Bob")
    memory.people.merge("Bob", "Robert Stein")
    assert people(memory) == {"Robert Stein": 3, "Ana": 1}
    memory.people.unmerge("Bob")
    assert people(memory) == {"Robert Stein": 1, "Bob": 2, "Ana": 1}


def test_one_who_is_forgotten_is_forgotten_under_all_names(memory):
    memory.people.merge("Bob", "Robert Stein")
    memory.forget(person="Bob")
    assert people(memory) == {"rstein": 1, "Ana": 1}
    assert [one.person for one in memory.list().memories] == ["rstein", "Ana"]
    memory.remember("I am back.", person="Bob")
    assert people(memory) == {"Bob": 1, "rstein": 1, "Ana": 1}
    assert is_rebuilt_the_same(memory)


def test_nobody_is_merged_twice_or_with_nobody(memory):
    memory.people.merge("Bob", "Robert Stein")
    with pytest.raises(InvalidInput, match="already one person"):
        memory.people.merge("Robert Stein", "Bob")
    with pytest.raises(NotFound, match="nobody called 'Bo'"):
        memory.people.merge("Bo", "Ana")
    with pytest.raises(InvalidInput, match="was not merged"):
        memory.people.unmerge("Ana")


def test_a_name_that_is_given_is_found_and_one_that_is_refused_is_not(memory):
    memory.people.name("Bobby", "Bob")
    assert people(memory)["Bobby"] == 1
    assert memory.list(person="Bob").memories == memory.list(person="bobby").memories
    memory.people.refuse("Bobby", "Bob")
    assert people(memory)["Bob"] == 1
    assert memory.list(person="Bobby").memories == []
    assert is_rebuilt_the_same(memory)


def test_a_name_under_which_somebody_else_speaks_is_not_given_but_merged(memory):
    with pytest.raises(InvalidInput, match="meridia people merge"):
        memory.people.name("Ana", "Bob")


@pytest.mark.parametrize("name", ["", "  ", "you", "a\x00b", "x" * 300])
def test_what_is_no_name_is_refused(memory, name):
    with pytest.raises(InvalidInput):
        memory.people.name(name, "Bob")


def test_nothing_is_damaged_by_who_is_who(memory):
    memory.people.merge("Bob", "Robert Stein")
    memory.remember("I am Bob again.", person="Bob")
    memory.enrich()
    assert maintenance.projection_findings(memory.parts, [memory.space]) == []
