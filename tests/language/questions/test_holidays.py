"""Holidays of the usual calendars, on days that were looked up."""

import re
from datetime import date, timedelta

import pytest

from meridia.language.questions.dates import HOLIDAY, easter, holiday

DAY = timedelta(days=1)


def days_of(name, year):
    """Return the first day and the last of a holiday."""
    match = re.fullmatch(HOLIDAY, name, re.IGNORECASE)
    return [(first, end - DAY) for first, end in holiday(match, year)]


@pytest.mark.parametrize(
    ("name", "days"),
    [
        ("Easter", ["2024-03-31", "2025-04-20", "2026-04-05"]),
        ("Good Friday", ["2024-03-29", "2025-04-18"]),
        ("Thanksgiving", ["2024-11-28", "2025-11-27"]),
        ("Mother's Day", ["2025-05-11"]),
        ("Hanukkah", ["2024-12-28", "2025-12-16"]),
        ("Passover", ["2024-04-24", "2025-04-15"]),
        ("Rosh Hashanah", ["2024-10-03", "2025-09-23"]),
        ("Diwali", ["2024-11-01", "2025-10-20"]),
        ("Chinese New Year", ["2024-02-10", "2025-01-29"]),
        ("Ramadan", ["2024-03-20", "2025-03-15", "2026-03-01"]),
        ("Eid", ["2024-04-10", "2025-03-31"]),
        ("Halloween", ["2025-10-31"]),
        ("St. Patrick's Day", ["2025-03-17"]),
        ("New Year's Eve", ["2025-12-31"]),
    ],
)
def test_a_holiday_is_found_in_each_year(name, days):
    for day in map(date.fromisoformat, days):
        ((first, last),) = days_of(name, day.year)
        assert first <= day <= last
        assert (last - first).days < 35


def test_easter_is_a_sunday_of_spring():
    for year in range(1583, 2600):
        assert easter(year).weekday() == 6
        assert date(year, 3, 22) <= easter(year) <= date(year, 4, 25)


def test_a_lunar_month_may_come_twice_in_a_year():
    assert len(days_of("ramadan", 2030)) == 2
