"""Experience: the words and values that say what an event meant and how it was lived.

Closed vocabularies (emotions, textures, engagement, status, triggers) and the small values made of
them. Each value checks itself, writes itself as plain JSON in the journal's names and reads itself
back. Nothing here decides, scores or guesses.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TypeVar

from .errors import InvalidInput
from .time import parse, to_text
from .types import Json, Outcome

#: At most so many words name a feeling, and so many of each are kept (FACTS rows 12 and 15).
PRIMARY_MAX, ANCHORS_MAX, UNCERTAINTIES_MAX, HINTS_MAX = 3, 2, 2, 2
#: Longest anchor phrase, and longest uncertainty, hint or significance of an anchor, characters.
PHRASE_CHARS_MAX, SENTENCE_CHARS_MAX = 200, 300


class Emotion(StrEnum):
    """The ten words for a feeling."""

    CURIOUS = "curious"
    FOCUSED = "focused"
    UNCERTAIN = "uncertain"
    FRUSTRATED = "frustrated"
    SATISFIED = "satisfied"
    SURPRISED = "surprised"
    CONCERNED = "concerned"
    RELIEVED = "relieved"
    EXCITED = "excited"
    CAUTIOUS = "cautious"


class Texture(StrEnum):
    """The eight words for how an experience felt as a whole."""

    SPACIOUS = "spacious"
    DENSE = "dense"
    FLOWING = "flowing"
    TURBULENT = "turbulent"
    CRYSTALLINE = "crystalline"
    HEAVY = "heavy"
    SHARP = "sharp"
    WARM = "warm"


class Engagement(StrEnum):
    """How much of the agent was in it."""

    DEEP_FLOW = "deep-flow"
    ENGAGED = "engaged"
    ROUTINE = "routine"
    DISTRACTED = "distracted"
    STRUGGLING = "struggling"


class Channel(StrEnum):
    """Through which channel an anchor is held."""

    VERBAL = "verbal"
    VISUAL = "visual"
    SOMATIC = "somatic"
    CONCEPTUAL = "conceptual"
    RELATIONAL = "relational"


class RecordStatus(StrEnum):
    """How far an experience has been judged."""

    SKELETON = "skeleton"
    EVALUATED = "evaluated"
    UPGRADED = "upgraded"
    NOISE = "noise"


class CaptureMode(StrEnum):
    """How much is spent on an event."""

    FULL = "full"
    LIGHT = "light"
    TRACE_ONLY = "trace_only"


class LimitReason(StrEnum):
    """Which gate denied a full capture."""

    MIN_INTERVAL = "min_interval"
    MAX_PER_HOUR = "max_per_hour"
    BUDGET = "budget"


class Trigger(StrEnum):
    """What made an experience worth learning from."""

    PROBLEM_SOLUTION = "problem-solution"
    LEARNING_FAILURE = "learning-failure"
    LEARNING_SUCCESS = "learning-success"
    POSITIVE_FEEDBACK = "positive-feedback"
    CORRECTIVE_FEEDBACK = "corrective-feedback"
    NONE = "none"


class Relationship(StrEnum):
    """What somebody is to the agent."""

    PRIMARY = "primary"
    COLLABORATOR = "collaborator"
    USER = "user"
    UNKNOWN = "unknown"


class TransitionField(StrEnum):
    """Which part of the experiential register changed."""

    ENGAGEMENT = "engagement"
    EMOTIONAL_SIGNATURE = "emotionalSignature"
    UNCERTAINTY = "uncertainty"
    FOCUS = "focus"


Word = TypeVar("Word", bound=StrEnum)
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class EmotionalSignature:
    """A feeling: up to three words, intensity 0 to 1, valence −1 to 1, perhaps a texture.

    No word at all is allowed: a tone can be heard without a name for it.
    """

    primary: tuple[Emotion, ...]
    intensity: float
    valence: float | None = None
    texture: Texture | None = None
    secondary: tuple[Emotion, ...] = ()

    def __post_init__(self) -> None:
        _at_most(self.primary, PRIMARY_MAX, "emotionalSignature.primary")
        _in_range(self.intensity, 0, 1, "emotionalSignature.intensity")
        if self.valence is not None:
            _in_range(self.valence, -1, 1, "emotionalSignature.valence")

    def as_json(self) -> dict[str, Json]:
        """Return plain JSON values; what is not known is left out."""
        return _given(
            primary=[word.value for word in self.primary],
            secondary=[word.value for word in self.secondary] or None,
            intensity=self.intensity,
            valence=self.valence,
            texture=self.texture and self.texture.value,
        )

    @classmethod
    def from_json(cls, value: Json) -> EmotionalSignature:
        """Read what `as_json` wrote; `InvalidInput` names the field that is wrong."""
        fields, where = _object(value, "emotionalSignature"), "emotionalSignature."
        feelings = [
            _list(
                fields.get(name), where + name, lambda word: read_word(Emotion, word, where + name)
            )
            for name in ("primary", "secondary")
        ]
        return cls(
            primary=feelings[0],
            intensity=_number(fields.get("intensity"), where + "intensity"),
            valence=_optional(fields.get("valence"), lambda v: _number(v, where + "valence")),
            texture=_optional(
                fields.get("texture"), lambda v: read_word(Texture, v, where + "texture")
            ),
            secondary=feelings[1],
        )


@dataclass(frozen=True, slots=True)
class Anchor:
    """A phrase from the interaction that brings it back, and why it matters."""

    phrase: str
    significance: str
    channel: Channel | None = None

    def __post_init__(self) -> None:
        _sized(self.phrase, PHRASE_CHARS_MAX, "anchors.phrase")
        _sized(self.significance, SENTENCE_CHARS_MAX, "anchors.significance")

    def as_json(self) -> dict[str, Json]:
        """Return plain JSON values."""
        return _given(
            phrase=self.phrase,
            significance=self.significance,
            sensoryChannel=self.channel and self.channel.value,
        )

    @classmethod
    def from_json(cls, value: Json) -> Anchor:
        """Read what `as_json` wrote; `InvalidInput` names the field that is wrong."""
        fields = _object(value, "anchors")
        return cls(
            phrase=_text(fields.get("phrase"), "anchors.phrase"),
            significance=_text(fields.get("significance"), "anchors.significance"),
            channel=_optional(
                fields.get("sensoryChannel"),
                lambda v: read_word(Channel, v, "anchors.sensoryChannel"),
            ),
        )


@dataclass(frozen=True, slots=True)
class Phenomenology:
    """How an event was lived: feeling, engagement, what brings it back, what stayed open."""

    signature: EmotionalSignature | None = None
    engagement: Engagement | None = None
    anchors: tuple[Anchor, ...] = ()
    uncertainties: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _at_most(self.anchors, ANCHORS_MAX, "anchors")
        _at_most(self.uncertainties, UNCERTAINTIES_MAX, "uncertainties")
        _at_most(self.hints, HINTS_MAX, "reconstitutionHints")
        for text in (*self.uncertainties, *self.hints):
            _sized(text, SENTENCE_CHARS_MAX, "uncertainties and reconstitutionHints")

    def as_json(self) -> dict[str, Json]:
        """Return plain JSON values; what is not known is left out."""
        return _given(
            emotionalSignature=self.signature and self.signature.as_json(),
            engagementQuality=self.engagement and self.engagement.value,
            anchors=[anchor.as_json() for anchor in self.anchors] or None,
            uncertainties=list(self.uncertainties) or None,
            reconstitutionHints=list(self.hints) or None,
        )

    @classmethod
    def from_json(cls, value: Json) -> Phenomenology:
        """Read what `as_json` wrote; `InvalidInput` names the field that is wrong."""
        fields = _object(value, "phenomenology")
        hints = fields.get("reconstitutionHints")
        return cls(
            signature=_optional(fields.get("emotionalSignature"), EmotionalSignature.from_json),
            engagement=_optional(
                fields.get("engagementQuality"),
                lambda v: read_word(Engagement, v, "engagementQuality"),
            ),
            anchors=_list(fields.get("anchors"), "anchors", Anchor.from_json),
            uncertainties=_texts(fields.get("uncertainties"), "uncertainties"),
            hints=_texts(hints, "reconstitutionHints"),
        )


@dataclass(frozen=True, slots=True)
class Factor:
    """One line of a decision's arithmetic: contribution = value × weight, and why."""

    name: str
    value: float
    weight: float
    contribution: float
    reason: str

    def as_json(self) -> dict[str, Json]:
        """Return plain JSON values."""
        return {
            "name": self.name,
            "value": self.value,
            "weight": self.weight,
            "contribution": self.contribution,
            "reason": self.reason,
        }

    @classmethod
    def from_json(cls, value: Json) -> Factor:
        """Read what `as_json` wrote; `InvalidInput` names the field that is wrong."""
        fields = _object(value, "factors")
        return cls(
            name=_text(fields.get("name"), "factors.name"),
            value=_number(fields.get("value"), "factors.value"),
            weight=_number(fields.get("weight"), "factors.weight"),
            contribution=_number(fields.get("contribution"), "factors.contribution"),
            reason=_text(fields.get("reason"), "factors.reason"),
        )


