"""A day said in many ways: the times that are read contain it, and no day far off."""

from datetime import UTC, date, datetime, timedelta

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from meridia.core.time import MONTHS, NUMBERS, ORDINALS, WEEKDAYS
from meridia.language.questions.periods import named_times
from meridia.retrieval.candidates.query_targets import day_match, month_match, period_match
from tests.thorough import examples

DAY = timedelta(days=1)
WORD_OF = {number: word for word, number in reversed(NUMBERS.items()) if word not in {"a", "an"}}


def fits(text: str, now: datetime, day: date) -> bool:
    """Return whether a day, at noon, is in the times that a text names."""
    at = np.array([int(datetime(day.year, day.month, day.day, 12, tzinfo=UTC).timestamp())])
    times = named_times(text, now)
    found = [period_match(period, at) == 1 for period in times.periods]
    found += [(day_match if d.day else month_match)(d, at) == 1 for d in times.dates]
    return bool(np.any(found))


def part(place: float) -> str:
    """Return the name of a third, by a place in it from 0 to 1."""
    return ("early", "mid", "late")[min(int(place * 3), 2)]


def dated(day: date) -> list[tuple[str, int]]:
    """Return phrases for a day whatever the time is, each with how many days off is outside."""
    name, year = MONTHS[day.month - 1].capitalize(), day.year
    month_end = (day.replace(day=28) + 4 * DAY).replace(day=1) - DAY
    in_month = part((day.day - 1) / month_end.day)
    quarter, half = (day.month - 1) // 3 + 1, ("first", "second")[day.month > 6]
    week = (day.day - 1) // 7
    before, after = day - 3 * DAY, day + 3 * DAY
    decade = year // 10 * 10
    return [
        (f"on {day.isoformat()}", 2),
        (f"on {day.day} {name} {year}", 2),
        (f"on {name} {day.day}, {year}", 2),
        (f"on the {ORDINALS[day.day - 1]} of {name} {year}", 2),
        (f"on {day.day}/{day.month}/{year}", 370),
        (f"on {day.month}/{day.day}/{year}", 370),
        (f"on {day:%d.%m.%Y}", 370),
        (f"on {day:%d-%m-%Y}", 370),
        (f"in {name} {year}", 32),
        (f"in {day.month:02d}/{year}", 32),
        (f"in {year}-{day.month:02d}", 32),
        (f"in {in_month} {name} {year}", 16),
        (f"in {in_month}-{name} {year}", 16),
        (f"in the {ORDINALS[week]} week of {name} {year}", 8),
        (f"on the {ORDINALS[week]} {WEEKDAYS[day.weekday()]} of {name} {year}", 2),
        (f"in Q{quarter} {year}", 93),
        (f"in the {ORDINALS[quarter - 1]} quarter of {year}", 93),
        (f"in the {half} half of {year}", 186),
        (f"in {year}", 367),
        (f"in the {decade}s", 3660),
        (f"between {before.isoformat()} and {after.isoformat()}", 7),
        (f"from {before.day} {MONTHS[before.month - 1]} {before.year} to {after:%d %B %Y}", 7),
        (f"in the week of {day.day} {name} {year}", 8),
        (f"two days after {(day - 2 * DAY):%d %B %Y}", 5),
        (f"three weeks before {(day + 21 * DAY):%d %B %Y}", 9),
    ]


def relative(day: date, now: datetime) -> list[tuple[str, int]]:
    """Return phrases for a day of the last years, as they are said at a time."""
    today, name = now.date(), MONTHS[day.month - 1].capitalize()
    ago = (today - day).days
    months, years = round(ago / 30.4), round(ago / 365.25)
    week = (today - timedelta(today.weekday()) - day).days
    phrases = [
        (f"in the last {ago + 1} days", ago + 20),
        (f"since {day:%d %B %Y}", 10**6),
        (f"after {(day - DAY):%d %B %Y}", 10**6),
        (f"before {(day + DAY):%d %B %Y}", 10**6),
        (f"in {name}", 32),
    ]
    if 0 < ago < 100:
        phrases.append((f"{WORD_OF.get(ago, str(ago))} days ago", 3))
    if 0 < ago <= 7:
        phrases.append((f"last {WEEKDAYS[day.weekday()]}", 3))
    if 0 < week <= 7:
        phrases.append(("last week", 8))
        phrases.append((f"on {WEEKDAYS[day.weekday()]} last week", 3))
    if 2 <= months <= 30 and abs(ago / 30.4 - months) < 0.45:
        phrases.append((f"{WORD_OF[months]} months ago", 46))
    if years >= 1 and abs(ago / 365.25 - years) < 0.45:
        phrases.append((f"about {WORD_OF[years]} years ago", 560))
    if day.year == today.year - 1:
        phrases += [("last year", 367), (f"in {name} last year", 32), (f"last year in {name}", 32)]
    return phrases


DAYS = st.dates(date(1991, 1, 1), date(2029, 12, 31))
FAR = st.integers(1, 300)


@settings(max_examples=examples(15))
@given(DAYS, st.integers(-9, 59), FAR)
def test_a_day_in_words_is_read_as_that_day_and_none_far_off(day, years, further):
    now = datetime(day.year + years, 5, 17, 21, tzinfo=UTC)
    for phrase, outside in dated(day):
        text = f"What did Ilse do {phrase}?"
        assert fits(text, now, day), phrase
        for off in (day - DAY * (outside + further), day + DAY * (outside + further)):
            assert not fits(text, now, off), (phrase, off)


@settings(max_examples=examples(15))
@given(DAYS, st.integers(0, 900), FAR)
def test_a_day_in_words_is_reckoned_from_now(day, later, further):
    now = datetime(day.year, day.month, day.day, 9, tzinfo=UTC) + DAY * later
    for phrase, outside in relative(day, now):
        assert fits(f"What did Ilse do {phrase}?", now, day), (phrase, now)
        again = phrase == f"in {MONTHS[day.month - 1].capitalize()}"
        if outside < 3000 and not again:
            off = day - DAY * (outside + further)
            assert not fits(f"What did Ilse do {phrase}?", now, off), (phrase, now, off)


def test_a_day_that_no_calendar_has_is_none():
    now = datetime(2026, 4, 13, tzinfo=UTC)
    for text in ("on 31/31/2025", "in week 60", "on the 32nd", "the fifth month of the quarter"):
        times = named_times(text, now)
        assert not times.dates
        assert not times.periods
