"""The stages of capture, in order: what happens to an event before it is acknowledged.

Each stage is one function of one module; here they are put into one shape and one tuple: a stage
fills in its part of the arrival. None stores anything, and the arrival is made a draft at the end,
which the journal then commits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ..core.events import EventKind
from ..core.types import Outcome
from ..core.vocabulary import CaptureMode, RecordStatus
from . import decide, gate, normalise
from .arrival import Arrival, Rules
from .firewall import Verdict, hygiene, is_echo
from .reading import read
from .redaction.sanitise import sanitise
from .relationships import identity_of
from .trigger import trigger_of

Stage = Callable[[Arrival, Rules], None]


def normalised(arrival: Arrival, rules: Rules) -> None:
    """Check an event's size and that it is text, and name who speaks where its session says so.

    `InvalidInput` says what is wrong.
    """
    event = arrival.event
    arrival.body = normalise.check(event, rules.event_bytes_max, rules.policy)
    if event["kind"] == EventKind.USER_MESSAGE and not event.get("person"):
        name = identity_of(event)
        if name:
            arrival.event, arrival.body = {**event, "person": name}, ""


def sanitised(arrival: Arrival, rules: Rules) -> None:
    """Replace what must not be kept, before anything is stored or told."""
    clean = sanitise(arrival.event, rules.policy)
    if clean.fields != arrival.event:
        arrival.event, arrival.body = clean.fields, ""
    arrival.redacted, arrival.cut = clean.counts, clean.cut


def understood(arrival: Arrival, _rules: Rules) -> None:
    """Read off the event what the later stages ask about it."""
    arrival.reading = read(arrival.event)


def gated(arrival: Arrival, rules: Rules) -> None:
    """Ask whether the session may spend a full capture now."""
    arrival.gate = gate.check(arrival.reading, arrival.history, rules.gates)


def marked(arrival: Arrival, _rules: Rules) -> None:
    """Mark what came out of a recall, what the firewall objects to, and what there is to learn."""
    verdict = hygiene(arrival.reading.meaning).verdict
    echo = ["echo"] if is_echo(arrival.reading) else []
    arrival.marks = echo if verdict is Verdict.OK else [*echo, verdict.value]
    arrival.trigger = trigger_of(arrival.reading, arrival.history)


def decided(arrival: Arrival, rules: Rules) -> None:
    """Decide by rule how the event is kept; a result seen before is kept as a skeleton."""
    decision = decide.decide(arrival.reading, arrival.history, arrival.gate, rules.scoring)
    again = _seen_before(arrival) if arrival.reading.is_result else None
    if again and decision.captured:
        decision = replace(
            decision,
            mode=CaptureMode.TRACE_ONLY,
            outcome=Outcome.SKELETON,
            status=RecordStatus.SKELETON,
            reason=f"{decision.reason}, but {again}",
            near=False,
        )
    if arrival.duplicate_of:
        decision = replace(decision, outcome=Outcome.DUPLICATE)
    arrival.decision = decision


def _seen_before(arrival: Arrival) -> str | None:
    if "echo" in arrival.marks:
        return "it came out of a recall"
    if arrival.duplicate_of:
        return f"the same result is meridia://{arrival.duplicate_of}"
    return None


#: Before the journal is locked, and after: the second half needs to know the past.
PREPARE: tuple[Stage, ...] = (normalised, sanitised, understood)
JUDGE: tuple[Stage, ...] = (marked, gated, decided)
