"""Reads one message: its sentences, what each of them does, where it may be cut.

What is found is stored with the message's enrichment; packs, recall and lists read that.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from ..core.entities.common_words import is_common_word
from ..core.experience import Utterance
from ..models.tokens import Encoded
from .fact_objects import NO_NAMES
from .heads import load_heads, meanings_of, ones, with_meaning
from .marks import marks_of
from .sentences import COMMON_TALK, Span, sentence_spans
from .unreal import find_unreal

#: A longer text is read as far as this, in characters.
TEXT_CHARS_MAX = 8000
#: The mark of a sentence that tells what is not so: a dream, a joke, a fiction.
UNTRUE = "untrue"
#: What is less likely than this is left out.
LIKELY_MIN = 0.15

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
#: "Bo, I'll book it."
_VOCATIVE = re.compile(
    r"\A\W*(?:(?:ok|okay|sure|hi|hey|hello|yes|no|thanks|sorry|well|oh)[,!]?\s+)?"
    r"(?P<name>(?-i:[^\W\d_a-z])[\w’'-]+)(?: (?-i:[^\W\d_a-z])[\w’'-]+)?,\s+"
    r"(?=(?:i|we|you|please|let|can|could|will|would|do|did|don['’]t|what|when|where|how|the|my|your|it|that|if|thanks?)\b)",
    re.IGNORECASE,
)
_NO_VOCATIVES = COMMON_TALK | NO_NAMES
#: A sentence may be cut at these, never within a word such as "non-stop".
_CUT = re.compile(
    r"[;:–—…](?=\s)|\s[-–—](?=\s)|,(?=\s)|(?<=\w)\s(?=(?:because|while|although|though|which|since"
    r"|(?:and|but|so) (?:i|we|my|our|he|she|they|it|that|the|this|then|now)(?:['’]\w+)?)\s)",
    re.IGNORECASE,
)


def read_message(text: str, encoded: Encoded | None = None) -> tuple[Utterance, ...]:
    """Return the sentences of a text in order; what is quoted is nobody's.

    `encoded` is the whole text as the encoder reads it, where there is one. What a sentence that
    tells what is not so (a dream, a joke) does is left out.
    """
    text = text[:TEXT_CHARS_MAX]
    spans = sentence_spans(text)
    meanings = meanings_of(spans, encoded)
    read = [_read(text, spans, place, meanings[place]) for place in range(len(spans))]
    unreal = find_unreal([text[start:end] for start, end in spans])
    return tuple(
        replace(each, kinds={}, marks=(*each.marks, UNTRUE)) if place in unreal else each
        for place, each in enumerate(read)
    )


def factual_spans(sentences: Sequence[Utterance]) -> list[Span]:
    """Return where the sentences stand that tell what is so: no dream, no joke."""
    return [(each.start, each.end) for each in sentences if UNTRUE not in each.marks]


def recorded_or_read(text: str, recorded: Sequence[Utterance]) -> Sequence[Utterance]:
    """Return the sentences of a message as they were recorded; where they were not, read now.

    Older releases recorded neither marks nor cuts.
    """
    if any(each.marks or each.cuts for each in recorded):
        return recorded
    feelings = {each.start: each.feelings for each in recorded}
    return [replace(read, feelings=feelings.get(read.start, {})) for read in read_message(text)]


def _read(text: str, spans: Sequence[Span], place: int, meaning: dict[str, float]) -> Utterance:
    start, end = spans[place]
    sentence = text[start:end]
    spoken = without_vocative(sentence)
    marks = marks_of(spoken)
    features = sentence_features(spoken, marks, place, len(spans))
    likely = with_meaning(load_heads("utterances").likelihoods(features), meaning)
    kinds = {kind: round(by, 2) for kind, by in likely.items() if by >= LIKELY_MIN}
    cuts = tuple(start + match.start() for match in _CUT.finditer(sentence))
    return Utterance(start, end, kinds, {}, marks=marks, cuts=cuts)


def without_vocative(sentence: str) -> str:
    """Return a sentence without the name of whom it speaks to, where it opens with one."""
    match = _VOCATIVE.match(sentence)
    name = match["name"].lower() if match else ""
    if match is None or name in _NO_VOCATIVES or is_common_word(name) or name.endswith("ly"):
        return sentence
    return sentence[match.end() :]


def sentence_features(
    sentence: str, marks: Sequence[str], place: int, count: int
) -> dict[str, float]:
    """Return what the heads weigh of one sentence of `count`, by name, each 0 to 1."""
    words = [word.lower().replace("’", "'") for word in _WORD.findall(sentence)]
    features = ones(marks)
    features |= ones(f"word {word}" for word in words)
    features |= ones(f"pair {first} {second}" for first, second in pairwise(words))
    if words:
        features[f"opens {words[0]}"] = 1.0
    features["length"] = min(1.0, math.log1p(len(words)) / 4)
    if place == 0:
        features["first"] = 1.0
    if place == count - 1:
        features["last"] = 1.0
    return features
