"""The dates that a text names.

Dates written out in any order ("7 May 2023", "the 7th of May", "2023-05-07", "7/5/2023"). A month
without a year means that month of any year; numbers that may be read both ways are read both ways.

Stretches of the calendar: months, weeks, parts of them, and those that come again each year.

When holidays are: a rule for each, by the way its date is found.

Fixed days, days from Easter, the nth weekday of a month, and days of a lunar month. Those of the
Jewish, Islamic, Chinese and Indian calendars are counted from the mean new moon: at most a day or
two beside what is observed, which is why they are a day wider on both sides.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import chain
from math import ceil
from pathlib import Path

from ...core.time import MONTH_PATTERN, MONTHS, ORDINALS, month_number

#: From the start to the end, which is not included.
Span = tuple[datetime, datetime]
DAY = timedelta(days=1)
FIRST, LAST = datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)
#: What comes again each year is looked for so many years back, and ahead.
_YEARS_BACK, _YEARS_AHEAD = 60, 10
_PIECES_MAX = 400
MONTHS_OF = {"month": 1, "quarter": 3, "year": 12, "decade": 120, "century": 1200}
DAYS_OF = {"day": 1, "week": 7, "weekend": 7, "fortnight": 14}


def midnight(moment: datetime) -> datetime:
    """Return when the day of a moment begins, in UTC."""
    return moment.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def at_midnight(day: date) -> datetime:
    """Return when a day begins."""
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


def days(start: datetime, count: float) -> Span:
    """Return so many days."""
    return start, start + DAY * count


def add_months(begin: datetime, months: int) -> datetime:
    """Return the first of a month so many months later."""
    place = begin.year * 12 + begin.month - 1 + months
    return begin.replace(year=place // 12, month=place % 12 + 1, day=1)


def months(year: int, month: int, count: int) -> Span:
    """Return so many months."""
    first = datetime(year, month, 1, tzinfo=UTC)
    return first, add_months(first, count)


def yearly(of_year: Callable[[int], Iterable[Span]], now: datetime) -> tuple[Span, ...]:
    """Return what comes again each year, of the years around now, ascending."""
    spans: list[Span] = []
    for year in range(max(now.year - _YEARS_BACK, 1), min(now.year + _YEARS_AHEAD, 9998) + 1):
        try:
            spans += of_year(year)
        except ValueError:  # 29 February of another year
            continue
    return tuple(spans)


def within(spans: Iterable[Span], outer: Sequence[Span]) -> tuple[Span, ...]:
    """Return the spans that begin in one of the outer ones."""
    return tuple(span for span in spans if any(a <= span[0] < b for a, b in outer))


def share(span: Span, start: float, end: float) -> Span:
    """Return a part of a span in whole days, from one share of it to another, 0 to 1."""
    length = (span[1] - span[0]).days
    if length <= 1:
        return span
    first, last = int(length * start), max(round(length * end), int(length * start) + 1)
    return span[0] + DAY * first, span[0] + DAY * last


def reaching(span: Span, count: int, *, from_end: bool) -> Span:
    """Return at most so many days of a span, the first or the last."""
    if (span[1] - span[0]).days <= count:
        return span
    return (span[1] - DAY * count, span[1]) if from_end else days(span[0], count)


def every_week(span: Span, weekday: int, length: int) -> list[Span]:
    """Return each weekday (Monday is 0) that begins in a span, with so many days."""
    begin = span[0] + DAY * ((weekday - span[0].weekday()) % 7)
    count = max(0, -((begin - span[1]) // (7 * DAY)))
    return [days(begin + DAY * 7 * week, length) for week in range(count)]


def nth(spans: Sequence[Span], number: int, count: int = 1) -> Span:
    """Return from the nth (from 1; -1: the last) of some spans, `count` of them; `IndexError`."""
    first = number - 1 if number > 0 else len(spans) - count
    return spans[first][0], spans[first + count - 1][1]


def divided(span: Span, unit: str) -> list[Span]:
    """Return the days, weeks (of seven days from its start), months and so on of a span."""
    if unit in {"half", "third"}:
        parts = 2 if unit == "half" else 3
        return [share(span, place / parts, (place + 1) / parts) for place in range(parts)]
    pieces: list[Span] = []
    start = span[0]
    while start < span[1] and len(pieces) < _PIECES_MAX:
        end = (
            add_months(start, MONTHS_OF[unit]) if unit in MONTHS_OF else start + DAY * DAYS_OF[unit]
        )
        pieces.append((start, min(end, span[1])))
        start = end
    return pieces


_ONE_DAY = timedelta(days=1)
#: What the file says of a holiday is how its first day is found, and how many days it has.
_HOLIDAYS: dict[str, dict[str, list[int]]] = tomllib.loads(
    (Path(__file__).parents[1] / "data" / "holidays.toml").read_text("utf-8")
)
_FIXED, _EASTER, _WEEKDAYS = (_HOLIDAYS[by] for by in ("fixed", "easter", "weekdays"))
_LUNAR, _ISLAMIC = _HOLIDAYS["lunar"], _HOLIDAYS["islamic"]
#: A name begins another one: the longer is tried first.
_NAMES = sorted(
    chain.from_iterable(_HOLIDAYS.values()),
    key=lambda names: max(map(len, re.sub(r"\(\?:.*?\)\??", "", names).split("|"))),
    reverse=True,
)
#: A regular expression of them all, to be followed by the end of a word.
HOLIDAY = "|".join(f"(?P<h{place}>{name})" for place, name in enumerate(_NAMES))
_LUNATION, _NEW_MOON = 29.530588861, date(2000, 1, 6).toordinal() + 0.76
#: Lunations from that new moon to the one of a Ramadan, that of 1446 (2025).
_RAMADAN = 311


def holiday(match: re.Match[str], year: int) -> list[tuple[date, date]]:
    """Return the first day and the day after the last of a holiday of `HOLIDAY` in a year.

    Some begin twice in a year of the calendar or not at all.
    """
    name = _NAMES[next(int(h[1:]) for h, value in match.groupdict().items() if value)]
    if name in _FIXED:
        month, day, days = _FIXED[name]
        begins = [date(year, month, day)]
    elif name in _EASTER:
        later, days = _EASTER[name]
        begins = [easter(year) + later * _ONE_DAY]
    elif name in _WEEKDAYS:
        month, weekday, which, later, days = _WEEKDAYS[name]
        begins = [_nth_weekday(year, month, weekday, which) + later * _ONE_DAY]
    else:
        begins, days = _lunar(name, year)
    return [(begin, begin + days * _ONE_DAY) for begin in begins]


def _lunar(name: str, year: int) -> tuple[list[date], int]:
    first = date(year, 1, 1).toordinal()
    if name in _LUNAR:
        month, day, later, days = _LUNAR[name]
        least = date(year, month, day).toordinal()
        begins = [_moon(ceil((least - later - _NEW_MOON) / _LUNATION)) + later]
    else:
        months, later, days = _ISLAMIC[name]
        about = round((first - _NEW_MOON) / _LUNATION)
        moons = range(about - 2, about + 14)
        begins = [_moon(n) + later for n in moons if (n - _RAMADAN - months) % 12 == 0]
    in_year = [date.fromordinal(int(begin)) for begin in begins]
    return [begin - _ONE_DAY for begin in in_year if begin.year == year], days + 3


def _moon(number: int) -> float:
    """Return the day of a mean new moon, as an ordinal, by its number since 6 January 2000."""
    return _NEW_MOON + number * _LUNATION


def _nth_weekday(year: int, month: int, weekday: int, which: int) -> date:
    first = date(year, month, 1) + _ONE_DAY * ((weekday - date(year, month, 1).weekday()) % 7)
    days = [first + _ONE_DAY * 7 * week for week in range(5)]
    return [day for day in days if day.month == month][which - 1 if which > 0 else which]


def easter(year: int) -> date:
    """Return Easter Sunday of the Gregorian calendar (the anonymous algorithm of 1876)."""
    golden, century, rest = year % 19, year // 100, year % 100
    moon = (19 * golden + century - century // 4 - (8 * century + 13) // 25 + 15) % 30
    weekday = (32 + 2 * (century % 4) + 2 * (rest // 4) - moon - rest % 4) % 7
    late = (golden + 11 * moon + 22 * weekday) // 451
    month, day = divmod(moon + weekday - 7 * late + 114, 31)
    return date(year, month, day + 1)


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
