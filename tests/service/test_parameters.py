"""What operations take, and what is no text."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from meridia.service.parameters import QueryParameters, RecallParameters


@pytest.mark.parametrize(
    "fields",
    [
        {"question": "a", "colour": 1},
        {"question": "a", "limit": 0},
        {"question": "a", "space": ""},
        {"question": "a", "space": "a\nb"},
        {"question": "a", "where": {"a": float("nan")}},
    ],
)
def test_wrong_parameters_are_refused(fields):
    with pytest.raises(ValidationError):
        RecallParameters.model_validate(fields)


def test_signs_that_no_json_holds_are_replaced_and_counted():
    given = RecallParameters.model_validate({"question": "a\0b", "where": {"a": "\ud800"}})
    assert (given.question, given.where) == ("a␀b", {"a": "�"})
    assert given.cleaned == {"nul": 1, "invalid_text": 1}
    with pytest.raises(ValidationError):
        RecallParameters.model_validate({"question": "a", "space": "a\0"})


def test_parameters_of_a_statement_may_be_anything_that_json_has():
    given = QueryParameters.model_validate({"statement": "RETURN 1", "parameters": {"a": [1]}})
    assert given.parameters == {"a": [1]}
