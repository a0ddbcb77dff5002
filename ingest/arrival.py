"""An event on its way into the journal, and the rules that the stages go by. Values only.

The rules never change; an arrival is filled in by the stages, one after the other, and by nobody
else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta

from ..core.experience import Decision
from ..core.settings import Settings
from ..core.types import Outcome, Payload, Space
from ..core.vocabulary import CaptureMode, RecordStatus, Trigger
from .gate import ALLOWED, GateResult, Gates
from .history import SessionHistory
from .reading import Reading, read
from .redaction.sanitise import DEFAULT, RedactionPolicy
from .scoring import Scoring, Weights, scoring_of


@dataclass(frozen=True, slots=True)
class Rules:
    """What capture goes by; `provisional` is how long a skeleton's whole event is held."""

    event_bytes_max: int = 1_048_576
    policy: RedactionPolicy = DEFAULT
    gates: Gates = field(default_factory=Gates)
    scoring: Scoring = field(default_factory=Scoring)
    provisional: timedelta = timedelta(days=7)


#: How an event stands that no stage has looked at.
UNDECIDED = Decision(
    0.0, 0.0, CaptureMode.LIGHT, Outcome.LIGHT, RecordStatus.EVALUATED, "not decided yet"
)
#: The history of a session that nothing has happened in.
NO_PAST = SessionHistory()
#: What is read of an event that no stage has read.
UNREAD = read({"kind": "", "payload": {}})


@dataclass(slots=True)
class Arrival:
    """One event, as plain JSON, and what the stages have found out about it so far.

    `body` is the event in canonical form, where that is known already. `redacted` counts by kind
    what was replaced in it, `cut` the texts that were shortened.
    `reading` is what was read off it, `history` is its session before it; `duplicate_of` names the
    memory that says the same.
    `marks` may be "echo" (it came out of a recall) and what the firewall objects to.
    """

    space: Space
    event: Payload
    body: str = ""
    redacted: Mapping[str, int] = field(default_factory=dict)
    cut: int = 0
    reading: Reading = UNREAD
    history: SessionHistory = NO_PAST
    duplicate_of: str | None = None
    marks: Sequence[str] = ()
    trigger: Trigger = Trigger.NONE
    gate: GateResult = ALLOWED
    decision: Decision = UNDECIDED


def rules_of(settings: Settings) -> Rules:
    """Return the rules that the settings ask for; `InvalidInput` names what cannot be."""
    given = settings.scoring
    weights = Weights(**{name: getattr(given, name) for name in Weights.__slots__})
    weights.normalised()
    return Rules(
        event_bytes_max=settings.journal.event_bytes_max,
        policy=RedactionPolicy(
            names_sensitive=settings.sanitise.names_sensitive,
            names_allowed=settings.sanitise.names_harmless,
            paths=settings.sanitise.paths,
            text_chars_max=settings.sanitise.text_chars_max,
        ),
        gates=Gates(**settings.gates.model_dump()),
        scoring=replace(
            scoring_of(given.profile),
            weights=weights,
            skeleton_floor=given.skeleton_floor,
            band=given.band,
            collaborator=given.collaborator,
            primary=given.primary,
        ),
        provisional=timedelta(days=settings.ingest.provisional_days),
    )
