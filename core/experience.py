"""Values that describe an experience: phenomenology, feelings, anchors, and the decision on it.

Small immutable values made of the words of `vocabulary`. Each validates itself; `codec` reads and
writes them under the journal's names. Nothing here decides, scores or guesses.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, NamedTuple

from pydantic import Field

from .errors import InvalidInput
from .json_values import Instant, Real
from .vocabulary import (
    CaptureMode,
    Channel,
    Emotion,
    Engagement,
    Json,
    LimitReason,
    Outcome,
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
    intensity: Real
    valence: Real | None = None
    texture: Texture | None = None
    secondary: tuple[Emotion, ...] = ()

    def __post_init__(self) -> None:
        _at_most(self.primary, PRIMARY_MAX, "emotionalSignature.primary")
        _in_range(self.intensity, 0, 1, "emotionalSignature.intensity")
        if self.valence is not None:
            _in_range(self.valence, -1, 1, "emotionalSignature.valence")


@dataclass(frozen=True, slots=True)
class Anchor:
    """A phrase from the interaction that brings it back, and why it matters."""

    phrase: str
    significance: str
    channel: Annotated[Channel | None, Field(alias="sensoryChannel")] = None

    def __post_init__(self) -> None:
        _sized(self.phrase, PHRASE_CHARS_MAX, "anchors.phrase")
        _sized(self.significance, SENTENCE_CHARS_MAX, "anchors.significance")


@dataclass(frozen=True, slots=True)
class Phenomenology:
    """How an event felt: feelings, engagement, anchors, open uncertainties, hints."""

    signature: Annotated[EmotionalSignature | None, Field(alias="emotionalSignature")] = None
    engagement: Annotated[Engagement | None, Field(alias="engagementQuality")] = None
    anchors: tuple[Anchor, ...] = ()
    uncertainties: tuple[str, ...] = ()
    hints: Annotated[tuple[str, ...], Field(alias="reconstitutionHints")] = ()

    def __post_init__(self) -> None:
        _at_most(self.anchors, ANCHORS_MAX, "anchors")
        _at_most(self.uncertainties, UNCERTAINTIES_MAX, "uncertainties")
        _at_most(self.hints, HINTS_MAX, "reconstitutionHints")
        for text in (*self.uncertainties, *self.hints):
            _sized(text, SENTENCE_CHARS_MAX, "uncertainties and reconstitutionHints")


class Factor(NamedTuple):
    """One line of a decision's arithmetic: contribution = value × weight, and why.

    A tuple, because every capture makes half a dozen and its trace writes them down as lists.
    """

    name: str
    value: float
    weight: float
    contribution: float
    reason: str


@dataclass(frozen=True, slots=True)
class GateDenial:
    """Why a gate denied a full capture that the score had earned."""

    reason: LimitReason
    detail: str


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

    def outline(self) -> dict[str, Json]:
        """Return plain JSON values without the factors, as the trace keeps them."""
        fields: dict[str, Json] = {
            "should_capture": self.captured,
            "significance": self.significance,
            "threshold": self.threshold,
            "mode": self.mode.value,
            "outcome": self.outcome.value,
            "status": self.status.value,
            "reason": self.reason,
        }
        if self.near:
            fields["near"] = True
        if self.limited is not None:
            fields["limited"] = {"reason": self.limited.reason.value, "detail": self.limited.detail}
        return fields


@dataclass(frozen=True, slots=True)
class Utterance:
    """What one sentence of a message does, and how its speaker feels, each with how likely it is.

    `start` and `end` are its place in the event's text, in characters. `kinds` are words such as
    news, plan, thanks and question (bench/data/utterances.md), `feelings` of the vocabulary of
    emotions; both 0 to 1, and what is unlikely is left out. `marks` are what can be seen on its
    surface (`language.marks`), `cuts` where clauses end in it, characters of the text.
    """

    start: int
    end: int
    kinds: Mapping[str, float]
    feelings: Mapping[str, float]
    headline: str | None = None
    marks: tuple[str, ...] = ()
    cuts: tuple[int, ...] = ()

    def sentence_of(self, text: str) -> str:
        """Return the sentence from the event's text, on one line."""
        return " ".join(text[self.start : self.end].split())


@dataclass(frozen=True, slots=True)
class RegisterState:
    """What a session's experiential register holds now.

    `signature` is the agent's own, `signatures` are those of people by id.
    """

    engagement: Engagement | None = None
    signature: Annotated[EmotionalSignature | None, Field(alias="emotionalSignature")] = None
    uncertainties: tuple[str, ...] = ()
    topic: Annotated[str | None, Field(alias="focus")] = None
    signatures: Mapping[str, EmotionalSignature] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Transition:
    """A change of the register. An uncertainty opens from None and is resolved to None.

    `before` and `after` are plain JSON values; `at` is None for an event without a time.
    """

    field: TransitionField
    before: Annotated[Json, Field(alias="from")]
    after: Annotated[Json, Field(alias="to")]
    at: Annotated[Instant | None, Field(alias="ts")] = None
    trigger: str | None = None

    @property
    def keeps_its_words(self) -> bool:
        """Whether a feeling is called the same at both ends: only how strong it is changed."""
        ends = [end for end in (self.before, self.after) if isinstance(end, Mapping)]
        words = [frozenset(end.get("primary") or ()) for end in ends]
        return len(words) > 1 and words[0] == words[1]


def _in_range(value: float, low: float, high: float, where: str) -> None:
    if not (math.isfinite(value) and low <= value <= high):
        raise InvalidInput(f"{where} is {value:g}: give a number from {low:g} to {high:g}")


def _at_most(values: tuple[object, ...], most: int, where: str) -> None:
    if len(values) > most:
        raise InvalidInput(f"{where} has {len(values)} entries: give at most {most}")


def _sized(text: str, chars_max: int, where: str) -> None:
    if not text.strip() or len(text) > chars_max:
        raise InvalidInput(f"{where} has {len(text)} characters: give 1 to {chars_max}")


def join_utterances(
    by_rule: tuple[Utterance, ...], by_model: tuple[Utterance, ...]
) -> tuple[Utterance, ...]:
    """Return what rules found sentences to do, with what a model read in them instead."""
    joined = [
        replace(utterance, kinds=same[0].kinds)
        if (same := [r for r in by_model if _overlap(r, utterance)])
        else utterance
        for utterance in by_rule
    ]
    new = [r for r in by_model if not any(_overlap(r, utterance) for utterance in by_rule)]
    return tuple(sorted([*joined, *new], key=lambda utterance: utterance.start))


def _overlap(first: Utterance, second: Utterance) -> bool:
    return first.start < second.end and second.start < first.end


#: Fields of artifacts as importers call them → their names.
_ARTIFACT_FIELDS = {"bytes": "sizeBytes", "mediaType": "mimeType"}


def artifacts_of(event: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the artifacts that came with an event, size and media type under one name each."""
    return [
        {_ARTIFACT_FIELDS.get(name, name): value for name, value in artifact.items()}
        for artifact in event.get("artifacts") or ()
    ]
