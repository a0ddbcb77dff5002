"""What is looked up of a person, of a session, or by pages is what reading all of it gives."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings

from meridia import Memory
from meridia.core.entries import StateTransitioned
from meridia.core.ids import session_id
from meridia.core.types import EntryKind
from tests.acceptance.test_random_forgettings import PLAIN, SESSIONS, Life, histories, lived
from tests.thorough import THOROUGH


@settings(max_examples=150 if THOROUGH else 5)
@given(histories)
def test_look_ups_find_what_reading_everything_finds(history: list[Any]):
    with lived(PLAIN) as life:
        for step in history:
            life.live(step)
        life.memory.enrich()
        assert facts_a_page_at_a_time(life.memory) == every_fact(life.memory)
        look_at_sessions(life)
        look_at_people(life.memory)


def facts_a_page_at_a_time(memory: Memory) -> dict[str, Any]:
    facts, after = dict[str, Any](), 0
    while after is not None:
        page = memory.list(kind="fact", limit=1, after=after)
        facts |= {fact.id: fact.metadata for fact in page.memories}
        after = page.next_after
    return facts


def every_fact(memory: Memory) -> dict[str, Any]:
    return {f.id: f.record() for f in memory.chronicle.facts() if not f.is_end_record}


def transitions(memory: Memory) -> list[StateTransitioned]:
    entries = memory.parts.journal.of_kind(memory.space, EntryKind.STATE_TRANSITIONED)
    return [e.payload for e in entries if isinstance(e.payload, StateTransitioned)]


def look_at_sessions(life: Life) -> None:
    memory = life.memory
    for key in filter(None, SESSIONS):
        session = session_id(memory.space, key)
        mine = [each for each in memory.chronicle.episodes() if each.session == session]
        assert memory.chronicle.episodes(key) == mine
        found = memory.parts.journal.of_sessions(
            memory.space, EntryKind.STATE_TRANSITIONED, [session]
        )
        assert [e.payload for e in found] == [
            each for each in transitions(memory) if each.session == session
        ]


def look_at_people(memory: Memory) -> None:
    directory = memory.people.directory()
    for person in directory.speakers.people:
        mine = [
            each
            for each in transitions(memory)
            if each.person is not None and directory.canonical(each.person) == person.id
        ]
        found = memory.chronicle.transitions_of(person.name)
        assert sorted(map(repr, found)) == sorted(repr(e) for e in mine if not e.keeps_its_words)
