"""The time of an event that a question refers to: "two weeks before the race".

Several memories may mention it: some before it, one reports it, others look back. Rules for
English; where no memory reports it, the last one that looks ahead is nearest.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime

from .dates import parse_dates

#: Words of somebody to whom it still lies ahead.
_AHEAD = re.compile(
    r"\b(?:will|won['’]t|shall|going to|gonna|plan(?:s|ned|ning)?|sign(?:ed|ing)? up|regist\w+"
    r"|enter(?:ed|ing)?|enrol\w*|book(?:ed|ing)?|train(?:ing)? for|prepar\w+|practi[cs]\w+ for"
    r"|next|tomorrow|soon|upcoming|until|till|before the|ahead of|looking forward|can['’]t wait"
    r"|want(?:s|ed)? to|would like|hop(?:e|es|ing)|invit\w+|if|whether)\b"
    r"|\w['’]ll\b|\?\s*$",
    re.IGNORECASE,
)
#: Words of somebody who comes from it.
_JUST_NOW = re.compile(
    r"\b(?:today|tonight|yesterday|this (?:morning|afternoon|evening)|last night|just|finally"
    r"|at last)\b",
    re.IGNORECASE,
)


def anchor_time(mentions: Sequence[tuple[float, str]]) -> float:
    """Return when it happened, of the time and text of each mention, earliest first, not none.

    That is the first mention that comes from it, else the day that the last mention with one names,
    else the first mention that does not look ahead, else the last of all.
    """
    behind = [(at, text) for at, text in mentions if not _AHEAD.search(text)]
    fresh = [at for at, text in behind if _JUST_NOW.search(text)]
    named = [day for at, text in mentions if (day := _named_day(text, at)) is not None]
    return next(iter(fresh), (named or [behind[0][0] if behind else mentions[-1][0]])[-1])


def _named_day(text: str, at: float) -> float | None:
    """Return when the one day begins that a mention writes out; without a year, the nearest."""
    days = [date for date in parse_dates(text) if date.day is not None]
    if len(days) != 1:
        return None
    mentioned, (named,) = datetime.fromtimestamp(at, UTC), days
    years = [named.year] if named.year else [mentioned.year + shift for shift in (-1, 0, 1)]
    begins = [day for year in years if (day := named.in_year(year)) is not None]
    return min((day.timestamp() for day in begins), key=lambda day: abs(day - at), default=None)
