"""The look of a value in one word: `digits4`, `uuid`, `path`, `lower`, `random`, `numbered`.

A head weighs it together with what stands around the value (`statements`); a shape alone decides
nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache, lru_cache

from .rules import kinds, pattern, rule_file, words
from .secret_values import is_measure, is_numbered_word, is_random, is_reference

_STRANGE = frozenset("!@#$%^&*~?+=|")
_LABEL_CHARS_MAX, _LABEL_WORDS_MAX = 60, 6
#: A stem of so many letters begins a word; a longer one may end it. Behind both stands an ending.
_SHORT_STEM, _ENDING_CHARS_MAX = 3, 4


@lru_cache(maxsize=8192)
def shape_of(value: str) -> str:
    """Return what a value looks like; "none" if it has no letter and no digit."""
    if not any(map(str.isalnum, value)):
        return "none"
    shape = _first("shapes", value)
    if shape:
        return f"digits{len(value)}" if shape == "digits" else shape
    for other, is_such in _OTHERS.items():
        if is_such(value):
            return other
    return _shape_of_letters(value) if value.isalpha() else _shape_of_signs(value)


def names_secrets(value: str) -> bool:
    """Return whether a value only names a secret, in whatever language: `Clave de API`."""
    parts = re.findall(r"[^\W\d_]+", value.lower())
    if not parts or len(value) > _LABEL_CHARS_MAX or any(map(str.isdecimal, value)):
        return False
    return len(parts) <= _LABEL_WORDS_MAX and any(map(stem_in, parts))


def stands_for_secret(value: str) -> bool:
    """Return whether a value is none, but says where one is, or how one is called on a screen."""
    return is_title(value) or is_reference(value) or shape_of(value) in {"placeholder", "address"}


def is_title(value: str) -> bool:
    """Return whether a value is what a form calls a secret; a small word may be a password."""
    in_words = value[:1].isupper() or " " in value or not value.isascii()
    return in_words and shape_of(value) == "label"


@lru_cache(maxsize=8192)
def stem_in(word: str) -> str | None:
    """Return the class of the stem of a secret's name that a word of small letters is built on.

    It begins with the stem, or ends with it, endings of a few letters aside.
    """
    for found in _stems().finditer(word):
        before, behind = found.start(), len(word) - found.end()
        built = (not before or len(found[0]) > _SHORT_STEM) and behind <= _ENDING_CHARS_MAX
        if (built or not word.isascii()) and word not in words("statements", "others"):
            return kinds("statements", "stems")[found[0]]
    return None


@cache
def _stems() -> re.Pattern[str]:
    longest = sorted(kinds("statements", "stems"), key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest)))


@cache
def stems_of_text(*, ascii_only: bool) -> tuple[str, ...]:
    """Return the stems that a text may have, without those that hold another."""
    stems = [stem for stem in kinds("statements", "stems") if stem.isascii() or not ascii_only]
    return tuple(s for s in stems if not any(t in s for t in stems if t != s))


@cache
def _table(name: str) -> list[tuple[str, re.Pattern[str]]]:
    return [(shape, re.compile(rule)) for shape, rule in rule_file("statements")[name].items()]


def _first(table: str, value: str) -> str | None:
    return next((shape for shape, rule in _table(table) if rule.fullmatch(value)), None)


def _is_placeholder(value: str) -> bool:
    found = " " not in value and pattern("statements", "placeholder").search(value)
    return bool(found) and not is_random(value)


def _shape_of_letters(value: str) -> str:
    if not value.isascii():
        return "letters"
    if is_random(value):
        return "random"
    if value.islower() or value.isupper() or value.istitle():
        return "lower" if value.islower() else "upper" if value.isupper() else "title"
    return "camel" if pattern("values", "camel_case").fullmatch(value) else "mixed_case"


def _shape_of_signs(value: str) -> str:
    shape = _first("shapes_of_signs", value)
    if shape != "file" and is_random(value):
        return "random"
    if shape:
        return shape + (_has(value, "digit") + _has(value, "upper") if shape == "dotted" else "")
    if is_numbered_word(value):
        return "numbered"
    signs = {sign for sign in value if not sign.isalnum() and sign != "_"}
    if not signs and _has(value, "digit") and value.upper() != value:
        wordy = pattern("values", "wordy").fullmatch(value)
        return f"mixed{_has(value, 'upper')}{'_words' if wordy else ''}"
    strange = "_strange" if signs & _STRANGE else "_signs" if signs else ""
    return f"built{_has(value, 'digit')}{_has(value, 'upper')}{_has(value, 'lower')}{strange}"


def _has(value: str, sort: str) -> str:
    there = {
        "digit": any(map(str.isdecimal, value)),
        "upper": value.lower() != value,
        "lower": value.upper() != value,
    }[sort]
    return f"_{sort}" if there else ""


#: Shapes that a function tells, after those of the data file.
_OTHERS: Mapping[str, Callable[[str], bool]] = {
    "reference": is_reference,
    "placeholder": _is_placeholder,
    "measure": is_measure,
    "label": names_secrets,
    "phrase": lambda value: " " in value,
}
