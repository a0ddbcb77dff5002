"""A message in its context: its vector plus half of each neighbour's in the session.

The cosine of a question with such a sum is the sum of three cosines divided by the length of the
sum, and that length does not depend on the question.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...graph.view import Floats, GraphView, Ints
from ...storage.sorted_arrays import distinct, places
from ...storage.vectors import Matrix, VectorIndex
from ..candidates.pool import FreshVectors

_NEIGHBOUR = 0.5
#: Rows of vectors gathered at once.
_CHUNK = 4096


def norms(
    view: GraphView,
    index: VectorIndex,
    rows: Ints,
    visible: NDArray[np.bool_] | None = None,
    fresh: FreshVectors | None = None,
) -> Floats:
    """Return |e + ½ before + ½ after| for some rows of experiences; 1 where there is no vector.

    With `visible` (a mask over all experiences), neighbours outside of it do not count. `fresh`
    are vectors besides those of the index.
    """
    lengths = np.ones(len(rows))
    for start in range(0, len(rows), _CHUNK):
        chunk = rows[start : start + _CHUNK]
        total = first_vectors(view, index, chunk, fresh)
        for steps in (-1, 1):
            beside = view.experiences.neighbours(chunk, steps)
            if visible is not None:
                beside = np.where((beside >= 0) & visible[beside], beside, -1)
            total += _NEIGHBOUR * first_vectors(view, index, beside, fresh)
        lengths[start : start + _CHUNK] = np.linalg.norm(total, axis=1)
    return np.where(lengths > 0, np.maximum(lengths, 1e-6), 1.0)


def extend_norms(before: Floats, view: GraphView, index: VectorIndex, changed_from: int) -> Floats:
    """Return the norms of all experiences, given those of the rows below `changed_from`.

    A new message changes its predecessor's context too, wherever that stands.
    """
    count = len(view.experiences.seqs)
    if changed_from >= count:
        return before
    fresh = np.arange(changed_from, count)
    earlier = view.experiences.neighbours(fresh, -1)
    rows = distinct(np.concatenate([fresh, earlier[earlier >= 0]]))
    lengths = np.ones(count)
    lengths[:changed_from] = before
    lengths[rows] = norms(view, index, rows)
    return lengths


def carried_norms(
    before: Floats, earlier: GraphView, view: GraphView, index: VectorIndex
) -> Floats:
    """Return the norms of all experiences, given those of a view of which some went since.

    All of that view had their vectors. Whose neighbours are others is looked at again.
    """
    now, then = view.experiences, earlier.experiences
    rows = places(then.seqs, now.seqs)
    same = rows >= 0
    for steps in (-1, 1):
        beside = now.neighbours(np.arange(len(rows)), steps)
        stood = then.neighbours(rows, steps)
        same &= _seqs_at(now.seqs, beside) == _seqs_at(then.seqs, stood)
    lengths = np.where(same, before[np.where(same, rows, 0)], 1.0)
    again = np.flatnonzero(~same)
    lengths[again] = norms(view, index, again)
    return lengths


def _seqs_at(seqs: Ints, rows: Ints) -> Ints:
    """Return the sequence of each row, -1 for none."""
    return np.where(rows >= 0, np.append(seqs, -1)[rows], -1)


def first_vectors(
    view: GraphView, index: VectorIndex, rows: Ints, fresh: FreshVectors | None = None
) -> Matrix:
    """Return the first vector of each row's experience; zeros for -1 and where there is none."""
    rows_of = index.places(view.experiences.seqs[rows])
    rows_of = np.where(rows >= 0, rows_of, -1)
    vectors: Matrix = np.zeros((len(rows), index.rows.shape[1]), np.float32)
    if len(index.starts):
        vectors = index.rows[index.starts[rows_of]] * (rows_of >= 0)[:, None]
    if fresh is not None:
        there = places(fresh.rows, rows)
        vectors[there >= 0] = fresh.vectors[there[there >= 0]]
    return vectors
