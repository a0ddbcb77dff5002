"""Products: what NumPy gives, and BLAS as it was afterwards, whoever else multiplies meanwhile."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from threadpoolctl import threadpool_info

from meridia.models import products
from meridia.models.products import product


def threads() -> list[int]:
    return [
        library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"
    ]


@given(st.integers(0, 6), st.integers(0, 6), st.none() | st.integers(0, 6))
def test_a_product_is_what_numpy_gives(rows: int, inner: int, columns: int | None):
    draw = np.random.default_rng(rows)
    left = draw.random((rows, inner))
    right = draw.random(inner if columns is None else (inner, columns))
    assert np.array_equal(product(left, right), left @ right)


def test_a_small_product_runs_on_one_thread_and_a_large_one_on_all(monkeypatch):
    seen: list[list[int]] = []
    monkeypatch.setattr(products.np, "asarray", lambda found: seen.append(threads()) or found)
    before = threads()
    product(np.ones((200, 300)), np.ones((300, 100)))
    product(np.ones((8_000, 4_000), np.float32), np.ones(4_000, np.float32))
    assert seen == [[1] * len(before), before]


def test_threads_leave_blas_as_they_found_it():
    before = threads()
    left, right = np.ones((200, 300)), np.ones((300, 100))
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: product(left, right)[0, 0], range(400)))
    assert set(found) == {300.0}
    assert threads() == before
    product(left, right)  # whoever comes next is limited, and undoes it, too
    assert threads() == before


def test_an_error_leaves_blas_as_it_was():
    before = threads()
    with pytest.raises(ValueError, match="mismatch"):
        product(np.ones((2, 3)), np.ones((2, 3)))
    assert threads() == before
