"""Triggers: what is worth learning from, and what only sounds like it."""

from __future__ import annotations

import pytest
from hypothesis import given

from meridia.core.vocabulary import CaptureMode, Trigger
from meridia.ingest.capture.event_view import read_event
from meridia.ingest.capture.session_history import SessionHistory
from meridia.ingest.capture.stages import trigger_of, unsolved
from tests.ingest.ingest_events import SESSIONS, agent, result, user


def after(*events):
    history = SessionHistory()
    for event in events:
        history = history.after(read_event(event), CaptureMode.FULL)
    return history


def test_row_83_a_success_after_a_failure_of_the_same_tool_is_a_solution():
    """Rows 82 and 83, D10: an error followed by a success with the same tool."""
    failed = result("bash", args={"cmd": "make"}, failed=True)
    history = after(failed, user("Try with one job."))
    assert (
        trigger_of(read_event(result("bash", args={"cmd": "make -j1"})), history)
        == "problem-solution"
    )
    assert trigger_of(read_event(result("bash", args={"cmd": "ls"})), history) is Trigger.NONE
    assert trigger_of(read_event(failed), history) is Trigger.NONE


def test_a_success_after_a_failure_on_the_same_topic_is_a_solution():
    """D10: … or with the same topic."""
    history = after(result("edit", args={"path": "/src/a.py"}, failed=True))
    solution = result("write", args={"path": "/src/a.py"})
    assert trigger_of(read_event(solution), history) is Trigger.PROBLEM_SOLUTION


def test_what_works_on_another_target_solves_nothing():
    failed = result("bash", args={"cmd": "curl localhost:80/health"}, failed=True)
    again, other = (
        read_event(result("bash", args={"cmd": f"curl localhost:{port}/health"}))
        for port in (80, 81)
    )
    assert trigger_of(again, after(failed, agent("One moment."))) is Trigger.PROBLEM_SOLUTION
    assert trigger_of(other, after(failed)) is Trigger.NONE


def test_a_failure_is_solved_once():
    solved = after(result("pay", failed=True), result("pay"))
    assert trigger_of(read_event(result("pay")), solved) is Trigger.NONE


def test_row_83_a_failure_that_nothing_solves_is_a_learning_failure():
    """Row 83, D10: an error left unresolved, seen when the session ends."""
    events = [
        result("pay", failed=True),
        user("Hm."),
        result("book", failed=True),
        result("look", args={"a": 1}),
        result("pay"),
        result("book", args={"again": 1}, failed=True),
    ]
    assert unsolved(events) == (2, 5)
    assert unsolved([*events, result("book")]) == ()
    assert unsolved([]) == ()


@given(SESSIONS)
def test_a_session_read_at_once_knows_every_solution_that_its_history_knew(events):
    """Read at once, what was tried next may solve a failure in other words as well."""
    assert len(unsolved(events)) <= len(after(*events).failures)


@pytest.mark.parametrize(
    "text",
    [
        "That works now!",
        "Great, it's fixed.",
        "Perfect! Let's go on.",
        "Well done.",
        "This looks good to me.",
        "Exactly what I wanted.",
        "Thank you so much for your help!",
        "I really appreciate your help with this.",
        "I love how you split it up. I love it.",
    ],
)
def test_praise_is_positive_feedback(text):
    assert trigger_of(read_event(user(text)), after(agent("Done."))) is Trigger.POSITIVE_FEEDBACK


@pytest.mark.parametrize(
    "text",
    [
        "No, that's not what I asked for.",
        "No, use the other branch.",
        "You forgot the tests.",
        "That's wrong.",
        "It still doesn’t work.",
        "Please revert that.",
        "I told you to leave it alone.",
        "I said use the other branch.",
        "I said not to touch it.",
        "Wrong file!",
        "Thanks, that's great, but you missed a case.",
    ],
)
def test_a_correction_is_corrective_feedback_even_when_it_is_polite(text):
    assert trigger_of(read_event(user(text)), after(result("edit"))) is Trigger.CORRECTIVE_FEEDBACK


@pytest.mark.parametrize(
    "text",
    [
        "Thanks.",
        "Yes, that works for me.",
        "Will that work?",
        "Are you sure that's fixed?",
        "No problem.",
        "No, thanks.",
        "No, that's all for now.",
        "It works, but it is slow.",
        "I meant to ask about the tests.",
        "Could you look into the release notes?",
        "I said yes before she'd finished the sentence.",
        "I said to him that it would rain.",
        "I told you about my sister, didn't I.",
        "You shouldn't have to pay for that.",
        "",
    ],
)
def test_politeness_answers_and_questions_are_no_feedback(text):
    assert trigger_of(read_event(user(text or "…")), after(agent("Done."))) is Trigger.NONE


def test_a_no_that_answers_a_question_corrects_nothing():
    message = user("No, I want the window seat.")
    assert trigger_of(read_event(message), after(agent("An aisle seat, then?"))) is Trigger.NONE
    assert (
        trigger_of(read_event(message), after(agent("I booked an aisle.")))
        is Trigger.CORRECTIVE_FEEDBACK
    )


def test_feedback_is_on_something_the_agent_did():
    for history in (after(), after(user("Look at my painting."))):
        assert trigger_of(read_event(user("That's great! Well done.")), history) is Trigger.NONE
    assert (
        trigger_of(read_event(agent("That's great! Well done.")), after(agent("Hm.")))
        is Trigger.NONE
    )


@pytest.mark.parametrize(
    "text",
    [
        "Turns out the cache was stale.",
        "I learned that the port is fixed.",
        "The root cause was a missing lock.",
        "Lesson learned: pin the version.",
    ],
)
def test_an_insight_is_a_learning_success(text):
    assert trigger_of(read_event(agent(text)), after(result())) is Trigger.LEARNING_SUCCESS


def test_d10_the_callers_own_word_wins():
    """D10: set by the caller, or by rules."""
    own = {"metadata": {"trigger": "learning-success"}}
    assert (
        trigger_of(read_event(user("That's wrong.", **own)), after(agent("x")))
        == "learning-success"
    )
    none = {"metadata": {"trigger": "none"}}
    assert trigger_of(read_event(user("That's wrong.", **none)), after(agent("x"))) is Trigger.NONE


@pytest.mark.parametrize("own", ["cron", 3, None, ["none"]])
def test_a_word_that_is_no_trigger_is_left_to_the_rules(own):
    message = user("That's wrong.", metadata={"trigger": own})
    assert trigger_of(read_event(message), after(agent("x"))) is Trigger.CORRECTIVE_FEEDBACK
