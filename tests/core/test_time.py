"""Instants: what is written can be read again and sorted, and people's dates become instants."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, timezone

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.errors import InvalidInput
from meridia.core.time import (
    MONTH_PATTERN,
    MONTHS,
    WEEKDAYS,
    from_text,
    month_number,
    number_of,
    parse,
    read_point,
    read_time,
    system_clock,
    to_text,
)

zones = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
instants = st.datetimes(
    datetime(1, 1, 2),  # noqa: DTZ001 - zones are drawn
    datetime(9999, 12, 30),  # noqa: DTZ001 - zones are drawn
    timezones=zones,
)


@given(instants)
def test_an_instant_comes_back_as_it_was_written(instant):
    assert from_text(to_text(instant)) == instant
    assert from_text(to_text(instant)).tzinfo == UTC


@given(instants, instants)
def test_texts_sort_as_their_instants_do(one, other):
    assert (to_text(one) < to_text(other)) == (one < other)


@given(instants)
def test_every_text_has_one_length_and_ends_in_z(instant):
    assert len(to_text(instant)) == 27
    assert to_text(instant).endswith("Z")


def test_an_instant_is_written_with_microseconds_in_utc():
    instant = datetime(2026, 3, 1, 12, 0, 5, tzinfo=timezone(timedelta(hours=2)))
    assert to_text(instant) == "2026-03-01T10:00:05.000000Z"


def test_a_time_without_a_zone_is_refused_with_advice():
    with pytest.raises(InvalidInput, match=r"2026-03-01T00:00:00 has no timezone: add one"):
        to_text(datetime(2026, 3, 1))  # noqa: DTZ001 - this is what is tried


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("2026-03-01", datetime(2026, 3, 1, tzinfo=UTC)),
        ("2026-03-01T10:00", datetime(2026, 3, 1, 10, tzinfo=UTC)),
        ("2026-03-01 10:00:05", datetime(2026, 3, 1, 10, 0, 5, tzinfo=UTC)),
        ("2026-03-01T10:00:05Z", datetime(2026, 3, 1, 10, 0, 5, tzinfo=UTC)),
        ("2026-03-01T12:00:05+02:00", datetime(2026, 3, 1, 10, 0, 5, tzinfo=UTC)),
    ],
)
def test_people_write_dates_and_times_in_iso_8601(text, instant):
    assert parse(text) == instant
    assert parse(text).tzinfo is not None


@given(st.text(max_size=20))
def test_whatever_is_no_date_is_refused_with_an_example(text):
    refusal = ""
    try:
        assert parse(text).tzinfo is not None
    except InvalidInput as error:
        refusal = str(error)
    assert refusal == "" or "2026-03-01T10:00:00Z" in refusal


@given(instants)
def test_people_may_write_what_meridia_writes(instant):
    assert parse(to_text(instant)) == instant


@pytest.mark.parametrize("text", ["9999-12-31T23:59:59-05:00", "0001-01-01T00:00:00+05:00"])
def test_a_time_beyond_the_calendar_is_refused(text):
    with pytest.raises(InvalidInput):
        to_text(parse(text))


def test_the_clock_of_the_system_tells_utc():
    assert system_clock().tzinfo == UTC
    assert system_clock() <= system_clock()


def test_months_are_known_by_their_names_and_by_their_beginnings():
    assert [month_number(name) for name in MONTHS] == list(range(1, 13))
    assert [month_number(name[:3].upper()) for name in MONTHS] == list(range(1, 13))
    assert month_number("sept") == 9
    assert re.fullmatch(MONTH_PATTERN, "sept")


def test_weeks_begin_on_monday():
    assert (WEEKDAYS.index("monday"), len(WEEKDAYS)) == (0, 7)


@pytest.mark.parametrize(("word", "number"), [("12", 12), ("A", 1), ("couple", 2), ("ten", 10)])
def test_numbers_are_digits_or_words(word, number):
    assert number_of(word) == number


TEN = datetime(2026, 3, 1, 10, tzinfo=UTC)


class _Stamp(datetime):
    """A datetime of another library."""


@pytest.mark.parametrize(
    ("given_time", "instant"),
    [
        (TEN, TEN),
        (TEN.astimezone(timezone(timedelta(hours=2))), TEN),
        (_Stamp(2026, 3, 1, 12, tzinfo=timezone(timedelta(hours=2))), TEN),
        ("2026-03-01T10:00:00Z", TEN),
        (" 2026-03-01 12:00+02:00 ", TEN),
        ("1772359200", TEN),
        (1772359200, TEN),
        (1772359200.0, TEN),
        (1772359200_000, TEN),
        (1772359200_000_000, TEN),
        (1772359200_000_000_000, TEN),
        (np.int64(1772359200), TEN),
        (np.float64(1772359200), TEN),
        ("2026-03-01", TEN.replace(hour=0)),
        *((day, TEN.replace(hour=0)) for day in (20260301, 20260301.0, "20260301")),
        (date(2026, 3, 1), TEN.replace(hour=0)),
        (np.datetime64("2026-03-01"), TEN.replace(hour=0)),
        (np.datetime64("2026-03"), TEN.replace(hour=0)),
    ],
)
def test_a_caller_gives_a_time_as_it_has_it(given_time, instant):
    read = read_time(given_time)
    assert read == instant
    assert type(read) is datetime
    assert read.tzinfo is UTC
    assert read_time(None) is None


@pytest.mark.parametrize(
    "naive",
    [
        datetime(2026, 3, 1),  # noqa: DTZ001 - this is what is tried
        "2026-03-01T10:00",
        "2026-03-01 10:00:05",
        np.datetime64("2026-03-01T10:00"),
        np.datetime64("2026-03-01T10:00", "ns"),
    ],
)
def test_a_time_of_day_without_a_zone_is_refused_however_it_is_given(naive):
    with pytest.raises(InvalidInput, match=r"at 2026-03-01 .*has no timezone: add one"):
        read_time(naive, "at")


@pytest.mark.parametrize(
    "wrong",
    [
        *("yesterday", "", "2026", "03/04/2026", "2026-02-30", "9999-12-31T23:59:59-05:00"),
        *(True, np.bool_(True), float("nan"), 1e300, 10**400, np.datetime64("NaT"), [], object()),
    ],
)
def test_what_is_no_time_is_named_with_how_to_write_it(wrong):
    with pytest.raises(InvalidInput, match="at .* is not a date or time: write it as 2026-03-01"):
        read_time(wrong, "at")


@pytest.mark.parametrize("number", [-1, -86400, -86400.5, np.int64(-5)])
def test_a_number_below_zero_is_no_time_and_says_how_to_write_one(number):
    with pytest.raises(InvalidInput, match=r"at -\S+ is below zero: .* write it as 2026-03-01"):
        read_time(number, "at")


@given(instants)
def test_an_epoch_of_any_unit_is_the_instant_that_it_counts_to(instant):
    seconds = instant.timestamp()
    if 1e8 < seconds < 1e11:
        for unit in (1, 1e3, 1e6):
            assert abs((read_time(seconds * unit) - instant).total_seconds()) < 1e-2


@pytest.mark.parametrize(("point", "read"), [("17", 17), (17, 17), (np.int64(3), 3), (None, None)])
def test_a_point_is_a_sequence_too(point, read):
    assert read_point(point) == read
    assert read_point("2026-03-01T10:00:00Z") == TEN


@pytest.mark.parametrize("wrong", ["soon", "9" * 30, 2**60, -1, "٣", True, "2026-03-01T10:00"])
def test_what_is_no_point_is_refused(wrong):
    with pytest.raises(InvalidInput):
        read_point(wrong)
