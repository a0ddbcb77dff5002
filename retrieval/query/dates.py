"""The dates that a question names, and how well a memory's time fits them.

Only dates written out ("7 May 2023", "May 7", "in May 2023", "2023-05-07"). A month without a year
means that month of any year.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime

import numpy as np

from ...core.time import DAY_S, MONTH_PATTERN, MONTHS, month_number
from ...graph.view import Floats, Ints
from ...storage.sorted_arrays import distinct

_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>\d{4})"
_FORMS = tuple(
    re.compile(rf"\b{form}\b", re.IGNORECASE)
    for form in (
        r"(?P<year>\d{4})-(?P<number>\d{2})-(?P<day>\d{2})",
        rf"{_DAY}\s+(?:of\s+)?(?P<name>{MONTH_PATTERN})\.?(?:,?\s+{_YEAR})?",
        rf"(?P<name>{MONTH_PATTERN})\.?\s+{_DAY}(?:,?\s+{_YEAR})?",
        rf"(?P<name>{MONTH_PATTERN})\.?,?\s+{_YEAR}",
        rf"(?:in|during|of|since|until|by|last|this|next)\s+(?P<name>{'|'.join(MONTHS)})",
    )
)


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
    for form in _FORMS:
        for match in form.finditer(text):
            if any(match.start() < end and start < match.end() for start, end in taken):
                continue
            taken.append(match.span())
            if (named := _read(match.groupdict())) is not None:
                unique[named] = None
    return tuple(unique)


def _read(groups: dict[str, str | None]) -> PartialDate | None:
    name, day, year = groups.get("name"), groups.get("day"), groups.get("year")
    month = month_number(name) if name else int(groups.get("number") or 0)
    named = PartialDate(month, int(day) if day else None, int(year) if year else None)
    try:
        date(named.year or 2024, named.month, named.day or 1)
    except ValueError:
        return None
    return named


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
