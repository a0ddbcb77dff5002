"""Whether a word that is also a name stands where a name stands: "What will Will do in May?".

For names that are words or months a capital is needed, and a name's place; where only a name can
stand ("did may say", "will's drums") the place is enough. English, by the neighbouring words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..ids import fold
from .common_words import (
    AUXILIARIES,
    BEFORE_DATE,
    BEHIND_VERB,
    CALENDAR,
    DETERMINERS,
    FUNCTION_WORDS,
    is_common_word_name,
)

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
#: What separates a word from its neighbours.
_BREAK = re.compile(r"[.!?:;\n…]")
#: A text with so many words, nearly all with capitals, is a title: they say nothing.
_TITLE_WORDS_MIN, _TITLE_SHARE = 4, 0.8


@dataclass(frozen=True, slots=True)
class TextWord:
    """A word of a text: where it stands, and folded, without a possessive."""

    start: int
    end: int
    text: str
    folded: str


def words_in(text: str) -> list[TextWord]:
    """Return the words of a text, in order."""
    return [
        TextWord(*match.span(), match.group(), fold(match.group()).removesuffix("'s"))
        for match in _WORD.finditer(text)
    ]


def is_name_at(words: Sequence[TextWord], place: int, text: str) -> bool:
    """Say whether a word of a text that somebody is called by stands there for them."""
    word = words[place]
    if not is_common_word_name(word.folded):
        return True
    before = _neighbour(words, place, -1, text)
    after = _neighbour(words, place, 1, text)
    possessive = fold(word.text).endswith("'s")
    is_date = word.folded in CALENDAR and not possessive and _is_date(before, after)
    if is_date or (before is not None and before.folded in DETERMINERS):
        return False
    is_function_word = word.folded in FUNCTION_WORDS or word.folded == "may"
    if possessive or (is_function_word and before is not None and fold(before.text) in AUXILIARIES):
        return True
    if not word.text[0].isupper() or _is_title(words):
        return False
    is_verb = after is not None and (after.folded in BEHIND_VERB or after.text[0].isupper())
    return before is not None or not is_verb


def _is_date(before: TextWord | None, after: TextWord | None) -> bool:
    numbers = [other for other in (before, after) if other and other.text[0].isdigit()]
    return bool(numbers) or (before is not None and before.folded in BEFORE_DATE)


def _neighbour(words: Sequence[TextWord], place: int, step: int, text: str) -> TextWord | None:
    """Return the word before or behind another in its sentence."""
    other = place + step
    if not 0 <= other < len(words):
        return None
    first, second = sorted((words[place], words[other]), key=lambda word: word.start)
    return None if _BREAK.search(text[first.end : second.start]) else words[other]


def _is_title(words: Sequence[TextWord]) -> bool:
    capitals = sum(word.text[0].isupper() for word in words)
    return len(words) >= _TITLE_WORDS_MIN and capitals >= _TITLE_SHARE * len(words)
