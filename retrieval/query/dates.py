"""The dates that a text names, and how well a memory's time fits them.

Dates written out in any order ("7 May 2023", "the 7th of May", "2023-05-07", "7/5/2023"). A month
without a year means that month of any year; numbers that may be read both ways are read both ways.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime

import numpy as np

from ...core.time import DAY_S, MONTH_PATTERN, MONTHS, ORDINALS, month_number
from ...graph.view import Floats, Ints
from ...storage.sorted_arrays import distinct

_DAY = rf"(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th)?|(?P<word>{'|'.join(ORDINALS)}))"
_YEAR = r"(?P<year>\d{4})"
_ALONE = r"(?<![\d./-])", r"(?![./-]?\d)"
DATES = tuple(
    re.compile(rf"\b{form}\b", re.IGNORECASE)
    for form in (
        rf"{_ALONE[0]}{_YEAR}(?P<sep>[-./])(?P<number>\d{{1,2}})(?P=sep)(?P<day>\d{{1,2}}){_ALONE[1]}",
        rf"{_ALONE[0]}(?P<one>\d{{1,2}})(?P<sep>[-./])(?P<two>\d{{1,2}})(?P=sep){_YEAR}{_ALONE[1]}",
        rf"{_ALONE[0]}(?P<one>\d{{1,2}})/(?P<two>\d{{1,2}})/(?P<short>\d\d){_ALONE[1]}",
        rf"{_ALONE[0]}(?P<one>\d\d)(?P<sep>[-.])(?P<two>\d\d)(?P=sep)(?P<short>\d\d){_ALONE[1]}",
        rf"{_ALONE[0]}{_YEAR}-(?P<number>0[1-9]|1[0-2]){_ALONE[1]}",
        rf"{_ALONE[0]}(?P<number>0?[1-9]|1[0-2])[/.]{_YEAR}{_ALONE[1]}",
        rf"{_DAY}\s+(?:day\s+)?(?:of\s+)?(?P<name>{MONTH_PATTERN})\.?(?:,?\s+(?:of\s+)?{_YEAR})?",
        rf"(?P<name>{MONTH_PATTERN})\.?\s+(?:the\s+)?{_DAY}(?:,?\s+(?:of\s+)?{_YEAR})?",
        rf"(?P<name>{MONTH_PATTERN})\.?,?\s+(?:of\s+)?{_YEAR}",
    )
)
#: A month by itself; it may be another word.
MONTH = re.compile(rf"\b(?P<name>{MONTH_PATTERN})\b", re.IGNORECASE)
_MONTH_NAMED = re.compile(
    rf"\b(?:in|during|of|since|until|by|last|this|next)\s+(?P<name>{'|'.join(MONTHS)})\b",
    re.IGNORECASE,
)
#: Two digits from here on are a year of the nineteen hundreds.
_LAST_CENTURY = 70


@dataclass(frozen=True, slots=True)
class PartialDate:
    """A date as far as it was named; `day` and `year` may be missing."""

    month: int
    day: int | None
    year: int | None

    def describe(self) -> str:
        """Return the date as far as it was named, for people."""
        fields = [self.day, MONTHS[self.month - 1].capitalize(), self.year]
        return " ".join(str(field) for field in fields if field is not None)

    def in_year(self, year: int) -> datetime | None:
        """Return when the named day begins in a year; None where it has no such day."""
        try:
            return datetime(year, self.month, self.day or 1, tzinfo=UTC)
        except ValueError:  # 29 February of another year
            return None


def parse_dates(text: str) -> tuple[PartialDate, ...]:
    """Return the dates that a text writes out, the most precise reading of each place."""
    unique: dict[PartialDate, None] = {}
    taken: list[tuple[int, int]] = []
    for form in (*DATES, _MONTH_NAMED):
        for match in form.finditer(text):
            if any(match.start() < end and start < match.end() for start, end in taken):
                continue
            taken.append(match.span())
            unique |= dict.fromkeys(dates_of(match))
    return tuple(unique)


def dates_of(match: re.Match[str]) -> tuple[PartialDate, ...]:
    """Return what a match of `DATES` means: a date, two of "3/4/2025", none of "31/31/2025"."""
    groups = {name: value.lower() for name, value in match.groupdict().items() if value}
    year = int(groups.get("year", 0)) or None
    if "short" in groups:
        year = in_century(int(groups["short"]))
    if "one" in groups:
        return orders(int(groups["one"]), int(groups["two"]), year)
    month = month_number(groups["name"]) if "name" in groups else int(groups["number"])
    word = groups.get("word")
    day = ORDINALS.index(word) + 1 if word else int(groups.get("day", 0)) or None
    return tuple(filter(_exists, [PartialDate(month, day, year)]))


def orders(first: int, second: int, year: int | None) -> tuple[PartialDate, ...]:
    """Return the dates that two numbers may be, day and month in either order."""
    readings = dict.fromkeys((PartialDate(second, first, year), PartialDate(first, second, year)))
    return tuple(filter(_exists, readings))


def in_century(short: int) -> int:
    """Return the year that two digits are short for, of this century or the last one."""
    return (1900 if short >= _LAST_CENTURY else 2000) + short


def _exists(named: PartialDate) -> bool:
    try:
        date(named.year or 2024, named.month, named.day or 1)
    except ValueError:
        return False
    return True


def month_match(named: PartialDate, at: Ints) -> Floats:
    """Return 1 where a time (seconds since 1970) falls in the named month, else 0."""
    months = at.astype("datetime64[s]").astype("datetime64[M]").astype(np.int64)
    fits = months % 12 + 1 == named.month
    if named.year is not None:
        fits &= months // 12 + 1970 == named.year
    return np.where(fits, 1.0, 0.0)


def day_match(named: PartialDate, at: Ints) -> Floats:
    """Return how near a time is to the named day: 1 on it, .6 up to ten days after, .3 two before.

    People report an event mostly on the day or soon after. 0 when no day was named.
    """
    if named.day is None:
        return np.zeros(len(at))
    days = at // DAY_S
    best = np.zeros(len(at))
    years = [named.year] if named.year is not None else _years(at)
    for year in years:
        day = named.in_year(year)
        if day is None:
            continue
        after = days - int(day.timestamp()) // DAY_S
        fit = np.select(
            [after == 0, (after > 0) & (after <= 10), (after < 0) & (after >= -2)],
            [1.0, 0.6, 0.3],
            0.0,
        )
        best = np.maximum(best, fit)
    return best


def _years(at: Ints) -> list[int]:
    years = at.astype("datetime64[s]").astype("datetime64[Y]").astype(np.int64) + 1970
    return [int(year) for year in distinct(years)]
