"""Passages of long texts: overlapping runs of terms, each of which is judged by itself.

A short text is one passage. Of a long one the best passage counts, so that what stands in one place
of a long paste is found as in a short message, and words that are scattered over it are not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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

    def best(self, scores: Floats) -> Floats:
        """Return the largest score of each text's passages."""
        return np.maximum.reduceat(scores, self.start[:-1]) if len(scores) else scores

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
