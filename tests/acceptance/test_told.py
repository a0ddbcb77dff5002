"""What is told of a person is so: no dream, no irony, nothing that is over."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from meridia import Memory

AT = datetime(2026, 3, 2, 18, tzinfo=UTC)


@pytest.fixture
def memory():
    """Return a new memory."""
    with Memory.open() as opened:
        yield opened


def hear(memory: Memory, *texts: str) -> None:
    """Let Rosa say some things, a minute apart, in a session that is over."""
    for minute, text in enumerate(texts):
        at = AT + timedelta(minutes=minute)
        memory.remember(text, person="Rosa", session="s", at=at)
    memory.capture(
        {"kind": "session_boundary", "payload": {"reason": "end"}, "session": {"key": "s"}}
    )
    memory.enrich()


def facts(memory: Memory) -> set[str]:
    """Return what holds now."""
    return {one.text for one in memory.chronicle.facts() if one.valid_at(datetime.now(UTC))}


def test_a_dream_is_no_title_no_fact_and_no_feeling(memory: Memory):
    hear(
        memory,
        "Last night I dreamed that I won the lottery and bought a castle in Scotland.",
        "And in the dream my boss got fired. My sister Ines was a doctor. I was terrified!",
        "My brother Teo got engaged on Saturday.",
    )
    (episode,) = memory.chronicle.episodes()
    assert "castle" not in episode.topic
    assert facts(memory) == {"Rosa has a brother, Teo."}
    assert memory.list(emotion="concerned").memories == []
    assert memory.recall("Who bought a castle?").hits[0].text.startswith("Last night I dreamed")


def test_who_complains_with_praise_likes_nothing_of_it(memory: Memory):
    hear(
        memory,
        "Oh great, my car broke down again. Just what I needed.",
        "Oh great, another bill. I absolutely love spending 900 euros on a gearbox. I'm thrilled.",
    )
    assert facts(memory) == set()
    assert memory.list(emotion="excited").memories == []


def test_who_sold_a_thing_owns_it_no_more(memory: Memory):
    hear(memory, "My car broke down again.", "We sold the car yesterday.", "I sold a boat at work.")
    assert facts(memory) == set()
    assert "owns a car" not in memory.resume("Rosa").text


def test_a_promise_said_twice_is_one_thing_to_do(memory: Memory):
    hear(
        memory,
        "I'll bring the anchor on Sunday.",
        "I'll send you the sail plan on Friday.",
        "Don't worry, I'll bring the anchor.",
        "As I said, I will send you the sail plan on Friday!",
    )
    pack = memory.resume("Rosa", as_of=AT + timedelta(hours=2))
    assert sorted("anchor" in line for line in pack.next_actions) == [False, True]
    assert any("I will send you the sail plan on Friday!" in line for line in pack.next_actions)


def test_a_plan_that_was_given_up_is_not_open(memory: Memory):
    hear(
        memory,
        "I'm going to run the half marathon in Porto on the 10th of May.",
        "Change of plans: I won't run in Porto. The doctor said the knee needs six weeks of rest.",
    )
    pack = memory.resume("Rosa", as_of=AT + timedelta(hours=2))
    assert not any("half marathon" in line for line in pack.next_actions)
    assert "I won't run in Porto" in pack.text


def test_what_almost_happened_did_not(memory: Memory):
    hear(
        memory,
        "We almost adopted a dog, but Hana is allergic.",
        "I nearly bought a boat.",
        "I'm almost 40 years old.",
        "I've lived in Rome for almost ten years.",
    )
    assert facts(memory) == {"Rosa lives in Rome."}
