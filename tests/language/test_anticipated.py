"""Anticipated questions (features 82 and 83)."""

import pytest

from meridia.core.vocabulary import Trigger
from meridia.ingest.capture.event_view import read_event
from meridia.language import anticipated


def anticipated_questions(event, trigger):
    return anticipated.anticipated_questions(event, read_event(event).gist, trigger)


FAILED = {
    "kind": "tool_result",
    "tool": {"name": "bash", "isError": True},
    "payload": {"args": {"cmd": "make publish"}, "result": "step 1\nerror: no such host\nstopped"},
}


def test_row_82_at_most_two_questions_name_what_failed():
    asked = anticipated_questions(FAILED, Trigger.LEARNING_FAILURE)
    assert len(asked) == 2
    assert "make publish" in asked[0]
    assert "no such host" in asked[1]


def test_row_82_a_solution_is_asked_for_by_what_it_fixed():
    asked = anticipated_questions({**FAILED, "tool": {"name": "bash"}}, Trigger.PROBLEM_SOLUTION)
    assert 1 <= len(asked) <= 2
    assert all(question.endswith("?") for question in asked)


@pytest.mark.parametrize(
    "trigger", sorted(set(Trigger) - {Trigger.PROBLEM_SOLUTION, Trigger.LEARNING_FAILURE})
)
def test_row_83_other_triggers_ask_nothing(trigger: Trigger):
    assert anticipated_questions(FAILED, trigger) == []


@pytest.mark.parametrize(
    ("said", "solved"),
    [
        (
            "The kiln trips the breaker when it heats; a 32 A circuit solved it.",
            "What solved this: the kiln trips the breaker when it heats?",
        ),
        ("Anna's genoa", "What solved this: Anna's genoa?"),
        ("The", "What solved this: The?"),
    ],
)
def test_row_82_questions_about_a_message_take_its_first_clause_into_a_sentence(said, solved):
    event = {"kind": "user_message", "payload": {"text": said}}
    assert anticipated_questions(event, Trigger.PROBLEM_SOLUTION)[0] == solved
    (why,) = anticipated_questions(event, Trigger.LEARNING_FAILURE)
    assert why == solved.replace("What solved this", "Why did this go wrong")
