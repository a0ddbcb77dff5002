"""The shallow analysis of a message: sentences, tagged words, noun phrases.

English only, as the tagger is; of other languages the sentences are right, and what the tags say
is not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ....language.unreal import find_unreal
from ....language.words import Span, own_spans
from ....models import tagger
from ....models.tokens import Encoded
from .phrases import NounPhrase, noun_phrases_of
from .tagged_words import TaggedWord

#: A longer text is read as far as this, in characters.
TEXT_CHARS_MAX = 8000


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a message.

    `start` and `end` are its place in the message, in characters; `text` is as written there.
    """

    start: int
    end: int
    text: str
    tokens: Sequence[TaggedWord]
    phrases: Sequence[NounPhrase]


@dataclass(frozen=True, slots=True)
class Analysis:
    """The analysis of one text.

    `factual` are the sentences that tell what is so: no dream, no joke.
    """

    text: str
    sentences: Sequence[Sentence]
    factual: Sequence[Sentence]


def analyse(text: str, encode: Callable[[str], Encoded | None]) -> Analysis:
    """Return the analysis of a text; `encode` returns None where there is no encoder.

    Raises nothing for any text.
    """
    text = text[:TEXT_CHARS_MAX]
    encoded = encode(text) if text.strip() else None
    if encoded is not None and encoded.pieces.shape[1] != tagger.STATE_DIMENSION:
        encoded = None
    sentences = [_sentence(text, span, words, encoded) for span, words in own_spans(text)]
    unreal = find_unreal([sentence.text for sentence in sentences])
    factual = [sentence for place, sentence in enumerate(sentences) if place not in unreal]
    return Analysis(text, sentences, factual)


def _sentence(text: str, span: Span, spans: Sequence[Span], encoded: Encoded | None) -> Sentence:
    words = [text[start:end] for start, end in spans]
    states = None
    if encoded is not None:
        inside = [place for place, piece in enumerate(encoded.spans) if _within(piece, span)]
        if inside:
            rows = slice(inside[0], inside[-1] + 1)
            states = tagger.word_states(spans, encoded.pieces[rows], encoded.spans[rows])
    tags, names = tagger.tag(words, states)
    tokens = [
        TaggedWord(word, start, end, tag, name)
        for word, (start, end), tag, name in zip(words, spans, tags, names, strict=True)
    ]
    phrases = noun_phrases_of(tokens)
    sentence = text[span[0] : span[1]]
    return Sentence(*span, sentence, tokens, phrases)


def _within(piece: Span, span: Span) -> bool:
    return span[0] <= piece[0] < piece[1] <= span[1]
