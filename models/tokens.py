"""The protocols of sentence encoders, the parts of long texts that they read, and token vectors.

A token vector is a small vector for each content word of a text, in its context: the encoder's last
layer, one unit vector a word piece, projected to 128 dimensions and stored in bytes. No storage
here, and no model is run.

Products of matrices use one processor. NumPy's BLAS wakes a thread for every core at the smallest
product, and those threads then spin for tens of milliseconds: the encoder, which runs just before
or after, finds its cores taken and needs twice as long.
"""

from __future__ import annotations

import copy
import json
import re
import sys
import threading
import unicodedata
from bisect import bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar, runtime_checkable

from ..core.lazy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from threadpoolctl import ThreadpoolController


class Embedder(Protocol):
    """Turns texts into unit vectors. `model` names the weights by name, dimension and hash."""

    model: str
    dimension: int

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit vector a text, shape (len(texts), dimension)."""
        ...


E = TypeVar("E", bound=Embedder)


@runtime_checkable
class TokenEmbedder(Embedder, Protocol):
    """An embedder that also says what each word piece means where it stands.

    It is called from several threads at once. Of a text it encodes the first `pieces_max` pieces.
    """

    pieces_max: int

    def encode(self, text: str) -> Encoded:
        """Return a text's unit vector together with one for every word piece."""
        ...

    def encode_all(self, texts: Sequence[str]) -> list[Encoded]:
        """Return the same of several texts, which takes less time than one by one."""
        ...

    def piece_starts(self, text: str) -> Sequence[int]:
        """Return where each word piece of a whole text begins, in characters, ascending."""
        ...


def for_questions(embedder: E) -> E:
    """Return what encodes questions: an embedder may put another prefix before them."""
    asked: E = getattr(embedder, "for_questions", embedder)
    return asked


@runtime_checkable
class SelectiveEmbedder(Protocol):
    """An embedder that says which texts it can read; others are taken to read every text."""

    def competence(self, text: str, without: Collection[str] = ()) -> float:
        """Return how far it can read a text, 0 to 1; `without` are words that do not count."""
        ...


#: Multiplications in one part, 80,000 vectors of 384 dimensions, so that others come between; and
#: what its number of rows is a multiple of.
_BLOCK, _BLOCK_ROWS = 32_000_000, 1024
#: The limit belongs to the process. The thread that sets it must be the one that undoes it.
_LIMIT = threading.Lock()


