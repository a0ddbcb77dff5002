"""Order in arrays, compared with what numpy and plain Python say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.storage import sorted_arrays
from meridia.storage.sorted_arrays import distinct, largest, lookup_values, places

INTS = st.lists(st.integers(-9, 9), max_size=20)


@given(INTS)
def test_distinct_values_are_ascending_and_each_once(values: list[int]):
    assert distinct(np.array(values, np.int64)).tolist() == sorted(set(values))


@given(INTS, INTS)
def test_a_place_is_where_a_value_stands_or_minus_one(values: list[int], wanted: list[int]):
    known = sorted(set(values))
    found = places(known, np.array(wanted, np.int64))
    assert found.tolist() == [known.index(one) if one in known else -1 for one in wanted]


def test_places_keep_the_shape_of_what_is_wanted():
    wanted = np.array([[3, 4], [5, 3]], np.int64)
    assert places([3, 5], wanted).tolist() == [[0, -1], [1, 0]]
    assert places([], wanted).tolist() == [[-1, -1], [-1, -1]]


@given(st.dictionaries(st.integers(-9, 9), st.floats(-1, 1)), INTS)
def test_what_is_not_a_key_has_the_value_0(table: dict[int, float], wanted: list[int]):
    keys = sorted(table)
    values = np.array([table[key] for key in keys])
    found = lookup_values(np.array(keys, np.int64), values, np.array(wanted, np.int64))
    assert found.tolist() == [table.get(one, 0.0) for one in wanted]


@given(st.lists(st.floats(-1, 1, width=32), max_size=300), st.integers(1, 40), st.integers(1, 8))
def test_the_largest_are_the_largest_whatever_the_sample(values, limit, every):
    found = _largest(np.array(values, np.float32), limit, every)
    assert len(set(found)) == len(found) == min(limit, len(values))
    chosen = sorted((values[place] for place in found), reverse=True)
    assert chosen == sorted(values, reverse=True)[:limit]


@pytest.mark.parametrize("order", ["rising", "falling", "same", "one above", "periodic"])
def test_the_largest_of_many_in_any_order(order):
    count = 3 * sorted_arrays._MANY
    values = {
        "rising": np.arange(count),
        "falling": -np.arange(count),
        "same": np.zeros(count),
        "one above": np.eye(1, count, 7)[0],
        "periodic": np.arange(count) % sorted_arrays._EVERY,
    }[order].astype(np.float32)
    found = largest(values, 200)
    assert len(set(found.tolist())) == 200
    assert sorted(values[found]) == sorted(np.sort(values)[-200:])


def _largest(values: np.ndarray, limit: int, every: int) -> list[int]:
    before = sorted_arrays._MANY, sorted_arrays._EVERY
    sorted_arrays._MANY, sorted_arrays._EVERY = 20, every
    try:
        return largest(values, limit).tolist()
    finally:
        sorted_arrays._MANY, sorted_arrays._EVERY = before
