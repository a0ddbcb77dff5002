"""Times as other languages name them, said in English for `periods` to read.

The words of each language stand in `language/data/time_words.toml`, as rules: "vor {n} {unit}" is
"{n} {unit} ago". One grammar reads them all, so a language has whatever English has.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from ...core.time import MONTHS, WEEKDAYS
from ..analyser import possible_languages

_RULES = Path(__file__).parents[1] / "data" / "time_words.toml"
_SLOT = re.compile(r"\{(\w+)\}")
_BLANK = re.compile(r" (?![?*])")
#: The English words of the lists, in their order.
_ENGLISH = {
    "unit": "day week month year weekend".split(),
    "weekday": WEEKDAYS,
    "month": MONTHS,
    "season": "spring summer autumn winter".split(),
    "n": [str(number) for number in range(1, 13)],
}
_LISTS = {"unit": "units", "weekday": "weekdays", "month": "months", "season": "seasons"}
_DIGITS = {"n": r"\d{1,3}", "d": r"3[01]|[12]?\d", "y": r"(?:1[89]|20)\d\d"}
#: Scripts of one language, and letters that only one language of their script has.
_SCRIPTS = (
    ("japanese", "[\u3040-\u30ff]"),
    ("korean", "[\uac00-\ud7a3]"),
    ("chinese", "[\u4e00-\u9fff]"),
    ("thai", "[\u0e00-\u0e7f]"),
    ("hindi", "[\u0900-\u097f]"),
    ("arabic", "[\u0600-\u06ff]"),
    ("russian ukrainian", "[\u0400-\u04ff]"),
    ("vietnamese", "[đơưăĐƠƯĂ\u1ea0-\u1ef9]"),
)


#: (Place in a translated text, place in the original), ascending, from (0, 0) on. Between two of
#: them both go on alike, or what is there stands for what is in the original.
Cuts = Sequence[tuple[int, int]]


def original_place(cuts: Cuts, start: int, end: int) -> tuple[int, int]:
    """Return what of the original a stretch of a translated text stands for."""
    return _place(cuts, start, from_end=False), _place(cuts, end, from_end=True)


def _place(cuts: Cuts, place: int, *, from_end: bool) -> int:
    for (new, old), (next_new, next_old) in pairwise(cuts):
        if place < next_new or (from_end and place == next_new):
            if next_new - new == next_old - old:
                return old + place - new
            return next_old if from_end and place > new else old
    return cuts[-1][1] + place - cuts[-1][0]


@dataclass(frozen=True, slots=True)
class _Language:
    """The rules of a language as one pattern, with what each says in English."""

    pattern: re.Pattern[str]
    english: Sequence[str]
    #: By the name of a list, a pattern of each of its places.
    words: Mapping[str, Sequence[re.Pattern[str]]]
    happening: re.Pattern[str]

    def say(self, match: re.Match[str]) -> str:
        """Return a time that was found in English."""
        rule = int((match.lastgroup or "r0")[1:])
        found: dict[str, str] = {}
        for name, value in match.groupdict().items():
            slot, _, number = name.partition("_")
            if value is not None and number == str(rule):
                found |= self._english(slot, value)
        said = _SLOT.sub(lambda slot: found.get(slot[1], ""), self.english[rule])
        return " ".join(said.split())

    def _english(self, slot: str, written: str) -> dict[str, str]:
        if slot in {"d", "y"} or written.isdecimal():
            return {slot: str(int(written))}
        kinds = _LISTS if slot == "which" else (slot,)
        for kind in kinds:
            for place, pattern in enumerate(self.words[kind]):
                if pattern.fullmatch(written):
                    return {slot: _ENGLISH[kind][place]}
        return {}


def in_english(text: str) -> tuple[str, Cuts]:
    """Return a text with the times of its language in English, and its cuts.

    It is returned as it is where it names none.
    """
    written = text.replace("’", "'")
    for language in _languages_of(text):
        if language.pattern.search(written):
            return _translated(text, written, language)
    return text, [(0, 0)]


def without_happening(text: str, of: str) -> str:
    """Return a text without what the language of a text with a time asks "what happened" with."""
    for language in _languages_of(of, cued=False):
        text = language.happening.sub(" ", text)
    return text


def _translated(text: str, written: str, language: _Language) -> tuple[str, Cuts]:
    pieces, cuts, done, length = [], [(0, 0)], 0, 0
    for match in language.pattern.finditer(written):
        before = text[done : match.start()]
        # What is joined in the original are words of their own in English.
        gap = " " if before and not before[-1].isspace() else ""
        behind = " " if text[match.end() : match.end() + 1].isalnum() else ""
        said = f"{gap}{language.say(match)}{behind}"
        pieces += [before, said]
        length += len(before)
        cuts.append((length, match.start()))
        length += len(said)
        cuts.append((length, match.end()))
        done = match.end()
    return "".join([*pieces, text[done:]]), cuts


@lru_cache(maxsize=256)
def _languages_of(text: str, *, cued: bool = True) -> Sequence[_Language]:
    """Return the languages that a text may be in; none for English.

    Of those of the Latin script that name a time, if `cued`.
    """
    for names, letters in _SCRIPTS:
        if re.search(letters, text):
            return [_language(name) for name in names.split()]
    possible = [name for name in possible_languages(text) if name in _described()]
    return [_language(name) for name in possible if not cued or _cue(name).search(text)]


@cache
def _cue(name: str) -> re.Pattern[str]:
    """Return a pattern of what no time of a language is without: sooner made than all its rules."""
    described = _described()[name]
    words = [word for key in _LISTS.values() for word in described[key].split()]
    alone = [form for form, _ in _forms(described["rules"]) if not _SLOT.search(form)]
    return re.compile("|".join([*words, *alone, _DIGITS["y"]]), re.IGNORECASE)


def _forms(rules: str) -> list[tuple[str, str]]:
    """Return the patterns of rules, and what each is in English."""
    pairs = [line.partition(" > ") for line in rules.strip().splitlines()]
    return [(_BLANK.sub(r"\\s+", form).replace(" ?", r"\s*"), said) for form, _, said in pairs]


@cache
def _described() -> Mapping[str, Mapping[str, Any]]:
    return tomllib.loads(_RULES.read_text("utf-8"))


@cache
def _language(name: str) -> _Language:
    described = _described()[name]
    lists = {kind: described[key].split() for kind, key in _LISTS.items()}
    lists["n"] = described["numbers"].split()
    slots = {kind: "|".join(reversed(words)) for kind, words in lists.items()}
    slots["which"] = "|".join(slots[kind] for kind in ("weekday", "season", "month", "unit"))
    for slot, digits in _DIGITS.items():
        slots[slot] = f"{digits}|{slots[slot]}" if slot in slots else digits
    joined, ends = described.get("joined", False), described.get("ends", "")
    rules, english = [], []
    for place, (form, said) in enumerate(_forms(described["rules"])):

        def named(slot: re.Match[str], place: int = place) -> str:
            return f"(?P<{slot[1]}_{place}>{slots[slot[1]]})"

        rules.append(f"(?:{_SLOT.sub(named, form)})(?P<r{place}>)")
        english.append(said)
    begin, end = ("", "") if joined else (r"(?<!\w)", rf"(?:{ends})(?!\w)")
    pattern = re.compile(f"{begin}(?:{'|'.join(rules)}){end}", re.IGNORECASE)
    words = {kind: [re.compile(word, re.IGNORECASE) for word in of] for kind, of in lists.items()}
    happened = "|".join(sorted(described["happening"].split(), key=len, reverse=True))
    edge = "" if joined else r"\b"
    happening = re.compile(f"{edge}(?:{happened}){edge}", re.IGNORECASE)
    return _Language(pattern, english, words, happening)
