"""Operations on ascending arrays: distinct values, look-up, and the largest values.

NumPy's functions (`unique`, `isin`, `argpartition`) hash or sort what is in order already, and take
several times as long at the sizes of one question.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from ..core.lazy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Ints: TypeAlias = "NDArray[np.int64]"
#: Of so many values a sample says which few can be among the largest, and how densely it is drawn.
_MANY, _EVERY = 20_000, 64


def distinct(values: Ints) -> Ints:
    """Return some values ascending, each once."""
    ordered = np.sort(values)
    first = np.ones(len(ordered), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return ordered[first]


def places(ordered: Ints | Sequence[int], wanted: Ints) -> Ints:
    """Return where each wanted value stands among ascending ones, -1 where it does not."""
    keys = np.asarray(ordered, np.int64)
    if not len(keys):
        return np.full(wanted.shape, -1, np.int64)
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[place] == wanted, place, -1)


def lookup_values(ordered: Ints, values: NDArray[Any], wanted: Ints) -> NDArray[np.float64]:
    """Return the value of each wanted key, 0 where it is not among the ascending ones."""
    if not len(values):
        return np.zeros(wanted.shape)
    place = places(ordered, wanted)
    return np.where(place >= 0, values[place], 0.0)


def largest(values: NDArray[Any], limit: int) -> Ints:
    """Return the places of the `limit` largest values, in no order; all of them if there are fewer.

    Of many values most lie below what a sample has near its top, and are not sorted at all.
    """
    count = len(values)
    if count <= limit:
        return np.arange(count)
    if count > _MANY:
        sample = values[::_EVERY]
        rank = min(len(sample), 2 * limit // _EVERY + 8)
        likely = np.flatnonzero(values >= np.partition(sample, -rank)[-rank])
        if limit < len(likely) < count:
            return likely[largest(values[likely], limit)]
    return np.argpartition(values, count - limit)[count - limit :]
