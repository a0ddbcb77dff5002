"""Instants: always timezone-aware UTC inside, ISO 8601 with a Z outside.

The clock is a function that is passed in, so that tests and replays choose the time. The English
words for days, months and small numbers are here too.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from .errors import Damaged, InvalidInput

_UTC_OFFSET = -len("+00:00")
DAY_S = 86_400
Clock = Callable[[], datetime]
#: Monday is 0, as in `datetime.weekday`.
WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
MONTHS = (
    "january february march april may june july august september october november december"
).split()
#: Alternatives for a regular expression: months in full, or the first three letters.
MONTH_PATTERN = "|".join(f"{month}|{month[:3]}" for month in MONTHS) + "|sept"
NUMBERS = {
    **dict.fromkeys(("a", "an", "one"), 1),
    **dict.fromkeys(("two", "couple"), 2),
    **dict.fromkeys(("three", "few"), 3),
    **{word: 4 + i for i, word in enumerate("four five six seven eight nine ten".split())},
}


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
        raise InvalidInput(f"time {instant.isoformat()} lies outside of years 1 to 9999") from None
    return utc.isoformat(timespec="microseconds")[:_UTC_OFFSET] + "Z"


def from_text(text: str) -> datetime:
    """Read what `to_text` wrote; raise `Damaged` for what it did not."""
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise Damaged(f"a stored time is {text!r}: run `meridia verify`") from None


def parse(text: str) -> datetime:
    """Read an ISO 8601 date or time given by a person; a date alone is its midnight, in UTC.

    Raises `InvalidInput` when the text is no date.
    """
    try:
        instant = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidInput(
            f"{text!r} is no date or time: write it as 2026-03-01 or 2026-03-01T10:00:00Z"
        ) from None
    return instant if instant.tzinfo else instant.replace(tzinfo=UTC)


def month_number(name: str) -> int:
    """Return the number of a month, 1 to 12, from its name or its first three letters."""
    return next(i for i, full in enumerate(MONTHS, 1) if full.startswith(name.lower()[:3]))


def number_of(word: str) -> int:
    """Return the number that digits or one of the words of `NUMBERS` name."""
    return int(word) if word.isdecimal() else NUMBERS[word.lower()]
