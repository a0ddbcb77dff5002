"""Products: what NumPy gives, and BLAS as it was afterwards, whoever else multiplies meanwhile.

The number of BLAS's threads belongs to the process: what looks at it runs in one of its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.models.tokens import product

PREAMBLE = """
import json
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
import numpy as np
from threadpoolctl import threadpool_info
from meridia.models import tokens
from meridia.models.tokens import product

def threads():
    return [each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"]

left, right = np.ones((200, 300)), np.ones((300, 100))
seen = [threads()]
"""


def threads_seen(code: str) -> list[list[int]]:
    """Return BLAS's threads at first, and whatever `code` adds to `seen`."""
    script = f"{PREAMBLE}{code}\nprint(json.dumps(seen))"
    done = subprocess.run(
        [sys.executable, "-c", script],
        check=True,
        stdout=subprocess.PIPE,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "2"},
    )
    seen: list[list[int]] = json.loads(done.stdout)
    return seen


@given(st.integers(0, 6), st.integers(0, 6), st.none() | st.integers(0, 6))
def test_a_product_is_what_numpy_gives(rows: int, inner: int, columns: int | None):
    draw = np.random.default_rng(rows)
    left = draw.random((rows, inner))
    right = draw.random(inner if columns is None else (inner, columns))
    assert np.array_equal(product(left, right), left @ right)


def test_a_product_runs_on_one_thread_and_a_large_one_in_parts():
    before, small, *large = threads_seen("""
looked = lambda found: seen.append(threads()) or found
tokens.np = SimpleNamespace(asarray=looked, concatenate=np.concatenate)
product(left, right)
product(np.ones((10_000, 4_000), np.float32), np.ones(4_000, np.float32))
""")
    assert small == [1] * len(before)
    assert large == [small, small]


@pytest.mark.parametrize("columns", [(), (3,)])
def test_a_large_product_is_that_of_its_parts(columns: tuple[int, ...]):
    draw = np.random.default_rng(0)
    left = draw.random((90_001, 384), np.float32)
    right = draw.random((384, *columns), np.float32)
    assert np.allclose(product(left, right), left @ right, rtol=1e-5)
    assert product(left, right).shape == (90_001, *columns)


def test_threads_leave_blas_as_they_found_it():
    before, *after = threads_seen("""
with ThreadPoolExecutor(8) as pool:
    found = list(pool.map(lambda _: product(left, right)[0, 0], range(400)))
assert set(found) == {300.0}
seen.append(threads())
product(left, right)  # whoever comes next is limited, and undoes it, too
seen.append(threads())
""")
    assert after == [before, before]


def test_an_error_leaves_blas_as_it_was():
    before, after = threads_seen("""
try:
    product(np.ones((2, 3)), np.ones((2, 3)))
except ValueError:
    seen.append(threads())
""")
    assert after == before
