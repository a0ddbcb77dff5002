"""Stage phenomenology, pass 2: how an event was lived, by rule, and the check of a model's answer.

The heuristic names a feeling only where a rule or a lexicon gives one, and never an anchor, an
uncertainty or a hint: those need understanding. A model's answer is taken as far as it keeps to
the vocabulary and the limits; what does not is dropped and counted. No model is called here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from ...core.events import EventKind, text_of
from ...core.experience import (
    ANCHORS_MAX,
    HINTS_MAX,
    PHRASE_CHARS_MAX,
    PRIMARY_MAX,
    SENTENCE_CHARS_MAX,
    UNCERTAINTIES_MAX,
    Anchor,
    EmotionalSignature,
    Phenomenology,
)
from ...core.text import shorten
from ...core.types import Json
from ...core.vocabulary import (
    BAD_FEELINGS,
    GOOD_FEELINGS,
    Channel,
    Emotion,
    Engagement,
    Texture,
)
from ...language.closings import answers, questions_in
from ...language.runs.failure_signs import is_error
from ...language.runs.tool_calls import Event, is_result
from ...language.tone import Fortune, analyse_sentiment, is_ironic
from ..capture.event_view import is_message, read_event

Word = TypeVar("Word", bound=StrEnum)
Item = TypeVar("Item")

_ENGAGED_ABOVE = 0.8
#: What is told as felt is at least so strong, and so far on the side that the word names.
_FELT_MIN, _GRIEF = 0.3, 0.6
_SEPARATORS = re.compile(r"[\s_]+")


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A question that nobody answered: which event of the session asked it, and its words."""

    place: int
    text: str


def heuristic(
    event: Event,
    significance: float,
    feelings: Sequence[Emotion] = (),
    fortunes: Sequence[Fortune] = (),
) -> Phenomenology:
    """Return how an event was lived, by rule: feature 16, and the tone of messages.

    A failure concerns (valence −.3), any other result is focused work (.3), as intense as it is
    significant. A message has the tone of its words, and the `feelings` that its speaker tells;
    `fortunes` are what its sentences tell: who lost somebody grieves, whatever else is said, and
    bad news outweigh good feelings. A session's boundary is not felt.
    """
    engaged = significance > _ENGAGED_ABOVE
    engagement = Engagement.ENGAGED if engaged else Engagement.ROUTINE
    if event["kind"] == EventKind.SESSION_BOUNDARY:
        return Phenomenology(engagement=engagement)
    if is_result(event):
        return Phenomenology(_result_signature(event, significance), engagement)
    grieves = Fortune.DEATH in fortunes or Emotion.GRIEVING in feelings
    if grieves:
        others = [word for word in feelings if word not in {Emotion.GRIEVING, *GOOD_FEELINGS}]
        feelings = [Emotion.GRIEVING, *others]
    valence, intensity = analyse_sentiment(text_of(event))
    if feelings or fortunes:
        intensity = max(intensity, _FELT_MIN)
    if grieves:
        valence = min(valence, -_GRIEF)
    elif sign := _sign(feelings, fortunes, is_ironic(text_of(event))):
        valence = sign * max(sign * valence, _FELT_MIN)
    signature = EmotionalSignature((*feelings[:PRIMARY_MAX],), intensity, valence)
    return Phenomenology(signature, engagement)


def _sign(feelings: Sequence[Emotion], fortunes: Sequence[Fortune], ironic: bool) -> int:
    """Return on which side a message is: 1 good, -1 bad, 0 where neither or both are told."""
    if ironic or (Fortune.BAD in fortunes and Fortune.GOOD not in fortunes):
        return -1
    signs = {(word in GOOD_FEELINGS) - (word in BAD_FEELINGS) for word in feelings}
    if len(signs) == 1:
        return signs.pop()
    return 1 if {*fortunes} == {Fortune.GOOD} and not signs else 0


def _result_signature(event: Event, significance: float) -> EmotionalSignature:
    emotion, valence = (Emotion.CONCERNED, -0.3) if is_error(event) else (Emotion.FOCUSED, 0.3)
    intensity = min(max(significance, 0.0), 1.0)
    return EmotionalSignature((emotion,), intensity, valence)


def open_questions(events: Sequence[Event]) -> tuple[OpenQuestion, ...]:
    """Return the questions of a session's messages that were left unanswered, in order.

    A question is answered when another speaker says something that is neither only a question nor
    a promise to answer later. Of several questions in one message, the last stands for them.
    """
    waiting: list[tuple[str, OpenQuestion]] = []
    for place, event in enumerate(events):
        if not is_message(event):
            continue
        event_view = read_event(event)
        speaker, message = event_view.actor, event_view.text
        if answers(message):
            waiting = [(asker, asked) for asker, asked in waiting if asker == speaker]
        if asked := questions_in(message):
            text = shorten(asked[-1], SENTENCE_CHARS_MAX)
            waiting.append((speaker, OpenQuestion(place, text)))
    return tuple(question for _, question in waiting)


