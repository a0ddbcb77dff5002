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

from ...core.sentences import split_sentences

#: What a question is worth beside a statement of the same words.
_ASKED = 0.3
_CLAUSE = re.compile(r"(?<=[,;:–—])\s+")
#: English small talk before the first comma or stop; in other languages nothing is taken away.
_OPENING = re.compile(
    r"^(?:(?:hey|hi|hello|wow|yeah|yes|yep|yup|oh|ah|aw|aww|well|so|ok|okay|sure|cool|great|nice"
    r"|awesome|amazing|thanks|thank you|thx|haha|lol|congrats|absolutely|definitely|totally"
    r"|perfect|morning|good morning|btw|by the way|actually|anyway)"
    r"(?:[\s,]+\w+)?\s*[,.!:–—-]+\s*)+",
    re.IGNORECASE,
)
#: What is shorter in ASCII is small talk, and no opening is taken away to leave less, characters.
_CHARS_MIN = 12


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
        bare = _OPENING.sub("", sentence)
        line = bare if len(bare) >= _CHARS_MIN else sentence
        if line.isascii() and len(line) < _CHARS_MIN:
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


def _cut(line: str, chars_max: int) -> str:
    """Cut at a space where one is near the end, and say so."""
    if len(line) <= chars_max:
        return line
    head = line[: chars_max - 1]
    space = head.rfind(" ", chars_max // 2)
    return (head[:space] if space > 0 else head).rstrip(",;:–—. ") + "…"
