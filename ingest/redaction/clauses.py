"""Secrets in the same clause as a word for one: `log in as bob, pw …`, `is … still the password?`.

The words around the name are judged by their build alone: whatever was chosen, or drawn, to be
hard to guess. Where the name stands and how it is joined to its value is no matter; `assignments`
and `contexts` find what is a secret only because it is joined to a name.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from .rules import SecretSpan, Spans, pattern, read_rules
from .secret_values import is_built, is_chosen, is_key, is_numbered_word, is_reference

#: So far from its name a secret may stand, and so far back one looks for what it belongs to.
_REACH_CHARS, _BEFORE_CHARS = 120, 24
#: A random word beside a name for a key has so many characters.
_KEY_CHARS_MIN = 24


def find_in_clauses(text: str, lowered: str) -> Spans:
    """Yield the words beside a name of a secret that are built as one; `lowered` is small."""
    rules = read_rules("clauses", "names")
    names = sorted(
        SecretSpan(*match.span(), rule.kind) for rule in rules for match in rule.matches(lowered)
    )
    ends = [name.end for name in names]
    for begin, stop, kinds in _clauses(text, names):
        for word in pattern("clauses", "word").finditer(text, begin, stop):
            start, end = word.span(1)
            place = bisect_right(ends, start)
            inside = place < len(names) and names[place].start < end
            if inside or is_reference(word[1]):
                continue
            joined = place > 0 and _is_joined(lowered, names[place - 1], start)
            tied = joined or _ends_before("tied", text, start)
            kind = _kind(word[1], kinds, tied=tied, joined=joined)
            if kind is None and is_chosen(word[1]) and _ends_before("sign", text, start):
                kind = "secret"
            if kind and (joined or not _is_thing(text, word, tied=tied)):
                yield SecretSpan(start, end, kind)


def _is_joined(lowered: str, name: SecretSpan, start: int) -> bool:
    joint = pattern("clauses", "joint").fullmatch(lowered, name.end, start)
    return joint is not None and name.kind != "login"


def _is_thing(text: str, word: re.Match[str], *, tied: bool) -> bool:
    """Return whether what stands around a word makes it a place, a thing or a person."""
    start, end = word.span(1)
    if _ends_before("of_thing", text, start):
        return True
    is_name = is_numbered_word(word[1]) and word[1][-1].isdecimal()
    behind = pattern("clauses", "of_password").match(text, end)
    return is_name and behind is None and not tied


def _clauses(text: str, names: Sequence[SecretSpan]) -> Iterator[tuple[int, int, set[str]]]:
    """Yield the parts of lines that names belong to, and the kinds of these."""
    begin, stop, kinds = 0, 0, set[str]()
    for name in names:
        least, most = name.start - _REACH_CHARS, name.end + _REACH_CHARS
        first = max(text.rfind("\n", max(least, 0), name.start) + 1, least, 0)
        last = _end_of_clause(text, name.end, most)
        if first >= stop:
            if kinds:
                yield begin, stop, kinds
            begin, kinds = first, set()
        stop = max(stop, last)
        kinds.add(name.kind)
    if kinds:
        yield begin, stop, kinds


def _end_of_clause(text: str, start: int, most: int) -> int:
    """Return where a clause ends: with its line, or with the answer behind it."""
    end = text.find("\n", start, most)
    while end > 0 and (text[end - 1] in "?:`" or pattern("clauses", "answer").match(text, end)):
        end = text.find("\n", end + 1, most)
    return min(most, len(text)) if end < 0 else end


def _kind(word: str, kinds: set[str], *, tied: bool, joined: bool) -> str | None:
    if not kinds.isdisjoint({"password", "login"}):
        phrase = tied and pattern("clauses", "phrase").fullmatch(word)
        if phrase or is_chosen(word) or (joined and is_built(word)):
            return "password"
    is_long_key = "secret_key" in kinds and len(word) >= _KEY_CHARS_MIN and is_key(word)
    return "secret_key" if is_long_key else None


def _ends_before(name: str, text: str, start: int) -> bool:
    """Return whether a pattern fits what stands right before a word."""
    before = max(0, start - _BEFORE_CHARS)
    return pattern("clauses", name).search(text, before, start) is not None
