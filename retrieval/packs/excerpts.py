"""Gists: the telling part of a message in few characters, in its own words.

An excerpt, never a paraphrase: what is left out is marked. What tells is rare: a word is worth its
rarity among the memories looked at.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ...core.experience import TELLS_MIN, Utterance
from ...core.sentences import OWN_CHARS_MIN, split_sentences, without_opening
from .standing_alone import StandingAlone, agrees_on_time

#: What a question is worth beside a statement of the same words.
_ASKED = 0.3
#: What a sentence is worth that names nothing, and more for each thing that it names, up to 1.
_NAMED = 0.25
#: What a sentence is worth that tells of the listener: "I bet they liked your cake!".
_OF_LISTENER = 0.3
_YOU = re.compile(r"\b(?:you|your|yours|yourself|y['’]all)\b", re.IGNORECASE)
_I = re.compile(r"\b(?:i|we|me|us|my|our|mine|ours)\b", re.IGNORECASE)
_I_GUESS = re.compile(
    r"\b(?:i|we)(?:['’](?:m|re)| am| are)? (?:(?:just|really|so|very|pretty) )?"
    r"(?:bet|guess|think|hope|imagine|believe|know|sure|glad|happy|proud|certain)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"(?<=[,;:–—])\s+")
_CLAUSE_END = re.compile(
    r"[,;:]?\s(?:[-–—]\s|(?:and|but|so|because|since|which|who|when|where|while)\b)|[,;:]\s"
)


#: So many words are only thrown in, where one of them has content: "Not covered"; "I passed" tells.
_THROWN_IN = 2
_OWN = re.compile(r"\W*(?:i|we)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Excerpt:
    """An excerpt: its text, its terms, and what share of its sentence's worth it still has."""

    text: str
    terms: tuple[str, ...]
    weight: float


def rarity_of(documents: Sequence[Iterable[str]]) -> dict[str, float]:
    """Return how rare each term is among some documents: ln(1 + (n - df + .5) / (df + .5))."""
    often = Counter(term for document in documents for term in set(document))
    count = len(documents)
    return {term: math.log(1 + (count - n + 0.5) / (n + 0.5)) for term, n in often.items()}


def telling_excerpt(
    text: str, utterances: Sequence[Utterance], alone: StandingAlone, chars_max: int
) -> Excerpt | None:
    """Return the sentence of a message that tells most and can be understood; None for none.

    Its weight is how much it tells, 0 to 1, less where it names little. A sentence that leans on
    the one before it is told with that one, or not at all; one that is too long keeps its
    beginning, and one that is short is told together with the sentence behind it, where that tells
    something too.
    """
    best: Excerpt | None = None
    for place, utterance in enumerate(utterances):
        sentence = without_opening(utterance.sentence_of(text))
        if utterance.tells < TELLS_MIN or not _says_something(sentence, alone):
            continue
        worth = utterance.tells * min(1.0, _NAMED * (1 + len({*alone.content(sentence)})))
        worth *= _OF_LISTENER if _is_of_listener(sentence) else 1.0
        if best is not None and worth <= best.weight:
            continue
        room = chars_max
        if alone.leans(sentence):
            before = alone.sentence_before(text[: utterance.start])
            sentence, room = f"{before} {sentence}", chars_max * 3 // 2
            if not before or len(sentence) > room:
                continue
        behind = utterances[place + 1] if place + 1 < len(utterances) else None
        if behind is not None and behind.tells >= TELLS_MIN:
            longer = f"{sentence} {behind.sentence_of(text)}"
            sentence = longer if len(longer) <= chars_max else sentence
        piece = _cut_clause(sentence, room).rstrip(".;, ")
        best = Excerpt(piece, tuple(dict.fromkeys(alone.terms_of(piece))), worth)
    return best


def _says_something(sentence: str, alone: StandingAlone) -> bool:
    """Say whether a sentence tells more than a word thrown in: "Ouch", "Not covered"."""
    content = {*alone.content(sentence)}
    if not content or agrees_on_time(sentence):
        return False
    thrown_in = len(sentence.split()) <= _THROWN_IN and not _OWN.match(sentence)
    return len(content) > 1 or not thrown_in


def _is_of_listener(sentence: str) -> bool:
    """Say whether a sentence tells of the listener, and of its speaker no more than a guess."""
    return bool(_YOU.search(sentence)) and not _I.search(_I_GUESS.sub("", sentence))


def excerpt_of(
    text: str,
    terms_of: Callable[[str], Sequence[str]],
    rarity: Mapping[str, float],
    chars_max: int,
) -> Excerpt:
    """Return the most telling piece of a text in at most `chars_max` characters."""
    best = Excerpt(_cut(" ".join(text.split()), chars_max), (), 0.0)
    worth_most = 0.0
    for sentence in split_sentences(text):
        line = without_opening(sentence)
        if line.isascii() and len(line) < OWN_CHARS_MIN:
            continue
        piece = _window(line, terms_of, rarity, chars_max)
        terms = tuple(dict.fromkeys(terms_of(piece)))
        weight = _ASKED if line.endswith(("?", "？")) else 1.0
        worth = weight * sum(rarity.get(term, 0.0) for term in terms)
        if worth > worth_most:
            worth_most, best = worth, Excerpt(piece, terms, weight)
    return best


def _window(
    line: str,
    terms_of: Callable[[str], Sequence[str]],
    rarity: Mapping[str, float],
    chars_max: int,
) -> str:
    """Return the run of clauses that fits and is worth most; what is cut away leaves a mark."""
    if len(line) <= chars_max:
        return line.rstrip(".;, ") if not line.endswith("…") else line
    clauses = _CLAUSE.split(line)
    best, worth_most = "", -1.0
    for first in range(len(clauses)):
        piece = ""
        for last in range(first, len(clauses)):
            longer = " ".join(clauses[first : last + 1])
            if piece and len(longer) > chars_max - 1:
                break
            piece = longer
        piece = _cut(piece.rstrip(",;:–—. "), chars_max - 1)
        worth = sum(rarity.get(term, 0.0) for term in set(terms_of(piece)))
        if worth > worth_most:
            best, worth_most = ("…" if first else "") + piece, worth
    return best


def _cut_clause(line: str, chars_max: int) -> str:
    """Cut behind the last clause that fits, where one ends in the second half; else at a space."""
    if len(line) <= chars_max:
        return line
    ends = [match.start() for match in _CLAUSE_END.finditer(line, chars_max // 2, chars_max)]
    return f"{line[: ends[-1]]}…" if ends else _cut(line, chars_max)


def _cut(line: str, chars_max: int) -> str:
    """Cut at a space where one is near the end, and say so."""
    if len(line) <= chars_max:
        return line
    head = line[: chars_max - 1]
    space = head.rfind(" ", chars_max // 2)
    return (head[:space] if space > 0 else head).rstrip(",;:–—. ") + "…"
