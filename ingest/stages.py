"""The stages of capture, in order: what happens to an event before it is acknowledged.

Each stage is one function of one module; here they are put into one shape and one tuple. None
stores anything: the last makes the draft, which the journal then commits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ..core.events import EventKind, meaning_of
from ..core.types import Outcome
from ..core.vocabulary import CaptureMode, RecordStatus
from . import decide, gate, normalise, sanitise
from .arrival import Arrival, Rules
from .firewall import Verdict, hygiene, is_echo
from .reading import is_result
from .relationships import identity_of
from .trigger import trigger_of

Stage = Callable[[Arrival, Rules], Arrival]


def normalised(arrival: Arrival, rules: Rules) -> Arrival:
    """Check an event's size and that it is text, and name who speaks where its session says so.

    `InvalidInput` says what is wrong.
    """
    normalise.check(arrival.event, rules.event_bytes_max, rules.policy)
    said = arrival.event["kind"] == EventKind.USER_MESSAGE and not arrival.event.get("person")
    name = identity_of(arrival.event) if said else None
    return replace(arrival, event={**arrival.event, "person": name}) if name else arrival


def sanitised(arrival: Arrival, rules: Rules) -> Arrival:
    """Replace what must not be kept, before anything is stored or told."""
    clean = sanitise.sanitise(arrival.event, rules.policy)
    return replace(arrival, event=clean.fields, redacted=clean.counts, cut=clean.cut)


def gated(arrival: Arrival, rules: Rules) -> Arrival:
    """Ask whether the session may spend a full capture now."""
    return replace(arrival, gate=gate.check(arrival.event, arrival.history, rules.gates))


def marked(arrival: Arrival, _rules: Rules) -> Arrival:
    """Mark what came out of a recall, what the firewall objects to, and what there is to learn."""
    verdict = hygiene(meaning_of(arrival.event)).verdict
    echo = ["echo"] if is_echo(arrival.event) else []
    return replace(
        arrival,
        marks=echo if verdict is Verdict.OK else [*echo, verdict.value],
        trigger=trigger_of(arrival.event, arrival.history),
    )


def decided(arrival: Arrival, rules: Rules) -> Arrival:
    """Decide by rule how the event is kept; a result seen before is kept as a skeleton."""
    decision = decide.decide(arrival.event, arrival.history, arrival.gate, rules.scoring)
    again = _seen_before(arrival) if is_result(arrival.event) else None
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
    return replace(arrival, decision=decision)


def _seen_before(arrival: Arrival) -> str | None:
    if "echo" in arrival.marks:
        return "it came out of a recall"
    if arrival.duplicate_of:
        return f"the same result is meridia://{arrival.duplicate_of}"
    return None


#: Before the journal is locked, and after: the second half needs to know the past.
PREPARE: tuple[Stage, ...] = (normalised, sanitised)
JUDGE: tuple[Stage, ...] = (marked, gated, decided)
