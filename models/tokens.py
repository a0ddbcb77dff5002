"""Token vectors: a small vector for each content word of a text, in its context.

The encoder's last layer, one unit vector a word piece, projected to 128 dimensions and stored in
bytes. Stop words are left out. No storage here, and no model is run.

Products of matrices, on one processor, and a part at a time where they are large.

NumPy's BLAS wakes a thread for every core at the smallest product, and those threads then spin for
tens of milliseconds waiting for the next. The encoder, which runs just before or after, finds its
cores taken and needs twice as long. Threads gain little where memory is what is waited for.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from ..core.lazy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from threadpoolctl import ThreadpoolController


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
