"""Instants: always timezone-aware UTC inside, ISO 8601 with a Z outside.

Callers give a `When`; `read_time` has the one rule for what they write, in Python, on the command
line and over HTTP: a time of day needs a timezone, a date alone is its midnight in UTC. The clock
is a function that is passed in, so that tests and replays choose the time. The English words for
days, months and small numbers are here too.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from time import monotonic
from typing import Any, TypeAlias, overload

from .errors import Damaged, InvalidInput

_UTC_OFFSET = -len("+00:00")
DAY_S = 86_400
Clock = Callable[[], datetime]
#: A time as callers may give it: see `read_time`.
When: TypeAlias = "datetime | date | str | float"
#: Above each of these a number since 1970 counts units so many times smaller than a second.
_EPOCH_UNITS = ((1e17, 1e9), (1e14, 1e6), (1e11, 1e3))
#: JSON numbers are exact up to here.
_SEQUENCE_MAX = 2**53
#: Fewer digits are a year or a position, not seconds since 1970.
_EPOCH_DIGITS_MIN = 9
#: Whole numbers between these are written for days: 20260301.
_DAY_MIN, _DAY_MAX = 1900_01_01, 2100_01_01
_ADVICE = "write it as 2026-03-01 or 2026-03-01T10:00:00Z"
#: Monday is 0, as in `datetime.weekday`.
WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
MONTHS = (
    "january february march april may june july august september october november december"
).split()
#: Alternatives for a regular expression: months in full, or the first three letters.
MONTH_PATTERN = "|".join(f"{month}|{month[:3]}" for month in MONTHS) + "|sept"
_ONES = "one two three four five six seven eight nine".split()
_TEENS = ("ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen").split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
NUMBERS = {
    **{word: number for number, word in enumerate([*_ONES, *_TEENS], 1)},
    **{word: 10 * number for number, word in enumerate(_TENS, 2)},
    **{
        f"{ten}-{digit}": 10 * number + unit
        for number, ten in enumerate(_TENS, 2)
        for unit, digit in enumerate(_ONES, 1)
    },
    "a": 1,
    "an": 1,
    "couple": 2,
    "few": 3,
    "dozen": 12,
}
#: Of the days of a month: "first" is the first.
ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
    "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first "
    "twenty-second twenty-third twenty-fourth twenty-fifth twenty-sixth twenty-seventh "
    "twenty-eighth twenty-ninth thirtieth thirty-first"
).split()
#: Alternatives for a regular expression: numbers as words, "twenty-five" also with a blank.
NUMBER_PATTERN = "|".join(sorted(NUMBERS, key=len, reverse=True)).replace("-", "[- ]")


def system_clock() -> datetime:
    """Return the present instant in UTC."""
    return datetime.now(UTC)


def to_text(instant: datetime) -> str:
    """Write an aware instant as sortable UTC text, such as `2026-03-01T10:00:05.000000Z`."""
    if instant.tzinfo is None:
        raise InvalidInput(f"time {instant.isoformat()} has no timezone: add one, such as +00:00")
    try:
        utc = instant if instant.tzinfo is UTC else instant.astimezone(UTC)
    except OverflowError:
        raise InvalidInput(f"time {instant.isoformat()} is outside the years 1 to 9999") from None
    return utc.isoformat(timespec="microseconds")[:_UTC_OFFSET] + "Z"


def from_text(text: str) -> datetime:
    """Read what `to_text` wrote; raise `Damaged` for what it did not."""
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise Damaged(f"a stored time is {text!r}: run `meridia verify`") from None


def parse(text: str) -> datetime:
    """Read an ISO 8601 date or time that an entry or a file holds; without a zone it is UTC.

    Raises `InvalidInput` when the text is no date.
    """
    try:
        instant = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidInput(f"{text!r} is not a date or time: {_ADVICE}") from None
    return instant if instant.tzinfo else instant.replace(tzinfo=UTC)


@overload
def read_time(value: When, name: str = "time") -> datetime: ...
@overload
def read_time(value: When | None, name: str = "time") -> datetime | None: ...
def read_time(value: When | None, name: str = "time") -> datetime | None:
    """Return the instant that a caller gives, in UTC; None for None.

    It may be an aware datetime (of pandas too), ISO 8601 text, seconds, milliseconds, microseconds
    or nanoseconds since 1970, told apart by size, or a date, also as 20260301: its midnight in UTC.
    `InvalidInput` names what is wrong, such as a time of day without a timezone.
    """
    if value is None:
        return None
    try:
        given = _as_python(value)
        if isinstance(given, str):
            given = _from_text(given.strip())
        if isinstance(given, float):
            given = _from_number(given, name)
        if isinstance(given, date) and not isinstance(given, datetime):
            given = datetime.combine(given, time(), UTC)
        if isinstance(given, datetime):
            return _in_utc(given, name)
    except (ValueError, OverflowError, OSError):
        pass
    raise InvalidInput(f"{name} {str(value)[:80]!r} is not a date or time: {_ADVICE}")


def read_point(value: When | None, name: str = "as_of") -> datetime | int | None:
    """Return a time as `read_time` does, or a journal sequence: a whole number, also as text."""
    number: Any = value
    if isinstance(value, str) and value.isascii() and value.strip().isdecimal():
        number = int(value.strip()[: len(str(_SEQUENCE_MAX)) + 1])
    if isinstance(number, bool) or not hasattr(number, "__index__"):
        return read_time(value, name)
    if not 0 <= int(number) <= _SEQUENCE_MAX:
        raise InvalidInput(f"{name} {str(value)[:30]} is not a journal sequence: 0 to 2**53")
    return int(number)


def from_epoch(number: float) -> datetime:
    """Return an instant from seconds since 1970, or milliseconds and less where they are large.

    Raises `ValueError`, `OverflowError` or `OSError` for what lies outside of years 1 to 9999.
    """
    unit = next((unit for least, unit in _EPOCH_UNITS if abs(number) > least), 1)
    return datetime.fromtimestamp(number / unit, UTC)


def _as_python(value: Any) -> object:
    """Return a value of another library as one of Python's: numbers as float."""
    if isinstance(value, (str, date, bool)):
        return value
    kind = getattr(getattr(value, "dtype", None), "kind", "")
    if kind == "M":  # datetime64 of numpy: in days it is a date, else a time without a zone
        days = str(value.dtype) in {"datetime64[D]", "datetime64[W]", "datetime64[M]"}
        return value.astype("datetime64[D]" if days else "datetime64[us]").item()
    return float(value) if hasattr(value, "__float__") and kind != "b" else value


