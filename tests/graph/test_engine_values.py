"""What engines answer becomes JSON, and nothing that is no JSON gets through."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, time, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.errors import InvalidInput
from meridia.graph.engine_values import check_parameters, json_value, node, relationship

anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.binary()
    | st.datetimes(timezones=st.none() | st.timezones())
    | st.dates()
    | st.times()
    | st.complex_numbers(),
    lambda parts: st.lists(parts) | st.dictionaries(st.text(), parts) | st.tuples(parts, parts),
    max_leaves=8,
)


@given(anything)
def test_whatever_an_engine_answers_is_json(value: Any):
    assert json.loads(json.dumps(json_value(value), allow_nan=False)) == json_value(value)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (
            datetime(2026, 3, 1, 12, tzinfo=timezone(timedelta(hours=2))),
            "2026-03-01T10:00:00.000000Z",
        ),
        (datetime(2026, 3, 1, 12, tzinfo=UTC).replace(tzinfo=None), "2026-03-01T12:00:00"),
        (date(2026, 3, 1), "2026-03-01"),
        (time(12, 30), "12:30:00"),
        (float("inf"), None),
        (b"\x01", "01"),
        (((1, 2.5), {"a": None}), [[1, 2.5], {"a": None}]),
    ],
    ids=repr,
)
def test_a_value_is_shown_so(value: Any, shown: Any):
    assert json_value(value) == shown


def test_an_engine_s_own_values_are_turned_at_any_depth():
    assert json_value({"a": [1j]}, lambda v: "turned" if isinstance(v, complex) else v) == {
        "a": ["turned"]
    }


def test_nodes_and_edges_have_one_shape():
    assert node(["Memory", "Experience"], {"x": 1}) == {
        "labels": ["Experience", "Memory"],
        "properties": {"x": 1},
    }
    assert relationship("NEXT", {}) == {"type": "NEXT", "properties": {}}


@pytest.mark.parametrize("value", [-(2**63), 2**63 - 1, 1.5, None, "x", [1, {"a": [True]}]])
def test_a_json_value_is_a_parameter(value: Any):
    check_parameters({"a": value})


@pytest.mark.parametrize(
    ("value", "named"),
    [(2**63, "'a'"), ({"b": [float("inf")]}, "'a.b'"), (object(), "'a'"), ([{1}], "'a'")],
    ids=["large", "infinite", "object", "set"],
)
def test_another_value_is_refused_by_name(value: Any, named: str):
    with pytest.raises(InvalidInput, match=named):
        check_parameters({"a": value})


def test_a_parameter_without_a_value_is_named():
    check_parameters({"a": 1}, {"a", "space"})
    with pytest.raises(InvalidInput, match=r"\$person has no value.*--param person="):
        check_parameters({"a": 1}, {"a", "person"})
