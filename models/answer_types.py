"""The types of a model's answers, and how strictly each is validated.

Models wrap JSON in sentences and code fences, leave commas before closing brackets, and stop in the
middle when their tokens run out. That is repaired, and recorded; keys, values and quotes are never
guessed. Words outside of a vocabulary and items beyond a limit are dropped, degrees are clamped to
their range, and both are counted; a number that decides something must be valid. Missing values
stay missing: the caller fills them by rule. Keys are those of the prompts, in camel case.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, Literal, NoReturn

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    ValidationError,
    ValidationInfo,
    WithJsonSchema,
    model_validator,
)
from pydantic.alias_generators import to_camel
from pydantic_core import from_json

from ..core.types import Json
from ..core.vocabulary import Channel, Emotion, Engagement, FactRelation, Texture

PROSE, FENCE, COMMA, CUT_OFF = "prose", "fence", "trailing comma", "cut off"

#: How an object begins; brackets in a sentence do not.
_START = re.compile(r'\{\s*["}]')
_FENCE = re.compile(r"```[\w-]*")
#: A string, left as it is, or a comma with only a closing bracket behind it.
_STRING_OR_COMMA = re.compile(r'"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])', re.DOTALL)
#: Where the text stops within a number, nobody knows which number it was to be.
_NUMBER_AT_END = re.compile(r"[-+.\deE]+\Z")


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse)


def read_object(text: str) -> tuple[dict[str, Json], tuple[str, ...]] | None:
    """Return the first JSON object in `text` and what had to be repaired; None when there is none.

    An object that is cut off is returned without the value in which it was cut.
    """
    start = _START.search(text)
    if start is None:
        return None
    before, body = text[: start.start()], text[start.start() :]
    for candidate, repairs in ((body, ()), (_without_commas(body), (COMMA,))):
        with suppress(ValueError, RecursionError):
            value, end = _DECODER.raw_decode(candidate)
            return value, _around(before, candidate[end:]) + repairs
    with suppress(ValueError):
        value = from_json(_NUMBER_AT_END.sub("", body), allow_inf_nan=False, allow_partial=True)
        if value:
            return value, (CUT_OFF,)
    return None


def _around(before: str, after: str) -> tuple[str, ...]:
    """Name what stood around an object."""
    sentences = _FENCE.sub("", before + after).strip("\ufeff \t\r\n")
    return (PROSE,) * bool(sentences) + (FENCE,) * bool(_FENCE.search(before))


def _without_commas(text: str) -> str:
    return _STRING_OR_COMMA.sub(lambda match: "" if match.group() == "," else match.group(), text)


@dataclass(slots=True)
class Corrections:
    """Counts what an answer type had to put right; the context of its validation."""

    dropped: int = 0
    clamped: int = 0


Validate = Callable[[Any, ValidationInfo], Any]

#: What may not stand in stored text: control characters other than tab and newline.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")

_ADDRESS = re.compile(r"meridia://[\w.:-]{1,200}")


def first_items(most: int, read: Validate) -> Validate:
    """Keep the first `most` items of a list, each once, that `read` does not turn into None."""

    def keep(value: Any, info: ValidationInfo) -> Any:
        items = list(value) if isinstance(value, (list, tuple)) else [value]
        items = [] if value is None else items
        valid = [item for raw in items if (item := read(raw, info)) is not None]
        unique = [item for n, item in enumerate(valid) if item not in valid[:n]][:most]
        _count(info, dropped=len(items) - len(unique))
        return unique

    return keep


def word_of(vocabulary: type[StrEnum]) -> Validate:
    """Return the word of a vocabulary that a value is; any other becomes None."""

    def read(value: Any, _: ValidationInfo) -> Any:
        if not isinstance(value, str):
            return None
        folded = value.strip().casefold().replace("_", "-").replace(" ", "-")
        return next((word for word in vocabulary if word.value == folded), None)

    return read


def vocabulary_word(vocabulary: type[StrEnum]) -> Validate:
    """Keep a word that the vocabulary knows; any other becomes None, and is counted."""

    def keep(value: Any, info: ValidationInfo) -> Any:
        word = word_of(vocabulary)(value, info)
        _count(info, dropped=int(word is None and bool(value)))
        return word

    return keep


def texts(most: int, chars_max: int) -> Validate:
    """Keep the first `most` texts that say something, each at most `chars_max` characters."""
    return first_items(
        most,
        lambda value, info: (tidy(value, chars_max) or None) if isinstance(value, str) else None,
    )


def address(value: Any, _: ValidationInfo) -> Any:
    """Return the address of a memory; anything else becomes None."""
    return value if isinstance(value, str) and _ADDRESS.fullmatch(value) else None


def item_of(item_type: type[BaseModel]) -> Validate:
    """Return an item that has the shape of `item_type`; any other becomes None."""

    def read(value: Any, info: ValidationInfo) -> Any:
        with suppress(ValidationError):
            return item_type.model_validate(value, context=info.context)
        return None

    return read


def clamped(low: float, high: float) -> Validate:
    """Move a number into its range; what is no number stays as it is, to be rejected."""

    def move(value: Any, info: ValidationInfo) -> Any:
        try:
            number = math.nan if isinstance(value, bool) else float(value)
        except (TypeError, ValueError):
            return value
        if math.isnan(number):
            return None
        inside = min(max(number, low), high)
        _count(info, clamped=int(inside != number))
        return inside

    return move


def items(most: int, item_type: type[BaseModel]) -> BeforeValidator:
    """Validate a list: the first `most` of its items that are of a type."""
    return BeforeValidator(first_items(most, item_of(item_type)))


def text(chars_max: int) -> Validate:
    """Tidy a text and cut it at `chars_max` characters."""
    return lambda value, info: tidy(value, chars_max) if isinstance(value, str) else value


def null_to_empty(value: Any) -> Any:
    """Take null for an object that was left out."""
    return {} if value is None else value


def _for_servers(schema: dict[str, Any]) -> None:
    """Have a schema ask for every key, so that a model held to it cannot answer with nothing."""
    schema.pop("description", None)
    for field in schema["properties"].values():
        field.pop("default", None)
    schema["required"] = list(schema["properties"])


def tidy(value: str, chars_max: int) -> str:
    """Return the text without control characters and outer blanks, cut at `chars_max`."""
    return _CONTROL.sub("", value).strip()[:chars_max].rstrip()


def _count(info: ValidationInfo, dropped: int = 0, clamped: int = 0) -> None:
    if isinstance(info.context, Corrections):
        info.context.dropped += dropped
        info.context.clamped += clamped


Degree = Annotated[
    float | None,
    BeforeValidator(clamped(0, 1)),
    WithJsonSchema({"type": "number", "minimum": 0, "maximum": 1}),
]
Valence = Annotated[
    float | None,
    BeforeValidator(clamped(-1, 1)),
    WithJsonSchema({"type": "number", "minimum": -1, "maximum": 1}),
]
Emotions = Annotated[tuple[Emotion, ...], BeforeValidator(first_items(3, word_of(Emotion)))]
Hints = Annotated[tuple[str, ...], BeforeValidator(texts(2, 300))]
Phrase = Annotated[str, BeforeValidator(text(200)), Field(min_length=1)]


class _Answer(BaseModel):
    model_config = ConfigDict(
        frozen=True,
        extra="ignore",
        alias_generator=to_camel,
        populate_by_name=True,
        json_schema_extra=_for_servers,
    )


class EmotionalSignatureAnswer(_Answer):
    """What it felt like: at most three words, how strong, how good, of what texture."""

    primary: Emotions = ()
    intensity: Degree = None
    valence: Valence = None
    texture: Annotated[Texture | None, BeforeValidator(vocabulary_word(Texture))] = None


class AnchorAnswer(_Answer):
    """A phrase of the moment that brings it back, and why."""

    phrase: Phrase
    significance: Annotated[str, BeforeValidator(text(200))] = ""
    sensory_channel: Annotated[Channel | None, BeforeValidator(vocabulary_word(Channel))] = None


class PhenomenologyAnswer(_Answer):
    """What an experience was like (prompt `phenomenology`; features 11 to 15)."""

    emotional_signature: Annotated[EmotionalSignatureAnswer, BeforeValidator(null_to_empty)] = (
        EmotionalSignatureAnswer()
    )
    engagement_quality: Annotated[
        Engagement | None, BeforeValidator(vocabulary_word(Engagement))
    ] = None
    anchors: Annotated[tuple[AnchorAnswer, ...], items(2, AnchorAnswer)] = ()
    uncertainties: Hints = ()
    reconstitution_hints: Hints = ()

    @model_validator(mode="after")
    def _is_not_empty(self) -> PhenomenologyAnswer:
        if self == PhenomenologyAnswer.model_construct():
            raise ValueError("it contains nothing usable")
        return self


class DecisionAnswer(_Answer):
    """An opinion of how significant an event is (prompt `decision`).

    A score out of range is not moved: 7 may mean .7, and it decides what is kept.
    """

    score: float = Field(ge=0, le=1, allow_inf_nan=False)
    reason: Annotated[str, BeforeValidator(text(200))] = ""


class VerdictAnswer(DecisionAnswer):
    """The same of one of several events, by its number."""

    event: int = Field(ge=1)


class HindsightAnswer(_Answer):
    """Opinions of several events at once (prompt `hindsight`; feature 43)."""

    verdicts: Annotated[tuple[VerdictAnswer, ...], items(20, VerdictAnswer)]


class QuestionsAnswer(_Answer):
    """One or two questions that a memory would answer (prompt `questions`; features 82, 83)."""

    questions: Annotated[tuple[str, ...], BeforeValidator(texts(2, 200))] = Field(min_length=1)


class EvidenceAnswer(_Answer):
    """The words that show something: whose they are, and the number of the message they stand in.

    Only the shape is looked at here; who knows the session checks that they stand there.
    """

    message: int = Field(ge=1)
    speaker: Phrase
    quote: Phrase


class FactAnswer(EvidenceAnswer):
    """What holds of somebody for longer; `ends`: it does no more."""

    subject: Phrase
    predicate: Phrase
    object: Annotated[str, BeforeValidator(text(200))] = ""
    ends: bool = False


class FeelingAnswer(EvidenceAnswer):
    """What a speaker feels."""

    emotion: Annotated[Emotion, BeforeValidator(word_of(Emotion))]
    intensity: Degree = None
    valence: Valence = None


class PromiseAnswer(EvidenceAnswer):
    """What a speaker undertakes."""

    kind: Literal["promise", "plan", "reminder", "deadline", "proposal"]
    verb: Annotated[str, BeforeValidator(text(60))] = ""
    objects: Annotated[tuple[str, ...], BeforeValidator(texts(6, 60))] = ()


class SessionAnswer(_Answer):
    """A session read as a whole: told in prose, and what it tells of (prompt `session`)."""

    topic: Annotated[str, BeforeValidator(text(120))] = Field(min_length=1)
    summary: Annotated[str, BeforeValidator(text(2000))] = Field(min_length=1)
    events: Annotated[tuple[EvidenceAnswer, ...], items(40, EvidenceAnswer)] = ()
    facts: Annotated[tuple[FactAnswer, ...], items(40, FactAnswer)] = ()
    promises: Annotated[tuple[PromiseAnswer, ...], items(40, PromiseAnswer)] = ()
    feelings: Annotated[tuple[FeelingAnswer, ...], items(40, FeelingAnswer)] = ()


class SupersessionAnswer(_Answer):
    """How a new statement stands to a known fact (prompt `supersession`; feature 101)."""

    relation: FactRelation
    confidence: float = Field(ge=0, le=1, allow_inf_nan=False)
    reason: Annotated[str, BeforeValidator(text(200))] = ""


class ReconstitutionAnswer(_Answer):
    """What is remembered, told in prose with its sources (prompt `reconstitution`).

    Prose without a source is none: nobody could tell it from invention.
    """

    summary: Annotated[str, BeforeValidator(text(12_000))] = Field(min_length=1)
    citations: Annotated[tuple[str, ...], BeforeValidator(first_items(10, address))] = Field(
        min_length=1
    )


class _PlanFields(BaseModel):
    """A part of a plan: exactly these keys, as a plan from anywhere else."""

    model_config = ConfigDict(frozen=True, extra="forbid", json_schema_extra=_for_servers)


Ids = Annotated[tuple[str, ...], Field(max_length=100)]
Line = Annotated[str, BeforeValidator(text(500))]


class PlanNodes(_PlanFields):
    """Ids of selected nodes by source type, best first."""

    turn_summary: Ids
    preference: Ids
    fact: Ids
    research_cache: Ids
    visit_record: Ids


class PlanReasons(_PlanFields):
    """Why nodes of each source type were selected."""

    turn_summary: Line
    preference: Line
    fact: Line
    research_cache: Line
    visit_record: Line


class PlanCoverage(_PlanFields):
    """What a plan covers."""

    has_prior_turns: StrictBool
    has_memory: StrictBool
    has_cached_research: StrictBool
    has_visit_data: StrictBool


class PlanAnswer(_PlanFields):
    """A retrieval plan (prompt `plan`; features 67 and 125).

    Only its shape is checked here. What it may select is checked by the caller, who made a
    plan first.
    """

    selected_nodes: PlanNodes
    selection_reasons: PlanReasons
    coverage: PlanCoverage
    reasoning: Annotated[str, BeforeValidator(text(2000))]


class DraftLine(_Answer):
    """A sentence of a draft, the node that it rests on, and the words of it that show it."""

    node_id: Annotated[str, BeforeValidator(text(200))]
    quote: Annotated[str, BeforeValidator(text(400))]
    text: Annotated[str, BeforeValidator(text(400))]


class DraftAnswer(_Answer):
    """The context of a question in sentences (prompt `draft`; features 79 and 125).

    Only its shape is checked here. That each quote is in its document is checked by the caller,
    asked.
    """

    lines: Annotated[tuple[DraftLine, ...], items(40, DraftLine)]


class QuestionAnswer(_Answer):
    """The answer to a question from memories (prompt `answer`)."""

    answer: Annotated[str, BeforeValidator(text(4000)), Field(min_length=1)]


class JudgeAnswer(_Answer):
    """Whether an answer says what is known to be right (prompt `judge`)."""

    correct: StrictBool
    reason: Annotated[str, BeforeValidator(text(400))] = ""
