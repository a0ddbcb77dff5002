"""The stages of capture, in order: what happens to an event before it is acknowledged.

Each stage is one function of one module; here they get one signature and one tuple. Each fills in
its part of the `CaptureContext`; none stores anything. At the end the context becomes a draft,
which the journal commits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ...core.errors import InvalidInput
from ...core.events import EventKind, bytes_of, encode_as_given
from ...core.types import Json, Outcome
from ...core.vocabulary import CaptureMode, RecordStatus
from ..inline_data import replace_inline_data
from ..redaction import sanitise
from ..redaction.sanitise import Sanitised
from . import decide, gate
from .capture_context import CaptureContext, CaptureRules
from .event_view import read_event
from .firewall import HygieneVerdict, check_hygiene, is_echo
from .relationship_rules import identity_of
from .trigger import trigger_of

#: What is left for the note that says what was cut.
_NOTE_BYTES = 128
CaptureStage = Callable[[CaptureContext, CaptureRules], None]


def name_speaker(context: CaptureContext, _rules: CaptureRules) -> None:
    """Name who speaks where an event does not say it and its session does."""
    event = context.event
    if event["kind"] == EventKind.USER_MESSAGE and not event.get("person"):
        name = identity_of(event)
        if name:
            context.event = {**event, "person": name}


def take_out_bytes(context: CaptureContext, _rules: CaptureRules) -> None:
    """Make artifacts of pictures and other bytes that stand in an event as text."""
    event, artifacts = context.event, dict[str, Json]()
    fields = {name: event[name] for name in ("payload", "metadata") if name in event}
    clean = replace_inline_data(fields, artifacts)
    if artifacts:
        given = {artifact["uri"]: artifact for artifact in event.get("artifacts") or ()}
        context.event = {**event, **clean, "artifacts": [*(artifacts | given).values()]}


def sanitise_event(context: CaptureContext, rules: CaptureRules) -> None:
    """Redact secrets and personal data, before anything is stored or reported."""
    clean = sanitise.sanitise(context.event, rules.policy, rules.event_bytes_max)
    context.event, context.redacted = clean.fields, clean.counts
    context.cut, context.gone = clean.cut, clean.gone


def fit_event(context: CaptureContext, rules: CaptureRules) -> None:
    """Write the event as JSON, with its longest texts cut where it is too large for the journal.

    What was redacted was redacted in the whole. `InvalidInput` for what is no JSON, and for what
    is too large for other reasons than its texts.
    """
    most = rules.event_bytes_max
    context.body = encode_as_given(context.event)
    if context.cut or bytes_of(context.body) > most:
        clean = Sanitised(dict(context.event), context.redacted, context.cut, context.gone)
        if bytes_of(context.body) > most:
            clean = sanitise.fitted(clean, most - _NOTE_BYTES, rules.policy)
        context.cut = clean.cut
        shortened = {"texts": clean.cut, "hash": clean.gone}
        context.event = {**clean.fields, "shortened": shortened}
        context.body = encode_as_given(context.event)
    if (size := bytes_of(context.body)) > most:
        id = context.event.get("id")
        raise InvalidInput(
            f"event {id or 'without id'} has {size:,} bytes, more than the limit of {most:,}, "
            "and no long texts to cut: split it, or raise journal.event_bytes_max"
        )


def read_event_view(context: CaptureContext, _rules: CaptureRules) -> None:
    """Read off the event what the later stages ask about it."""
    context.event_view = read_event(context.event)


def refuse_unfit_note(context: CaptureContext, _rules: CaptureRules) -> None:
    """Refuse a note that says nothing (feature 100); what was said or happened never is.

    `InvalidInput` says why and what to do.
    """
    if context.event["kind"] != EventKind.MANUAL_CAPTURE:
        return
    text = context.event_view.meaning
    is_blank = not text.strip()
    if is_blank or check_hygiene(text) is HygieneVerdict.EMPTY_TALK:
        reason = "is blank" if is_blank else "says nothing beyond an answer or a greeting"
        raise InvalidInput(
            f"this note {reason}: write one that can be understood alone, or store it as "
            "what somebody said (role user or assistant)"
        )


def check_gate(context: CaptureContext, rules: CaptureRules) -> None:
    """Ask whether the session may spend a full capture now."""
    context.gate = gate.check_gates(context.event_view, context.history, rules.gates)


def mark_event(context: CaptureContext, _rules: CaptureRules) -> None:
    """Mark what came out of a recall, what the firewall objects to, and what there is to learn."""
    verdict = check_hygiene(context.event_view.meaning)
    context.marks = [
        *(["echo"] if is_echo(context.event_view) else []),
        *(["undated"] if context.undated else []),
        *([] if verdict is HygieneVerdict.OK else [verdict.value]),
    ]
    context.trigger = trigger_of(context.event_view, context.history)


def decide_capture(context: CaptureContext, rules: CaptureRules) -> None:
    """Decide by rule how the event is ranked; a result seen before is a skeleton.

    A skeleton keeps its whole text, unless the rules make an outline of it after a while.
    """
    decision = decide.decide(context.event_view, context.history, context.gate, rules.scoring)
    duplicate_reason = _duplicate_reason(context) if context.event_view.is_result else None
    if duplicate_reason and decision.captured:
        decision = replace(
            decision,
            mode=CaptureMode.TRACE_ONLY,
            outcome=Outcome.OUTLINE,
            status=RecordStatus.SKELETON,
            reason=f"{decision.reason}, but {duplicate_reason}",
            near=False,
        )
    if decision.outcome is Outcome.OUTLINE and rules.skeleton_period is None:
        decision = replace(decision, outcome=Outcome.TEXT_ONLY)
    if context.duplicate_of:
        decision = replace(decision, outcome=Outcome.DUPLICATE)
    context.decision = decision


def _duplicate_reason(context: CaptureContext) -> str | None:
    if "echo" in context.marks:
        return "it came out of a recall"
    if context.duplicate_of:
        return f"the same result is meridia://{context.duplicate_of}"
    return None


#: Before the journal is locked, and after: the second half needs to know the past.
PREPARE_STAGES: tuple[CaptureStage, ...] = (
    name_speaker,
    take_out_bytes,
    sanitise_event,
    fit_event,
    read_event_view,
    refuse_unfit_note,
)
DECISION_STAGES: tuple[CaptureStage, ...] = (mark_event, check_gate, decide_capture)
