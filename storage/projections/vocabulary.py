"""The words of a space, by how they begin and end: what a word that nobody used may be a form of.

Held in memory, made of the full text when it is first asked for, and extended by what is new.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator

from ...core.codec import stored_event
from ...core.events import texts_of
from ...core.types import Space
from ..forgetting.completion import newest_forgetting
from ..full_text_index import FullText, terms_of
from ..held.space_caches import SpaceCache
from ..space_scope import SpaceScope
from ..store import Store

#: Words of so many letters may be put together of others, whose beginnings are looked up too.
_COMPOUND_MIN, _INNER_MIN = 9, 4
#: So many memories later, the full text is read again as a whole.
_NEW_MAX = 2000
#: What a word takes here, bytes: an estimate.
_WORD_BYTES = 400
_LAST = "\U0010ffff"


def letters_of(word: str) -> str:
    """Return a word with every sign by itself: ü is u and ¨, a Korean syllable is its letters."""
    return word if word.isascii() else unicodedata.normalize("NFD", word)


class Vocabulary:
    """The words of one space. `until` and `forgotten` say which journal they were read from."""

    def __init__(self, words: Iterable[str], until: int, forgotten: int) -> None:
        self.until, self.forgotten = until, forgotten
        self.words = set(words)
        spelled = [(letters_of(word), word) for word in self.words]
        self._starts = sorted(spelled)
        self._ends = sorted((letters[::-1], word) for letters, word in spelled)
        self._inner = sorted(inner for letters, word in spelled for inner in _parts(letters, word))

    def add(self, words: Iterable[str]) -> None:
        """Take in further words."""
        for word in set(words) - self.words:
            self.words.add(word)
            letters = letters_of(word)
            insort(self._starts, (letters, word))
            insort(self._ends, (letters[::-1], word))
            for inner in _parts(letters, word):
                insort(self._inner, inner)

    def beginning(self, letters: str) -> Iterator[str]:
        """Yield the words that begin so."""
        return _between(self._starts, letters)

    def ending(self, letters: str) -> Iterator[str]:
        """Yield the words that end so."""
        return _between(self._ends, letters[::-1])

    def around(self, letters: str) -> Iterator[str]:
        """Yield the long words that have this inside of them."""
        return _between(self._inner, letters)


class Vocabularies:
    """The vocabulary of each space, held while there is room for it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._held: SpaceCache[Vocabulary] = SpaceCache(
            store.caches, lambda held: _WORD_BYTES * len(held.words)
        )

    def of(self, space: Space) -> Vocabulary:
        """Return the words of everything that full text has of a space."""
        scope = self._store.space(space).space_scope
        full_text = FullText(scope)
        with self._held.lock(space):
            held, until = self._held.get(space), full_text.until()
            forgotten = newest_forgetting(self._store, space)
            if held is not None and (held.until, held.forgotten) == (until, forgotten):
                return held
            new = None
            if held is not None and held.forgotten == forgotten and held.until < until:
                new = self._new_words(scope, held.until)
            if held is None or new is None:
                held = Vocabulary((row[0] for row in full_text.vocabulary()), until, forgotten)
            else:
                held.add(new)
                held.until = until
            self._held.put(space, held)
            return held

    def _new_words(self, scope: SpaceScope, after: int) -> set[str] | None:
        """Return the words of what came after a sequence; None where that is much."""
        rows = scope.rows("search/missing", (scope.number, after, _NEW_MAX))
        if len(rows) == _NEW_MAX:
            return None
        texts = [texts_of(stored_event(body)) for _, _, body in rows if body is not None]
        return {term for text in texts for term in terms_of(text, self._store.analyser)}


def _parts(letters: str, word: str) -> Iterator[tuple[str, str]]:
    if len(letters) >= _COMPOUND_MIN and not any(letter.isdigit() for letter in letters):
        for start in range(1, len(letters) - _INNER_MIN):
            yield letters[start:], word


def _between(ordered: list[tuple[str, str]], start: str) -> Iterator[str]:
    for place in range(
        bisect_left(ordered, (start, "")), bisect_left(ordered, (start + _LAST, ""))
    ):
        yield ordered[place][1]
