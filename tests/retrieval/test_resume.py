"""Resuming with a person."""

import pytest

from meridia import Memory
from meridia.core.errors import NotFound
from meridia.core.settings import EmbeddingSettings, Settings

PLAIN = Settings(embedding=EmbeddingSettings(enabled=False))


def test_a_known_person_gets_meetings_last_words_and_citations(demo: Memory):
    found = demo.resume("dana")
    assert found.person.name == "Dana"
    assert found.sessions == 7
    assert [meeting.session for meeting in found.meetings] == [
        "2026-06-01",
        "2026-05-15",
        "2026-04-29",
    ]
    for memory in [*found.last_said, *found.open_questions]:
        assert demo.get(memory.uri).person == "Dana"


def test_a_stranger_is_said_to_be_one(demo: Memory):
    with pytest.raises(NotFound, match="stranger.*Dana"):
        demo.resume("Zoe")


def test_a_question_somebody_answered_is_not_open():
    with Memory(None, "s", PLAIN) as memory:
        memory.remember("Is the shop open?", person="Ann", session="a")
        memory.remember("Yes, until six.", person="Ben", session="a")
        memory.remember("And on Sunday?", person="Ann", session="a")
        memory.remember("I would need bread.", person="Ann", session="a")
        open_questions = [m.text for m in memory.resume("Ann").open_questions]
    assert open_questions == ["And on Sunday?"]


def test_somebody_without_sessions_can_be_resumed():
    with Memory(None, "s", PLAIN) as memory:
        memory.remember("Hello there.", person="Ann")
        found = memory.resume("Ann")
    assert found.messages == 1
    assert [memory.text for memory in found.last_said] == ["Hello there."]
