"""Times in imported files: ISO 8601, seconds since 1970, and dates as other programs write them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from ...core.errors import InvalidInput
from ...core.time import MONTH_PATTERN, from_epoch, month_number
from ...core.types import Json

#: Seconds as text, or as .NET writes them; eight digits are a date.
_NUMBER = re.compile(r"(?P<date>/Date\()?(\d{9,19}(?:\.\d+)?)(?(date)\)/)")
#: What happens to a message; with what its time is called: `created_at`, `sentOn`, `postDate`.
_DONE = (
    *("created", "create", "creation", "sent", "send", "posted", "post", "published", "received"),
    *("occurred", "happened", "recorded", "written", "inserted", "added", "logged", "message"),
    *("msg", "event", "timestamp", "start", "started", "sessionstart", "begin"),
)
_WHEN = ("at", "time", "date", "on", "datetime", "timestamp", "ts", "ms", "utc")
#: What a time is called where programs write messages, the best name first; see `folded`.
TIME_FIELDS = tuple(
    dict.fromkeys(
        (
            *("timestamp", "createdat", "createtime", "created", "ts", "sentat", "datetime"),
            *("date", "time", "sent", "posted", "published", "received", "datecreated", "datesent"),
            *(done + when for done in _DONE for when in _WHEN),
            *("sessionstart", "updatedat", "updatedate", "updatetime", "updated"),
        )
    )
)
#: Where a time stands among other things: what a program adds to a message, or a pair of times.
_HOLDERS = ("metadata", "meta", "info", "time", "timestamp", "date")
#: A time as an object: seconds, or text, under such a name.
_INNER = ("$date", "$numberLong", "seconds", "_seconds", "created", "start")
#: A smaller number under a name of a time is a place in a recording, not a year in the seventies.
_EPOCH_MIN = 10**8
_NOT_LETTERS = re.compile(r"[\W_]+")
#: A date that can be read in one way only, alone or with a time behind it.
_WRITTEN = rf"""(?xi)
    (?:[a-z]{{3,9}},?\ )?
    (?: (?P<year>\d{{4}})[/-](?P<month>\d\d?)[/-](?P<day>\d\d?)
      | (?P<day_2>\d\d?)\.\ ?(?P<month_2>\d\d?)\.\ ?(?P<year_2>\d{{4}})
      | (?P<day_3>\d\d?)\.?[\ -](?P<month_3>{MONTH_PATTERN})\.?,?[\ -](?P<year_3>\d{{4}})
      | (?P<month_4>{MONTH_PATTERN})\.?\ (?P<day_4>\d\d?),?\ (?P<year_4>\d{{4}})
    )
    (?: (?:,|,?\ at)?\ (?P<hour>\d\d?):(?P<minute>\d\d)(?::(?P<second>\d\d))?
        (?:\ ?(?P<half>[ap])\.?m\.?)?
        (?:\ ?(?P<zone>UTC|GMT|Z|[+-]\d\d:?\d\d))?
    )?"""
#: A date whose day and month could be either.
_EITHER_WAY = re.compile(r"\d\d?[/-]\d\d?[/-]\d{2,4}\b")


#: Its parts, and a clock behind it.
_EITHER_WAY_PARTS = re.compile(
    r"(?P<first>\d\d?)(?P<mark>[/-])(?P<second>\d\d?)(?P=mark)(?P<third>\d{4}|\d\d)"
    r"(?P<clock>,? +\d\d?:\d\d(?::\d\d)?(?: ?(?P<half>[AaPp])\.?[Mm]\.?)?)?"
)


@dataclass(slots=True)
class DayOrder:
    """Which of day and month comes first in the dates of one file: what all of them say."""

    days_first: int = 0
    months_first: int = 0
    dots: bool = False
    capital_halves: bool = False
    falls: Counter[bool] = field(default_factory=Counter)
    example: str = ""
    _before: dict[bool, tuple[int, ...]] = field(default_factory=dict)

    def add(self, date: re.Match[str]) -> None:
        """Look at one date, in groups `first`, `mark`, `second`, `third` and `half`."""
        if len(date["first"]) == 4:
            return
        first, second = int(date["first"]), int(date["second"])
        self.days_first += first > 12
        self.months_first += second > 12
        self.dots |= date["mark"] == "."
        half = date["half"] or ""
        self.capital_halves |= half.isupper() and half.isascii()
        self.example = self.example or f"{first}{date['mark']}{second}{date['mark']}{date['third']}"
        for day_first in (True, False):
            day, month = (first, second) if day_first else (second, first)
            now = (int(date["third"]), month, day)
            self.falls[day_first] += now < self._before.get(day_first, ())
            self._before[day_first] = now

    def day_first(self) -> tuple[bool, str | None]:
        """Return whether the day comes first, and what has to be said where that is not sure."""
        if self.days_first != self.months_first:
            return self.days_first > self.months_first, None
        if self.dots or not self.example:
            return True, None
        if self.falls[True] != self.falls[False]:
            chosen, why = self.falls[True] < self.falls[False], "so the times ascend"
        else:
            chosen = not self.capital_halves
            why = "by its clock" if self.capital_halves else "as in most countries"
        order = "day/month" if chosen else "month/day"
        return chosen, f"dates such as {self.example} could be either: read as {order}, {why}"


def either_way(text: str) -> re.Match[str] | None:
    """Return the parts of a date whose day and month could be either; None for all else."""
    return _EITHER_WAY_PARTS.fullmatch(text.strip())


def in_order(date: re.Match[str], *, day_first: bool) -> str:
    """Write a date that could be either way so that `parse_timestamp` reads it."""
    day, month = (date["first"], date["second"]) if day_first else (date["second"], date["first"])
    year = date["third"] if len(date["third"]) == 4 else f"20{date['third']}"
    clock = (date["clock"] or "").replace(",", "").strip()
    return f"{year}/{month}/{day} {clock}".strip()


def folded(name: str) -> str:
    """Return a name of a field in small letters and digits alone."""
    return _NOT_LETTERS.sub("", name).lower()


def find_time(fields: Mapping[str, Json], *others: str) -> tuple[str | None, str | None]:
    """Return the first time that fields have under a usual name (or another), and its name.

    Names are the same however they are written, with capitals, underscores or neither. A time
    may also stand in what the fields have under `metadata` and the like: then it has no name.
    What is called so and is no time is passed over: then nothing says when it was.
    """
    named = {folded(name): name for name in [*fields][::-1]}
    for wanted in (*TIME_FIELDS, *others):
        if (name := named.get(wanted)) and (ts := _time_or_none(fields[name])):
            return ts, name
    for wanted in _HOLDERS:
        inner = fields.get(named.get(wanted, ""))
        if isinstance(inner, Mapping) and (ts := find_time(inner, *others)[0]):
            return ts, None
    return None, None


def _time_or_none(value: Json) -> str | None:
    if isinstance(value, (int, float)) and abs(value) < _EPOCH_MIN:
        return None
    try:
        return parse_timestamp(value)
    except InvalidInput:
        return None


def parse_timestamp(value: Json) -> str | None:
    """Return a time as ISO 8601 text; null stays null.

    It may be ISO 8601 text, seconds since 1970 or a thousandth, millionth or billionth of them,
    also as text, or a date as it is often written ("3 March 2026 10:00", "03.03.2026",
    "2026/03/03"), or an object that holds one. Without a timezone it is taken as UTC.
    `InvalidInput` for what is no time, and for what could be two days.
    """
    if value is None:
        return None
    while isinstance(value, Mapping):
        value = next((value[name] for name in _INNER if name in value), str(value))
    try:
        if isinstance(value, str) and (number := _NUMBER.fullmatch(value.strip())):
            value = float(number[2])
        if isinstance(value, str):
            timestamp = _read(value.strip())
            return (timestamp if timestamp.tzinfo else timestamp.replace(tzinfo=UTC)).isoformat()
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise TypeError
        return from_epoch(value).isoformat()
    except (TypeError, ValueError, OverflowError, OSError):
        shown = repr(str(value)[:80])
        if _EITHER_WAY.match(str(value).strip()):
            why = "could be day and month or month and day: write it as 2026-03-04"
        else:
            why = "is not a time: write ISO 8601 with a timezone"
        raise InvalidInput(f"{shown} {why}") from None


def _read(text: str) -> datetime:
    """Read a time; raise `ValueError` for what is none."""
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        match = re.fullmatch(_WRITTEN, text)  # compiled by the first such date, not by each start
        if match is None:
            raise
    given = {name.partition("_")[0]: text for name, text in match.groupdict().items() if text}
    month, half = given["month"], given.get("half", "").lower()
    hour, minute, second = (int(given.get(name, 0)) for name in ("hour", "minute", "second"))
    if half:
        if not 1 <= hour <= 12:
            raise ValueError
        hour = hour % 12 + (12 if half == "p" else 0)
    number = int(month) if month.isdecimal() else month_number(month)
    zone = given.get("zone", "")
    return datetime.fromisoformat(
        f"{given['year']}-{number:02}-{int(given['day']):02}T{hour:02}:{minute:02}:{second:02}"
        f"{zone if zone[:1] in {'+', '-'} else '+00:00'}"
    )