@dataclass(frozen=True, slots=True)
class Limit:
    """Why a gate denied a full capture that the score had earned."""

    reason: LimitReason
    detail: str

    def as_json(self) -> dict[str, Json]:
        """Return plain JSON values."""
        return {"reason": self.reason.value, "detail": self.detail}

    @classmethod
    def from_json(cls, value: Json) -> Limit:
        """Read what `as_json` wrote; `InvalidInput` names the field that is wrong."""
        fields = _object(value, "limited")
        return cls(
            reason=read_word(LimitReason, fields.get("reason"), "limited.reason"),
            detail=_text(fields.get("detail"), "limited.detail"),
        )


@dataclass(frozen=True, slots=True)
class Decision:
    """What is done with an event, and the arithmetic behind it.

    The contributions of `factors` add up to `significance`. `near` marks a score so close to the
    threshold that a model's opinion may later change the outcome.
    """

    significance: float
    threshold: float
    mode: CaptureMode
    outcome: Outcome
    status: RecordStatus
    reason: str
    near: bool = False
    limited: Limit | None = None
    factors: tuple[Factor, ...] = ()

    @property
    def captured(self) -> bool:
        """Whether the event is captured in full."""
        return self.mode is CaptureMode.FULL

    def as_json(self) -> dict[str, Json]:
        """Return plain JSON values."""
        return _given(
            shouldCapture=self.captured,
            significance=self.significance,
            threshold=self.threshold,
            mode=self.mode.value,
            outcome=self.outcome.value,
            status=self.status.value,
            reason=self.reason,
            near=self.near or None,
            limited=self.limited and self.limited.as_json(),
            factors=[factor.as_json() for factor in self.factors],
        )

    @classmethod
    def from_json(cls, value: Json) -> Decision:
        """Read what `as_json` wrote; `InvalidInput` names the field that is wrong."""
        fields = _object(value, "decision")
        return cls(
            significance=_number(fields.get("significance"), "decision.significance"),
            threshold=_number(fields.get("threshold"), "decision.threshold"),
            mode=read_word(CaptureMode, fields.get("mode"), "decision.mode"),
            outcome=read_word(Outcome, fields.get("outcome"), "decision.outcome"),
            status=read_word(RecordStatus, fields.get("status"), "decision.status"),
            reason=_text(fields.get("reason"), "decision.reason"),
            near=fields.get("near") is True,
            limited=_optional(fields.get("limited"), Limit.from_json),
            factors=_list(fields.get("factors"), "factors", Factor.from_json),
        )


