"""Stretches of the calendar."""

from datetime import UTC, datetime
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from meridia.language.questions import dates as calendar

EPOCH = datetime(1970, 1, 1, 13, tzinfo=UTC)
MOMENTS = st.integers(-25_000, 47_000).map(lambda day: EPOCH + calendar.DAY * day)


@given(MOMENTS, st.integers(0, 6), st.integers(0, 400))
def test_every_weekday_of_a_span_is_that_day_and_begins_in_it(moment, weekday, length):
    span = calendar.days(calendar.midnight(moment), length)
    spans = calendar.every_week(span, weekday, 1)
    assert all(start.weekday() == weekday and span[0] <= start < span[1] for start, _ in spans)
    assert length // 7 <= len(spans) <= length // 7 + 1


@given(MOMENTS, st.sampled_from(["day", "week", "month", "quarter"]), st.integers(1, 300))
def test_a_span_is_divided_without_gaps(moment, unit, length):
    span = calendar.days(calendar.midnight(moment).replace(day=1), length)
    pieces = calendar.divided(span, unit)
    assert pieces[0][0] == span[0]
    assert pieces[-1][1] == span[1]
    assert all(before[1] == after[0] for before, after in pairwise(pieces))


@given(MOMENTS, st.integers(2, 400))
def test_early_mid_and_late_cover_a_span(moment, length):
    span = calendar.days(calendar.midnight(moment), length)
    early, mid, late = (calendar.share(span, *s) for s in ((0, 0.34), (0.29, 0.71), (0.66, 1)))
    assert early[0] == span[0]
    assert mid[0] <= early[1]
    assert late[0] <= mid[1]
    assert late[1] == span[1]


def test_the_29th_of_february_comes_in_leap_years_only():
    def leap_day(year):
        return [calendar.days(datetime(year, 2, 29, tzinfo=UTC), 1)]

    spans = calendar.yearly(leap_day, datetime(2026, 1, 1, tzinfo=UTC))
    assert all(start.year % 4 == 0 for start, _ in spans)
    assert len(spans) > 10
