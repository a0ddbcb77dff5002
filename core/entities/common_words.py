"""English words that are no names, or not only: function words, days, months, "Grace", "will".

The directory of people and the gazetteer of entities look names up by them; all other words stand
in `language`. A word that is a name too ("What will Will do in May?") is a name with a capital in a
name's place, or where only a name can stand ("did may say", "will's drums").
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..ids import fold

#: The lists of words, each a text in a file that says what it is.
_LISTS = {
    name: frozenset(words.split())
    for name, words in tomllib.loads(
        (Path(__file__).parent / "data" / "common_words.toml").read_text("utf-8")
    ).items()
}
FUNCTION_WORDS, CALENDAR = _LISTS["function_words"], _LISTS["calendar"]
DETERMINERS, PRONOUNS = _LISTS["determiners"], _LISTS["pronouns"]
FORMS_OF_ADDRESS, ROLES = _LISTS["forms_of_address"], _LISTS["roles"]
NAME_PARTICLES, LEGAL_FORMS = _LISTS["name_particles"], _LISTS["legal_forms"]
PLACEHOLDER_NAMES = _LISTS["placeholder_names"]
#: Behind the first word of a sentence they show that it is a verb.
_BEHIND_VERB = DETERMINERS | PRONOUNS | _LISTS["behind_verb"]


def is_common_word(word: str) -> bool:
    """Say whether a folded word is a function word, a day or a month: alone it names nothing."""
    return word in FUNCTION_WORDS or word in CALENDAR


def is_common_word_name(name: str) -> bool:
    """Say whether a folded name of one word, such as "grace" or "will", is a word too."""
    return name in _LISTS["common_word_names"] or is_common_word(name)


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
    if possessive or (
        is_function_word and before is not None and fold(before.text) in _LISTS["auxiliaries"]
    ):
        return True
    if not word.text[0].isupper() or _is_title(words):
        return False
    is_verb = after is not None and (after.folded in _BEHIND_VERB or after.text[0].isupper())
    return before is not None or not is_verb


def _is_date(before: TextWord | None, after: TextWord | None) -> bool:
    numbers = [other for other in (before, after) if other and other.text[0].isdigit()]
    return bool(numbers) or (before is not None and before.folded in _LISTS["before_date"])


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
