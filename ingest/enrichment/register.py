"""Stage register: the current register of a session, and its transitions.

A change beyond a threshold is a transition, and only then does the register take the new value, so
that a slow drift is noticed too. No storage, no clock.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from ...core.codec import encode
from ...core.entries import StateTransitioned
from ...core.experience import EmotionalSignature, Phenomenology, RegisterState, Transition
from ...core.ids import derived, fold
from ...core.settings import TransitionsSettings
from ...core.types import Json
from ...core.vocabulary import TransitionField

#: Differences are compared to so many places: .6 − .3 is .3.
_PLACES = 6


STANDARD = TransitionsSettings()

_Change = tuple[TransitionField, Json, Json]


def step(  # noqa: PLR0913 - what happened, where, and to whom
    state: RegisterState,
    phenomenology: Phenomenology,
    topic: str | None,
    at: datetime | None,
    trigger: str | None,
    thresholds: TransitionsSettings = STANDARD,
    person: str | None = None,
) -> tuple[RegisterState, list[Transition]]:
    """Return the register after one experience, and what changed with it.

    `at` is when it happened, `trigger` names what brought it about, such as an event's id. A first
    value is taken without a transition, since nothing changed; an uncertainty that opens always is
    one. What says nothing changes nothing: no engagement, no topic, a neutral tone without a word.
    A `person`, an id, feels from their own earlier state, and only what a word names; without one
    it is the agent's register.
    """
    changes: list[_Change] = []
    engagement = phenomenology.engagement or state.engagement
    if state.engagement and engagement is not state.engagement:
        changes.append((TransitionField.ENGAGEMENT, state.engagement.value, str(engagement)))
    before = state.signature if person is None else state.signatures.get(person)
    felt = phenomenology.signature
    named = person is None or (felt is not None and felt.primary)
    signature = _next_signature(before, felt if named else None, thresholds)
    if before and signature and signature is not before:
        ends = encode(before), encode(signature)
        changes.append((TransitionField.EMOTIONAL_SIGNATURE, *ends))
    opened = _opened(state.uncertainties, phenomenology.uncertainties)
    changes.extend((TransitionField.UNCERTAINTY, None, text) for text in opened)
    focus = topic if topic and fold(topic) != fold(state.topic or "") else state.topic
    if state.topic and focus != state.topic:
        changes.append((TransitionField.FOCUS, state.topic, focus))
    active = (*state.uncertainties, *opened)[-thresholds.uncertainties_max :]
    later = RegisterState(engagement, state.signature, active, focus, state.signatures)
    if person is None:
        later = replace(later, signature=signature)
    elif signature is not None:
        later = replace(later, signatures={**state.signatures, person: signature})
    return later, [
        Transition(field, before, after, at, trigger) for field, before, after in changes
    ]


def opening_id(space: str, experience: str, question: str) -> str:
    """Return the id of the transition that opens a question that a session left unanswered."""
    return derived("transition", space, experience, "open", question)


def transitioned(
    change: Transition, transition: str, session: str, experience: str, person: str | None = None
) -> StateTransitioned:
    """Return the entry that says that a session's register changed; a feeling is a person's."""
    return StateTransitioned(
        change.field,
        change.before,
        change.after,
        change.at,
        change.trigger,
        transition=transition,
        session=session,
        experience=experience,
        person=person if change.field is TransitionField.EMOTIONAL_SIGNATURE else None,
    )


def _opened(active: tuple[str, ...], named: tuple[str, ...]) -> list[str]:
    """Return the uncertainties named that are not active yet, each once."""
    folded, opened = {fold(text) for text in active}, []
    for text in named:
        if fold(text) not in folded:
            folded.add(fold(text))
            opened.append(text)
    return opened


def _next_signature(
    before: EmotionalSignature | None,
    now: EmotionalSignature | None,
    thresholds: TransitionsSettings,
) -> EmotionalSignature | None:
    """Return the signature the register holds now: the same object where nothing changed."""
    silent = now is None or not (now.primary or now.intensity or now.valence)
    if now is None or silent:
        return before
    if before is None:
        return now
    changed = (
        (bool(now.primary) and {*now.primary} != {*before.primary})
        or _difference(now.valence, before.valence) >= thresholds.valence
        or _difference(now.intensity, before.intensity) >= thresholds.intensity
    )
    return now if changed else before


def _difference(first: float | None, second: float | None) -> float:
    return 0.0 if first is None or second is None else round(abs(first - second), _PLACES)
