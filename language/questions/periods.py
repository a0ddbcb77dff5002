"""The times that a question names: "last spring", "mid-August 2025", "two weeks before the race".

Read by the grammar below; dates that are written out and no more are left to `dates`. A period is
relative to the time of the question, or, where it is anchored, to the time of a remembered event.

Reads the times that a question names, in English: a small grammar over the calendar.

    time    = range | bound | shifted | single
    range   = [between | from] single (and | to | -) single
    bound   = (before | until | after | since) single
    shifted = COUNT unit (before | after) single
    single  = (part [of] | nth unit of) single | atom [single]        ("Christmas last year")
    atom    = yesterday | COUNT unit ago | last COUNT unit | last UNIT | a date, month, season,
              quarter, week, weekday, holiday, year or decade

What comes again (a month without a year) is all of its spans; "last", a year behind it or a bound
choose among them. Seasons are those of the northern hemisphere.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from ...core.time import ORDINALS, WEEKDAYS, month_number
from . import dates as calendar
from .dates import DAY, FIRST, LAST, MONTH, PartialDate, Span, days, midnight
from .time_atoms import (
    COUNT,
    DAYS,
    READINGS_MAX,
    UNIT,
    WEEKDAY,
    Named,
    atom,
    number,
    rule,
    this_span,
)
from .time_words import in_english, original_place

#: From the narrowest to the widest: a wider time behind a narrower one chooses among its spans.
_WIDTHS = "weekday day weekend week fortnight month quarter season year decade century".split()
#: In "the weeks after", "the last days of": so many days, at most.
_NEAR_DAYS = {"days": 10, "weeks": 42, "months": 150}
#: Shares of a time that its parts take; they overlap, as people's do.
_PARTS = {
    "early|(?:the )?(?:very )?(?:beginning|start|outset|first third)": (0, 0.34),
    "mid|(?:the )?middle": (0.29, 0.71),
    "late|(?:the )?(?:very )?(?:end|close|last third)": (0.66, 1),
    "(?:the )?(?:first|opening) (?:few )?(?=days|weeks|months)": (0, 0.34),
    "(?:the )?(?:last|final|closing) (?:few )?(?=days|weeks|months)": (0.66, 1),
    "(?:the )?first half": (0, 0.505),
    "(?:the )?(?:second|last|latter|other) half": (0.49, 1),
}
_NTHS = {"1st": 1, "2nd": 2, "3rd": 3, "4th": 4, "5th": 5, "last": -1, "final": -1}
_NTHS |= {word: number for number, word in enumerate(ORDINALS[:12], 1)}


_SHARES = [(rule(rf"(?:{words})(?:\s?(?P<of>part|days|weeks|months))?"), shares)
         for words, shares in _PARTS.items()]  # fmt: skip
_OF = re.compile(r"[\s-]+(?:(?:of|in)\s+)?(?:the\s+)?", re.IGNORECASE)
_NTH = rule(
    rf"(?:the\s+)?(?P<nth>{'|'.join(_NTHS)})\s+(?:{COUNT}\s+)?"
    rf"(?:(?P<span>day|weekend|week|fortnight|month|quarter|half|third|year)s?|{WEEKDAY})"
    r"\s+(?:of|in)(?: the)?\s"
)
_WEEK_OF = rule(r"(?:the )?(?P<span>week(?:end)?) of(?: the)?\s")
_LED = rule(r"(?:in )?(?:between|from)(?: the)?\s")
_TO = re.compile(r"\s*(?:\b(?:and|to|till|until|through|thru)\b|[-–—])\s*(?:the )?", re.IGNORECASE)
_DAY_NUMBER = r"(?P<{}>\d{{1,2}})(?:st|nd|rd|th)?"
_DAYS_OF_MONTH = rule(
    rf"(?:(?:between|from)\s+)?(?:the )?{_DAY_NUMBER.format('first')}{_TO.pattern}"
    rf"{_DAY_NUMBER.format('last')}\s+(?:of )?{MONTH.pattern}(?:,?\s+(?P<year>\d{{4}}))?"
    rf"|(?:(?:between|from)\s+)?{MONTH.pattern.replace('name', 'month')}\s+(?:the )?"
    rf"{_DAY_NUMBER.format('from')}{_TO.pattern}{_DAY_NUMBER.format('to')}"
    r"(?:,?\s+(?P<years>\d{4}))?"
)
_BOUND = rule(
    r"(?:(?:(?:in )?the (?P<near>days|weeks|months|run-up)|(?P<soon>shortly|soon|just|right))\s)?"
    r"(?P<side>before|prior to|leading up to|until|till|up to|to|by|after|following|since|from)"
    r"(?: the)?\s"
)
_ON = rule(r"\s?on(?:wards?)?")
_SHIFTED = rule(rf"{COUNT}\s+{UNIT}\s+(?P<side>before|after|prior to|following|from)(?: the)?\s")
_LINK = re.compile(
    r"(?P<of>'s)?,?\s+(?P<link>(?:of|in|on|at|during|over)\s+)?(?:the\s+)?", re.IGNORECASE
)
_AND = re.compile(r",?\s+(?:and|or)\s+(?:(?:in|on|at)\s+)?(?:the\s+)?", re.IGNORECASE)
_YEARS_AGO = rule(rf",?\s+{COUNT}\s+years? ago")
_NEXT_TO = rule(
    rf"(?:the )?(?:(?P<weekend>weekend)|{WEEKDAY}) (?P<side>before|after|following)(?: the)?\s"
)
PREPOSITION = re.compile(
    r"(?:in|during|of|throughout|over|on|at|around|within|for)(?: the)?\s+", re.IGNORECASE
)


class TimeReader:
    """Reads times at places of a text, as they lie around `now`."""

    def __init__(self, text: str, now: datetime) -> None:
        """Read a text."""
        self._text = text.replace("’", "'")
        self._now = now
        self._today = calendar.midnight(now)
        self._read: dict[tuple[int, bool], Named | None] = {}

    def read(self, place: int) -> Named | None:
        """Return the time that begins at a place, the longest way to read it, or None.

        Raises `ValueError`, `OverflowError` or `IndexError` for what no calendar has.
        """
        named = self._range(place) or self._bound(place) or self._shifted(place)
        named = named or self._next_to(place)
        if named is None and (match := PREPOSITION.match(self._text, place)):
            place = match.end()
            named = self._range(place) or self._bound(place) or self._shifted(place)
            named = named or self._next_to(place) or self._single(place, bare=True)
            named = named and self._listed(named)
        return named or (self._single(place, bare=True) and self._single(place))

    def _listed(self, named: Named) -> Named:
        """Return a time with another of its kind behind it: "in May and June 2025"."""
        link = _AND.match(self._text, named.end)
        other = link and self._single(link.end(), bare=True)
        if other is None or other.unit != named.unit or not other.spans:
            return named
        spans = named.spans
        if named.comes_again and not other.comes_again:
            spans = tuple(span for span in spans if span[0] < other.spans[0][0])[-1:]
        return Named(other.end, named.unit, tuple(sorted((*spans, *other.spans))))

    def _range(self, place: int) -> Named | None:
        if match := _DAYS_OF_MONTH.match(self._text, place):
            return self._days_of_month(match)
        led = _LED.match(self._text, place)
        first = self._single(led.end() if led else place, bare=True)
        to = _TO.match(self._text, first.end) if first else None
        last = self._single(to.end(), bare=True) if to else None
        if first is None or to is None or last is None or (not led and "and" in to[0].lower()):
            return None
        if first.unit == "season" and last.unit == "year":  # "winter 2024-2025"
            return Named(last.end, "season", first.spans)
        return Named(last.end, "range", _joined(first.spans, last.spans))

    def _days_of_month(self, match: re.Match[str]) -> Named:
        groups = {name: value for name, value in match.groupdict().items() if value}
        month = month_number(groups.get("name") or groups["month"])
        first = int(groups.get("first") or groups["from"])
        last = int(groups.get("last") or groups["to"])
        year = groups.get("year") or groups.get("years")

        def of_year(of: int) -> list[Span]:
            begin, end = (datetime(of, month, day, tzinfo=UTC) for day in (first, last))
            return [(begin, end + DAY)]

        spans = of_year(int(year)) if year else calendar.yearly(of_year, self._now)
        return Named(match.end(), "range", tuple(spans))

    def _bound(self, place: int) -> Named | None:
        match = _BOUND.match(self._text, place)
        named = match and self._single(match.end(), bare=True)
        if match is None or named is None or self._text.startswith("'s", named.end):
            return None
        side, near = match["side"].lower(), (match["near"] or match["soon"] or "").lower()
        start, end = self._latest(named)
        if near:
            reach = DAY * _NEAR_DAYS.get(near, 21)
            after = side in {"after", "following"}
            span = (end, end + reach) if after else (start - reach, start)
            return Named(named.end, "range", (span,))
        if side in {"to", "following", "leading up to"}:
            return None
        if side == "from":
            onwards = _ON.match(self._text, named.end)
            return onwards and Named(onwards.end(), "open", ((start, LAST),))
        edges = {"after": (end, LAST), "since": (start, LAST)}
        edges |= dict.fromkeys(("before", "prior to"), (FIRST, start))
        return Named(named.end, "open", (edges.get(side, (FIRST, end)),))

    def _latest(self, named: Named) -> Span:
        """Return the last of its spans that has begun; all, where it does not come again."""
        if not named.comes_again and named.every is None:
            return named.spans[0][0], named.spans[-1][1]
        begun = [span for span in named.spans if span[0] <= self._now]
        return (begun or [named.spans[0]])[-1]

    def _next_to(self, place: int) -> Named | None:
        """Return the first weekday after, or the last before, another time."""
        match = _NEXT_TO.match(self._text, place)
        named = match and self._single(match.end(), bare=True)
        if match is None or named is None:
            return None
        weekday = 5 if match["weekend"] else WEEKDAYS.index(match["weekday"].lower())
        length, back = (2 if match["weekend"] else 1), match["side"].lower() == "before"
        spans = []
        for start, end in named.spans:
            week = (start - DAY * 7, start) if back else _week_after(start, end, length)
            spans += calendar.every_week(week, weekday, length)[-1 if back else 0 :][:1]
        return Named(named.end, "day", tuple(spans))

    def _shifted(self, place: int) -> Named | None:
        match = _SHIFTED.match(self._text, place)
        named = match and self._single(match.end(), bare=True)
        if match is None or named is None:
            return None
        unit, count = DAYS[match["unit"].lower()], number(match["count"])
        side = match["side"].lower()
        back, around = side in {"before", "prior to"}, unit // 2
        spans = []
        for start, end in named.spans:
            middle = start - DAY * count * unit if back else end - DAY + DAY * count * unit
            if count == 1 and unit > 1:  # "the week before Christmas" ends where it begins
                spans.append((middle, start) if back else (end, middle + DAY))
            else:
                spans.append((middle - DAY * around, middle + DAY * (around + 1)))
        return Named(named.end, "range", tuple(spans))

    def _single(self, place: int, *, bare: bool = False) -> Named | None:
        """Return a time without what it is a bound of.

        With `bare`, words count as times that are only after "in", "on" and the like: "May".
        """
        if (place, bare) not in self._read:
            named = self._share(place) or self._nth(place)
            named = named or atom(self._text, place, self._now, bare=bare)
            self._read[place, bare] = named and self._qualified(named)
        return self._read[place, bare]

    def _whole(self, place: int) -> Named | None:
        """Return the time that something is a part of; "the month" is this one."""
        return self._single(place, bare=True) or this_span(self._text, place, self._now)

    def _share(self, place: int) -> Named | None:
        for pattern, shares in _SHARES:
            match = pattern.match(self._text, place)
            of = match and _OF.match(self._text, match.end())
            whole = of and self._whole(of.end())
            if match and whole:
                reach = _NEAR_DAYS.get((match["of"] or "").lower(), 10**5)
                spans = tuple(
                    calendar.reaching(calendar.share(span, *shares), reach, from_end=shares[1] == 1)
                    for span in whole.spans
                )
                return replace(whole, spans=spans, dates=(), every=None)
        return None

    def _nth(self, place: int) -> Named | None:
        """Return the nth weekday, week, month and so on of another time, or its week."""
        if match := _WEEK_OF.match(self._text, place):
            day = self._single(match.end(), bare=True)
            if day is not None and day.unit == "day":
                weekend = match["span"].lower() == "weekend"
                weeks = [calendar.days(s - DAY * s.weekday(), 7) for s, _ in day.spans]
                spans = [calendar.days(s + DAY * 5, 2) for s, _ in weeks] if weekend else weeks
                return Named(day.end, match["span"].lower(), tuple(spans))
        match = _NTH.match(self._text, place)
        whole = match and self._whole(match.end())
        if match is None or not whole or not _narrower(match["span"], whole.unit):
            return None
        which = _NTHS[match["nth"].lower()]
        count = int(number(match["count"])) if match["count"] else 1
        spans = []
        for span in whole.spans:
            pieces = self._pieces(match, span, from_end=which < 0)
            if max(which, 1) + count - 1 <= len(pieces):
                spans.append(calendar.nth(pieces, which, count))
        unit = (match["span"] or "day").lower().replace("half", "season").replace("third", "season")
        named = replace(whole, unit=unit, spans=tuple(spans), dates=(), every=None)
        return named if spans else None

    @staticmethod
    def _pieces(match: re.Match[str], span: Span, *, from_end: bool) -> list[Span]:
        if match["weekday"]:
            return calendar.every_week(span, WEEKDAYS.index(match["weekday"].lower()), 1)
        unit = match["span"].lower()
        if unit == "weekend":
            return calendar.every_week(span, 5, 2)
        if unit in {"week", "fortnight"} and from_end:
            days = DAYS[unit]
            count = (span[1] - span[0]).days // days
            return [calendar.days(span[1] - DAY * days * n, days) for n in range(count, 0, -1)]
        return calendar.divided(span, unit)

    def _qualified(self, named: Named) -> Named:
        """Return a time, chosen by a wider one behind it: "May last year", "Friday, 2 May"."""
        link = _LINK.match(self._text, named.end)
        other = link and self._single(link.end(), bare=True)
        if match := _YEARS_AGO.match(self._text, named.end):
            year = self._now.year - int(number(match["count"]))
            other = Named(match.end(), "year", (calendar.months(year, 1, 12),))
        if link is None or other is None or {named.unit, other.unit} & {"range", "open"}:
            return named
        narrow, wide = named, other
        if _WIDTHS.index(named.unit) > _WIDTHS.index(other.unit):
            if not (link["link"] or link["of"]):
                return named
            narrow, wide = other, named
        if narrow.every is not None:
            spans = [each for span in wide.spans for each in narrow.every(span)]
        elif narrow.comes_again and narrow.unit != wide.unit:
            spans = list(calendar.within(narrow.spans, wide.spans))
        else:
            return named
        if not spans:  # "Friday, 2 May", which is no Friday
            return other if wide is other and wide.unit == "day" else named
        dates = wide.dates if wide.unit == "day" else ()
        return Named(other.end, narrow.unit, tuple(spans), dates)


def _joined(first: Sequence[Span], last: Sequence[Span]) -> tuple[Span, ...]:
    """Return from the start of one to the end of the other, for each that comes again."""
    if len(first) <= READINGS_MAX < len(last):
        last = [span for span in last if span[1] > first[0][0]][:1]
    joined = []
    for _, end in last:
        begun = [start for start, _ in first if start < end]
        if begun:
            joined.append((begun[0] if len(first) <= READINGS_MAX else begun[-1], end))
    return tuple(joined)


def _week_after(start: datetime, end: datetime, days: int) -> Span:
    """Return the week after a time; "the Monday after Easter" is Easter Monday."""
    begin = start + DAY if days == 1 and end - start < DAY * 7 else calendar.midnight(end)
    return begin, begin + DAY * 7


def _narrower(unit: str | None, other: str) -> bool:
    """Return whether a unit may be one of several in another: "last year in May" is none of May."""
    if unit is None or other not in _WIDTHS or unit.lower() not in _WIDTHS:
        return True
    return _WIDTHS.index(unit.lower()) < _WIDTHS.index(other)


_ANCHORED = re.compile(
    rf"\b{COUNT}\s+{UNIT}\s+(?P<side>before|after)\s+(?!yesterday|tomorrow|last|next)"
    r"(?P<anchor>[^?.!,;]+)",
    re.IGNORECASE,
)
_WORD = re.compile(r"(?<![\w'’])['’]?\w")


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

    def at(self, anchor: float) -> Period | None:
        """Return the period, given when its anchor happened, seconds since 1970.

        None where no calendar has it.
        """
        half_width = max(1.0, self.unit_days / 2)
        try:
            middle = datetime.fromtimestamp(anchor, UTC) + timedelta(days=self.days)
            span = days(midnight(middle - DAY * half_width), 2 * half_width + 1)
        except OverflowError:
            return None
        return Period(self.label, (_seconds(span),))


def named_times(text: str, now: datetime) -> NamedTimes:
    """Return the times that a text names, as they lie around `now`; each word counts once.

    Those of other languages are read as they are in English.
    """
    spoken, cuts = in_english(text)
    reader = TimeReader(spoken, now.astimezone(UTC))
    dates: dict[PartialDate, None] = {}
    periods: dict[Period, None] = {}
    places: list[tuple[int, int]] = []
    anchored = [match.span() for match in _ANCHORED.finditer(spoken)]
    for word in _WORD.finditer(spoken):
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
            start, end = original_place(cuts, place, named.end)
            without = PREPOSITION.match(text, start, end)
            periods[Period(text[without.end() if without else start : end], spans)] = None
    named_there = tuple(original_place(cuts, *place) for place in places)
    return NamedTimes(tuple(dates), _both_ends(tuple(periods)), named_there)


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
