"""Times ahead that sentences name, reckoned from when they were written."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.ingest.extraction.due_times import due_time

#: A Wednesday.
AT = datetime(2026, 3, 4, 10, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "last_day"),
    [
        ("I'll do it tonight.", "2026-03-04"),
        ("tomorrow morning", "2026-03-05"),
        ("the day after tomorrow", "2026-03-06"),
        ("on Friday", "2026-03-06"),
        ("by Wednesday", "2026-03-11"),
        ("next Monday", "2026-03-09"),
        ("this weekend", "2026-03-08"),
        ("next week", "2026-03-15"),
        ("this month", "2026-03-31"),
        ("next month", "2026-04-30"),
        ("next year", "2027-12-31"),
        ("this summer", "2026-08-31"),
        ("in two weeks", "2026-03-18"),
        ("two weekends later", "2026-03-18"),
        ("by April 15", "2026-04-15"),
        ("on the 3rd of May", "2026-05-03"),
        ("before March 1", "2027-03-01"),
        ("on May 7th, 2027", "2027-05-07"),
        ("by 2026-03-20", "2026-03-20"),
        ("in June", "2026-06-30"),
        ("saturday at 7", "2026-03-07"),
        ("on the 31st at noon", "2026-03-31"),
        ("by the 2nd", "2026-04-02"),
        ("on the morning of Thursday the 12th", "2026-03-12"),
        ("next Friday the 13th", "2026-03-13"),
        ("Thursday, 2nd", "2026-04-02"),
        ("by the end of the month", "2026-03-31"),
        ("at the end of this week", "2026-03-08"),
        ("by fall", "2026-11-30"),
    ],
)
def test_a_time_ahead_ends_with_its_last_day(text, last_day):
    due = due_time(text, AT)
    assert due is not None
    assert (due - timedelta(seconds=1)).date().isoformat() == last_day


@pytest.mark.parametrize(
    "text",
    [
        "",
        "last week",
        "last Monday",
        "on Monday the 2nd",
        "Thursday the 27th",
        "every Monday",
        "I may go",
        "by Feb 30",
        "on 2025-01-01",
        "on the 41st",
    ],
)
def test_what_is_over_or_no_time_is_not_due(text):
    assert due_time(text, AT) is None


@given(
    st.lists(
        st.sampled_from(
            "by on next this in two 31 Feb May 9999 Friday week month 2026-13-01".split()
        )
    ),
    st.datetimes(timezones=st.just(UTC)),
)
def test_what_is_due_lies_ahead_and_nothing_is_raised(words, at):
    due = due_time(" ".join(words), at)
    assert due is None or due > at
