"""Times that stand alone: today, three weeks ago, last week, dates, and what comes again.

Each function reads what begins at a place of a text, as it lies around `now`, or returns None.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime

from ...core.time import MONTHS, NUMBER_PATTERN, WEEKDAYS, month_number, number_of
from . import dates as calendar
from .dates import (
    DATES,
    DAY,
    HOLIDAY,
    MONTH,
    PartialDate,
    Span,
    dates_of,
    holiday,
    in_century,
    orders,
)

_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
DAYS = {"day": 1, "week": 7, "weekend": 7, "fortnight": 14, "month": 30, "quarter": 91}
DAYS |= {"year": 365, "decade": 3652}
#: Over many, the days that are left out add up.
_MEAN_DAYS = {**DAYS, "month": 30.44, "quarter": 91.31, "year": 365.25}
_DECADES = dict(zip("twenties thirties forties fifties sixties seventies eighties nineties".split(),
                    range(20, 100, 10), strict=True)) | {"noughties": 0}  # fmt: skip
COUNT = (
    r"(?:(?:about|around|roughly|almost|nearly|over|exactly|some) )?"
    rf"(?:(?:a|the) )?(?P<count>\d{{1,3}}|half an?|{NUMBER_PATTERN}|the)(?:\s+of)?"
)
UNIT = r"(?P<unit>day|week|fortnight|month|quarter|year|decade)s?"
_SPAN = "(?P<span>day|weekend|week|fortnight|month|quarter|year|decade|century)"
_WHICH = r"(?P<which>last|past|previous|this|current|next|coming|upcoming|following)"
WEEKDAY = rf"(?P<weekday>{'|'.join(WEEKDAYS)})"
_NAMES = "|".join((*WEEKDAYS, "weekend", *_SEASONS, *MONTHS))


def rule(pattern: str) -> re.Pattern[str]:
    """Return a pattern of whole words, in any case."""
    return re.compile(rf"(?:{pattern})\b", re.IGNORECASE)


_NEAR = rule(
    r"(?P<near>(?:the )?day before yesterday|yesterday|today|tonight|(?:the )?day after tomorrow"
    r"|tomorrow|last night|(?:the )?night before last|this (?:morning|afternoon|evening))"
)
_SAME_TIME = rule(
    r"(?:(?:at|around) )?(?:this|the same) (?:time|day) last (?P<unit>year|month|week)"
)
_HALF = " and a half"
#: "two or three weeks ago", "a year or two ago", "a month or so ago".
_OTHER = rf"\d{{1,3}}|{NUMBER_PATTERN}"
_AGO = rule(
    rf"{COUNT}(?:(?P<more>{_HALF})|(?:\s+(?:or|to)\s+|\s*[-–]\s*)(?P<to>{_OTHER}))?\s+{UNIT}"
    rf"(?:(?P<half>{_HALF})|\s+or\s+(?:so|(?P<or>{_OTHER})))?\s+(?:ago|back)"
)
_RECENT = rule(rf"(?P<which>last|past|previous|next|coming)\s+{COUNT}\s+{UNIT}")
_PAST_SPAN = rule(rf"past\s+{UNIT}")
_BACK = rule(
    rf"(?:{COUNT}\s+(?P<what>{_NAMES})s?\s+(?:ago|back)"
    rf"|(?:the )?(?P<one>{_NAMES}) (?P<side>before last))"
)
_OTHER_DAY = rule(r"(?:the )?other day")
_SPAN_BEFORE_LAST = rule(rf"(?:the )?{_SPAN} (?P<side>before last|after next)")
_WHICH_SPAN = rule(rf"{_WHICH}\s+{_SPAN}")
_WHICH_NAME = rule(rf"{_WHICH}\s")
_THIS_SPAN = rule("(?P<span>week|month|quarter|year|decade|century)")
_QUARTER = rule(r"(?:q(?P<number>[1-4])|(?P<half>h[12]))")
_SEASON = rule(rf"(?P<season>{'|'.join(_SEASONS)})(?:time)?")
_WEEK_NUMBER = rule(r"(?:(?:calendar )?week|cw|kw)\s?(?P<number>[1-9]|[1-4]\d|5[0-3])")
_WEEK = rule(rf"(?:(?P<weekend>weekend)|{WEEKDAY})(?! the \d)")
_YEAR = rule(r"(?:the )?(?:year )?(?P<year>1[89]\d\d|20\d\d)")
_SHORT_YEAR = rule(r"'(?P<short>\d\d)")
_DECADE = rule(
    rf"(?:the )?(?:(?P<year>\d\d\d0)'?s|'?(?P<short>\d0)'?s|(?P<name>{'|'.join(_DECADES)}))"
)
_DAY_OF_MONTH = re.compile(
    r"(?P<day>[12]?\d|3[01])(?:st|nd|rd|th)"
    r"(?=\s*(?:$|[-–?.!,;)]|(?:and|or|to|until|at)\b|of (?:the|this|last|next) month))",
    re.IGNORECASE,
)
_HOLIDAY = rule(HOLIDAY)
#: What is celebrated at night ends in the early hours of the next day.
_AT_NIGHT, _EARLY_HOURS = rule("eve|night|new year|hallowe'?en"), 0.25
_SHORT_DATE = re.compile(r"(?P<one>\d\d?)(?:/(?P<two>\d\d?)|\.(?P<second>\d\d?)\.)(?![\d/.])")


@dataclass(frozen=True, slots=True)
class Named:
    """A time as it was named: its spans, ascending; many where it comes again.

    `end` is the place behind it in the text, `dates` what it is where it is a date and no more,
    `every` returns its occurrences within another time.
    """

    end: int
    unit: str
    spans: tuple[Span, ...]
    dates: tuple[PartialDate, ...] = ()
    every: Callable[[Span], list[Span]] | None = None

    @property
    def comes_again(self) -> bool:
        """Return whether there is one of every year."""
        return len(self.spans) > READINGS_MAX


#: A date in numbers has at most two readings.
READINGS_MAX = 2


def atom(text: str, place: int, now: datetime, *, bare: bool) -> Named | None:
    """Return the time that stands at a place.

    With `bare`, words count as times that are only after "in", "on" and the like: "May".
    """
    named = (
        _near(text, place, now)
        or _which(text, place, now)
        or _date(text, place, now)
        or _again(text, place, now)
    )
    return named or (_bare(text, place, now) if bare else None)


def this_span(text: str, place: int, now: datetime) -> Named | None:
    """Return "week" of "the end of the week": this one."""
    match = _THIS_SPAN.match(text, place)
    return match and _calendar(match, "this", now)


def _near(text: str, place: int, now: datetime) -> Named | None:
    """Return a time that is reckoned from today."""
    today = calendar.midnight(now)
    if match := _NEAR.match(text, place):
        return Named(match.end(), "day", (_day(match["near"].lower(), today),))
    if match := _OTHER_DAY.match(text, place):
        span = today - DAY * 14, today
    elif match := _SAME_TIME.match(text, place):
        unit = DAYS[match["unit"].lower()]
        span = _around(today - DAY * unit, max(1, unit // 24))
    elif match := _AGO.match(text, place):
        unit = DAYS[match["unit"].lower()]
        least = number(match["count"]) + bool(match["half"] or match["more"]) / 2
        most = number(match["to"] or match["or"] or "0") or least
        width = unit // 2 if least == int(least) else unit // 8
        days = _MEAN_DAYS[match["unit"].lower()]
        first, last = (_around(today - DAY * int(days * count), width) for count in (most, least))
        span = first[0], last[1]
    elif match := _RECENT.match(text, place) or _PAST_SPAN.match(text, place):
        count = number(match["count"]) if "count" in match.re.groupindex else 1
        days = int(count * _MEAN_DAYS[match["unit"].lower()])
        ahead = "which" in match.re.groupindex and _direction(match["which"]) > 0
        span = calendar.days(today if ahead else today - DAY * days, days + 1)
    else:
        return None
    return Named(match.end(), "range", (span,))


def _around(middle: datetime, days: int) -> Span:
    return middle - DAY * days, middle + DAY * (days + 1)


def _day(word: str, today: datetime) -> Span:
    if "night" in word and "last" in word:
        middle = today - DAY * ("before" in word)
        return middle - DAY * 0.3, middle + DAY * 0.3
    away = {"yesterday": -1, "tomorrow": 1}.get(word.rsplit(maxsplit=1)[-1], 0)
    return calendar.days(today + DAY * away * (1 + ("day " in word)), 1)


def _which(text: str, place: int, now: datetime) -> Named | None:
    """Return the last, this or the next of what comes again."""
    if match := _SPAN_BEFORE_LAST.match(text, place):
        return _calendar(match, match["side"], now)
    if match := _WHICH_SPAN.match(text, place):
        return _calendar(match, match["which"], now)
    if (match := _BACK.match(text, place)) and (
        named := _bare(match["what"] or match["one"], 0, now)
    ):
        count = int(number(match["count"])) if match["what"] else 2
        return Named(match.end(), named.unit, _chosen(named, -1, now, count))
    match = _WHICH_NAME.match(text, place)
    if match is None:
        return None
    again = _again(text, match.end(), now) or _bare(text, match.end(), now)
    if again is None or not (again.comes_again or again.every):
        return None
    return Named(again.end, again.unit, _chosen(again, _direction(match["which"]), now))


def _chosen(again: Named, direction: int, now: datetime, count: int = 1) -> tuple[Span, ...]:
    """Return the last that is over (of `count`, the first), the next, or this week's or year's."""
    if again.every is not None:
        today = calendar.midnight(now)
        start, end = {-1: (-7 * count, 7 - 7 * count), 0: (0, 7), 1: (1, 8)}[direction]
        return tuple(again.every((today + DAY * start, today + DAY * end)))
    if direction > 0:
        return tuple(span for span in again.spans if span[0] > now)[:1]
    if direction < 0:
        return tuple(span for span in again.spans if span[1] <= now)[-count:][:1]
    return tuple(s for s in again.spans if s[0] <= now < s[1] or s[0].year == now.year)[:1]


def _calendar(match: re.Match[str], which: str, now: datetime) -> Named:
    """Return the last, this or the next day, week, weekend, month and so on."""
    away, unit, today = _direction(which), match["span"].lower(), calendar.midnight(now)
    if unit in calendar.MONTHS_OF:
        count = calendar.MONTHS_OF[unit]
        begin = ((today.year * 12 + today.month - 1) // count + away) * count
        return Named(match.end(), unit, (calendar.months(begin // 12, begin % 12 + 1, count),))
    if unit == "day":
        return Named(match.end(), unit, (calendar.days(today + DAY * away, 1),))
    week = today + DAY * (7 * away - today.weekday())
    start, days = (week + 5 * DAY, 2) if unit == "weekend" else (week, DAYS[unit])
    return Named(match.end(), unit, (calendar.days(start, days),))


def _direction(which: str) -> int:
    """Return how many ahead "next" is, "last", "before last" and the others."""
    ahead = {"next": 1, "coming": 1, "upcoming": 1, "following": 1, "this": 0, "current": 0}
    return {"before last": -2, "after next": 2}.get(which.lower()) or ahead.get(which.lower(), -1)


def _date(text: str, place: int, now: datetime) -> Named | None:
    """Return a date that is written out."""
    for form in DATES:
        if (match := form.match(text, place)) and (dates := dates_of(match)):
            spans = sorted(span for named in dates for span in _spans_of(named, now))
            return Named(match.end(), "day" if dates[0].day else "month", tuple(spans), dates)
    return None


def _spans_of(named: PartialDate, now: datetime) -> tuple[Span, ...]:
    def of_year(year: int) -> list[Span]:
        if named.day is None:
            return [calendar.months(year, named.month, 1)]
        begin = named.in_year(year)
        return [] if begin is None else [calendar.days(begin, 1)]

    return calendar.yearly(of_year, now) if named.year is None else tuple(of_year(named.year))


def _again(text: str, place: int, now: datetime) -> Named | None:
    """Return a holiday, a quarter or a numbered week, of every year."""
    if match := _HOLIDAY.match(text, place):
        name, end = match, match.end()
        early = DAY * (_EARLY_HOURS if _AT_NIGHT.search(match[0]) else 0)

        def of_year(year: int) -> list[Span]:
            return [
                (calendar.at_midnight(first), calendar.at_midnight(last) + early)
                for first, last in holiday(name, year)
            ]

        return Named(end, "day", calendar.yearly(of_year, now))
    if match := _QUARTER.match(text, place):
        count = 3 if match["number"] else 6
        place = int(match["number"] or match["half"][1]) - 1
        unit = "quarter" if count == 3 else "season"
        spans = calendar.yearly(lambda y: [calendar.months(y, place * count + 1, count)], now)
        return Named(match.end(), unit, spans)
    if match := _WEEK_NUMBER.match(text, place):
        week = int(match["number"])

        def week_of(year: int) -> list[Span]:
            return [calendar.days(calendar.at_midnight(date.fromisocalendar(year, week, 1)), 7)]

        return Named(match.end(), "week", calendar.yearly(week_of, now))
    return None


def _bare(text: str, place: int, now: datetime) -> Named | None:
    """Return what a word is a time of only after "in", "on" and the like."""
    if match := MONTH.match(text, place):
        named = PartialDate(month_number(match["name"]), None, None)
        return Named(match.end(), "month", _spans_of(named, now), (named,))
    if match := _SEASON.match(text, place):
        month = _SEASONS[match["season"].lower()]
        spans = calendar.yearly(lambda year: [calendar.months(year, month, 3)], now)
        return Named(match.end(), "season", spans)
    if match := _WEEK.match(text, place):
        return _of_week(match, now)
    return _years(text, place) or _numbers(text, place, now)


def _of_week(match: re.Match[str], now: datetime) -> Named:
    """Return a weekday or the weekend: the last one that has begun, and the next weekday."""
    weekday = 5 if match["weekend"] else WEEKDAYS.index(match["weekday"].lower())
    unit, length = ("weekend", 2) if match["weekend"] else ("weekday", 1)
    today = calendar.midnight(now)
    begun = today - DAY * ((today.weekday() - weekday) % 7)
    begins = [begun] if match["weekend"] else [begun, begun + DAY * 7]
    if begun == today and length == 1:
        begins.insert(0, begun - DAY * 7)
    spans = tuple(calendar.days(begin, length) for begin in begins)
    return Named(
        match.end(), unit, spans, every=lambda span: calendar.every_week(span, weekday, length)
    )


def _years(text: str, place: int) -> Named | None:
    """Return a year or a decade."""
    if match := _DECADE.match(text, place):
        short = _DECADES[match["name"].lower()] if match["name"] else int(match["short"] or 0)
        year = int(match["year"] or in_century(short))
        return Named(match.end(), "decade", (calendar.months(year, 1, 120),))
    match = _YEAR.match(text, place) or _SHORT_YEAR.match(text, place)
    if match is None:
        return None
    groups = match.groupdict()
    year = int(groups["year"]) if groups.get("year") else in_century(int(groups["short"]))
    return Named(match.end(), "year", (calendar.months(year, 1, 12),))


def _numbers(text: str, place: int, now: datetime) -> Named | None:
    """Return "the 15th" or "15/8", a date without its month or year."""
    if match := _SHORT_DATE.match(text, place):
        first, second = int(match["one"]), int(match["two"] or match["second"])
        dates = orders(first, second, None)
        spans = sorted(span for named in dates for span in _spans_of(named, now))
        return Named(match.end(), "day", tuple(spans), dates) if dates else None
    match = _DAY_OF_MONTH.match(text, place)
    if match is None:
        return None
    day = int(match["day"])

    def every(span: Span) -> list[Span]:
        months = calendar.divided((span[0].replace(day=1), span[1]), "month")
        starts = [start + DAY * (day - 1) for start, _ in months]
        return [calendar.days(start, 1) for start in starts if start.day == day]

    back = calendar.add_months(calendar.midnight(now), -2)
    begun = [span for span in every((back, now)) if span[0] <= now]
    return Named(match.end(), "day", tuple(begun[-1:]), every=every)


def number(word: str) -> float:
    """Return a number as words have it; "the" is one, "half a" a half."""
    if word.lower().startswith("half"):
        return 0.5
    return 1 if word.lower() == "the" else number_of(word)
