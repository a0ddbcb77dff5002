"""The periods that a question names: "last spring", "three weeks ago", "two weeks before the race".

Rules for English. A period is reckoned from the time of asking, or, where it is anchored, from the
time of something else that is remembered. Seasons are those of the northern half of the earth.
Dates that are written out stand in `dates`. No library we know gives periods, only moments.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np

from ..graph.view import Floats, Ints

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
_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_NUMBERS = {
    **dict.fromkeys(("a", "an", "the", "one"), 1),
    **dict.fromkeys(("two", "couple"), 2),
    **dict.fromkeys(("three", "few"), 3),
    **{word: 4 + i for i, word in enumerate("four five six seven eight nine ten".split())},
}
_COUNT = rf"(?P<count>\d{{1,3}}|{'|'.join(_NUMBERS)})(?:\s+of)?"
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
        rf"{_WHICH}\s+(?:(?P<day>{'|'.join(_WEEKDAYS)})|{_SEASON}|(?P<span>{'|'.join(_DAYS)}))(?!\s+of)",
        r"(?:in|during|of|throughout)\s+(?P<year>(?:19|20)\d\d)",
    )
)
_ANCHORED = re.compile(
    rf"\b(?:a )?{_COUNT}\s+{_UNIT}\s+(?P<side>before|after)\s+(?!yesterday)(?P<anchor>[^?.!,;]+)",
    re.IGNORECASE,
)
#: What happened is told soon afterwards, seconds, and so much less likely in the period itself.
_TOLD_WITHIN, _TOLD_LATER = 10 * 86_400, 0.6


@dataclass(frozen=True, slots=True)
class Period:
    """A stretch of time as it was named: seconds since 1970, `end` not included."""

    label: str
    start: float
    end: float

    def told(self) -> str:
        """Return the period as it was named and its first and last day, for people."""
        first, last = (
            datetime.fromtimestamp(moment, UTC).date() for moment in (self.start, self.end - 1)
        )
        return f"{self.label} ({first if first == last else f'{first} to {last}'})"


@dataclass(frozen=True, slots=True)
class Anchored:
    """A period that is so many days after (negative: before) what `anchor` speaks of."""

    label: str
    anchor: str
    days: int
    unit_days: int

    def at(self, anchor: float) -> Period:
        """Return the period, given when its anchor happened, seconds since 1970."""
        middle = datetime.fromtimestamp(anchor, UTC) + timedelta(days=self.days)
        reach = max(1.0, self.unit_days / 2)
        return Period(self.label, *_days(_midnight(middle - _DAY * reach), 2 * reach + 1))


def periods(text: str, now: datetime) -> tuple[Period, ...]:
    """Return the periods that a text names, as they lie around `now`; each word counts once."""
    found: dict[Period, None] = {}
    taken: list[tuple[int, int]] = [match.span() for match in _ANCHORED.finditer(text)]
    for form in _FORMS:
        for match in form.finditer(text):
            if any(match.start() < end and start < match.end() for start, end in taken):
                continue
            taken.append(match.span())
            try:
                found[_read(match, now)] = None
            except (OverflowError, ValueError):  # outside of the years 1 to 9999
                continue
    return tuple(found)


def anchored(text: str) -> Anchored | None:
    """Return the period that a text reckons from something else, or None."""
    match = _ANCHORED.search(text)
    if match is None:
        return None
    unit = _DAYS[match["unit"].lower()]
    days = _number(match["count"]) * unit * (-1 if match["side"].lower() == "before" else 1)
    return Anchored(match[0].strip(), match["anchor"].strip(), days, unit)


def within(period: Period, at: Ints) -> Floats:
    """Return how well times (seconds since 1970) fit: 1 in the period, .6 up to ten days later."""
    inside = (at >= period.start) & (at < period.end)
    later = (at >= period.end) & (at < period.end + _TOLD_WITHIN)
    return np.select([inside, later], [1.0, _TOLD_LATER], 0.0)


def _read(match: re.Match[str], now: datetime) -> Period:
    parts = {name: part.lower() for name, part in match.groupdict().items() if part}
    today = _midnight(now)
    if "near" in parts:
        found = _days(today + _DAY * _near(parts["near"]), 1)
    elif "ago" in parts:
        unit = _DAYS[parts["unit"]]
        found = _days(
            today - _DAY * (unit * _number(parts["count"]) + unit // 2), unit // 2 * 2 + 1
        )
    elif "recent" in parts:
        days = _number(parts["count"]) * _DAYS[parts["unit"]]
        found = _days(today if _ahead(parts["recent"]) > 0 else today - _DAY * days, days + 1)
    elif "season" in parts:
        found = _months(_season(parts, now), 3)
    elif "day" in parts:
        found = _days(_weekday(parts, today), 1)
    elif "span" in parts:
        found = _calendar(parts, today)
    else:
        found = _months(datetime(int(parts["year"]), 1, 1, tzinfo=UTC), 12)
    return Period(match[0], *found)


def _near(word: str) -> int:
    return {"yesterday": -1, "today": 0, "tonight": 0, "tomorrow": 1}.get(word, -2)


def _ahead(which: str) -> int:
    return {"this": 0, "next": 1, "coming": 1}.get(which, -1)


def _season(parts: dict[str, str], now: datetime) -> datetime:
    """Return when the season of a year began, or the last, this or the next one."""
    month = _SEASONS[parts["season"]]
    if "year" in parts:
        return datetime(int(parts["year"]), month, 1, tzinfo=UTC)
    begins = [datetime(now.year + shift, month, 1, tzinfo=UTC) for shift in (-2, -1, 0, 1)]
    ahead = _ahead(parts["which"])
    if ahead > 0:
        return next(begin for begin in begins if begin > now)
    if ahead < 0:
        return [begin for begin in begins if _later(begin, 3) <= now][-1]
    return begins[1] if now < _later(begins[1], 3) else begins[2]


def _weekday(parts: dict[str, str], today: datetime) -> datetime:
    """Return the last day of that name before today, the next one after it, or this week's."""
    ahead = _ahead(parts["which"])
    away = (_WEEKDAYS.index(parts["day"]) - today.weekday()) % 7
    if ahead > 0:
        return today + _DAY * (away or 7)
    return today + _DAY * (away - 7 if ahead < 0 else away)


def _calendar(parts: dict[str, str], today: datetime) -> tuple[float, float]:
    """Return the last, this or the next day, week, weekend, month, quarter or year."""
    ahead, span = _ahead(parts["which"]), parts["span"]
    if span in _MONTHS:
        months = _MONTHS[span]
        first = today.replace(day=1, month=(today.month - 1) // months * months + 1)
        return _months(_later(first, months * ahead), months)
    if span == "day":
        return _days(today + _DAY * ahead, 1)
    week = today + _DAY * (7 * ahead - today.weekday())
    return _days(week + 5 * _DAY, 2) if span == "weekend" else _days(week, _DAYS[span])


def _later(begin: datetime, months: int) -> datetime:
    """Return the first of a month so many months later."""
    place = begin.year * 12 + begin.month - 1 + months
    return begin.replace(year=place // 12, month=place % 12 + 1)


def _days(start: datetime, days: float) -> tuple[float, float]:
    return start.timestamp(), (start + timedelta(days=days)).timestamp()


def _months(first: datetime, months: int) -> tuple[float, float]:
    return first.timestamp(), _later(first, months).timestamp()


def _midnight(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def _number(word: str) -> int:
    return int(word) if word.isdecimal() else _NUMBERS[word.lower()]
