"""Experience: the values that say what an event meant and how it was lived.

Small immutable values made of the words of `vocabulary`. Each checks itself, writes itself as plain
JSON in the journal's names and reads itself back. Nothing here decides, scores or guesses.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from .errors import InvalidInput
from .json_validation import (
    optional,
    read_list,
    read_number,
    read_object,
    read_text,
    read_texts,
    read_word,
    read_words,
    without_none,
)
from .time import parse, to_text
from .types import Json, Outcome
from .vocabulary import (
    CaptureMode,
    Channel,
    Emotion,
    Engagement,
    LimitReason,
    RecordStatus,
    Texture,
    TransitionField,
)

#: At most so many words name a feeling, and so many of each are kept (features 12 and 15).
PRIMARY_MAX, ANCHORS_MAX, UNCERTAINTIES_MAX, HINTS_MAX = 3, 2, 2, 2
#: Longest anchor phrase, and longest uncertainty, hint or significance of an anchor, characters.
PHRASE_CHARS_MAX, SENTENCE_CHARS_MAX = 200, 300


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
        return without_none(
            primary=[word.value for word in self.primary],
            secondary=[word.value for word in self.secondary] or None,
            intensity=self.intensity,
            valence=self.valence,
            texture=self.texture and self.texture.value,
        )

    @classmethod
    def from_json(cls, value: Json) -> EmotionalSignature:
        """Read what `as_json` wrote; `InvalidInput` names the field that is wrong."""
        fields, where = read_object(value, "emotionalSignature"), "emotionalSignature."
        return cls(
            primary=read_words(Emotion, fields.get("primary"), where + "primary"),
            intensity=read_number(fields.get("intensity"), where + "intensity"),
            valence=optional(fields.get("valence"), lambda v: read_number(v, where + "valence")),
            texture=optional(
                fields.get("texture"), lambda v: read_word(Texture, v, where + "texture")
            ),
            secondary=read_words(Emotion, fields.get("secondary"), where + "secondary"),
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
        return without_none(
            phrase=self.phrase,
            significance=self.significance,
            sensoryChannel=self.channel and self.channel.value,
        )

    @classmethod
    def from_json(cls, value: Json) -> Anchor:
        """Read what `as_json` wrote; `InvalidInput` names the field that is wrong."""
        fields = read_object(value, "anchors")
        return cls(
            phrase=read_text(fields.get("phrase"), "anchors.phrase"),
            significance=read_text(fields.get("significance"), "anchors.significance"),
            channel=optional(
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
        return without_none(
            emotionalSignature=self.signature and self.signature.as_json(),
            engagementQuality=self.engagement and self.engagement.value,
            anchors=[anchor.as_json() for anchor in self.anchors] or None,
            uncertainties=list(self.uncertainties) or None,
            reconstitutionHints=list(self.hints) or None,
        )

    @classmethod
    def from_json(cls, value: Json) -> Phenomenology:
        """Read what `as_json` wrote; `InvalidInput` names the field that is wrong."""
        fields = read_object(value, "phenomenology")
        hints = fields.get("reconstitutionHints")
        return cls(
            signature=optional(fields.get("emotionalSignature"), EmotionalSignature.from_json),
            engagement=optional(
                fields.get("engagementQuality"),
                lambda v: read_word(Engagement, v, "engagementQuality"),
            ),
            anchors=read_list(fields.get("anchors"), "anchors", Anchor.from_json),
            uncertainties=read_texts(fields.get("uncertainties"), "uncertainties"),
            hints=read_texts(hints, "reconstitutionHints"),
        )


class Factor(NamedTuple):
    """One line of a decision's arithmetic: contribution = value × weight, and why.

    A tuple, because every capture makes half a dozen and its trace writes them down as lists.
    """

    name: str
    value: float
    weight: float
    contribution: float
    reason: str

    def as_json(self) -> dict[str, Json]:
        """Return plain JSON values."""
        return self._asdict()

    @classmethod
    def from_json(cls, value: Json) -> Factor:
        """Read what `as_json` wrote; `InvalidInput` names the field that is wrong."""
        fields = read_object(value, "factors")
        return cls(
            name=read_text(fields.get("name"), "factors.name"),
            value=read_number(fields.get("value"), "factors.value"),
            weight=read_number(fields.get("weight"), "factors.weight"),
            contribution=read_number(fields.get("contribution"), "factors.contribution"),
            reason=read_text(fields.get("reason"), "factors.reason"),
        )


@dataclass(frozen=True, slots=True)
class GateDenial:
    """Why a gate denied a full capture that the score had earned."""

    reason: LimitReason
    detail: str

    def as_json(self) -> dict[str, Json]:
        """Return plain JSON values."""
        return {"reason": self.reason.value, "detail": self.detail}

    @classmethod
    def from_json(cls, value: Json) -> GateDenial:
        """Read what `as_json` wrote; `InvalidInput` names the field that is wrong."""
        fields = read_object(value, "limited")
        return cls(
            reason=read_word(LimitReason, fields.get("reason"), "limited.reason"),
            detail=read_text(fields.get("detail"), "limited.detail"),
        )


@dataclass(frozen=True, slots=True)
class CaptureDecision:
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
    limited: GateDenial | None = None
    factors: tuple[Factor, ...] = ()

    @property
    def captured(self) -> bool:
        """Whether the event is captured in full."""
        return self.mode is CaptureMode.FULL

    def as_json(self) -> dict[str, Json]:
        """Return plain JSON values."""
        return {**self.outline(), "factors": [factor.as_json() for factor in self.factors]}

    def outline(self) -> dict[str, Json]:
        """Return plain JSON values without the factors."""
        return without_none(
            should_capture=self.captured,
            significance=self.significance,
            threshold=self.threshold,
            mode=self.mode.value,
            outcome=self.outcome.value,
            status=self.status.value,
            reason=self.reason,
            near=self.near or None,
            limited=self.limited and self.limited.as_json(),
        )

    @classmethod
    def from_json(cls, value: Json) -> CaptureDecision:
        """Read what `as_json` wrote; `InvalidInput` names the field that is wrong."""
        fields = read_object(value, "decision")
        return cls(
            significance=read_number(fields.get("significance"), "decision.significance"),
            threshold=read_number(fields.get("threshold"), "decision.threshold"),
            mode=read_word(CaptureMode, fields.get("mode"), "decision.mode"),
            outcome=read_word(Outcome, fields.get("outcome"), "decision.outcome"),
            status=read_word(RecordStatus, fields.get("status"), "decision.status"),
            reason=read_text(fields.get("reason"), "decision.reason"),
            near=fields.get("near") is True,
            limited=optional(fields.get("limited"), GateDenial.from_json),
            factors=read_list(fields.get("factors"), "factors", Factor.from_json),
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
        return without_none(
            engagement=self.engagement and self.engagement.value,
            emotionalSignature=self.signature and self.signature.as_json(),
            uncertainties=list(self.uncertainties) or None,
            focus=self.topic,
        )

    @classmethod
    def from_json(cls, value: Json) -> RegisterState:
        """Read what `as_json` wrote; `InvalidInput` names the field that is wrong."""
        fields = read_object(value, "register")
        return cls(
            engagement=optional(
                fields.get("engagement"), lambda v: read_word(Engagement, v, "register.engagement")
            ),
            signature=optional(fields.get("emotionalSignature"), EmotionalSignature.from_json),
            uncertainties=read_texts(fields.get("uncertainties"), "register.uncertainties"),
            topic=optional(fields.get("focus"), lambda v: read_text(v, "register.focus")),
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
        return {**ends, **without_none(trigger=self.trigger, ts=when)}

    @classmethod
    def from_json(cls, value: Json) -> Transition:
        """Read what `as_json` wrote; `InvalidInput` names the field that is wrong."""
        fields = read_object(value, "transition")
        return cls(
            field=read_word(TransitionField, fields.get("field"), "transition.field"),
            before=fields.get("from"),
            after=fields.get("to"),
            at=optional(fields.get("ts"), lambda v: parse(read_text(v, "transition.ts"))),
            trigger=optional(fields.get("trigger"), lambda v: read_text(v, "transition.trigger")),
        )


def _in_range(value: float, low: float, high: float, where: str) -> None:
    if not (math.isfinite(value) and low <= value <= high):
        raise InvalidInput(f"{where} is {value:g}: give a number from {low:g} to {high:g}")


def _at_most(values: tuple[object, ...], most: int, where: str) -> None:
    if len(values) > most:
        raise InvalidInput(f"{where} has {len(values)} entries: give at most {most}")


def _sized(text: str, chars_max: int, where: str) -> None:
    if not text.strip() or len(text) > chars_max:
        raise InvalidInput(f"{where} has {len(text)} characters: give 1 to {chars_max}")
