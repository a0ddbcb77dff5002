"""Dates that questions name."""

from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.retrieval.query.dates import PartialDate, day_match, month_match, parse_dates


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


def _at(*moments: tuple[int, int, int]):
    return np.array([int(datetime(*m, 12, tzinfo=UTC).timestamp()) for m in moments], np.int64)


def test_a_month_without_a_year_is_that_month_of_any_year():
    at = _at((2023, 5, 1), (2024, 5, 31), (2023, 6, 1))
    assert month_match(PartialDate(5, None, None), at).tolist() == [1, 1, 0]
    assert month_match(PartialDate(5, None, 2024), at).tolist() == [0, 1, 0]


def test_a_day_reaches_ten_days_on_and_two_back():
    at = _at((2023, 5, 7), (2023, 5, 17), (2023, 5, 18), (2023, 5, 5), (2023, 5, 4))
    assert day_match(PartialDate(5, 7, 2023), at).tolist() == [1.0, 0.6, 0.0, 0.3, 0.0]
    assert day_match(PartialDate(5, 7, None), at).tolist() == [1.0, 0.6, 0.0, 0.3, 0.0]


def test_a_leap_day_of_any_year_is_looked_for_in_leap_years_only():
    at = _at((2023, 3, 1), (2024, 2, 29))
    assert day_match(PartialDate(2, 29, None), at).tolist() == [0.0, 1.0]