@dataclass(frozen=True, slots=True)
class RegisterState:
    """What a session's experiential register holds now."""

    engagement: Engagement | None = None
    signature: EmotionalSignature | None = None
    uncertainties: tuple[str, ...] = ()
    topic: str | None = None

    def as_json(self) -> dict[str, Json]:
        """Return plain JSON values; what is not known is left out."""
        return _given(
            engagement=self.engagement and self.engagement.value,
            emotionalSignature=self.signature and self.signature.as_json(),
            uncertainties=list(self.uncertainties) or None,
            focus=self.topic,
        )

    @classmethod
    def from_json(cls, value: Json) -> RegisterState:
        """Read what `as_json` wrote; `InvalidInput` names the field that is wrong."""
        fields = _object(value, "register")
        return cls(
            engagement=_optional(
                fields.get("engagement"), lambda v: read_word(Engagement, v, "register.engagement")
            ),
            signature=_optional(fields.get("emotionalSignature"), EmotionalSignature.from_json),
            uncertainties=_texts(fields.get("uncertainties"), "register.uncertainties"),
            topic=_optional(fields.get("focus"), lambda v: _text(v, "register.focus")),
        )


@dataclass(frozen=True, slots=True)
class Transition:
    """A change of the register. An uncertainty opens from None and is resolved to None.

    `before` and `after` are plain JSON values; `at` is None for an event without a time.
    """

    field: TransitionField
    before: Json
    after: Json
    at: datetime | None = None
    trigger: str | None = None

    def as_json(self) -> dict[str, Json]:
        """Return plain JSON values."""
        when = None if self.at is None else to_text(self.at)
        ends = {"field": self.field.value, "from": self.before, "to": self.after}
        return {**ends, **_given(trigger=self.trigger, ts=when)}

    @classmethod
    def from_json(cls, value: Json) -> Transition:
        """Read what `as_json` wrote; `InvalidInput` names the field that is wrong."""
        fields = _object(value, "transition")
        return cls(
            field=read_word(TransitionField, fields.get("field"), "transition.field"),
            before=fields.get("from"),
            after=fields.get("to"),
            at=_optional(fields.get("ts"), lambda v: parse(_text(v, "transition.ts"))),
            trigger=_optional(fields.get("trigger"), lambda v: _text(v, "transition.trigger")),
        )


