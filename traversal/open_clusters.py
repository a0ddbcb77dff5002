"""Spreading between consecutive messages: each value counts once, wherever it was said.

Every message is part of a chain of edges, each open with a probability. A message is reached by
everything in its cluster: the messages that open edges connect it with. Its activation is the
largest value in the cluster: the exact expectation over all nine clusters of at most two messages
on either side, or the mean over drawn clusters. The value of a cluster is credited to the one
message that has it, so that the shares of the messages sum to the activation. Pure functions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from numpy.random import Generator

Floats: TypeAlias = NDArray[np.float64]
#: Messages on either side that can be reached.
REACH = 2
#: How many messages after a message another one stands, the nearest first.
OFFSETS = (0, -1, 1, -2, 2)
#: The probability of each cluster, a value a message: (messages before, messages after).
Clusters: TypeAlias = Mapping[tuple[int, int], Floats]


def expected_clusters(before: Sequence[Floats], after: Sequence[Floats]) -> Clusters:
    """Return the probability of each cluster from those of the edges, the nearest first.

    `before` and `after` have `REACH` arrays each, a value in [0, 1] a message; 0: no such edge.
    """
    sides = [_reaches(side) for side in (before, after)]
    return {
        (left, right): sides[0][left] * sides[1][right]
        for left, right in product(range(REACH + 1), repeat=2)
    }


def drawn_clusters(
    before: Sequence[Floats],
    after: Sequence[Floats],
    edges: tuple[Sequence[NDArray[np.int64]], Sequence[NDArray[np.int64]]],
    draws: int,
    random: Generator,
) -> Clusters:
    """Return the share of draws in which each cluster occurred.

    `edges` number the edges as `before` and `after` have them: an edge that several messages share
    is open for all of them or for none in one draw. The two directions are drawn apart.
    """
    lengths = [
        _drawn_reaches(probabilities, numbers, draws, random)
        for probabilities, numbers in zip((before, after), edges, strict=True)
    ]
    return {
        (left, right): ((lengths[0] == left) & (lengths[1] == right)).mean(axis=0)
        for left, right in product(range(REACH + 1), repeat=2)
    }


def shares(values: Mapping[int, Floats], clusters: Clusters) -> dict[int, Floats]:
    """Return what the activation of each message owes to the messages around it, by offset.

    `values` has an array by offset, its last axis the messages; so has the result. Of equal values
    the nearest one has it.
    """
    return {
        offset: sum_ for offset, (sum_, _) in _moments(values, clusters, with_squares=False).items()
    }


def drawn_shares(
    values: Mapping[int, Floats], clusters: Clusters, draws: int
) -> dict[int, tuple[Floats, Floats]]:
    """Return the same over drawn clusters, with the standard error of each."""
    return {
        offset: (sum_, np.sqrt(np.maximum(squares - sum_**2, 0.0) / draws))
        for offset, (sum_, squares) in _moments(values, clusters, with_squares=True).items()
    }


def _moments(
    values: Mapping[int, Floats], clusters: Clusters, *, with_squares: bool
) -> dict[int, tuple[Floats, Floats]]:
    shape = np.broadcast_shapes(*(each.shape for each in values.values()))
    # Where nothing is above 0 nothing spreads: most messages have no word of the question around.
    some = np.nonzero(np.logical_or.reduce([each > 0 for each in values.values()]))
    nearest_first = [offset for offset in OFFSETS if offset in values]
    found = np.stack([np.maximum(values[offset][some], 0.0) for offset in nearest_first])
    sums, squares = np.zeros(found.shape), np.zeros(found.shape)
    for (left, right), likely in clusters.items():
        probability = likely[some[-1]]
        if not probability.any():
            continue
        window = np.array([n for n, o in enumerate(nearest_first) if -left <= o <= right])
        best = window[found[window].argmax(axis=0)], np.arange(found.shape[1])
        sums[best] += probability * found[best]
        if with_squares:
            squares[best] += probability * found[best] ** 2
    return {
        offset: (_spread_out(sums[n], some, shape), _spread_out(squares[n], some, shape))
        for n, offset in enumerate(nearest_first)
    }


def _spread_out(values: Floats, at: tuple[NDArray[np.int64], ...], shape: Sequence[int]) -> Floats:
    everywhere = np.zeros(shape)
    everywhere[at] = values
    return everywhere


def _reaches(open: Sequence[Floats]) -> list[Floats]:
    """Return the probabilities that exactly 0, 1, … edges on a side are open in a row."""
    unbroken, exact = np.ones(len(open[0])), []
    for probability in open:
        exact.append(unbroken * (1 - probability))
        unbroken = unbroken * probability
    return [*exact, unbroken]


def _drawn_reaches(
    probabilities: Sequence[Floats],
    edges: Sequence[NDArray[np.int64]],
    draws: int,
    random: Generator,
) -> NDArray[np.int64]:
    """Return in each draw how many edges on a side are open in a row, shape (draws, messages)."""
    numbers, places = np.unique(np.concatenate(edges), return_inverse=True)
    uniform = random.random((draws, len(numbers)))
    count = len(edges[0])
    length = np.zeros((draws, count), np.int64)
    unbroken = np.ones((draws, count), bool)
    for hop, probability in enumerate(probabilities):
        unbroken &= uniform[:, places[hop * count : (hop + 1) * count]] < probability
        length += unbroken
    return length