def merge(answer: Json, fallback: Phenomenology) -> tuple[Phenomenology, Counter[str]]:
    """Return a model's answer as far as it is valid, its gaps filled from `fallback`.

    The counter says by field what was dropped: words outside the vocabulary, numbers out of range,
    entries beyond the limits (feature 15) or of the wrong shape. Longer texts are cut. Whatever
    the answer is, nothing is raised.
    """
    check = _AnswerReader(Counter())
    fields = check.mapping(answer, "answer")
    engagement = check.word(Engagement, fields, "engagementQuality")
    anchors = check.entries(fields, "anchors", ANCHORS_MAX, check.anchor)
    uncertainties = check.entries(fields, "uncertainties", UNCERTAINTIES_MAX, _sentence)
    hints = check.entries(fields, "reconstitutionHints", HINTS_MAX, _sentence)
    given = fields.get("emotionalSignature")
    felt = {} if given is None else check.mapping(given, "emotionalSignature")
    merged = Phenomenology(
        signature=_merged_signature(felt, fallback.signature, check),
        engagement=engagement or fallback.engagement,
        anchors=anchors or fallback.anchors,
        uncertainties=uncertainties or fallback.uncertainties,
        hints=hints or fallback.hints,
    )
    return merged, check.dropped


def _merged_signature(
    felt: Mapping[str, Json], fallback: EmotionalSignature | None, check: _AnswerReader
) -> EmotionalSignature | None:
    primary = check.entries(felt, "primary", PRIMARY_MAX, _reader(Emotion))
    secondary = check.entries(felt, "secondary", PRIMARY_MAX, _reader(Emotion))
    intensity = check.number(felt, "intensity", 0, 1)
    valence = check.number(felt, "valence", -1, 1)
    texture = check.word(Texture, felt, "texture")
    if fallback is None:
        if not primary or intensity is None:
            return None
        return EmotionalSignature(primary, intensity, valence, texture, secondary)
    return EmotionalSignature(
        primary or fallback.primary,
        fallback.intensity if intensity is None else intensity,
        fallback.valence if valence is None else valence,
        texture or fallback.texture,
        secondary or fallback.secondary,
    )


@dataclass(frozen=True, slots=True)
class _AnswerReader:
    """Reads the fields of an answer and counts what it drops."""

    dropped: Counter[str]

    def mapping(self, value: Json, name: str) -> Mapping[str, Json]:
        if isinstance(value, Mapping):
            return value
        self.dropped[name] += 1
        return {}

    def word(self, vocabulary: type[Word], fields: Mapping[str, Json], name: str) -> Word | None:
        value = fields.get(name)
        word = _reader(vocabulary)(value)
        if word is None and value is not None:
            self.dropped[name] += 1
        return word

    def number(
        self, fields: Mapping[str, Json], name: str, low: float, high: float
    ) -> float | None:
        value = fields.get(name)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and low <= value <= high:
            return float(value)
        if value is not None:
            self.dropped[name] += 1
        return None

    def entries(
        self,
        fields: Mapping[str, Json],
        name: str,
        most: int,
        read_item: Callable[[Json], Item | None],
    ) -> tuple[Item, ...]:
        value = fields.get(name)
        given = value if isinstance(value, list) else [] if value is None else [value]
        valid = [item for entry in given if (item := read_item(entry)) is not None]
        different = tuple(dict.fromkeys(valid))
        if drop := len(given) - len(valid) + max(0, len(different) - most):
            self.dropped[name] += drop
        return different[:most]

    def anchor(self, value: Json) -> Anchor | None:
        fields = value if isinstance(value, Mapping) else {}
        phrase = _text(fields.get("phrase"), PHRASE_CHARS_MAX)
        significance = _text(fields.get("significance"), SENTENCE_CHARS_MAX)
        if phrase is None or significance is None:
            return None
        return Anchor(phrase, significance, self.word(Channel, fields, "sensoryChannel"))


def _reader(vocabulary: type[Word]) -> Callable[[Json], Word | None]:
    """Return a reader of one vocabulary that forgives capitals, spaces and underscores."""

    def read_word(value: Json) -> Word | None:
        spelled = _SEPARATORS.sub("-", value.strip().lower()) if isinstance(value, str) else None
        return next((word for word in vocabulary if word == spelled), None)

    return read_word


def _sentence(value: Json) -> str | None:
    return _text(value, SENTENCE_CHARS_MAX)


def _text(value: Json, chars_max: int) -> str | None:
    """Return a text as a journal can keep it, on one line and cut; None where there is none."""
    if not isinstance(value, str):
        return None
    cleaned = value.replace("\0", "").encode("utf-8", "ignore").decode("utf-8")
    return shorten(cleaned, chars_max) or None
