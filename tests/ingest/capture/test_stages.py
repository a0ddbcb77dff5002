"""The stages of capture: checked, cleaned, marked, gated, decided, in this order and no other."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.errors import InvalidInput
from meridia.core.events import bytes_of, encode, encode_as_given
from meridia.core.settings import SanitiseSettings
from meridia.core.types import Outcome, Space
from meridia.core.vocabulary import CaptureMode, LimitReason, RecordStatus, Trigger
from meridia.ingest.capture.commit import UNDECIDED, CaptureContext, CaptureRules
from meridia.ingest.capture.event_view import read_event
from meridia.ingest.capture.session_history import SessionHistory
from meridia.ingest.capture.stages import (
    DECISION_STAGES,
    PREPARE_STAGES,
    check_gate,
    decide_capture,
    fit_event,
    mark_event,
    name_speaker,
    read_event_view,
    refuse_unfit_note,
    sanitise_event,
    take_out_bytes,
)
from tests.ingest.ingest_events import EVENTS, agent, boundary, result, user
from tests.planted_secrets import planted

HOME = Space("home")
RULES = CaptureRules()
#: A tool that changes the world, told of for the first time: full capture.
BOOKED = result("book_flight", {"id": "F1", "user": "Dana"}, "booked: deploy to production", 0)


def arriving(event: Mapping[str, Any], **fields: Any) -> CaptureContext:
    return CaptureContext(HOME, event, **fields)


def through(event: Mapping[str, Any], rules: CaptureRules = RULES, **fields: Any) -> CaptureContext:
    """Send an event through all stages; `known` is what the past adds between the halves."""
    context = arriving(event)
    for stage in PREPARE_STAGES:
        stage(context, rules)
    context = replace(context, **fields)
    for stage in DECISION_STAGES:
        stage(context, rules)
    return context


def test_nothing_is_judged_before_it_is_clean_and_nothing_is_decided_before_it_is_gated():
    assert (
        (
            name_speaker,
            take_out_bytes,
            sanitise_event,
            fit_event,
            read_event_view,
            refuse_unfit_note,
        ),
        (mark_event, check_gate, decide_capture),
    ) == (PREPARE_STAGES, DECISION_STAGES)


@given(EVENTS)
def test_after_the_stages_every_event_is_decided(event):
    context = through(event)
    assert context.decision is not UNDECIDED
    assert context.decision.outcome in (Outcome.CAPTURED, Outcome.TEXT_ONLY, Outcome.OUTLINE)


@given(EVENTS, st.booleans())
def test_every_line_of_the_arithmetic_adds_up_whatever_happened_to_the_decision(event, double):
    context = through(event, duplicate_of="e-1" if double else None)
    decision = context.decision
    total = sum(factor.contribution for factor in decision.factors)
    assert total == pytest.approx(decision.significance, abs=1e-6)
    assert (decision.outcome is Outcome.DUPLICATE) == double


# Who speaks


def test_row_47_the_session_says_who_speaks_where_the_event_does_not():
    session = {"key": "s1", "user": {"displayName": "Dana"}}
    context, named = (
        arriving(user("hi", session=session)),
        user("hi", session=session, person="Ravi"),
    )
    name_speaker(context, RULES)
    assert context.event["person"] == "Dana"
    context = arriving(named)
    name_speaker(context, RULES)
    assert context.event == named


@pytest.mark.parametrize("event", [agent("hi"), result(), boundary()])
def test_what_no_person_says_is_from_nobody(event):
    event = {**event, "session": {"key": "s1", "user": "Dana"}}
    context = arriving(event)
    name_speaker(context, RULES)
    assert context.event == event


# Sanitised


@given(st.integers(0, 2**20))
def test_rows_4_and_5_what_was_redacted_is_counted_by_kind_and_never_told(seed):
    for plant in planted(3, seed):
        context = arriving(plant.event)
        name_speaker(context, RULES)
        sanitise_event(context, RULES)
        assert sum(context.redacted.values()) > 0
        for secret in plant.sample.secrets:
            assert secret not in repr(context)


def test_a_secret_that_a_cut_would_halve_is_redacted_first():
    secret = "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc"
    text = "x " * 45 + secret + " and more of it" * 40
    rules = replace(RULES, policy=SanitiseSettings(text_chars_max=110))
    context = arriving(user(text))
    sanitise_event(context, rules)
    text_left = context.event["payload"]["text"]
    assert context.cut == 1
    assert len(text_left) <= 110
    assert not any(secret[:length] in text_left for length in range(9, len(secret)))


@given(EVENTS)
def test_what_is_written_of_an_event_is_what_is_left_of_it(event):
    context = CaptureContext(HOME, event)
    for stage in PREPARE_STAGES:
        stage(context, RULES)
    assert json.loads(encode_as_given(context.event)) == context.event


# Fitted


def prepared(event: Mapping[str, Any], bytes_max: int) -> CaptureContext:
    context, rules = arriving(event), replace(RULES, event_bytes_max=bytes_max)
    for stage in (name_speaker, sanitise_event, fit_event):
        stage(context, rules)
    return context


@given(st.sampled_from(["é", "log line\n", "x"]), st.integers(0, 400_000))
def test_row_1_an_event_over_the_limit_is_cut_to_it_and_says_so(word, times):
    event = user(word * times + " E77", id="m")
    context = prepared(event, 4096)
    assert bytes_of(encode_as_given(context.event)) <= 4096
    is_over = bytes_of(encode(event)) > 4096
    assert (context.cut == 1) == is_over == ("shortened" in context.event)
    assert context.event["payload"]["text"].endswith(" E77")


def test_events_that_differ_only_in_what_is_gone_stay_different_and_equal_ones_equal():
    def body(middle: str, size: int) -> str:
        return encode_as_given(prepared(user("a" * size + middle + "b" * size), 4096).event)

    for size in (4000, 400_000):
        assert body("X", size) == body("X", size)
        assert body("X", size) != body("Y", size)


@given(st.integers(0, 9_000))
def test_no_half_of_a_secret_is_left_where_a_text_is_cut(before):
    secret = "ghp_" + "a1B2" * 9
    text = "w " * (before // 2) + secret + " w" * 10_000
    body = encode_as_given(prepared(user(text), 8192).event)
    assert not any(secret[:length] in body for length in range(9, len(secret)))
    assert not any(secret[-length:] in body for length in range(9, len(secret)))


def test_what_no_cut_makes_fit_is_refused_by_size_without_a_secret_in_its_id():
    secret = "ghp_" + "a1B2" * 9
    many = [{"uri": f"notes-{number}.md"} for number in range(100)]
    with pytest.raises(InvalidInput, match=r"has [\d,]+ bytes, more than the limit") as refused:
        prepared(user("x", id=secret, artifacts=many), 1024)
    assert secret not in str(refused.value)


# Marked


def test_what_came_out_of_a_recall_is_marked_and_not_kept_whole_again():
    recalled = result("meridia_recall", {"question": "boat"}, "the boat is in the shed " * 3, 0)
    context = through(recalled)
    assert "echo" in context.marks
    assert context.decision.mode is CaptureMode.TRACE_ONLY
    assert "echo" in through(user("As meridia://a-1 and meridia://a-2 say, it is red")).marks


@pytest.mark.parametrize(
    ("text", "mark"), [("ok", "empty_talk"), ("boat", "too_short"), ("boat " * 900, "too_long")]
)
def test_row_100_what_says_too_little_or_too_much_is_marked_and_kept(text, mark):
    context = through(agent(text))
    assert list(context.marks) == [mark]
    assert context.decision.mode is CaptureMode.LIGHT


def test_what_there_is_to_learn_is_named_by_the_session_so_far():
    failed = result("bash", {"cmd": "make boat"}, "error: no keel", 0, failed=True)
    history = SessionHistory().after(read_event(failed), through(failed).decision.mode)
    solved = through(result("bash", {"cmd": "make boat"}, "a boat", 9), history=history)
    assert solved.trigger is Trigger.PROBLEM_SOLUTION
    assert through(result("bash", {"cmd": "make boat"}, "a boat", 9)).trigger is Trigger.NONE


# Gated and decided


def test_row_2_a_gate_denies_spending_and_never_remembering():
    first = through(BOOKED)
    assert first.decision.outcome is Outcome.CAPTURED
    history = SessionHistory().after(first.event_view, first.decision.mode)
    again = result("book_flight", {"id": "F2"}, "booked", 60, metadata={"important": True})
    second = through(again, history=history)
    assert second.gate is not None
    assert second.decision.outcome is Outcome.TEXT_ONLY
    assert second.decision.status is RecordStatus.SKELETON
    assert second.decision.limited.reason is LimitReason.MIN_INTERVAL
    after = through({**again, "ts": "2026-03-01T10:05:00+00:00"}, history=history)
    assert after.decision.outcome is Outcome.CAPTURED


def test_a_message_is_never_denied():
    first = through(BOOKED)
    history = SessionHistory().after(first.event_view, first.decision.mode)
    context = through(user("Remember: production is in the shed", 1), history=history)
    assert context.gate is None
    assert context.decision.limited is None


def test_a_result_seen_before_is_kept_as_a_skeleton_that_says_where():
    context = through(BOOKED, duplicate_of="e-1")
    decision = context.decision
    assert (decision.mode, decision.outcome) == (CaptureMode.TRACE_ONLY, Outcome.DUPLICATE)
    assert decision.status is RecordStatus.SKELETON
    assert "meridia://e-1" in decision.reason
    assert not decision.near
    assert decision.significance == through(BOOKED).decision.significance


def test_a_message_said_before_is_kept_whole_as_a_duplicate():
    event = agent("The mast is up and the sails are new.")
    alone, double = through(event), through(event, duplicate_of="e-1")
    assert double.decision == replace(alone.decision, outcome=Outcome.DUPLICATE)
    assert double.decision.mode is CaptureMode.LIGHT


def test_a_repeated_result_that_was_noise_stays_noise():
    dull = result("memory_query", {}, "nothing of the kind here", 0)
    context = through(dull, duplicate_of="e-1")
    assert context.decision.status is RecordStatus.NOISE
