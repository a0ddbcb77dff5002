"""Promises from end to end: said to a memory, told in packs as open until the next meeting."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from meridia import Memory
from tests.fakes import WAITING

MET = datetime(2026, 3, 2, 9, tzinfo=UTC)
NORA = "Nora"


def next_actions(*messages, day):
    """Return what a pack for Nora tells to do some days after the messages: (day, text, who)."""
    at = MET + timedelta(days=day)
    with Memory(None, "home", WAITING) as memory:
        for place, (when, text, *who) in enumerate(messages):
            person = who[0] if who else NORA
            event = {
                "id": f"{place}",
                "kind": "user_message" if person else "assistant_message",
                "ts": (MET + timedelta(days=when, minutes=place)).isoformat(),
                "session": {"key": f"day {when}"},
                "payload": {"text": text},
            }
            memory.capture({**event, "person": person} if person else event)
        return memory.resume(NORA, as_of=at).next_actions


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ((0, "I need to file my taxes by April 15."), "file my taxes"),
        ((0, "I'll bring the cake for the school fair on Friday."), "bring the cake"),
        ((0, "I'll send you the recipe of the soup tomorrow.", None), "the agent: “I'll send you"),
        ((0, "Remind me to call the dentist on Friday."), "call the dentist"),
    ],
)
def test_what_was_undertaken_is_open(said, words):
    (line,) = next_actions((0, "Hello, I am Nora."), said, day=1)
    assert words in line


def test_what_was_done_is_not_open():
    opened, later = "I'll file my taxes on Monday.", "I filed my taxes this morning!"
    assert next_actions((0, opened), (1, later), day=2) == []


def test_what_was_undertaken_before_the_last_meeting_is_not_told_as_open():
    messages = (0, "I'll bring the cake to your party tonight."), (9, "I like tea.")
    assert next_actions(*messages, day=10) == []


@pytest.mark.parametrize(
    "text",
    [
        "Is there anything else I can help with?",
        "How are you?",
        "Thanks, that was kind of you.",
        "My sister will repair the barn.",
    ],
)
def test_formulas_and_others_plans_open_nothing(text):
    assert next_actions((0, "Hello, I am Nora. I like tea."), (1, text), day=2) == []
