"""Whom an agent's line was for, where several people share a session."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from meridia import Memory
from tests.thorough import examples

SAID = [
    ("Ana", "I live in Porto."),
    (None, "Noted, Ana."),
    ("Boris", "I am allergic to bees."),
    (None, "I will warn you about bees, Boris."),
    ("Carla", "My MRI is on Friday."),
    (None, "I will remind you of it."),
    ("Ana", "My husband is called Rui."),
    (None, "I promise to ask you about him tomorrow."),
    ("Boris", "I am divorced."),
    (None, "Carla, I will also send you the address of the clinic."),
]


@pytest.fixture
def memory():
    with Memory.open() as opened:
        for person, text in SAID:
            role = "user" if person else "assistant"
            opened.remember(text, person=person, role=role, session="default")
        opened.enrich()
        yield opened


@pytest.mark.parametrize(
    ("person", "own", "others"),
    [
        ("Ana", ["Porto", "Rui", "ask you about him"], ["bees", "divorce", "MRI", "clinic"]),
        ("Boris", ["bees", "divorced"], ["Porto", "Rui", "MRI", "remind you of it", "clinic"]),
        ("Carla", ["MRI", "clinic"], ["Porto", "Rui", "bees", "divorce", "ask you about"]),
    ],
)
def test_nothing_of_one_is_in_the_pack_of_another(memory, person, own, others):
    text = memory.resume(person).text
    assert [word for word in own if word not in text] == []
    assert [word for word in others if word in text] == []


def test_where_people_talk_with_each_other_each_has_what_the_other_promised():
    with Memory.open() as memory:
        memory.remember("I am building a kiln.", person="Ana", session="s")
        memory.remember("I will bring you the bricks on Friday.", person="Boris", session="s")
        memory.enrich()
        assert "bricks" in memory.resume("Ana").text


def test_what_came_up_for_another_after_a_meeting_is_no_news():
    said = [
        ("Ana", "I need a scan on Monday."),
        ("Boris", "My rent is due."),
        (None, "I will book the scan, Ana."),
        (None, "I will pay the Lighthouse Estate, Boris."),
    ]
    with Memory.open() as memory:
        for minute, (person, text) in enumerate(said):
            role, at = "user" if person else "assistant", f"2026-03-01T10:0{minute}:00Z"
            memory.remember(text, person=person, role=role, session="default", at=at)
        memory.enrich()
        assert "Lighthouse" not in memory.resume("Ana").text


TURNS = st.lists(
    st.tuples(st.sampled_from(["Ana", "Boris", None]), st.sampled_from(["s1", "s2", "s3"])),
    min_size=1,
    max_size=12,
)


@settings(max_examples=examples(6))
@given(turns=TURNS)
def test_who_is_forgotten_goes_with_what_the_agent_answered(turns):
    last: dict[str, str] = {}
    expected = []
    with Memory.open() as memory:
        memory.remember("I sail.", person="Ana", session="s0")
        for number, (person, session) in enumerate(turns):
            text = f"remark {number}"
            role = "user" if person else "assistant"
            memory.remember(text, person=person, role=role, session=session)
            if person:
                last[session] = person
            if (person or last.get(session)) != "Ana":
                expected.append(text)
        memory.forget(person="Ana")
        assert [each.text for each in memory.list().memories] == expected
        assert memory.upkeep.verify() == []


def test_filters_narrow_what_the_agent_answered_too(memory):
    memory.forget(person="Ana", kind="user_message")
    texts = [each.text for each in memory.list().memories]
    assert "Noted, Ana." in texts
    assert "I live in Porto." not in texts
