"""Stage commit: a decided event becomes a draft of the journal, whole or as a skeleton.

The journal acknowledges after its commit and never before. What was decided is written beside the
event; the arithmetic behind it belongs to the trace.
"""

from __future__ import annotations

from datetime import datetime

from ..core.events import encode
from ..core.experience import Decision
from ..core.ids import content_hash, session_id
from ..core.plain import given
from ..core.types import Draft, EntryKind, Json, Payload
from ..core.vocabulary import CaptureMode, RecordStatus, Trigger
from ..graph.listing import outcome_of
from .arrival import Arrival, Rules

#: Decimal places of a score in the journal; the trace has all of them.
_PLACES = 4
#: What a skeleton's outline keeps of an event.
_OUTLINE = ("kind", "person", "session", "tool")


def draft_of(arrival: Arrival, rules: Rules, now: datetime) -> Draft:
    """Return the draft that captures a decided event at the time `now`."""
    event, decision = arrival.event, arrival.decision
    session = event.get("session")
    skeleton = decision.mode is CaptureMode.TRACE_ONLY
    written = arrival.body or encode(event)
    payload: dict[str, Json] = {"decision": _brief(decision, skeleton=skeleton)}
    if arrival.duplicate_of is not None:
        payload["duplicate_of"] = arrival.duplicate_of
    if arrival.trigger is not Trigger.NONE:
        payload["trigger"] = arrival.trigger.value
    if arrival.marks:
        payload["marks"] = list(arrival.marks)
    if skeleton:
        payload |= {"hash": content_hash(written), "skeleton": _outline(event)}
    else:
        payload["event"] = event
    return Draft(
        kind=EntryKind.EXPERIENCE_CAPTURED,
        key=event.get("id") or "",
        payload=payload,
        at=arrival.reading.at,
        stream=session_id(arrival.space, session["key"]) if session else None,
        outcome=decision.outcome,
        body=_written(payload, written),
        provisional=event if skeleton else None,
        provisional_until=now + rules.provisional if skeleton else None,
    )


def _written(payload: Payload, event: str) -> str:
    """Return a payload in canonical form; its event is so already."""
    fields = (
        f'"{name}":{event if name == "event" else encode(payload[name])}'
        for name in sorted(payload)
    )
    return f"{{{','.join(fields)}}}"


def decision_of(payload: Payload) -> Decision:
    """Return what a captured experience's payload says of its decision, without the arithmetic."""
    brief = payload.get("decision") or {}
    default = CaptureMode.FULL if "event" in payload else CaptureMode.TRACE_ONLY
    return Decision(
        significance=brief.get("significance", 0.0),
        threshold=brief.get("threshold", 0.0),
        mode=CaptureMode(brief.get("mode", default)),
        outcome=outcome_of(payload),
        status=RecordStatus(brief.get("status", RecordStatus.EVALUATED)),
        reason="",
    )


def _brief(decision: Decision, *, skeleton: bool) -> dict[str, Json]:
    """Return of a decision what later stages and readers need; a skeleton's mode is known."""
    return given(
        significance=round(decision.significance, _PLACES),
        status=decision.status.value,
        mode=None if skeleton else decision.mode.value,
        threshold=None if skeleton else decision.threshold,
        near=decision.near or None,
        limited=decision.limited and decision.limited.reason.value,
    )


def _outline(event: Payload) -> Payload:
    """Return an event that says nothing but what it was: at most some 150 bytes."""
    outline = {name: event[name] for name in _OUTLINE if event.get(name)}
    if "session" in outline:
        outline["session"] = {"key": outline["session"]["key"]}
    if "tool" in outline:
        tool = outline["tool"]
        outline["tool"] = given(name=tool["name"], isError=tool.get("isError") or None)
    return outline