def read_word(vocabulary: type[Word], value: Json, where: str) -> Word:
    """Return `value` as a word of a vocabulary; `InvalidInput` lists the words to choose from."""
    try:
        return vocabulary(value)
    except ValueError:
        known = ", ".join(vocabulary)
        raise InvalidInput(f"{where} is {value!r}: choose from {known}") from None


def _given(**fields: Json) -> dict[str, Json]:
    return {name: value for name, value in fields.items() if value is not None}


def _object(value: Json, where: str) -> Mapping[str, Json]:
    if not isinstance(value, Mapping):
        raise InvalidInput(f"{where} is {type(value).__name__}: an object is needed")
    return value


def _optional(value: Json, read: Callable[[Json], Item]) -> Item | None:
    return None if value is None else read(value)


def _list(value: Json, where: str, read: Callable[[Json], Item]) -> tuple[Item, ...]:
    if value is None:
        return ()
    if not isinstance(value, (list, tuple)):
        raise InvalidInput(f"{where} is {type(value).__name__}: a list is needed")
    return tuple(read(item) for item in value)


def _text(value: Json, where: str) -> str:
    if not isinstance(value, str):
        raise InvalidInput(f"{where} is {type(value).__name__}: text is needed")
    return value


def _texts(value: Json, where: str) -> tuple[str, ...]:
    return _list(value, where, lambda text: _text(text, where))


def _number(value: Json, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise InvalidInput(f"{where} is {type(value).__name__}: a number is needed")
    return float(value)


def _in_range(value: float, low: float, high: float, where: str) -> None:
    if not (math.isfinite(value) and low <= value <= high):
        raise InvalidInput(f"{where} is {value:g}: give a number from {low:g} to {high:g}")


def _at_most(values: tuple[object, ...], most: int, where: str) -> None:
    if len(values) > most:
        raise InvalidInput(f"{where} has {len(values)} entries: give at most {most}")


def _sized(text: str, chars_max: int, where: str) -> None:
    if not text.strip() or len(text) > chars_max:
        raise InvalidInput(f"{where} has {len(text)} characters: give 1 to {chars_max}")
