"""Promises from end to end: said to a memory, told in the story of a relationship and in packs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from meridia import Memory
from tests.fakes import WAITING

MET = datetime(2026, 3, 2, 9, tzinfo=UTC)


def say(memory, day, text, person="Nora"):
    event = {
        "id": f"{day}-{text[:24]}",
        "kind": "user_message" if person else "assistant_message",
        "ts": (MET + timedelta(days=day)).isoformat(),
        "session": {"key": f"day {day}"},
        "payload": {"text": text},
    }
    memory.capture({**event, "person": person} if person else event)


def told(*messages, day):
    """Return a person's threads and pack of some days after the messages: (day, text, who)."""
    at = MET + timedelta(days=day)
    with Memory(None, "home", WAITING) as memory:
        for said in messages:
            say(memory, *said)
        pack = memory.resume("Nora", as_of=at)
        threads = memory.relationship("Nora", as_of=at).threads
        return [
            (t.kind.value, t.state.value, t.closed and t.closed.text) for t in threads
        ], pack.text


@pytest.mark.parametrize(
    ("messages", "day", "thread"),
    [
        (
            [(0, "I need to file my taxes by April 15.")],
            3,
            ("deadline", "open", None),
        ),
        (
            [(0, "I need to file my taxes by April 15."), (20, "I filed my taxes today!")],
            21,
            ("deadline", "kept", "I filed my taxes today!"),
        ),
        (
            [(0, "I'll bring the cake on Friday.")],
            9,
            ("promise", "expired", None),
        ),
        (
            [
                (0, "We're going to sail on the lake next week."),
                (2, "We're not going to sail on the lake after all."),
            ],
            3,
            ("plan", "cancelled", "We're not going to sail on the lake after all."),
        ),
        (
            [(0, "I'm going to check the archive for the old map."), (0, "Never mind, found it.")],
            1,
            ("plan", "cancelled", "Never mind, found it."),
        ),
        (
            [
                (0, "I'm having an art show next week."),
                (4, "I'm having the art show next month instead."),
            ],
            5,
            ("plan", "superseded", "I'm having the art show next month instead."),
        ),
        (
            [
                (0, "I'll send you the recipe of the soup.", None),
                (4, "Thank you for sending the recipe!"),
                (5, "The soup was good."),
            ],
            6,
            ("promise", "kept", "Thank you for sending the recipe!"),
        ),
        (
            [(0, "I sail on Friday."), (0, "Let me know how it goes!", None), (0, "Sure thing!")],
            1,
            ("promise", "open", None),
        ),
        (
            [(0, "Remind me to call the dentist on Friday."), (0, "I like tea.")],
            1,
            ("reminder", "open", None),
        ),
    ],
)
def test_what_was_undertaken_is_open_kept_cancelled_superseded_or_was_due(messages, day, thread):
    messages = [*messages, (0, "Hello, I am Nora.")]
    threads, pack = told(*messages, day=day)
    assert thread in threads
    line = f"{thread[0]}, "
    assert (line in pack) == (thread[1] in {"open", "expired"}) or thread[1] == "superseded"
    assert ("was due" in pack) == (thread[1] == "expired")


def test_a_pack_about_a_question_knows_what_closed_a_promise_that_it_looks_at():
    with Memory(None, "home", WAITING) as memory:
        say(memory, 0, "I'll send you the address of the weaving teacher in Bruges.")
        say(memory, 1, "The weather in Bruges is fine. How do weaving teachers live?")
        say(memory, 2, "I sent you the address.")
        pack = memory.reconstitute("topic_reentry", query="weaving teacher in Bruges")
    assert pack is not None
    assert "promise, " not in pack.text


@pytest.mark.parametrize(
    "text",
    [
        "Is there anything else I can help with?",
        "I'm going to race in pyjamas.",
        "I'll do my best.",
        "I'll call you if I need help.",
        "I'll keep you posted!",
        "I'll take your advice.",
    ],
)
def test_formulas_jokes_and_conditions_open_nothing(text):
    threads, _ = told((0, "Hello, I am Nora. I like tea."), (1, text), day=2)
    assert [thread for thread in threads if thread[0] != "question"] == []
