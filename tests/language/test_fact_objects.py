"""The objects of facts: names, places, employers, trades, dates, lists."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.language.fact_objects import (
    date_at,
    employer_at,
    listed_at,
    name_at,
    names_at,
    place_at,
    trade_at,
)


def read(found):
    """Return the object that was found."""
    return found and found[0]


def test_a_name_is_its_words_with_capitals():
    assert read(name_at("Ana Maria Berg's boat", 0)) == "Ana Maria Berg"
    assert name_at("Monday is fine", 0) is None
    assert name_at("the boat", 0) is None
    assert [name for name, _ in names_at("Mira, Edda and Tom sing", 0)] == ["Mira", "Edda", "Tom"]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("St. Louis now", "St. Louis"),
        ("the Hague", "the Hague"),
        ("Rio de Janeiro, Brazil, since May", "Rio de Janeiro, Brazil"),
        ("leeds", "leeds"),
        ("fear", "fear"),
        ("Rome for a year", None),
        ("Rome as a child", None),
        ("a village", None),
    ],
)
def test_a_place_has_a_name_and_is_no_visit(text, place):
    assert read(place_at(text, 0)) == place


def test_an_employer_has_a_name_or_is_of_a_known_kind():
    assert read(employer_at("Acme as a cook", 0)) == "Acme"
    assert read(employer_at("the city hospital", 0)) == "the city hospital"
    assert employer_at("my desk", 0) is None
    assert employer_at("Anna's party", 0) is None


def test_a_trade_of_no_list_needs_that_one_works_as_it():
    assert read(trade_at("crane operator at night", 0, sure=True)) == "crane operator"
    assert trade_at("crane operator", 0, sure=False) is None
    assert read(trade_at("primary school teacher", 0, sure=False)) == "primary school teacher"
    assert trade_at("retired teacher", 0, sure=False) is None


@pytest.mark.parametrize("date", ["May 4th", "3 September 1991", "1988", "2001-04-05", "May 1990"])
def test_a_date_is_a_day_a_month_of_a_year_or_a_year(date):
    assert read(date_at(f"{date}, I think", 0)) == date
    assert date_at("next week", 0) is None


@given(st.text(max_size=80), st.integers(0, 80))
def test_whatever_is_read_ends_within_the_text(text, place):
    found = [read_at(text, place) for read_at in (name_at, place_at, employer_at, date_at)]
    found += [*listed_at(text, place), trade_at(text, place, sure=True)]
    assert all(place < one[1] <= len(text) for one in found if one)
