"""The terms of a space's memories as arrays: which memories have a term, how often, and where.

An index is immutable, and a newer one shares its arrays. New memories lie in a layer of their own,
which is merged into the large one when it has grown. A long text is judged by its best passage, so
that a paste is found by one place of it. The vocabulary finds words by their beginning and end.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import compress, islice, pairwise
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..mapped_arrays import SpaceArrays
from ..sorted_arrays import distinct, places

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
#: Terms of a passage, half of which the next one has too: some 150 words of prose.
LENGTH = 80
_STEP = LENGTH // 2


@dataclass(frozen=True, slots=True)
class Passages:
    """The passages of texts of some lengths, in terms, numbered through.

    Text r begins at term `first[r]` of all and has the passages `start[r]` up to `start[r + 1]`.
    """

    first: Ints
    start: Ints

    @property
    def nbytes(self) -> int:
        """How many bytes it takes."""
        return self.first.nbytes + self.start.nbytes

    def having(self, rows: Ints, positions: Ints) -> tuple[Ints, Ints]:
        """Return the passages with a term, ascending, and how often each has it.

        It stands at `positions`, ascending, which belong to the texts `rows`.
        """
        step = (positions - self.first[rows]) // _STEP
        last = self.start[rows + 1] - self.start[rows] - 1
        own = self.start[rows] + np.minimum(step, last)
        shared = (step > 0) & (step <= last)
        before = own[shared] - 1
        return np.unique(np.concatenate([own, before]), return_counts=True)

    def outside_best(self, scores: Floats, having: Ints) -> Ints:
        """Return the texts that have a term, but not in the passage with the largest score.

        `having` are the passages with the term, ascending; of equal scores the first counts.
        """
        rows = self.rows_of(having)
        several = self.start[rows + 1] - self.start[rows] > 1
        rows, having = distinct(rows[several]), having[several]
        best = [
            start + int(np.argmax(scores[start:end]))
            for start, end in zip(self.start[rows], self.start[rows + 1], strict=True)
        ]
        return rows[places(having, np.array(best, np.int64)) < 0]

    def rows_of(self, passages: Ints) -> Ints:
        """Return the text of each passage."""
        return np.searchsorted(self.start, passages, side="right") - 1


def split(lengths: Ints) -> Passages:
    """Return the passages of texts that have so many terms."""
    count = np.maximum(-(-lengths // _STEP) - 1, 1)
    start = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(count, out=start[1:])
    return Passages(np.cumsum(lengths) - lengths, start)


#: Words of so many letters may be put together of others, whose beginnings are looked up too.
_COMPOUND_MIN, _INNER_MIN = 9, 4
_LAST = "\U0010ffff"
#: What is new is put in its place one by one where it is so many times less than what is there.
_FEW = 200


def letters_of(word: str) -> str:
    """Return a word with every sign by itself: ü is u and ¨, a Korean syllable is its letters."""
    return word if word.isascii() else unicodedata.normalize("NFD", word)


def signs_of(letters: str) -> list[str]:
    """Return letters with the marks that belong to each."""
    starts = [n for n, letter in enumerate(letters) if not (n and unicodedata.combining(letter))]
    return [letters[start:end] for start, end in pairwise([*starts, len(letters)])]


class Vocabulary:
    """The words of a space; `source` is where they come from, which only grows."""

    def __init__(self, source: dict[str, int]) -> None:
        self.source = source
        self.words: set[str] = set()
        self._starts: list[tuple[str, str]] = []
        self._ends: list[tuple[str, str]] = []
        self._inner: list[tuple[str, str]] = []

    def catch_up(self) -> bool:
        """Take in what its source has now; return whether that was anything new."""
        if len(self.words) == len(self.source):
            return False
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
        return True

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


#: BM25 as FTS5 has it: k1 and b, and the least a term weighs.
_K1, _B, _RARITY_MIN = 1.2, 0.75, 1e-6
#: A layer of new memories larger than this share of the large one, and than the floor, is merged.
_SHARE, _FLOOR = 0.1, 20_000
#: What a term takes in the dictionary of a space, and in its vocabulary: estimates.
_TERM_BYTES, _WORD_BYTES = 120, 400
#: A sequence and the terms of its memory, in order and with blanks between.
Document = tuple[int, str]


@dataclass(frozen=True)
class _Layer:
    """Memories by row, `seqs` ascending, and their terms.

    Those of term t are at `positions[starts[t]:starts[t + 1]]`, ascending, of all terms one behind
    the other; `row_at` has the row of each position. What was taken out is not `here`.
    """

    seqs: Ints
    lengths: Ints
    here: NDArray[np.bool_]
    starts: Ints
    positions: NDArray[np.int32]
    row_at: NDArray[np.int32]
    passages: Passages

    @property
    def nbytes(self) -> int:
        """How many bytes it takes."""
        arrays = (self.seqs, self.lengths, self.here, self.starts, self.positions, self.row_at)
        return sum(int(array.nbytes) for array in arrays) + self.passages.nbytes

    @cached_property
    def counted(self) -> tuple[int, int]:
        """How many memories are here, and all their terms, or those of a passage of each."""
        return int(self.here.sum()), int(np.minimum(self.lengths, LENGTH)[self.here].sum())

    def positions_of(self, term: int) -> Ints:
        """Return where a term stands; a number of -1, or a newer one, stands nowhere."""
        if not 0 <= term < len(self.starts) - 1:
            return np.zeros(0, np.int64)
        return self.positions[self.starts[term] : self.starts[term + 1]].astype(np.int64)

    def rows_of(self, term: int) -> tuple[Ints, Ints]:
        """Return the rows that have a term, ascending, and how often each has it."""
        rows = self.row_at[self.positions_of(term)].astype(np.int64)
        first = np.flatnonzero(np.diff(rows, prepend=-1))
        counts = np.diff(first, append=len(rows))
        here = self.here[rows[first]]
        return rows[first][here], counts[here]

    def passages_of(self, term: int, *, of_long: bool = False) -> tuple[Ints, Ints]:
        """Return the passages that have a term, ascending, and how often each has it.

        Of texts with several passages alone, if `of_long`.
        """
        positions = self.positions_of(term)
        if of_long:
            positions = positions[self.lengths[self.row_at[positions]] > LENGTH]
        return self.passages.having(self.row_at[positions].astype(np.int64), positions)

    def without(self, seqs: Iterable[int]) -> _Layer:
        """Return this layer without some memories."""
        rows = places(self.seqs, np.fromiter(seqs, np.int64))
        here = self.here.copy()
        here[rows[rows >= 0]] = False
        return replace(self, here=here)

    def texts(self) -> _Texts:
        """Return what the layer was made of, as far as it is here."""
        terms = np.empty(len(self.positions), np.int32)
        terms[self.positions] = np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))
        is_here = self.here[self.row_at]
        return self.seqs[self.here], self.lengths[self.here], terms[is_here]


#: Sequences of memories, how many terms each has, and the numbers of all their terms in order.
_Texts = tuple[Ints, Ints, NDArray[np.int32]]


def _layer(texts: Sequence[_Texts], terms: int) -> _Layer:
    """Make a layer of memories; each of `texts` is in order, and no memory is in two."""
    seqs, lengths, tokens = (np.concatenate(columns) for columns in zip(*texts, strict=True))
    order = np.argsort(seqs, kind="stable")
    if not np.array_equal(order, np.arange(len(seqs))):
        ends = np.cumsum(lengths)
        firsts, sizes = (ends - lengths)[order], lengths[order]
        behind = np.cumsum(sizes) - sizes
        tokens = tokens[np.repeat(firsts - behind, sizes) + np.arange(len(tokens))]
        seqs, lengths = seqs[order], sizes
    starts = np.zeros(terms + 1, np.int64)
    np.cumsum(np.bincount(tokens, minlength=terms), out=starts[1:])
    positions = np.argsort(tokens, kind="stable").astype(np.int32)
    row_at = np.repeat(np.arange(len(seqs), dtype=np.int32), lengths)
    here = np.ones(len(seqs), bool)
    return _Layer(seqs, lengths, here, starts, positions, row_at, split(lengths))


@dataclass(frozen=True, slots=True)
class TermIndex:
    """The terms of a space's memories up to a sequence, less those that changes took out.

    `vocabulary` has the number of each term, and is shared with what came before and comes after.
    """

    space: int
    changes: int = 0
    until: int = 0
    vocabulary: Vocabulary = field(default_factory=lambda: Vocabulary({}))
    layers: tuple[_Layer, ...] = ()

    @property
    def nbytes(self) -> int:
        """About how many bytes it takes."""
        words = _TERM_BYTES * len(self.numbers) + _WORD_BYTES * len(self.vocabulary.words)
        return sum(layer.nbytes for layer in self.layers) + words

    @property
    def numbers(self) -> dict[str, int]:
        """The number of each term."""
        return self.vocabulary.source

    def extended(self, documents: Sequence[Document]) -> TermIndex:
        """Return this index with further memories, by ascending sequences, of which it has none."""
        fresh = self._numbered(documents)
        settled, newest = self.layers[:1], self.layers[1:]
        size = len(fresh[2]) + sum(len(layer.positions) for layer in newest)
        most = max(_FLOOR, _SHARE * sum(len(layer.positions) for layer in settled))
        stays = settled if size <= most else ()
        merged = [layer.texts() for layer in self.layers[len(stays) :]]
        layers = (*stays, _layer([*merged, fresh], len(self.numbers)))
        return replace(self, until=max(self.until, documents[-1][0]), layers=layers)

    def without(self, seqs: Iterable[int], changes: int) -> TermIndex:
        """Return this index without some memories, after so many changes."""
        return replace(
            self, changes=changes, layers=tuple(layer.without(seqs) for layer in self.layers)
        )

    def match(
        self, terms: Sequence[str], limit: int, among: Ints | None = None
    ) -> list[tuple[int, float]]:
        """Return (sequence, BM25) of the best memories with any of some terms, best first.

        Of a long one it is that of its best passage. `among` are the ascending sequences that may
        be named.
        """
        if not terms:
            return []
        numbers = [self.numbers.get(term, -1) for term in terms]
        count = sum(layer.counted[0] for layer in self.layers)
        average = max(sum(layer.counted[1] for layer in self.layers) / max(count, 1), 1e-9)
        having = [sum(len(layer.rows_of(n)[0]) for layer in self.layers) for n in numbers]
        rarity = [max(log((count - n + 0.5) / (n + 0.5)), _RARITY_MIN) for n in having]
        seqs, scores = [np.zeros(0, np.int64)], [np.zeros(0)]
        for layer in self.layers:
            found = [layer.passages_of(number) for number in numbers]
            touched = distinct(np.concatenate([passages for passages, _ in found]))
            of = layer.passages.rows_of(touched)
            size = _K1 * (1 - _B + _B * np.minimum(layer.lengths[of], LENGTH) / average)
            score = np.zeros(len(touched))
            for weight, (passages, often) in zip(rarity, found, strict=True):
                at = np.searchsorted(touched, passages)
                score[at] += weight * (often * (_K1 + 1) / (often + size[at]))
            first = np.flatnonzero(np.diff(of, prepend=-1))
            rows = of[first]
            best = np.maximum.reduceat(score, first) if len(first) else score
            stays = layer.here[rows]
            if among is not None:
                stays &= places(among, layer.seqs[rows]) >= 0
            seqs.append(layer.seqs[rows[stays]])
            scores.append(best[stays])
        return _best(np.concatenate(seqs), np.concatenate(scores), limit)

    def scattered(self, terms: Sequence[str], rarity: Sequence[float]) -> list[list[int]]:
        """Return for each term the long memories that have it outside of their best passage.

        The best passage has the largest sum of `rarity`. Sequences, ascending.
        """
        outside: list[list[Ints]] = [[np.zeros(0, np.int64)] for _ in terms]
        for layer in self.layers:
            numbers = [self.numbers.get(term, -1) for term in terms]
            of_terms = [layer.passages_of(number, of_long=True)[0] for number in numbers]
            score = np.zeros(layer.passages.start[-1])
            for weight, having in zip(rarity, of_terms, strict=True):
                score[having] += weight
            for seqs, having in zip(outside, of_terms, strict=True):
                seqs.append(layer.seqs[layer.passages.outside_best(score, having)])
        return [np.sort(np.concatenate(seqs)).tolist() for seqs in outside]

    def phrase(self, terms: Sequence[str], after: int = 0) -> list[int]:
        """Return the sequences in which terms stand next to each other, ascending."""
        numbers, matched = [self.numbers.get(term, -1) for term in terms], list[int]()
        for layer in self.layers if terms else ():
            at = layer.positions_of(numbers[0])
            for offset, number in enumerate(numbers[1:], 1):
                at = at[places(layer.positions_of(number), at + offset) >= 0]
                at = at[layer.row_at[at] == layer.row_at[at + offset]]
            rows = np.unique(layer.row_at[at])
            matched += layer.seqs[rows[layer.here[rows]]].tolist()
        return sorted(seq for seq in matched if seq > after)

    def _numbered(self, documents: Sequence[Document]) -> _Texts:
        """Return memories with the numbers of their terms; new terms get new numbers."""
        words = " ".join(terms for _, terms in documents if terms).split(" ")
        for term in dict.fromkeys(words):
            self.numbers.setdefault(term, len(self.numbers))
        seqs = np.array([seq for seq, _ in documents], np.int64)
        sizes = [terms.count(" ") + 1 if terms else 0 for _, terms in documents]
        tokens = np.fromiter(map(self.numbers.__getitem__, words), np.int32, len(words))
        return seqs, np.array(sizes, np.int64), tokens[: sum(sizes)]


#: How it is written to files.
_PART, _EDITION = "terms", "1"


def loaded(arrays: SpaceArrays, space: int, changes: int) -> TermIndex:
    """Return the index of a space as its file has it, an empty one without a file."""
    held = arrays.load(_PART, _EDITION, (_Layer, Passages))
    if held is None:
        return TermIndex(space, changes)
    numbers = {term: number for number, term in enumerate(held["terms"])}
    return TermIndex(space, changes, held["until"], Vocabulary(numbers), held["layers"])


def offer(arrays: SpaceArrays, index: TermIndex) -> None:
    """Write an index to its file, if that is due."""
    size = sum(len(layer.seqs) for layer in index.layers)
    arrays.offer(_PART, _EDITION, lambda: _left(index), size)


def _left(index: TermIndex) -> Mapping[str, Any]:
    """Return what a file has of an index: nothing of what was taken out."""
    terms, texts = list(index.numbers), [layer.texts() for layer in index.layers]
    used = np.zeros(len(terms), bool)
    for *_, tokens in texts:
        used[tokens] = True
    number, count = (np.cumsum(used) - 1).astype(np.int32), int(used.sum())
    layers = [_layer([(seqs, lengths, number[tokens])], count) for seqs, lengths, tokens in texts]
    until = max((int(seqs[-1]) for seqs, *_ in texts if len(seqs)), default=0)
    return {"until": until, "terms": list(compress(terms, used)), "layers": layers}


def _best(seqs: Ints, scores: Floats, limit: int) -> list[tuple[int, float]]:
    """Return the best, and of equal ones the earlier."""
    if 0 < limit < len(scores):
        best = scores >= np.partition(scores, -limit)[-limit]
        seqs, scores = seqs[best], scores[best]
    order = np.lexsort((seqs, -scores))[:limit]
    single = scores[order].astype(np.float32).astype(np.float64)
    return list(zip(seqs[order].tolist(), single.tolist(), strict=True))
