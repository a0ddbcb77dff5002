"""What operations take: times, sequences, and what is no text."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from pydantic import ValidationError

from meridia.core.errors import InvalidInput
from meridia.service.parameters import QueryParameters, RecallParameters, instant, moment


def test_a_moment_is_a_time_or_a_sequence():
    assert instant("17") == instant(17) == 17
    assert instant("2026-03-01") == datetime(2026, 3, 1, tzinfo=UTC)
    assert instant(None) is None
    assert moment(None) is None


@pytest.mark.parametrize("text", ["soon", "9" * 30, "٣", "", "0001-01-01T00:00:00+14:00"])
def test_what_is_neither_is_refused(text):
    with pytest.raises(InvalidInput):
        instant(text)


@pytest.mark.parametrize(
    "fields",
    [
        {"question": "a", "colour": 1},
        {"question": "a", "limit": 0},
        {"question": "a", "space": ""},
        {"question": "a", "space": "a\nb"},
        {"question": "a\x00b"},
        {"question": "a", "where": {"a": "\ud800"}},
        {"question": "a", "where": {"a": float("nan")}},
    ],
)
def test_wrong_parameters_are_refused(fields):
    with pytest.raises(ValidationError):
        RecallParameters.model_validate(fields)


def test_parameters_of_a_statement_may_be_anything_that_json_has():
    given = QueryParameters.model_validate({"statement": "RETURN 1", "parameters": {"a": [1]}})
    assert given.parameters == {"a": [1]}
