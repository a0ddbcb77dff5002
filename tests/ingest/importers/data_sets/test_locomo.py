from __future__ import annotations

import io
import json
from typing import Any

import pytest

from meridia.core.events import text_of
from meridia.ingest.importers.data_sets import read_locomo as read
from meridia.ingest.importers.import_record import ImportRecord, ImportSource


def records(samples: Any) -> list[ImportRecord]:
    stream = io.BytesIO(json.dumps(samples).encode())
    return list(read(ImportSource(stream, "x")))


def session(turns: Any, time: Any = "1:56 pm on 8 May, 2023") -> list[dict[str, Any]]:
    conversation = {"session_1": turns, "session_1_date_time": time}
    return [{"sample_id": "garden", "conversation": conversation}]


@pytest.mark.parametrize(
    ("time", "instant"),
    [
        ("12:00 am on 1 January, 2024", "2024-01-01T00:00:00Z"),
        ("12:59 pm on 31 December, 2023", "2023-12-31T12:59:00Z"),
        ("11:05 PM on 9 september 2022", "2022-09-09T23:05:00Z"),
    ],
)
def test_session_times_are_read_on_a_twelve_hour_clock_in_utc(time: str, instant: str) -> None:
    (record,) = records(session([{"speaker": "Ada", "dia_id": "D1:1", "text": "Hi"}], time))
    assert record.event is not None
    assert record.event.as_json()["ts"] == instant


@pytest.mark.parametrize(
    "time", ["13:00 pm on 1 May, 2023", "1:00 pm on 31 June, 2023", "1:00 pm on 1 Mai, 2023", 5, ""]
)
def test_a_session_with_an_unreadable_time_is_one_refusal(time: object) -> None:
    (record,) = records(session([{"speaker": "Ada", "dia_id": "D1:1", "text": "Hi"}] * 3, time))
    assert record.where == "x garden session_1_date_time"
    assert "its 3 turns are refused" in str(record.problem)


def test_only_what_was_said_is_searchable() -> None:
    turn = {"speaker": "Ada", "dia_id": "D1:1", "text": "Look", "query": "hidden", "note": "hidden"}
    (record,) = records(session([turn]))
    assert record.event is not None
    assert text_of(record.event.as_json()) == "Look"
    assert record.event.metadata == {"locomo": {"query": "hidden", "note": "hidden"}}


def test_a_photo_whose_address_is_too_long_keeps_its_turn() -> None:
    inlined = "data:image/jpeg;base64," + "A" * 5_000
    turn = {"speaker": "Ada", "dia_id": "D1:1", "text": "Look", "img_url": [inlined]}
    (record,) = records(session([turn]))
    assert record.event is not None
    assert record.event.artifacts[0].uri == "locomo:D1:1"
    assert record.event.metadata == {"locomo": {"img_url": [inlined]}}


def test_one_sample_needs_no_array_around_it() -> None:
    (sample,) = session([{"speaker": "Ada", "dia_id": "D1:1", "text": "Hi"}])
    assert records(sample) == records([sample])
