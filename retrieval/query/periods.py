"""The periods that a question names: "last spring", "three weeks ago", "two weeks before the race".

Rules for English. A period is relative to the time of the question, or, where it is anchored, to
the time of a remembered event. Seasons are those of the northern hemisphere. Dates that are written
out are read by `dates`. No library we know returns periods, only moments.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np

from ...core.time import NUMBERS, WEEKDAYS, number_of
from ...graph.view import Floats, Ints

_DAY = timedelta(days=1)
_MONTHS = {"month": 1, "quarter": 3, "year": 12}
_DAYS = {
    "day": 1,
    "week": 7,
    "weekend": 7,
    "fortnight": 14,
    "month": 30,
    "quarter": 91,
    "year": 365,
}
#: First month of each season; three months each.
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
_COUNT = rf"(?P<count>\d{{1,3}}|the|{'|'.join(NUMBERS)})(?:\s+of)?"
_UNIT = r"(?P<unit>day|week|fortnight|month|year)s?"
_SEASON = rf"(?P<season>{'|'.join(_SEASONS)})"
_WHICH = r"(?P<which>last|past|previous|this|next|coming)"
_FORMS = tuple(
    re.compile(rf"\b(?:{form})\b", re.IGNORECASE)
    for form in (
        r"(?P<near>(?:the )?day before yesterday|yesterday|today|tonight|tomorrow)",
        rf"(?:a )?{_COUNT}\s+{_UNIT}\s+(?P<ago>ago)",
        rf"(?P<recent>last|past|previous|next|coming)\s+{_COUNT}\s+{_UNIT}",
        rf"{_SEASON}(?:\s+of)?,?\s+(?P<year>(?:19|20)\d\d)",
        rf"{_WHICH}\s+(?:(?P<day>{'|'.join(WEEKDAYS)})|{_SEASON}|(?P<span>{'|'.join(_DAYS)}))(?!\s+of)",
        r"(?:in|during|of|throughout)\s+(?P<year>(?:19|20)\d\d)",
    )
)
_ANCHORED = re.compile(
    rf"\b(?:a )?{_COUNT}\s+{_UNIT}\s+(?P<side>before|after)\s+(?!yesterday)(?P<anchor>[^?.!,;]+)",
    re.IGNORECASE,
)
#: Events are reported soon afterwards, seconds; such a report fits a little less.
_REPORTED_WITHIN_S, _REPORTED_LATER_FIT = 10 * 86_400, 0.6


@dataclass(frozen=True, slots=True)
class Period:
    """A stretch of time as it was named: seconds since 1970, `end` not included."""

    label: str
    start: float
    end: float

    def describe(self) -> str:
        """Return the period as it was named and its first and last day, for people."""
        first, last = (
            datetime.fromtimestamp(moment, UTC).date() for moment in (self.start, self.end - 1)
        )
        return f"{self.label} ({first if first == last else f'{first} to {last}'})"


@dataclass(frozen=True, slots=True)
class AnchoredPeriod:
    """A period that is so many days after (negative: before) what `anchor` speaks of."""

    label: str
    anchor: str
    days: int
    unit_days: int

    def at(self, anchor: float) -> Period:
        """Return the period, given when its anchor happened, seconds since 1970."""
        middle = datetime.fromtimestamp(anchor, UTC) + timedelta(days=self.days)
        half_width = max(1.0, self.unit_days / 2)
        return Period(self.label, *_days(_midnight(middle - _DAY * half_width), 2 * half_width + 1))


def periods(text: str, now: datetime) -> tuple[Period, ...]:
    """Return the periods that a text names, as they lie around `now`; each word counts once."""
    unique: dict[Period, None] = {}
    taken: list[tuple[int, int]] = [match.span() for match in _ANCHORED.finditer(text)]
    for form in _FORMS:
        for match in form.finditer(text):
            if any(match.start() < end and start < match.end() for start, end in taken):
                continue
            taken.append(match.span())
            try:
                unique[_read(match, now)] = None
            except (OverflowError, ValueError):  # outside of the years 1 to 9999
                continue
    return tuple(unique)


def anchored_period(text: str) -> AnchoredPeriod | None:
    """Return the period that a text reckons from something else, or None."""
    match = _ANCHORED.search(text)
    if match is None:
        return None
    unit = _DAYS[match["unit"].lower()]
    days = _number(match["count"]) * unit * (-1 if match["side"].lower() == "before" else 1)
    return AnchoredPeriod(match[0].strip(), match["anchor"].strip(), days, unit)


def period_match(period: Period, at: Ints) -> Floats:
    """Return how well times (seconds since 1970) fit: 1 in the period, .6 up to ten days later."""
    inside = (at >= period.start) & (at < period.end)
    later = (at >= period.end) & (at < period.end + _REPORTED_WITHIN_S)
    return np.select([inside, later], [1.0, _REPORTED_LATER_FIT], 0.0)


def _read(match: re.Match[str], now: datetime) -> Period:
    groups = {name: value.lower() for name, value in match.groupdict().items() if value}
    today = _midnight(now)
    if "near" in groups:
        bounds = _days(today + _DAY * _day_offset(groups["near"]), 1)
    elif "ago" in groups:
        unit = _DAYS[groups["unit"]]
        bounds = _days(
            today - _DAY * (unit * _number(groups["count"]) + unit // 2), unit // 2 * 2 + 1
        )
    elif "recent" in groups:
        days = _number(groups["count"]) * _DAYS[groups["unit"]]
        bounds = _days(today if _direction(groups["recent"]) > 0 else today - _DAY * days, days + 1)
    elif "season" in groups:
        bounds = _months(_season(groups, now), 3)
    elif "day" in groups:
        bounds = _days(_weekday(groups, today), 1)
    elif "span" in groups:
        bounds = _calendar(groups, today)
    else:
        bounds = _months(datetime(int(groups["year"]), 1, 1, tzinfo=UTC), 12)
    return Period(match[0], *bounds)


def _day_offset(word: str) -> int:
    return {"yesterday": -1, "today": 0, "tonight": 0, "tomorrow": 1}.get(word, -2)


def _direction(which: str) -> int:
    return {"this": 0, "next": 1, "coming": 1}.get(which, -1)


def _season(groups: dict[str, str], now: datetime) -> datetime:
    """Return when the season of a year began, or the last, this or the next one."""
    month = _SEASONS[groups["season"]]
    if "year" in groups:
        return datetime(int(groups["year"]), month, 1, tzinfo=UTC)
    begins = [datetime(now.year + shift, month, 1, tzinfo=UTC) for shift in (-2, -1, 0, 1)]
    direction = _direction(groups["which"])
    if direction > 0:
        return next(begin for begin in begins if begin > now)
    if direction < 0:
        return [begin for begin in begins if _add_months(begin, 3) <= now][-1]
    return begins[1] if now < _add_months(begins[1], 3) else begins[2]


def _weekday(groups: dict[str, str], today: datetime) -> datetime:
    """Return the last day of that name before today, the next one after it, or this week's."""
    direction = _direction(groups["which"])
    away = (WEEKDAYS.index(groups["day"]) - today.weekday()) % 7
    if direction > 0:
        return today + _DAY * (away or 7)
    return today + _DAY * (away - 7 if direction < 0 else away)


def _calendar(groups: dict[str, str], today: datetime) -> tuple[float, float]:
    """Return the last, this or the next day, week, weekend, month, quarter or year."""
    direction, span = _direction(groups["which"]), groups["span"]
    if span in _MONTHS:
        months = _MONTHS[span]
        first = today.replace(day=1, month=(today.month - 1) // months * months + 1)
        return _months(_add_months(first, months * direction), months)
    if span == "day":
        return _days(today + _DAY * direction, 1)
    week = today + _DAY * (7 * direction - today.weekday())
    return _days(week + 5 * _DAY, 2) if span == "weekend" else _days(week, _DAYS[span])


def _add_months(begin: datetime, months: int) -> datetime:
    """Return the first of a month so many months later."""
    place = begin.year * 12 + begin.month - 1 + months
    return begin.replace(year=place // 12, month=place % 12 + 1)


def _days(start: datetime, days: float) -> tuple[float, float]:
    return start.timestamp(), (start + timedelta(days=days)).timestamp()


def _months(first: datetime, months: int) -> tuple[float, float]:
    return first.timestamp(), _add_months(first, months).timestamp()


def _midnight(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def _number(word: str) -> int:
    return 1 if word.lower() == "the" else number_of(word)