def product(left: NDArray[Any], right: NDArray[Any]) -> NDArray[Any]:
    """Return `left @ right`; `right` is a vector or a matrix."""
    operations = left.size * (right.shape[1] if right.ndim > 1 else 1)
    if operations <= _BLOCK or left.ndim == 1:
        return _product(left, right)
    rows = max(1, _BLOCK * len(left) // operations // _BLOCK_ROWS) * _BLOCK_ROWS
    parts = range(0, len(left), rows)
    return np.concatenate([_product(left[start : start + rows], right) for start in parts])


def _product(left: NDArray[Any], right: NDArray[Any]) -> NDArray[Any]:
    with _LIMIT, _blas().limit(limits=1):
        return np.asarray(left @ right)


@cache
def _blas() -> ThreadpoolController:
    from threadpoolctl import ThreadpoolController  # noqa: PLC0415 - not before the first product

    return ThreadpoolController().select(user_api="blas")


#: Principal directions of content words' vectors, (384, 128) half floats: bench/fit_tokens.py.
_PROJECTION = Path(__file__).parent / "data" / "minilm-tokens.npy"
DIMENSION = 128
_SCALE = 127

Matrix: TypeAlias = "NDArray[np.float32]"
Small: TypeAlias = "NDArray[np.int8]"


@dataclass(frozen=True, slots=True)
class Encoded:
    """A text as the encoder sees it: its unit vector, and one a word piece with its place.

    `vector` has shape (d,), `pieces` (n, d); `spans` are (start, end) in characters of the text.
    """

    vector: Matrix
    pieces: Matrix
    spans: Sequence[tuple[int, int]]


def compress(rows: Matrix) -> Small:
    """Project unit vectors (n, 384) to 128 dimensions, as unit vectors in steps of 1/127."""
    projected = product(rows, _projection())
    length = np.linalg.norm(projected, axis=1, keepdims=True)
    small: Small = np.rint(projected / np.maximum(length, 1e-9) * _SCALE).astype(np.int8)
    return small


def joined(passages: Sequence[Small]) -> Small:
    """Return the rows of a text's passages as one; of several, each stands behind a row of zeros.

    Such a row is near to nothing, so that who does not tell passages apart may read them as one.
    """
    if len(passages) == 1:
        return passages[0]
    mark: Small = np.zeros((1, DIMENSION), np.int8)
    return np.concatenate([each for rows in passages for each in (mark, rows)])


def expand(small: Small) -> Matrix:
    """Return what `compress` kept as float32, of length one but for rounding."""
    vectors: Matrix = small.astype(np.float32)
    vectors /= np.float32(_SCALE)
    return vectors


@cache
def _projection() -> Matrix:
    vectors: Matrix = np.load(_PROJECTION).astype(np.float32)
    return vectors


#: Parts of a long text share this share of their words with the next one.
_OVERLAP = 0.2
#: So do parts that are short of words because their words have many pieces, as code has.
_OVERLAP_DENSE = 0.05
#: A word, or as much of a longer run as is about one.
_WORD = re.compile(r"\S{1,24}")
#: A text has at most this many parts, some 150,000 characters; beyond, every n-th is kept, so that
#: its end counts too.
_CHUNKS_MAX = 256
#: The encoder's marks before and after a text.
_MARKS = 2


def split_chunks(text: str, chunk_words: int, encoder: Embedder | None = None) -> list[str]:
    """Split a text into overlapping parts of at most `chunk_words` words; a short one is whole."""
    return [text[start:end] for start, end in chunk_spans(text, chunk_words, encoder)]


def chunk_spans(
    text: str, chunk_words: int, encoder: Embedder | None = None
) -> list[tuple[int, int]]:
    """Return where each part of a text begins and ends, in characters.

    With an encoder that has word pieces, no part has more of them than it encodes. What is written
    without spaces counts as a word every few characters.
    """
    words = [match.span() for match in _WORD.finditer(text)]
    pieces_max, pieces = len(text) + 1, np.zeros(len(words) + 1, np.int64)
    if isinstance(encoder, TokenEmbedder) and len(text) > encoder.pieces_max - _MARKS:
        pieces_max = encoder.pieces_max - _MARKS
        ends = [end for _, end in words]
        pieces[1:] = np.searchsorted(np.array(encoder.piece_starts(text), np.int64), ends)
    if len(words) <= chunk_words and pieces[-1] <= pieces_max:
        return [(0, len(text))]
    parts, start, end = [], 0, 0
    while end < len(words):
        fitting = int(np.searchsorted(pieces, pieces[start] + pieces_max, side="right")) - 1
        end = min(start + chunk_words, max(fitting, start + 1), len(words))
        parts.append((words[start][0], words[end - 1][1]))
        overlap = _OVERLAP if end - start == chunk_words else _OVERLAP_DENSE
        start += max(1, round((end - start) * (1 - overlap)))
    if len(parts) > _CHUNKS_MAX:
        picked = np.linspace(0, len(parts) - 1, _CHUNKS_MAX).round().astype(int)
        parts = [parts[place] for place in picked]
    return parts


def embed(texts: Sequence[str], embedder: Embedder, chunk_words: int) -> list[NDArray[np.float32]]:
    """Return for each text the unit vectors of its parts, shape (parts, dimension)."""
    if not texts:
        return []
    chunks = [split_chunks(text, chunk_words, embedder) for text in texts]
    vectors = embedder.embed([chunk for text_chunks in chunks for chunk in text_chunks])
    ends = np.cumsum([len(text_chunks) for text_chunks in chunks])[:-1]
    return np.split(vectors, ends)


# The WordPiece tokenizer of BERT, uncased: a text as ids of a vocabulary, with their spans.
#
# Its results are those of Hugging Face's `BertWordPieceTokenizer`; a test compares them. Which
# characters are removed, and which are words by themselves, is data as of Unicode 8, which that
# tokenizer uses: Python's own tables grow with its versions, and a text's vector would change.

#: The vocabulary of the bundled encoder: 30,000 pieces, most of them English words.
VOCABULARY = Path(__file__).parent / "data" / "minilm-vocab.txt"
_CLASSES = Path(__file__).parent / "data" / "wordpiece-characters.json"
#: The special tokens of BERT; they are recognised in a text, too.
_SPECIAL = re.compile(r"(\[(?:PAD|UNK|CLS|SEP|MASK)\])")
_PIECE_WORD = re.compile(r"[^ ]+")
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
        for word in _PIECE_WORD.finditer("".join(chars)):
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
