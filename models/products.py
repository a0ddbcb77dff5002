"""Products of matrices, on one processor unless they are large.

NumPy's BLAS wakes a thread for every core at the smallest product, and those threads then spin for
tens of milliseconds waiting for the next. The encoder, which runs just before or after, finds its
cores taken and needs twice as long. Below some millions of operations threads gain nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

from ..core.lazy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from threadpoolctl import ThreadpoolController

#: Multiplications from which threads are worth their waiting: 80,000 vectors of 384 dimensions.
_LARGE = 32_000_000


def product(left: NDArray[Any], right: NDArray[Any]) -> NDArray[Any]:
    """Return `left @ right`; `right` is a vector or a matrix."""
    operations = left.size * (right.shape[1] if right.ndim > 1 else 1)
    if operations >= _LARGE:
        return np.asarray(left @ right)
    with _single_processor():
        return np.asarray(left @ right)


class _Limit:
    """How many products run under the limit, which belongs to the process, and what undoes it."""

    lock = threading.Lock()
    running = 0
    undo: Any = None


@contextmanager
def _single_processor() -> Iterator[None]:
    """Let BLAS use one thread meanwhile; the first that enters sets it, the last undoes it."""
    with _Limit.lock:
        if _Limit.running == 0:
            _Limit.undo = _blas().limit(limits=1)
        _Limit.running += 1
    try:
        yield
    finally:
        with _Limit.lock:
            _Limit.running -= 1
            if _Limit.running == 0:
                _Limit.undo.restore_original_limits()


@cache
def _blas() -> ThreadpoolController:
    from threadpoolctl import ThreadpoolController  # noqa: PLC0415 - not before the first product

    return ThreadpoolController().select(user_api="blas")
