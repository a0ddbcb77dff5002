"""Products of matrices, on one processor, and a part at a time where they are large.

NumPy's BLAS wakes a thread for every core at the smallest product, and those threads then spin for
tens of milliseconds waiting for the next. The encoder, which runs just before or after, finds its
cores taken and needs twice as long. Threads gain little where memory is what is waited for.
"""

from __future__ import annotations

import threading
from functools import cache
from typing import TYPE_CHECKING, Any

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
