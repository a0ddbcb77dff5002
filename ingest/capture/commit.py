"""Stage commit: a decided event becomes a journal draft, whole or as an outline.

The journal acknowledges after its commit and never before. The decision is written beside the
event; its arithmetic belongs to the trace.
"""

from __future__ import annotations

from datetime import datetime

from ...core.entries import DecisionRecord, ExperienceCaptured
from ...core.events import encode, encode_as_given
from ...core.experience import CaptureDecision
from ...core.ids import content_hash, session_id
from ...core.types import EntryDraft, Json, Payload
from ...core.vocabulary import CaptureMode, RecordStatus, Trigger
from ...language.runs.failure_signs import is_error
from ...storage.projections.experience_list import mode_of, outcome_of
from .capture_context import CaptureContext, CaptureRules
from .event_view import recorded_time_of

#: Decimal places of a score in the journal; the trace has all of them.
_PLACES = 4
#: What an outline keeps of an event.
_SKELETON_FIELDS = ("kind", "person", "session", "tool")


def capture_draft(context: CaptureContext, rules: CaptureRules, now: datetime) -> EntryDraft:
    """Return the draft that captures a decided event at the time `now`."""
    event, decision = context.event, context.decision
    session = event.get("session")
    period = rules.skeleton_period if decision.mode is CaptureMode.TRACE_ONLY else None
    outlined = period is not None
    event_json = context.body or encode_as_given(event)
    payload = ExperienceCaptured(
        event=None if outlined else event,
        decision=_decision_record(decision, outlined=outlined),
        duplicate_of=context.duplicate_of,
        trigger=context.trigger,
        marks=tuple(context.marks),
        hash=content_hash(encode(event)) if outlined else None,
        skeleton=_skeleton_fields(event) if outlined else None,
    )
    return EntryDraft(
        key=event.get("id") or "",
        payload=payload,
        at=recorded_time_of(event),
        stream=session_id(context.space, session["key"]) if session else None,
        outcome=decision.outcome,
        body=_payload_json(payload, event_json),
        provisional=event if outlined else None,
        provisional_until=None if period is None else now + period,
    )


def _payload_json(payload: ExperienceCaptured, event: str) -> str:
    """Return what `codec` would write, quicker; the event is written already."""
    fields: dict[str, Json] = {"decision": payload.decision and _decision_fields(payload.decision)}
    if payload.duplicate_of is not None:
        fields["duplicate_of"] = payload.duplicate_of
    if payload.trigger is not Trigger.NONE:
        fields["trigger"] = payload.trigger.value
    if payload.marks:
        fields["marks"] = payload.marks
    if payload.event is None:
        fields |= {"hash": payload.hash, "skeleton": payload.skeleton}
    else:
        fields["event"] = None
    written = (
        f'"{name}":{event if name == "event" else encode(fields[name])}' for name in sorted(fields)
    )
    return f"{{{','.join(written)}}}"


def _decision_fields(decision: DecisionRecord) -> dict[str, Json]:
    fields: dict[str, Json] = {
        "significance": decision.significance,
        "status": decision.status.value,
    }
    if decision.mode is not None:
        fields |= {"mode": decision.mode.value, "threshold": decision.threshold}
    if decision.near:
        fields["near"] = True
    if decision.limited is not None:
        fields["limited"] = decision.limited.value
    return fields


def decision_of(payload: ExperienceCaptured) -> CaptureDecision:
    """Return what a captured experience's payload says of its decision, without the arithmetic."""
    brief = payload.decision or DecisionRecord(0.0, RecordStatus.EVALUATED)
    return CaptureDecision(
        significance=brief.significance,
        threshold=0.0 if brief.threshold is None else brief.threshold,
        mode=mode_of(payload),
        outcome=outcome_of(payload),
        status=brief.status,
        reason="",
    )


def _decision_record(decision: CaptureDecision, *, outlined: bool) -> DecisionRecord:
    """Return of a decision what later stages and readers need; an outline's mode is known."""
    return DecisionRecord(
        significance=round(decision.significance, _PLACES),
        status=decision.status,
        mode=None if outlined else decision.mode,
        threshold=None if outlined else decision.threshold,
        near=decision.near,
        limited=decision.limited.reason if decision.limited else None,
    )


def _skeleton_fields(event: Payload) -> Payload:
    """Return an event that says nothing but what it was: at most some 150 bytes."""
    outline = {name: event[name] for name in _SKELETON_FIELDS if event.get(name)}
    if "session" in outline:
        outline["session"] = {"key": outline["session"]["key"]}
    if "tool" in outline:
        tool = outline["tool"]
        outline["tool"] = {"name": tool["name"]} | ({"isError": True} if is_error(event) else {})
    return outline
