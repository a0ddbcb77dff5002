"""Token vectors: a small vector for each content word of a text, in its context.

The encoder's last layer, one unit vector a word piece, projected to 128 dimensions and stored in
bytes. Stop words are left out. No storage here, and no model is run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from ..core.lazy import np
from .products import product

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
