"""Times of imported files, as programs and people write them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.errors import InvalidInput
from meridia.ingest.importers.timestamps import find_time, parse_timestamp

FORMATS = (
    "%Y/%m/%d %H:%M:%S",
    "%d.%m.%Y %H:%M:%S",
    "%d %B %Y, %I:%M:%S %p",
    "%b %d, %Y %H:%M:%S",
    "%a, %d %b %Y %H:%M:%S +0000",
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, None),
        (1767348000, "2026-01-02T10:00:00+00:00"),
        (1767348000.5, "2026-01-02T10:00:00.500000+00:00"),
        (1767348000000, "2026-01-02T10:00:00+00:00"),
        ("2026-01-02T10:00:00Z", "2026-01-02T10:00:00+00:00"),
        ("2026-01-02T10:00:00", "2026-01-02T10:00:00+00:00"),
        ("2026-01-02 10:00:00+01:00", "2026-01-02T10:00:00+01:00"),
        ("20260102", "2026-01-02T00:00:00+00:00"),
        ("2026/1/2 10:00", "2026-01-02T10:00:00+00:00"),
        ("02.01.2026", "2026-01-02T00:00:00+00:00"),
        ("2. 1. 2026, 9:05:07", "2026-01-02T09:05:07+00:00"),
        ("2 Jan 2026 12:30 AM", "2026-01-02T00:30:00+00:00"),
        ("January 2, 2026 at 1:05 p.m.", "2026-01-02T13:05:00+00:00"),
        ("02-Jan-2026", "2026-01-02T00:00:00+00:00"),
        ("Fri, 02 Jan 2026 10:00:00 +0100", "2026-01-02T10:00:00+01:00"),
        ("Fri, 02 Jan 2026 10:00:00 GMT", "2026-01-02T10:00:00+00:00"),
        ("2026-01-02 10:00:00 UTC", "2026-01-02T10:00:00+00:00"),
        ({"$date": {"$numberLong": "1767348000000"}}, "2026-01-02T10:00:00+00:00"),
        ({"_seconds": 1767348000, "_nanoseconds": 0}, "2026-01-02T10:00:00+00:00"),
    ],
)
def test_times_are_read_as_people_write_them(value: Any, text: str | None) -> None:
    assert parse_timestamp(value) == text


@pytest.mark.parametrize(
    "value",
    [
        "",
        "noon",
        "31.02.2026",
        "2 Jan 2026 13:00 pm",
        "2 Foo 2026",
        True,
        [],
        {},
        10**400,
        1e300,
        -(10**21),
    ],
)
def test_what_is_no_time_is_refused(value: Any) -> None:
    with pytest.raises(InvalidInput, match="is not a time"):
        parse_timestamp(value)


@pytest.mark.parametrize("value", ["03/04/2026", "3-4-26", "3/4/2026 10:00"])
def test_what_could_be_two_days_is_refused(value: str) -> None:
    with pytest.raises(InvalidInput, match="could be day and month"):
        parse_timestamp(value)


@given(st.datetimes(datetime(1970, 1, 1), datetime(2100, 1, 1)), st.sampled_from(FORMATS))  # noqa: DTZ001
def test_a_written_time_is_the_time_that_was_meant(moment: datetime, written: str) -> None:
    moment = moment.replace(microsecond=0, tzinfo=UTC)
    assert parse_timestamp(moment.strftime(written)) == moment.isoformat()


@given(
    st.sampled_from(["created at", "inserted at", "send time", "timestamp ms", "session start"]),
    st.sampled_from(["_", "-", " ", "", "camel"]),
    st.sampled_from([str.lower, str.upper, str.title]),
)
def test_a_time_is_found_however_its_name_is_written(name: str, joint: str, written: Any) -> None:
    first, *rest = name.split()
    camel = first + "".join(word.title() for word in rest)
    field = camel if joint == "camel" else written(name.replace(" ", joint))
    assert find_time({"a": 1, field: 1767348000000}) == ("2026-01-02T10:00:00+00:00", field)


@pytest.mark.parametrize(
    "fields",
    [
        {"time": {"created": 1767348000000, "updated": 1767348009000}},
        {"metadata": {"created_at": "2026-01-02T10:00:00Z"}},
        {"info": {"time": {"created": 1767348000}}},
        {"updated_at": "2026-01-02T10:00:00Z"},
        {"time": 12.5, "date": "2026-01-02T10:00:00Z"},
    ],
)
def test_a_time_is_found_where_programs_keep_it(fields: dict[str, Any]) -> None:
    assert find_time(fields)[0] == "2026-01-02T10:00:00+00:00"


@pytest.mark.parametrize("fields", [{"time": 12.5}, {"start": 0.4}, {"timestamp": "00:12"}, {}])
def test_a_place_in_a_recording_is_no_time(fields: dict[str, Any]) -> None:
    assert find_time(fields) == (None, None)


@pytest.mark.parametrize(
    "name",
    [
        "createdDate",
        "sent_on",
        "occurred_at",
        "Posted At",
        "messageTimestamp",
        "created_ts",
        "sent",
    ],
)
def test_a_time_is_found_under_what_happened_and_when(name: str) -> None:
    assert find_time({"id": 1740823200, name: "2025-03-01T10:00:00Z", "updated_at": 0})[1] == name
