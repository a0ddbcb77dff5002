"""Which people and entities a fact is about, from outside: in the graph of a memory."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from meridia import Memory
from tests.fakes import WAITING

MESSAGES = (
    ("Dana", "I live in Bonn."),
    ("Dana", "My sister Maya lives in Kiel. My cousin Oskar sails."),
    ("Oskar", "I work at Acme Corp."),
    ("Dana", "My dog Rex is five. I don't live in Bonn anymore."),
)


@pytest.fixture(scope="module")
def memory() -> Iterator[Memory]:
    with Memory(None, "things", WAITING) as opened:
        for person, text in MESSAGES:
            opened.remember(text, person=person)
        opened.enrich()
        yield opened


def test_a_fact_is_about_the_people_and_entities_that_it_names(memory: Memory):
    rows = memory.query("MATCH (f:Fact)-[:ABOUT]->(x) RETURN f.text AS fact, x.name AS name").rows
    assert {tuple(row) for row in rows} == {
        ("Dana has a sister, Maya.", "Dana"),
        ("Dana has a sister, Maya.", "Maya"),
        ("Dana has a cousin, Oskar.", "Dana"),
        ("Dana has a cousin, Oskar.", "Oskar"),
        ("Oskar works at Acme Corp.", "Oskar"),
        ("Oskar works at Acme Corp.", "Acme Corp"),
        ("Dana has a pet, Rex.", "Dana"),
        ("Dana has a pet, Rex.", "Rex"),
        ("Dana lives in Bonn.", "Dana"),
        ("Dana lives in Bonn.", "Bonn"),
        ("Dana does not live in Bonn now.", "Dana"),
    }


def test_relatives_know_each_other(memory: Memory):
    rows = memory.query("MATCH (a:Person)-[:KNOWS]->(b) RETURN a.name AS a, b.name AS b").rows
    assert sorted(map(tuple, rows)) == [("Dana", "Maya"), ("Dana", "Oskar")]


def test_facts_add_nothing_to_how_often_an_entity_is_mentioned(memory: Memory):
    weights = {entity.name: entity.memories for entity in memory.entities()}
    assert (weights["Maya"], weights["Rex"]) == (1, 1)
