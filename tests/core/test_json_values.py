"""Plain JSON values: numbers and instants as they were written."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from pydantic import TypeAdapter, ValidationError

from meridia.core.json_values import Flag, Instant, Number, Real, Whole


def test_an_instant_is_written_in_utc():
    adapter = TypeAdapter(Instant)
    instant = adapter.validate_python("2026-03-01T11:00:00+01:00")
    assert instant == datetime(2026, 3, 1, 10, tzinfo=UTC)
    assert adapter.dump_python(instant) == "2026-03-01T10:00:00.000000Z"


@pytest.mark.parametrize(
    ("type", "wrong"), [(Number, True), (Number, "1"), (Real, True), (Flag, 1), (Whole, [])]
)
def test_what_is_something_else_is_refused(type, wrong):
    with pytest.raises(ValidationError):
        TypeAdapter(type).validate_python(wrong)


def test_a_whole_number_stays_one_and_a_real_one_has_a_fraction():
    assert repr(TypeAdapter(Number).validate_python(1)) == "1"
    assert repr(TypeAdapter(Real).validate_python(1)) == "1.0"