def _from_text(text: str) -> date | float:
    if text.isascii() and text.isdecimal() and len(text) >= _EPOCH_DIGITS_MIN:
        return float(text)
    try:
        return date.fromisoformat(text)
    except ValueError:
        return datetime.fromisoformat(text)


def _from_number(number: float, name: str) -> date:
    """Return an instant since 1970, or the day that a number such as 20260301 is written for."""
    if number < 0:
        raise InvalidInput(f"{name} {number:g} is below zero: numbers count from 1970; {_ADVICE}")
    if _DAY_MIN <= number <= _DAY_MAX and number.is_integer():
        return date.fromisoformat(f"{number:.0f}")
    return from_epoch(number)


def _in_utc(instant: datetime, name: str) -> datetime:
    if instant.tzinfo is None:
        raise InvalidInput(
            f"{name} {instant} has no timezone: add one, such as Z or +02:00 in text, or "
            "tzinfo=timezone.utc"
        )
    utc = instant.astimezone(UTC)
    return datetime(
        utc.year, utc.month, utc.day, utc.hour, utc.minute, utc.second, utc.microsecond, tzinfo=UTC
    )


def ago(now: datetime, days: float) -> datetime:
    """Return the instant so many days before another, at the earliest the first there is."""
    try:
        return now - timedelta(days=days)
    except OverflowError:
        return datetime.min.replace(tzinfo=UTC)


def month_number(name: str) -> int:
    """Return the number of a month, 1 to 12, from its name or its first three letters."""
    return next(i for i, full in enumerate(MONTHS, 1) if full.startswith(name.lower()[:3]))


def number_of(word: str) -> int:
    """Return the number that digits or one of the words of `NUMBERS` name."""
    return int(word) if word.isdecimal() else NUMBERS["-".join(word.lower().split())]


def within(wait_s: float) -> Callable[[], bool]:
    """Return what says whether another step, as long as the longest so far, ends in time."""
    last = monotonic()
    deadline, longest = last + wait_s, 0.0

    def should_continue() -> bool:
        nonlocal last, longest
        now = monotonic()
        longest, last = max(longest, now - last), now
        return now + longest < deadline

    return should_continue
