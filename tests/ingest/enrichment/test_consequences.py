"""Consequences: what came of a session, in a few lines that quote it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.ingest.enrichment.episode import (
    CONSEQUENCES_MAX,
    LESSON_CHARS_MAX,
    consequences_of,
    is_change,
)
from tests.ingest.ingest_events import EVENTS, agent, result, user


def words(text):
    """Return the words of a text: as much analysis as these rules need."""
    return [word for word in text.split() if len(word) > 4]


def of(*events):
    return consequences_of(events, words)


def test_a_failure_left_is_told_and_one_solved_is_told_as_solved():
    failed = result("make", output="Error: no rule", failed=True)
    assert of(failed) == ["Left: make failed: “Error: no rule”"]
    assert of(failed, result("make")) == [
        "Solved: make failed: “Error: no rule”; a later call did not fail"
    ]


def test_what_tools_changed_is_told_in_one_line():
    booked = [result("book_flight"), result("book_flight"), result("cancel_car"), result("get_x")]
    assert of(*booked) == ["Done: book_flight ×2, cancel_car"]
    assert of(result("bash", args={"cmd": "ls"})) == []
    assert not is_change(result("book_flight", failed=True))


@pytest.mark.parametrize(
    "text",
    [
        "I'll send you the recipe tomorrow.",
        "I’m going to repair the kitchen window.",
        "Let's visit Lisbon before winter.",
        "I promise there will be pancakes.",
    ],
)
def test_commitments_are_quoted(text):
    assert of(user(text, person="Dana")) == [f"Dana: “{text}”"]


@pytest.mark.parametrize(
    "text",
    [
        "I'll need your address and number.",
        "Will you send me the recipe tomorrow?",
        "I'll be happy to answer questions about flights.",
        "He'll never repair the kitchen window.",
        "I'll go.",
    ],
)
def test_politeness_and_questions_are_no_commitments(text):
    assert of(user(text)) == []


def test_what_was_announced_and_then_done_is_no_commitment_any_more():
    announced = agent("I'll cancel the reservation for Lisbon.")
    assert of(announced) == ["Agent: “I'll cancel the reservation for Lisbon.”"]
    assert of(announced, result("cancel_reservation")) == ["Done: cancel_reservation"]


def test_decisions_are_quoted_even_when_acted_upon():
    decided = user("We decided on the cheaper kitchen.", person="Ravi")
    assert of(decided, result("get_price")) == ["Ravi: “We decided on the cheaper kitchen.”"]


@given(st.lists(EVENTS | st.builds(user, st.text(min_size=1, max_size=400)), max_size=12))
def test_there_are_at_most_five_lines_that_fit(events):
    lines = of(*events)
    assert len(lines) == len({*lines}) <= CONSEQUENCES_MAX
    assert all(0 < len(line) <= LESSON_CHARS_MAX for line in lines)
