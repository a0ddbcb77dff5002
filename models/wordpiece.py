"""The WordPiece tokenizer of BERT, uncased: a text as ids of a vocabulary, with their spans.

Its results are those of Hugging Face's `BertWordPieceTokenizer`; a test compares them. Which
characters are removed, and which are words by themselves, is data as of Unicode 8, which that
tokenizer uses: Python's own tables grow with its versions, and a text's vector would change.
"""

from __future__ import annotations

import copy
import json
import re
import sys
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

#: The vocabulary of the bundled encoder: 30,000 pieces, most of them English words.
VOCABULARY = Path(__file__).parent / "data" / "minilm-vocab.txt"
_CLASSES = Path(__file__).parent / "data" / "wordpiece-characters.json"
#: The special tokens of BERT; they are recognised in a text, too.
_SPECIAL = re.compile(r"(\[(?:PAD|UNK|CLS|SEP|MASK)\])")
_WORD = re.compile(r"[^ ]+")
#: A longer word becomes one [UNK].
_WORD_CHARS_MAX = 100
_CACHED_WORDS_MAX = 16_384


@dataclass(frozen=True, slots=True)
class Pieces:
    """The word pieces of a text: their ids, and where each starts and ends, in characters.

    The first is [CLS] and the last is [SEP], both with the span (0, 0).
    """

    ids: list[int]
    spans: list[tuple[int, int]]


class WordPiece:
    """Encodes texts with a BERT vocabulary: a file with one piece a line, the id is the line.

    A text is truncated to `pieces_max` pieces, [CLS] and [SEP] included.
    """

    def __init__(self, vocabulary: Path, pieces_max: int) -> None:
        lines = vocabulary.read_text("utf-8").rstrip("\n").split("\n")
        self._ids = {piece: id for id, piece in enumerate(lines)}
        self._piece_chars_max = max(map(len, lines))
        self._pieces_max = pieces_max
        self._normalised = _Normaliser()
        self._split = lru_cache(_CACHED_WORDS_MAX)(self._split_word)

    def __len__(self) -> int:
        return len(self._ids)

    def cutting(self, pieces_max: int) -> WordPiece:
        """Return the same tokenizer with another length; both share what they hold."""
        other = copy.copy(self)
        other._pieces_max = pieces_max  # noqa: SLF001 - of the same class
        return other

    def encode(self, text: str) -> Pieces:
        """Return the word pieces of a text."""
        ids, spans, start = [self._ids["[CLS]"]], [(0, 0)], 0
        for piece in _SPECIAL.split(text):
            end = start + len(piece)
            if _SPECIAL.fullmatch(piece):
                ids.append(self._ids[piece])
                spans.append((start, end))
            else:
                self._append(piece, start, ids, spans)
            start = end
        last = self._pieces_max - 1
        return Pieces([*ids[:last], self._ids["[SEP]"]], [*spans[:last], (0, 0)])

    def is_whole(self, word: str) -> bool:
        """Return whether a word is one piece that the vocabulary has."""
        ids = self.cutting(4).encode(word).ids[1:-1]
        return len(ids) == 1 and ids[0] != self._ids["[UNK]"]

    def _append(self, text: str, start: int, ids: list[int], spans: list[tuple[int, int]]) -> None:
        """Append the pieces of `text`, which begins at `start`, until there are `pieces_max`."""
        chars = list(map(self._normalised.__getitem__, map(ord, text)))
        origins = [origin for origin, char in enumerate(chars, start) for _ in char]
        for word in _WORD.finditer("".join(chars)):
            if len(ids) >= self._pieces_max:
                return
            first = word.start()
            for id, length in self._split(word.group()):
                ids.append(id)
                spans.append((origins[first], origins[first + length - 1] + 1))
                first += length

    def _split_word(self, word: str) -> list[tuple[int, int]]:
        """Return (id, length) of a word's pieces: each the longest that the vocabulary has."""
        unknown = [(self._ids["[UNK]"], len(word))]
        if len(word) > _WORD_CHARS_MAX:
            return unknown
        pieces: list[tuple[int, int]] = []
        start = 0
        while start < len(word):
            prefix = "##" if start else ""
            for end in range(min(len(word), start + self._piece_chars_max), start, -1):
                if (id := self._ids.get(prefix + word[start:end])) is not None:
                    break
            else:
                return unknown
            pieces.append((id, end - start))
            start = end
        return pieces


@cache
def bundled() -> WordPiece:
    """Return a tokenizer of the bundled vocabulary that cuts no text; it is read once a process."""
    return WordPiece(VOCABULARY, sys.maxsize)


def is_common(word: str) -> bool:
    """Return whether a word of two letters or more is one piece of the bundled vocabulary."""
    return len(word) > 1 and bundled().is_whole(word)


class _Normaliser(dict[int, str]):
    """What each code point becomes: lower case without accents, between spaces, or nothing."""

    def __init__(self) -> None:
        super().__init__()
        classes = json.loads(_CLASSES.read_text("utf-8"))
        self._removed, self._separate = classes["removed"], classes["separate"]

    def __missing__(self, code: int) -> str:
        self[code] = "".join(map(self._normalise, unicodedata.normalize("NFD", chr(code))))
        return self[code]

    def _normalise(self, char: str) -> str:
        if _within(ord(char), self._removed):
            return ""
        if char.isspace():
            return " "
        return f" {char} " if _within(ord(char), self._separate) else char.lower()


def _within(code: int, ranges: list[int]) -> bool:
    """Return whether a code point is in one of the ranges: first, end, first, end, ..."""
    return bisect_right(ranges, code) % 2 == 1
