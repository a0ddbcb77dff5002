"""Stretches of the calendar: months, weeks, parts of them, and those that come again each year."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, date, datetime, timedelta

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
