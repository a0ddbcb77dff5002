"""Periods that questions name."""

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.language.questions.periods import Period, anchored_period, named_times

#: A Sunday.
NOW = datetime(2026, 11, 22, 10, tzinfo=UTC)


def periods(text, now):
    """Return the periods of a text, without its plain dates."""
    return named_times(text, now).periods


def days(period: Period) -> tuple[str, str]:
    """Return the first day and the day after the last."""
    bounds = period.spans[0][0], period.spans[-1][1]
    ends = (datetime.fromtimestamp(end, UTC).date() for end in bounds)
    return tuple(end.isoformat() for end in ends)


@pytest.mark.parametrize("unit", ["day", "week", "month", "year"])
@pytest.mark.parametrize("few", range(1, 5))
@pytest.mark.parametrize("form", ["{} or {} {}s ago", "{}-{} {}s ago", "{} to {} {}s back"])
def test_of_two_counts_both_are_meant(form, few, unit):
    (both,) = periods(form.format(few, few + 1, unit), NOW)
    (least,), (most,) = (periods(f"{count} {unit}s ago", NOW) for count in (few, few + 1))
    assert days(both) == (days(most)[0], days(least)[1])


@pytest.mark.parametrize("unit", ["day", "week", "month", "year"])
def test_or_so_and_or_two_stand_behind_one(unit):
    (one,), (two,) = (periods(f"{count} {unit}s ago", NOW) for count in (1, 2))
    (so,), (either,) = (periods(f"a {unit} or {word} ago", NOW) for word in ("so", "two"))
    assert days(so) == days(one)
    assert days(either) == (days(two)[0], days(one)[1])


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("What did we say the night before last?", "2026-11-20", "2026-11-21"),
        ("What did she do yesterday?", "2026-11-21", "2026-11-22"),
        ("the day before yesterday", "2026-11-20", "2026-11-21"),
        ("3 days ago", "2026-11-19", "2026-11-20"),
        ("a couple of weeks ago", "2026-11-05", "2026-11-12"),
        ("in the last two months", "2026-09-23", "2026-11-23"),
        ("over the next 3 weeks", "2026-11-22", "2026-12-14"),
        ("last Friday", "2026-11-20", "2026-11-21"),
        ("last Sunday", "2026-11-15", "2026-11-16"),
        ("this Sunday", "2026-11-22", "2026-11-23"),
        ("next Sunday", "2026-11-29", "2026-11-30"),
        ("last week", "2026-11-09", "2026-11-16"),
        ("last weekend", "2026-11-14", "2026-11-16"),
        ("last month", "2026-10-01", "2026-11-01"),
        ("this quarter", "2026-10-01", "2027-01-01"),
        ("last year", "2025-01-01", "2026-01-01"),
        ("last spring", "2026-03-01", "2026-06-01"),
        ("last winter", "2025-12-01", "2026-03-01"),
        ("this spring", "2026-03-01", "2026-06-01"),
        ("this winter", "2026-12-01", "2027-03-01"),
        ("next summer", "2027-06-01", "2027-09-01"),
        ("in the summer of 2021", "2021-06-01", "2021-09-01"),
        ("towards the end of fall 2023", "2023-10-31", "2023-12-01"),
        ("in 2023", "2023-01-01", "2024-01-01"),
    ],
)
def test_a_period_is_reckoned_from_now(text, start, end):
    (period,) = periods(text, NOW)
    assert days(period) == (start, end)
    assert period.label in text


def test_in_january_this_winter_is_the_one_that_has_begun():
    (period,) = periods("this winter", datetime(2026, 1, 20, tzinfo=UTC))
    assert days(period) == ("2025-12-01", "2026-03-01")


@pytest.mark.parametrize(
    "text", ["", "the last one", "next to her", "in 99", "version 2.13.45", "3000 years ago"]
)
def test_what_is_no_period_is_none(text):
    assert periods(text, NOW) == ()


def test_a_period_may_be_anchored_to_something_else():
    found = anchored_period("Who called two weeks before the race?")
    assert found is not None
    assert (found.label, found.anchor, found.days) == ("two weeks before the race", "the race", -14)
    race = datetime(2026, 6, 15, 12, tzinfo=UTC).timestamp()
    start, end = map(date.fromisoformat, days(found.at(race)))
    assert start <= date(2026, 6, 1) < end
    assert (end - start).days <= 9
    assert periods("two weeks before the race", NOW) == ()


def test_an_anchor_needs_a_distance():
    assert anchored_period("What happened before the race?") is None
    assert anchored_period("the day before yesterday") is None
    after = anchored_period("the day after the wedding")
    assert after is not None
    assert after.days == 1


@given(st.text(), st.datetimes(timezones=st.just(UTC)))
def test_any_text_may_be_read_at_any_time(text, now):
    for period in periods(text, now):
        assert all(start < end for start, end in period.spans)


WORDS = (
    "last next this two 3 weeks week years ago summer fall 2023 in before the race monday between "
    "and of first early end christmas may 15 15th 3/4/2025 since quarter 90s ' 's - , day half"
).split()


@given(st.lists(st.sampled_from(WORDS), max_size=8), st.datetimes(timezones=st.just(UTC)))
def test_any_order_of_the_words_of_time_may_be_read(words, now):
    text = " ".join(words)
    anchored_period(text)
    for period in periods(text, now):
        assert all(start < end for start, end in period.spans)
        assert period.label in text
