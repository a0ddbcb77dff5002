"""Stage commit: a decided event becomes a draft of the journal, whole or as a skeleton.

The journal acknowledges after its commit and never before. What was decided is written beside the
event; the arithmetic behind it belongs to the trace.
"""

from __future__ import annotations

from datetime import datetime

from ...core.events import encode
from ...core.experience import CaptureDecision
from ...core.ids import content_hash, session_id
from ...core.json_validation import without_none
from ...core.types import EntryDraft, EntryKind, Json, Payload
from ...core.vocabulary import CaptureMode, RecordStatus, Trigger
from ...storage.projections.experience_list import outcome_of
from .capture_context import CaptureContext, CaptureRules

#: Decimal places of a score in the journal; the trace has all of them.
_PLACES = 4
#: What a skeleton's outline keeps of an event.
_SKELETON_FIELDS = ("kind", "person", "session", "tool")


def capture_draft(context: CaptureContext, rules: CaptureRules, now: datetime) -> EntryDraft:
    """Return the draft that captures a decided event at the time `now`."""
    event, decision = context.event, context.decision
    session = event.get("session")
    skeleton = decision.mode is CaptureMode.TRACE_ONLY
    event_json = context.body or encode(event)
    payload: dict[str, Json] = {"decision": _decision_fields(decision, skeleton=skeleton)}
    if context.duplicate_of is not None:
        payload["duplicate_of"] = context.duplicate_of
    if context.trigger is not Trigger.NONE:
        payload["trigger"] = context.trigger.value
    if context.marks:
        payload["marks"] = list(context.marks)
    if skeleton:
        payload |= {"hash": content_hash(event_json), "skeleton": _skeleton_fields(event)}
    else:
        payload["event"] = event
    return EntryDraft(
        kind=EntryKind.EXPERIENCE_CAPTURED,
        key=event.get("id") or "",
        payload=payload,
        at=context.event_view.at,
        stream=session_id(context.space, session["key"]) if session else None,
        outcome=decision.outcome,
        body=_payload_json(payload, event_json),
        provisional=event if skeleton else None,
        provisional_until=now + rules.provisional if skeleton else None,
    )


def _payload_json(payload: Payload, event: str) -> str:
    """Return a payload in canonical form; its event is so already."""
    fields = (
        f'"{name}":{event if name == "event" else encode(payload[name])}'
        for name in sorted(payload)
    )
    return f"{{{','.join(fields)}}}"


def decision_of(payload: Payload) -> CaptureDecision:
    """Return what a captured experience's payload says of its decision, without the arithmetic."""
    brief = payload.get("decision") or {}
    default = CaptureMode.FULL if "event" in payload else CaptureMode.TRACE_ONLY
    return CaptureDecision(
        significance=brief.get("significance", 0.0),
        threshold=brief.get("threshold", 0.0),
        mode=CaptureMode(brief.get("mode", default)),
        outcome=outcome_of(payload),
        status=RecordStatus(brief.get("status", RecordStatus.EVALUATED)),
        reason="",
    )


def _decision_fields(decision: CaptureDecision, *, skeleton: bool) -> dict[str, Json]:
    """Return of a decision what later stages and readers need; a skeleton's mode is known."""
    return without_none(
        significance=round(decision.significance, _PLACES),
        status=decision.status.value,
        mode=None if skeleton else decision.mode.value,
        threshold=None if skeleton else decision.threshold,
        near=decision.near or None,
        limited=decision.limited and decision.limited.reason.value,
    )


def _skeleton_fields(event: Payload) -> Payload:
    """Return an event that says nothing but what it was: at most some 150 bytes."""
    outline = {name: event[name] for name in _SKELETON_FIELDS if event.get(name)}
    if "session" in outline:
        outline["session"] = {"key": outline["session"]["key"]}
    if "tool" in outline:
        tool = outline["tool"]
        outline["tool"] = without_none(name=tool["name"], isError=tool.get("isError") or None)
    return outline
