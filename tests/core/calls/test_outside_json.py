"""JSON from outside: whatever stands in a file, it is read or refused in words."""

from __future__ import annotations

import json
import math
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.calls.cleaning import read_json, read_json_object
from meridia.core.errors import InvalidInput

_SCALARS = st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text()
_SCALARS |= st.floats(allow_nan=False, allow_infinity=False)
_VALUES = st.recursive(
    _SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner)
)


@given(_VALUES)
def test_what_a_journal_can_hold_is_read_as_it_is(value):
    assert read_json(json.dumps(value), "file") == value
    assert read_json(json.dumps(value, ensure_ascii=False).encode("utf-8"), "file") == value


@pytest.mark.parametrize(
    "number", ["1e400", "-1e999", "NaN", "Infinity", "9" * 30, "-" + "9" * 5000]
)
def test_numbers_that_no_store_takes_are_refused(number):
    for text in (number, f"[{number}]", f'{{"a": [1, {number}]}}'):
        with pytest.raises(InvalidInput, match="^the file is not JSON: "):
            read_json(text, "the file")
    assert math.isfinite(read_json("1e300", "the file"))
    assert read_json("[1e400, 1000000000000000000000000000000]", "", any_number=True)[1] == 10**30


@pytest.mark.parametrize("deep", [201, 900, 5_000, 200_000])
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_deep_nesting_is_refused(deep, opening, closing):
    text = opening * deep + "1" + closing * deep
    with pytest.raises(InvalidInput, match="deeper than 200 levels"):
        read_json(text, "the file")
    assert read_json(opening * 199 + "1" + closing * 199, "the file")


@given(st.binary(max_size=40) | st.text(max_size=40).map(str.encode))
def test_any_bytes_are_read_or_refused(body):
    with suppress(InvalidInput):  # and nothing else
        read_json(body, "the file")


def test_an_object_is_asked_for():
    assert read_json_object(b"{}", "the file") == {}
    with pytest.raises(InvalidInput, match="the file is not a JSON object"):
        read_json_object("[]", "the file")
