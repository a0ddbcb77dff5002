"""One event on its way into the journal, and the rules that the stages follow. Values only.

The rules never change; each stage fills in its part of the context, in order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from ...core.experience import CaptureDecision
from ...core.settings import GatesSettings, SanitiseSettings, Settings
from ...core.types import Outcome, Payload, Space
from ...core.vocabulary import CaptureMode, RecordStatus, Trigger
from ..redaction.sanitise import DEFAULT
from .event_view import EventView, read_event
from .gate import ALLOWED, GateResult
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

    `body` is the event as JSON, where that is known already. `cleaned` counts by kind the signs
    that were replaced in it, `redacted` the secrets, `cut` the texts that were shortened; `gone` is
    a hash of those.
    `reading` is what was read off it, `history` is its session before it; `duplicate_of` names the
    memory that says the same.
    `marks` may be "echo" (it came out of a recall), "undated" (nobody knows when it happened) and
    what the firewall objects to.
    """

    space: Space
    event: Payload
    undated: bool = False
    body: str = ""
    cleaned: Mapping[str, int] = field(default_factory=dict)
    redacted: Mapping[str, int] = field(default_factory=dict)
    cut: int = 0
    gone: str = ""
    event_view: EventView = EMPTY_EVENT_VIEW
    history: SessionHistory = EMPTY_HISTORY
    duplicate_of: str | None = None
    marks: Sequence[str] = ()
    trigger: Trigger = Trigger.NONE
    gate: GateResult = ALLOWED
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
