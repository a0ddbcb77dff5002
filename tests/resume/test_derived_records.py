"""Facts and transitions listed as memories, each with the memory that it comes from."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from meridia import Memory
from meridia.core.errors import InvalidInput
from tests.fakes import WAITING

SENTENCES = (
    ("bonn", "2026-01-05", "Dana", "I live in Bonn. I am so happy and excited today!"),
    ("sad", "2026-02-05", "Dana", "My dog died yesterday. I am so sad and I cried all night."),
    ("move", "2026-03-05", "Dana", "I moved to Leipzig in March."),
    ("kiel", "2026-03-06", "Oskar", "I live in Kiel."),
)


@pytest.fixture(scope="module")
def memory() -> Iterator[Memory]:
    with Memory(None, "derived", WAITING) as opened:
        for id, day, person, text in SENTENCES:
            event = {"id": id, "kind": "user_message", "ts": f"{day}T10:00:00Z", "person": person}
            opened.capture({**event, "session": {"key": "s"}, "payload": {"text": text}})
        yield opened


def test_a_fact_is_listed_with_where_it_comes_from_and_whether_it_holds(memory: Memory):
    facts = memory.list(kind="fact").memories
    lives = {fact.text: fact for fact in facts if fact.metadata["predicate"] == "lives_in"}
    assert {text: (fact.event_id, fact.status) for text, fact in lives.items()} == {
        "Dana lives in Bonn.": ("bonn", "superseded"),
        "Dana lives in Leipzig.": ("move", "holds"),
        "Oskar lives in Kiel.": ("kiel", "holds"),
    }
    assert lives["Dana lives in Bonn."].at == datetime(2026, 1, 5, 10, tzinfo=UTC)
    assert {fact.kind for fact in facts} == {"fact"}


def test_a_transition_is_listed_in_words(memory: Memory):
    changes = memory.list(kind="transition").memories
    feelings = [change for change in changes if change.text.startswith("feeling: ")]
    assert [(change.event_id, change.person, change.session) for change in feelings] == [
        ("sad", "Dana", "s")
    ]
    assert "sad" in feelings[0].text.split("→")[1]


def test_filters_and_pages_are_those_of_a_list(memory: Memory):
    every = [fact.id for fact in memory.list(kind="fact").memories]
    first = memory.list(kind="fact", limit=1)
    rest = memory.list(kind="fact", after=first.next_after or 0)
    assert [fact.id for fact in (*first.memories, *rest.memories)] == every
    assert rest.next_after is None
    assert {fact.person for fact in memory.list(kind="fact", person="oskar").memories} == {"Oskar"}
    assert memory.list(kind="fact", session="other").memories == []
    later = memory.list(kind="fact", since=datetime(2026, 3, 1, tzinfo=UTC)).memories
    assert {fact.event_id for fact in later} == {"move", "kiel"}
    with pytest.raises(InvalidInput, match="a fact has no metadata"):
        memory.list(kind="fact", where={"a": 1})


def test_a_recalled_memory_names_its_facts(memory: Memory):
    facts = {hit.event_id: hit.facts for hit in memory.recall("Where does Dana live?").hits}
    assert "Dana lives in Bonn. (no longer)" in facts["bonn"]
    assert facts["move"] == ["Dana lives in Leipzig."]
    then = memory.recall("Where does Dana live?", as_of=datetime(2026, 2, 1, tzinfo=UTC)).hits
    assert "Dana lives in Bonn." in then[0].facts
