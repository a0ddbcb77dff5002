"""Dates that questions name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.language.questions.dates import PartialDate, parse_dates


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What happened on 7 May 2023?", PartialDate(5, 7, 2023)),
        ("On May 7th, 2023 it rained", PartialDate(5, 7, 2023)),
        ("on the 2nd of Sept", PartialDate(9, 2, None)),
        ("in June", PartialDate(6, None, None)),
        ("Dec 2022", PartialDate(12, None, 2022)),
        ("since 2024-02-29", PartialDate(2, 29, 2024)),
    ],
)
def test_dates_are_read(text: str, expected: PartialDate):
    assert parse_dates(text) == (expected,)


@pytest.mark.parametrize("text", ["may I come", "march on", "30 February 2023", "version 2.13.45"])
def test_what_is_no_date_is_none(text: str):
    assert parse_dates(text) == ()


@given(st.text())
def test_any_text_may_be_read(text: str):
    parse_dates(text)
