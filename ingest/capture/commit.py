"""What the stages of capture work on, and the draft of the journal that they end in.

Each stage fills in its part of a `CaptureContext`, in order, by rules that never change. A decided
event becomes a draft, whole or as an outline; the decision is written beside it, and its arithmetic
belongs to the trace. Nothing here is committed or acknowledged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from ...core.entries import DecisionRecord, ExperienceCaptured
from ...core.events import encode
from ...core.experience import CaptureDecision, GateDenial
from ...core.ids import content_hash, session_id
from ...core.settings import GatesSettings, SanitiseSettings, Settings
from ...core.types import EntryDraft, Outcome, Payload, Space
from ...core.vocabulary import CaptureMode, RecordStatus, Trigger
from ...language.runs.failure_signs import is_error
from ...storage.projections.experience_list import mode_of
from ..redaction.sanitise import DEFAULT
from .event_view import EventView, read_event, recorded_time_of
from .scoring import Scoring, scoring_of
from .session_history import SessionHistory


@dataclass(frozen=True, slots=True)
class CaptureRules:
    """What capture goes by; after `skeleton_period` a skeleton is an outline: None is never."""

    event_bytes_max: int = 1_048_576
    policy: SanitiseSettings = DEFAULT
    gates: GatesSettings = GatesSettings()  # noqa: RUF009 - frozen
    scoring: Scoring = field(default_factory=Scoring)
    skeleton_period: timedelta | None = None


#: How an event stands that no stage has looked at.
UNDECIDED = CaptureDecision(
    0.0, 0.0, CaptureMode.LIGHT, Outcome.TEXT_ONLY, RecordStatus.EVALUATED, "not decided yet"
)
#: The history of a session that nothing has happened in.
EMPTY_HISTORY = SessionHistory()
#: What is read of an event that no stage has read.
EMPTY_EVENT_VIEW = read_event({"kind": "", "payload": {}})


@dataclass(slots=True)
class CaptureContext:
    """One event, as plain JSON, and what the stages have found out about it so far.

    `cleaned` counts by kind the signs that were replaced in it, `redacted` the secrets, `cut` the
    texts that were shortened; `gone` is a hash of those. `event_view` is what was read off it,
    `history` is its session before it; `duplicate_of` names the memory that says the same.
    `marks` may be "echo" (it came out of a recall), "undated" (nobody knows when it happened) and
    what the firewall objects to.
    """

    space: Space
    event: Payload
    undated: bool = False
    cleaned: Mapping[str, int] = field(default_factory=dict)
    redacted: Mapping[str, int] = field(default_factory=dict)
    cut: int = 0
    gone: str = ""
    event_view: EventView = EMPTY_EVENT_VIEW
    history: SessionHistory = EMPTY_HISTORY
    duplicate_of: str | None = None
    marks: Sequence[str] = ()
    trigger: Trigger = Trigger.NONE
    gate: GateDenial | None = None
    decision: CaptureDecision = UNDECIDED


def capture_rules_of(settings: Settings) -> CaptureRules:
    """Return the rules that the settings ask for; `InvalidInput` names what cannot be."""
    days = settings.ingest.skeleton_days
    return CaptureRules(
        event_bytes_max=settings.journal.event_bytes_max,
        policy=settings.sanitise,
        gates=settings.gates,
        scoring=scoring_of(settings.scoring),
        skeleton_period=None if days is None else timedelta(days=days),
    )


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
    payload = ExperienceCaptured(
        event=None if outlined else event,
        # What later stages and readers need of it; an outline's mode is known.
        decision=DecisionRecord(
            significance=round(decision.significance, _PLACES),
            status=decision.status,
            mode=None if outlined else decision.mode,
            threshold=None if outlined else decision.threshold,
            near=decision.near,
            limited=decision.limited.reason if decision.limited else None,
        ),
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
        provisional=event if outlined else None,
        provisional_until=None if period is None else now + period,
    )


def decision_of(payload: ExperienceCaptured) -> DecisionRecord:
    """Return what a captured experience's payload says of its decision, and its mode."""
    decision = payload.decision or DecisionRecord(0.0, RecordStatus.EVALUATED)
    return decision if decision.mode else replace(decision, mode=mode_of(payload))


def _skeleton_fields(event: Payload) -> Payload:
    """Return an event that says nothing but what it was: at most some 150 bytes."""
    outline = {name: event[name] for name in _SKELETON_FIELDS if event.get(name)}
    if "session" in outline:
        outline["session"] = {"key": outline["session"]["key"]}
    if "tool" in outline:
        tool = outline["tool"]
        outline["tool"] = {"name": tool["name"]} | ({"isError": True} if is_error(event) else {})
    return outline
