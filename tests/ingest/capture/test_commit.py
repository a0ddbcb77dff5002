"""Committing: a decided event becomes a draft, whole or as the outline of a skeleton."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.codec import decode_entry, encode_text
from meridia.core.entries import ExperienceCaptured
from meridia.core.events import event_hash, parse_event, recorded_event
from meridia.core.experience import GateDenial
from meridia.core.ids import session_id
from meridia.core.types import EntryKind, Outcome, Space
from meridia.core.vocabulary import CaptureMode, LimitReason, RecordStatus, Trigger
from meridia.ingest.capture.commit import (
    UNDECIDED,
    CaptureContext,
    CaptureRules,
    capture_draft,
    decision_of,
)
from meridia.ingest.capture.event_view import read_event
from tests.drafts import recorded

HOME = Space("home")
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
RULES = CaptureRules(skeleton_period=timedelta(days=7))
SKELETON = replace(
    UNDECIDED,
    mode=CaptureMode.TRACE_ONLY,
    outcome=Outcome.OUTLINE,
    status=RecordStatus.SKELETON,
    significance=0.31,
)
RESULT = {
    "kind": "tool_result",
    "id": "t-1",
    "ts": "2026-03-01T10:00:05Z",
    "session": {"key": "s-9", "extra": 1},
    "tool": {"name": "sh", "callId": "c1", "isError": True},
    "person": "Dana",
    "payload": {"args": {"cmd": "make"}, "result": ["x", None]},
    "unknown": {"kept": True},
}


def capture_context(event: dict[str, Any], decision=UNDECIDED, **fields: Any) -> CaptureContext:
    event_json = parse_event(event).as_json()
    return CaptureContext(
        HOME, event_json, event_view=read_event(event_json), decision=decision, **fields
    )


def test_what_is_kept_whole_is_in_the_payload_with_what_was_decided():
    draft = capture_draft(capture_context(RESULT), RULES, NOW)
    assert draft.kind is EntryKind.EXPERIENCE_CAPTURED
    assert recorded(draft)["event"] == RESULT
    assert draft.key == "t-1"
    assert draft.at == datetime(2026, 3, 1, 10, 0, 5, tzinfo=UTC)
    assert draft.stream == session_id(HOME, "s-9")
    assert draft.provisional is None


def test_what_was_not_said_is_left_open():
    draft = capture_draft(
        capture_context({"kind": "user_message", "payload": {"text": "hi"}}), RULES, NOW
    )
    assert (draft.key, draft.at, draft.stream) == ("", None, None)


def test_a_session_belongs_to_its_space():
    context = capture_context(RESULT)
    streams = {
        capture_draft(replace(context, space=Space(s)), RULES, NOW).stream for s in ("home", "away")
    }
    assert len(streams) == 2


def test_row_41_a_skeleton_keeps_tool_time_session_and_hash_and_its_event_for_a_week():
    draft = capture_draft(capture_context(RESULT, SKELETON), RULES, NOW)
    assert "event" not in recorded(draft)
    assert recorded(draft)["skeleton"] == {
        "kind": "tool_result",
        "person": "Dana",
        "session": {"key": "s-9"},
        "tool": {"name": "sh", "isError": True},
    }
    assert draft.provisional == RESULT
    assert draft.provisional_until == NOW + timedelta(days=7)
    assert recorded_event(draft.payload)["kind"] == "tool_result"


def test_d34_without_a_period_a_skeleton_is_whole():
    draft = capture_draft(capture_context(RESULT, SKELETON), CaptureRules(), NOW)
    assert recorded(draft)["event"] == RESULT
    assert recorded(draft)["decision"]["mode"] == "trace_only"
    assert (draft.provisional, draft.provisional_until) == (None, None)


@pytest.mark.parametrize("decision", [UNDECIDED, SKELETON])
def test_the_text_of_a_draft_is_its_payload_in_canonical_form(decision):
    fields = {"duplicate_of": "e-1", "marks": ["echo"], "trigger": Trigger.LEARNING_SUCCESS}
    draft = capture_draft(capture_context(RESULT, decision, **fields), RULES, NOW)
    text = encode_text(draft.payload)
    assert decode_entry(draft.kind, text) == draft.payload
    assert list(json.loads(text)) == sorted(json.loads(text))


def test_a_skeleton_has_the_hash_of_its_whole_event():
    whole, skeleton = (
        capture_draft(capture_context(RESULT), RULES, NOW),
        capture_draft(capture_context(RESULT, SKELETON), RULES, NOW),
    )
    assert event_hash(whole.payload) == event_hash(skeleton.payload)


@given(
    st.floats(0, 1),
    st.floats(0, 1),
    st.sampled_from(CaptureMode),
    st.sampled_from(RecordStatus),
    st.booleans(),
    st.none() | st.sampled_from(LimitReason),
)
def test_a_decision_is_read_back_without_its_arithmetic(score, bar, mode, status, near, limit):
    decision = replace(
        UNDECIDED,
        significance=score,
        threshold=bar,
        mode=mode,
        status=status,
        near=near,
        limited=None if limit is None else GateDenial(limit, "because"),
    )
    payload = capture_draft(capture_context(RESULT, decision), RULES, NOW).payload
    decision_read = decision_of(payload)
    assert (decision_read.significance, decision_read.mode, decision_read.status) == (
        round(score, 4),
        mode,
        status,
    )
    assert len(encode_text(payload.decision)) < 160


def test_a_payload_from_before_decisions_reads_as_a_full_capture():
    decision_read = decision_of(ExperienceCaptured(RESULT))
    assert (decision_read.mode, decision_read.status) == (CaptureMode.FULL, RecordStatus.EVALUATED)


def test_marks_trigger_and_double_are_written_where_there_are_any():
    payload = recorded(capture_draft(capture_context(RESULT), RULES, NOW))
    assert set(payload) == {"decision", "event"}
    marked = capture_context(
        RESULT, marks=["echo"], trigger=Trigger.PROBLEM_SOLUTION, duplicate_of="e-1"
    )
    payload = recorded(capture_draft(marked, RULES, NOW))
    assert payload["marks"] == ["echo"]
    assert payload["trigger"] == "problem-solution"
    assert payload["duplicate_of"] == "e-1"
