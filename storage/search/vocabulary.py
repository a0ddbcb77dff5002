"""The words of a space, by how they begin and end: what a word that nobody used may be a form of.

Held in memory alone, made of a space's full text.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left, insort
from collections.abc import Iterator
from itertools import islice

#: Words of so many letters may be put together of others, whose beginnings are looked up too.
_COMPOUND_MIN, _INNER_MIN = 9, 4
_LAST = "\U0010ffff"
#: What is new is put in its place one by one where it is so many times less than what is there.
_FEW = 200


def letters_of(word: str) -> str:
    """Return a word with every sign by itself: ü is u and ¨, a Korean syllable is its letters."""
    return word if word.isascii() else unicodedata.normalize("NFD", word)


class Vocabulary:
    """The words of a space; `source` is where they come from, which only grows."""

    def __init__(self, source: dict[str, int]) -> None:
        self.source = source
        self.words: set[str] = set()
        self._starts: list[tuple[str, str]] = []
        self._ends: list[tuple[str, str]] = []
        self._inner: list[tuple[str, str]] = []

    def catch_up(self) -> None:
        """Take in what its source has now."""
        if len(self.words) == len(self.source):
            return
        fresh = list(islice(self.source, len(self.words), None))
        self.words.update(fresh)
        spelled = [(letters_of(word), word) for word in fresh]
        for ordered, added in (
            (self._starts, spelled),
            (self._ends, [(letters[::-1], word) for letters, word in spelled]),
            (self._inner, [inner for letters, word in spelled for inner in _parts(letters, word)]),
        ):
            if len(added) * _FEW < len(ordered):
                for each in added:
                    insort(ordered, each)
            else:
                ordered.extend(added)
                ordered.sort()  # what is sorted already is merged in one pass

    def beginning(self, letters: str) -> Iterator[str]:
        """Yield the words that begin so."""
        return _between(self._starts, letters)

    def ending(self, letters: str) -> Iterator[str]:
        """Yield the words that end so."""
        return _between(self._ends, letters[::-1])

    def around(self, letters: str) -> Iterator[str]:
        """Yield the long words that have this inside of them."""
        return _between(self._inner, letters)


def _parts(letters: str, word: str) -> Iterator[tuple[str, str]]:
    if len(letters) >= _COMPOUND_MIN and not any(letter.isdigit() for letter in letters):
        for start in range(1, len(letters) - _INNER_MIN):
            yield letters[start:], word


def _between(ordered: list[tuple[str, str]], start: str) -> Iterator[str]:
    for place in range(
        bisect_left(ordered, (start, "")), bisect_left(ordered, (start + _LAST, ""))
    ):
        yield ordered[place][1]
