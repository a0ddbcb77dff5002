"""When something is due that a sentence speaks of: "tonight", "by April 15", "next month".

Rules for English, reckoned from when it was written. Only what lies ahead is read, and of a
stretch of time its end: what is due next month is late when the month is over.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from ...core.time import (
    MONTH_PATTERN,
    MONTHS,
    NUMBER_PATTERN,
    WEEKDAYS,
    month_number,
    number_of,
)

_DAY = timedelta(days=1)
#: The first month after each season.
_SEASON_ENDS = {"spring": 6, "summer": 9, "autumn": 12, "fall": 12, "winter": 3}
_DAYS = {"day": 1, "week": 7, "weekend": 7, "month": 31, "year": 366}
_COUNT = rf"(?P<count>\d{{1,3}}|{NUMBER_PATTERN})"
_WEEKDAY = rf"(?P<weekday>{'|'.join(WEEKDAYS)})"
#: "Thursday the 11th" is the 11th, not the next Thursday.
_OF_MONTH = r",?(?: the)? \d{1,2}(?:st|nd|rd|th)"
_WHICH = r"(?P<which>this|next|coming)(?: coming)?"
_DATE = r"(?P<date>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?:,?\s+(?P<year>\d{4}))?"
_FORMS = tuple(
    re.compile(rf"\b(?:{form})\b", re.IGNORECASE)
    for form in (
        r"(?P<iso>\d{4}-\d\d-\d\d)",
        rf"(?P<month>{MONTH_PATTERN})\.?\s+{_DATE}{_YEAR}",
        rf"{_DATE}\s+(?:of\s+)?(?P<month>{MONTH_PATTERN}){_YEAR}",
        r"(?P<near>today|tonight|this (?:morning|afternoon|evening)|day after tomorrow|tomorrow)",
        rf"(?:in|within) (?:a )?{_COUNT}(?: of)? (?P<unit>day|week|month|year)s?",
        rf"{_COUNT} (?P<unit>day|week|weekend|month)s? (?:later|from now)",
        rf"(?P<name>{'|'.join(WEEKDAYS)}),?(?: the)? (?P<day>\d{{1,2}})(?:st|nd|rd|th)",
        rf"{_WHICH} {_WEEKDAY}(?!{_OF_MONTH})",
        rf"(?:{_WHICH}|by) (?P<season>{'|'.join(_SEASON_ENDS)})",
        r"(?P<which>by|before|at) the end of (?:the|this) (?P<span>week|month|year)",
        rf"{_WHICH} (?P<span>week|weekend|month|year)",
        rf"(?<!last )(?<!past )(?<!every )(?<!each ){_WEEKDAY}(?!{_OF_MONTH})",
        rf"(?:in|by|until|before|this|next)\s+(?P<month>{'|'.join(MONTHS)})",
        r"(?:on|by|until|before)\s+the\s+(?P<day>\d{1,2})(?:st|nd|rd|th)",
    )
)


def due_time(text: str, at: datetime) -> datetime | None:
    """Return the end of the first time ahead that a text names, of what was written `at`."""
    for form in _FORMS:
        for match in form.finditer(text):
            groups = {name: value.lower() for name, value in match.groupdict().items() if value}
            try:
                due = _end(groups, at.astimezone(UTC))
            except (OverflowError, ValueError):  # no such day, or outside of years 1 to 9999
                continue
            if due > at:
                return due
    return None


def _end(groups: dict[str, str], at: datetime) -> datetime:
    today = at.replace(hour=0, minute=0, second=0, microsecond=0)
    if "iso" in groups:
        return datetime.fromisoformat(groups["iso"]).replace(tzinfo=UTC) + _DAY
    if (days := _days(groups, today)) is not None:
        return today + _DAY * days
    if "day" in groups:
        return _day_end(int(groups["day"]), today, groups.get("name"))
    if "season" in groups:
        return _after_month(today, _SEASON_ENDS[groups["season"]] - 1)
    if "span" in groups:
        return _span_end(groups["span"], groups["which"] in {"next", "coming"}, today)
    return _date_end(groups, today)


def _days(groups: dict[str, str], today: datetime) -> int | None:
    """Return in how many days a day is over that is near; None of what is none."""
    if near := groups.get("near"):
        return 1 + ("tomorrow" in near) + ("after " in near)
    if count := groups.get("count"):
        return number_of(count) * _DAYS[groups["unit"]] + 1
    if weekday := groups.get("weekday"):
        return ((WEEKDAYS.index(weekday) - today.weekday()) % 7 or 7) + 1
    return None


def _span_end(span: str, is_next: bool, today: datetime) -> datetime:
    """Return the end of this or the next week, weekend, month or year."""
    if span in {"week", "weekend"}:
        return today + _DAY * (7 - today.weekday() + 7 * is_next)
    if span == "year":
        return today.replace(year=today.year + 1 + is_next, month=1, day=1)
    return _month_start(today, 1 + is_next)


def _date_end(groups: dict[str, str], today: datetime) -> datetime:
    """Return the end of a date or a month, of this year or, where it is over, of the next."""
    month = month_number(groups["month"])
    if "date" not in groups:
        return _after_month(today, month)
    year = int(groups.get("year", today.year))
    due = datetime(year, month, int(groups["date"]), tzinfo=UTC) + _DAY
    return due if due > today or "year" in groups else due.replace(year=year + 1)


def _day_end(day: int, today: datetime, name: str | None) -> datetime:
    """Return the end of a day of this month or, where it is over, of the next.

    `ValueError` where there is no such day, or it has another name: then another month is meant.
    """
    month = today if day >= today.day else _month_start(today, 1)
    date = month.replace(day=day)
    if name is not None and WEEKDAYS[date.weekday()] != name:
        raise ValueError(name)
    return date + _DAY


def _after_month(today: datetime, month: int) -> datetime:
    """Return when a month is over, the next one of its name that is not over."""
    return _month_start(today, (month - today.month) % 12 + 1)


def _month_start(today: datetime, later: int) -> datetime:
    place = today.year * 12 + today.month - 1 + later
    return today.replace(year=place // 12, month=place % 12 + 1, day=1)
