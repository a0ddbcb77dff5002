"""Failures that an agent tells in words, and what shows that an answer helped."""

from __future__ import annotations

import pytest

from meridia.language.runs.fixes import attempt_of
from meridia.language.runs.reported_failures import ReportedFailure, finds, reported_failure
from meridia.language.runs.tool_intent import ToolIntent
from tests.ingest.ingest_events import result

USER, AGENT, RESULT = "user_message", "assistant_message", "tool_result"
TELLS = "I couldn't find an order by that name. What is its number?"


@pytest.mark.parametrize(
    "text",
    [
        TELLS,
        "I'm unable to access the invoices.",
        "Hello! I was not able to locate the parcel, sorry.",
        "Unfortunately there was an error processing the card.",
        "I ran into a problem with the export.",
        "I'm having trouble locating your booking.",
    ],
)
def test_what_could_not_be_looked_up_or_went_wrong_is_a_failure(text):
    assert reported_failure(text) in text
    assert reported_failure(text)


@pytest.mark.parametrize(
    "text",
    [
        "I don't have access to the weather.",
        "I cannot cancel this order, the rules do not allow it.",
        "I couldn't find any errors in the log.",
        "If you can't find the key, call me.",
        "I can't wait to see it!",
        "I found it.",
        "There are no rooms on Monday.",
        "",
    ],
)
def test_a_refusal_and_what_is_rightly_not_there_are_none(text):
    assert reported_failure(text) == ""


def test_a_look_settles_it_that_finds_something_right_after_the_answer():
    reported = ReportedFailure.NONE.after(AGENT, TELLS)
    answered = reported.after(USER, "It is 77.")
    assert (reported, answered) == (ReportedFailure.REPORTED, ReportedFailure.ANSWERED)
    assert answered.after(RESULT, "") is ReportedFailure.ANSWERED
    assert answered.after(RESULT, "", finds=True) is ReportedFailure.NONE
    assert answered.after(USER, "Wait, 78.") is ReportedFailure.ANSWERED
    assert ReportedFailure.NONE.after(AGENT, "I can't see the invoice.") is ReportedFailure.NONE


def test_an_agent_that_says_what_it_tries_next_waits_for_no_answer():
    told = ReportedFailure.NONE.after(AGENT, "I couldn't find the order. Let me try the archive.")
    assert told.after(RESULT, "", finds=True) is ReportedFailure.NONE
    assert told is ReportedFailure.ANSWERED


def test_what_a_tool_printed_is_not_told_twice():
    failed = ReportedFailure.NONE.after(RESULT, "", ToolIntent("pay", failed=True))
    assert failed.tells(TELLS) == ""
    assert failed.after(USER, "Try again.").tells(TELLS) == "I couldn't find an order by that name."


def test_an_answer_helps_a_look_that_found_nothing_and_no_other_call_that_failed():
    look = ToolIntent("get_order", read_only=True, failed=True)
    missing = ReportedFailure.NONE.after(RESULT, "", look)
    assert missing.tells(TELLS) == ""
    assert missing.after(AGENT, TELLS).after(USER, "It is 77.") is ReportedFailure.ANSWERED
    for other in (ToolIntent("pay", failed=True), ToolIntent("bash", read_only=True, failed=True)):
        failed = ReportedFailure.NONE.after(RESULT, "", other)
        assert failed.after(USER, "It is 77.") is ReportedFailure.NONE


@pytest.mark.parametrize(
    ("tool", "output", "brought"),
    [("get_order", "77: boots", True), ("get_order", "[]", False), ("send", "sent", False)],
)
def test_only_a_look_that_brings_something_finds(tool, output, brought):
    event = result(tool, args={"number": "77"}, output=output)
    attempt = attempt_of(event)
    assert attempt is not None
    assert finds(event, attempt.intent) is brought
