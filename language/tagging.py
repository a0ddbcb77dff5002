"""The shallow analysis of a message: sentences, tagged words, noun phrases, for names and topics.

Parts of speech and names of words are told by linear heads over the encoder's states: each word is
described by hashed features of its letters and neighbours, and by the states of its word pieces and
of its neighbours' where the light encoder is in use; without it the letters alone decide. English
only. The weights were learned by bench/train_tagger.py; data/tagger.json has their figures.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from ..models.tokens import Encoded, product
from .sentences import Span, own_spans
from .unreal import find_unreal
from .word_lists import word_list

_DATA = Path(__file__).parent / "data"
#: Hashed features are counted in so many rows, and each word has so many.
BUCKETS = 1 << 15
STATE_DIMENSION = 384
Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class _Heads:
    """Both heads side by side: labels, weights of hashed features (buckets, labels), of states."""

    tags: tuple[str, ...]
    names: tuple[str, ...]
    by_feature: Floats
    by_state: Floats


def tag(words: Sequence[str], states: Floats | None) -> tuple[list[str], list[str]]:
    """Return a part of speech (Penn Treebank) and a name's label (O, B-PER, …) for each word.

    `states` has shape (words, 2, 384): the first piece of each word and the mean of its pieces,
    None without the encoder.
    """
    if not words:
        return [], []
    heads = _heads()
    scores = heads.by_feature[word_features(words)].sum(axis=1)
    if states is not None:
        scores += product(context_states(states), heads.by_state)
    parts, names = np.hsplit(scores, [len(heads.tags)])
    return (
        [heads.tags[place] for place in parts.argmax(axis=1).tolist()],
        [heads.names[place] for place in names.argmax(axis=1).tolist()],
    )


def word_features(words: Sequence[str]) -> NDArray[np.int64]:
    """Return the hashed features of each word of a sentence, shape (words, features)."""
    folded = ["^", *(word.lower().replace("’", "'") for word in words), "$"]
    rows = []
    for place, word in enumerate(words):
        before, own, after = folded[place : place + 3]
        names = (
            f"w={own}",
            f"s3={own[-3:]}",
            f"s2={own[-2:]}",
            f"sh={_shape(word)}{'^' * (place == 0)}",
            f"p={before}",
            f"n={after}",
            f"pw={before} {own}",
            f"wn={own} {after}",
            f"ps={before[-2:]}{own[-2:]}",
            f"pp={folded[place - 1] if place else '^'}",
            f"ns={after[-2:]}{own[-2:]}",
        )
        rows.append([crc32(name.encode()) % BUCKETS for name in names])
    return np.array(rows, np.int64)


def _shape(word: str) -> str:
    return (
        ("X" if word[:1].isupper() else "x")
        + "U" * (len(word) > 1 and word.isupper())
        + "d" * any(letter.isdigit() for letter in word)
        + "-" * ("-" in word)
        + "'" * ("'" in word or "’" in word)
    )


def word_states(
    spans: Sequence[tuple[int, int]], pieces: Floats, piece_spans: Sequence[tuple[int, int]]
) -> Floats:
    """Return the states of words from those of word pieces, shape (words, 2, 384).

    The spans are (start, end) in characters of one text, in order. A word beyond the encoder's
    length has zeros.
    """
    states = np.zeros((len(spans), 2, STATE_DIMENSION), np.float32)
    place = 0
    for row, (start, end) in enumerate(spans):
        while place < len(piece_spans) and piece_spans[place][1] <= start:
            place += 1
        last = place
        while last < len(piece_spans) and _overlap(piece_spans[last], (start, end)):
            last += 1
        if last > place:
            states[row, 0] = pieces[place]
            several = last > place + 1
            states[row, 1] = pieces[place:last].mean(axis=0) if several else pieces[place]
    return states


def _overlap(first: tuple[int, int], other: tuple[int, int]) -> bool:
    return first[0] < other[1] and other[0] < first[1]


def context_states(states: Floats) -> Floats:
    """Return what the heads see of states: a word's own and its neighbours', (words, 1536)."""
    mean = states[:, 1]
    edge = np.zeros((1, STATE_DIMENSION), np.float32)
    before, after = np.vstack([edge, mean[:-1]]), np.vstack([mean[1:], edge])
    return np.hstack([states[:, 0], mean, before, after])


@cache
def _heads() -> _Heads:
    described = json.loads((_DATA / "tagger.json").read_text("utf-8"))
    heads = ("tags", "names")
    with np.load(_DATA / "tagger.npz") as weights:
        by_feature = [
            weights[f"{head}_features"].astype(np.float32) * described[head]["scale"]
            for head in heads
        ]
        by_state = [weights[f"{head}_states"].astype(np.float32) for head in heads]
    labels = [tuple(described[head]["labels"]) for head in heads]
    return _Heads(labels[0], labels[1], np.hstack(by_feature), np.hstack(by_state))


@dataclass(frozen=True, slots=True)
class TaggedWord:
    """A word: its text and place in the message, its part of speech and its part of a name.

    `tag` is of the Penn Treebank; `name` is O, or B or I with PER, LOC, ORG or OTHER.
    `lower` is the word in small letters, with a straight apostrophe.
    """

    text: str
    start: int
    end: int
    tag: str
    name: str
    lower: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "lower", self.text.lower().replace("’", "'"))


def join(tokens: Sequence[TaggedWord]) -> str:
    """Return words as they were written, with the spaces that stood between them."""
    text, end = "", None
    for token in tokens:
        text += " " * (end is not None and token.start > end) + token.text
        end = token.end
    return text


#: What may stand between the beginning of a phrase and its nouns.
_BEFORE = {"JJ", "JJR", "JJS", "CD", "VBN", "VBG", "NN", "NNS", "NNP", "NNPS", "POS"}
_OPENING = {"DT", "PRP$", "PDT", "WP$"}
_PRONOUN = {"PRP", "WP", "EX"}
_NOUNS = {"NN", "NNS", "NNP", "NNPS"}
#: Demonstratives and quantities that stand for a noun by themselves.
_ALONE = frozenset("this that these those all both everyone everybody someone something".split())
#: Words that begin a phrase of time, which stands for itself: "the recipe tonight" are two phrases.
_TIME_OPENING = frozenset(
    "last next this every each tonight today tomorrow yesterday monday tuesday wednesday thursday"
    " friday saturday sunday".split()
)
#: Nouns that say when.
TIME_NOUNS = word_list("time_nouns")
#: The words of a noun phrase.
NounPhrase = Sequence[TaggedWord]


def noun_phrases_of(tokens: Sequence[TaggedWord]) -> list[NounPhrase]:
    """Return the noun phrases of a sentence in order; none overlaps another."""
    phrases, place = list[NounPhrase](), 0
    while place < len(tokens):
        core = _core(tokens, place)
        if core is None:
            place += 1
            continue
        last = core
        while last + 1 < len(tokens) and tokens[last].lower == "of":
            more = _core(tokens, last + 1)
            if more is None:
                break
            last = more
        phrases.append(tokens[place:last])
        place = last
    return phrases


def _core(tokens: Sequence[TaggedWord], first: int) -> int | None:
    """Return where the phrase without "of" ends that begins at a word; None where none does."""
    token = tokens[first]
    if token.tag in _PRONOUN:
        return first + 1
    place = first
    while place < len(tokens) and tokens[place].tag in _OPENING:
        place += 1
    noun = None
    while place < len(tokens):
        tag = tokens[place].tag
        if noun is not None and (tokens[place].lower in _TIME_OPENING or _is_span(tokens, place)):
            break
        adverb = tag in {"RB", "RBR", "RBS"} and _next_tag(tokens, place) in {"JJ", "JJR", "VBN"}
        comma = tag == "," and noun is None and place > first and _next_tag(tokens, place) == "JJ"
        hyphen = tokens[place].text == "-" and place > first
        if tag in _NOUNS:
            noun = place
        elif tag == "CD" and noun is not None and tokens[noun].lower in TIME_NOUNS:
            place += 1
            continue
        elif not (tag in _BEFORE or ((adverb or comma or hyphen) and place > first)):
            break
        place += 1
    if noun is None:
        return first + 1 if token.lower in _ALONE and token.tag == "DT" else None
    # A gerund that opens a phrase without an article is a verb: "taking photos".
    if token.tag in {"VBG", "VBN", "POS"}:
        return None
    return noun + 1


def _is_span(tokens: Sequence[TaggedWord], place: int) -> bool:
    """Return whether a span of time begins: "a conference two days ago"."""
    behind = tokens[place + 1].lower if place + 1 < len(tokens) else ""
    return tokens[place].tag == "CD" and behind.removesuffix("s") in TIME_NOUNS


def _next_tag(tokens: Sequence[TaggedWord], place: int) -> str:
    return tokens[place + 1].tag if place + 1 < len(tokens) else ""


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
    if encoded is not None and encoded.pieces.shape[1] != STATE_DIMENSION:
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
            states = word_states(spans, encoded.pieces[rows], encoded.spans[rows])
    tags, names = tag(words, states)
    tokens = [
        TaggedWord(word, start, end, tag, name)
        for word, (start, end), tag, name in zip(words, spans, tags, names, strict=True)
    ]
    phrases = noun_phrases_of(tokens)
    sentence = text[span[0] : span[1]]
    return Sentence(*span, sentence, tokens, phrases)


def _within(piece: Span, span: Span) -> bool:
    return span[0] <= piece[0] < piece[1] <= span[1]
