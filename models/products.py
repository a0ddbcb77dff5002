"""Products of matrices, on one processor unless they are large.

NumPy's BLAS wakes a thread for every core at the smallest product, and those threads then spin for
tens of milliseconds waiting for the next. The encoder, which runs just before or after, finds its
cores taken and needs twice as long. Below some millions of operations threads gain nothing.
"""

from __future__ import annotations

import threading
from functools import cache
from typing import TYPE_CHECKING, Any

from ..core.lazy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from threadpoolctl import ThreadpoolController

#: Multiplications from which threads are worth their waiting: 80,000 vectors of 384 dimensions.
_LARGE = 32_000_000
#: The limit belongs to the process. The thread that sets it must be the one that undoes it.
_LIMIT = threading.Lock()


def product(left: NDArray[Any], right: NDArray[Any]) -> NDArray[Any]:
    """Return `left @ right`; `right` is a vector or a matrix."""
    operations = left.size * (right.shape[1] if right.ndim > 1 else 1)
    if operations >= _LARGE:
        return np.asarray(left @ right)
    with _LIMIT, _blas().limit(limits=1):
        return np.asarray(left @ right)


@cache
def _blas() -> ThreadpoolController:
    from threadpoolctl import ThreadpoolController  # noqa: PLC0415 - not before the first product

    return ThreadpoolController().select(user_api="blas")
