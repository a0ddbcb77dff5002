"""The times that a question names: "last spring", "mid-August 2025", "two weeks before the race".

Read by `time_reader`; dates that are written out and no more are left to `dates`. A period is
relative to the time of the question, or, where it is anchored, to the time of a remembered event.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np

from ...graph.view import Floats, Ints
from .calendar_spans import DAY, FIRST, LAST, Span, days, midnight
from .dates import PartialDate
from .time_atoms import COUNT, DAYS, UNIT, number
from .time_reader import PREPOSITION, TimeReader

_ANCHORED = re.compile(
    rf"\b{COUNT}\s+{UNIT}\s+(?P<side>before|after)\s+(?!yesterday|tomorrow|last|next)"
    r"(?P<anchor>[^?.!,;]+)",
    re.IGNORECASE,
)
_WORD = re.compile(r"(?<![\w'’])['’]?\w")
#: Events are reported soon afterwards, seconds; such a report fits a little less.
_REPORTED_WITHIN_S, _REPORTED_LATER_FIT = 10 * 86_400, 0.6


@dataclass(frozen=True, slots=True)
class Period:
    """A time as it was named, one or more stretches: seconds since 1970, ends not included.

    They are in order and do not overlap; what comes again each year has many.
    """

    label: str
    spans: tuple[tuple[float, float], ...]

    def describe(self) -> str:
        """Return the period as it was named and its first and last day, for people."""
        if len(self.spans) > _SHOWN_MAX:
            return f"{self.label} (of any year)"
        return f"{self.label} ({', '.join(_shown(*span) for span in self.spans)})"


_SHOWN_MAX = 3


def _shown(start: float, end: float) -> str:
    first, last = (datetime.fromtimestamp(moment, UTC).date() for moment in (start, end - 1))
    if start == FIRST.timestamp():
        return f"until {last}"
    if end == LAST.timestamp():
        return f"from {first}"
    return f"{first}" if first == last else f"{first} to {last}"


@dataclass(frozen=True, slots=True)
class NamedTimes:
    """The times of a text: dates that are written out, periods, and the places of both in it."""

    dates: tuple[PartialDate, ...] = ()
    periods: tuple[Period, ...] = ()
    places: tuple[tuple[int, int], ...] = ()

    def without(self, text: str) -> str:
        """Return the text with blanks where a time is named."""
        for start, end in self.places:
            text = text[:start] + " " * (end - start) + text[end:]
        return text

    def only(self, text: str) -> str:
        """Return what of the text names times."""
        return " ".join(text[start:end] for start, end in self.places)


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
        span = days(midnight(middle - DAY * half_width), 2 * half_width + 1)
        return Period(self.label, (_seconds(span),))


def named_times(text: str, now: datetime) -> NamedTimes:
    """Return the times that a text names, as they lie around `now`; each word counts once."""
    reader = TimeReader(text, now.astimezone(UTC))
    dates: dict[PartialDate, None] = {}
    periods: dict[Period, None] = {}
    places: list[tuple[int, int]] = []
    anchored = [match.span() for match in _ANCHORED.finditer(text)]
    for word in _WORD.finditer(text):
        place = word.start()
        inside = any(start < place < end for start, end in anchored)
        if inside or (places and place < places[-1][1]):
            continue
        try:
            named = reader.read(place)
        except (IndexError, OverflowError, ValueError):  # no calendar has it
            continue
        if named is None or not named.spans:
            continue
        places.append((place, named.end))
        if named.dates:
            dates |= dict.fromkeys(named.dates)
        else:
            spans = tuple(_seconds(span) for span in _apart(named.spans))
            label = text[place : named.end]
            without = PREPOSITION.match(label)
            periods[Period(label[without.end() :] if without else label, spans)] = None
    return NamedTimes(tuple(dates), _both_ends(tuple(periods)), tuple(places))


def _apart(spans: tuple[Span, ...]) -> list[Span]:
    """Return spans in order, those that overlap as one."""
    apart: list[Span] = []
    for start, end in sorted(spans):
        if apart and start < apart[-1][1]:
            apart[-1] = (apart[-1][0], max(end, apart[-1][1]))
        elif start < end:
            apart.append((start, end))
    return apart


def _both_ends(periods: tuple[Period, ...]) -> tuple[Period, ...]:
    """Return "after 2000, before June 2025" as one period."""
    first, last = FIRST.timestamp(), LAST.timestamp()
    before = [period for period in periods if period.spans[0][0] == first]
    after = [period for period in periods if period.spans[-1][1] == last]
    if len(before) != 1 or len(after) != 1 or after[0].spans[0][0] >= before[0].spans[0][1]:
        return periods
    span = (after[0].spans[0][0], before[0].spans[0][1])
    joined = Period(f"{after[0].label}, {before[0].label}", (span,))
    return (*(p for p in periods if p not in {before[0], after[0]}), joined)


def _seconds(span: Span) -> tuple[float, float]:
    return span[0].timestamp(), span[1].timestamp()


def anchored_period(text: str) -> AnchoredPeriod | None:
    """Return the period that a text reckons from something else, or None."""
    match = _ANCHORED.search(text)
    if match is None:
        return None
    unit = DAYS[match["unit"].lower()]
    distance = int(number(match["count"]) * unit) * (-1 if match["side"].lower() == "before" else 1)
    return AnchoredPeriod(match[0].strip(), match["anchor"].strip(), distance, unit)


def period_match(period: Period, at: Ints) -> Floats:
    """Return how well times (seconds since 1970) fit: 1 in the period, .6 up to ten days later."""
    starts, ends = np.array(period.spans).T
    last = np.searchsorted(starts, at, side="right") - 1  # that has begun; -1: none
    behind = np.where(last >= 0, at - ends[last], np.inf)
    return np.select([behind < 0, behind < _REPORTED_WITHIN_S], [1.0, _REPORTED_LATER_FIT], 0.0)
