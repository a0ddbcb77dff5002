"""Native"""

from __future__ import annotations

import io
import json
import tracemalloc
from collections.abc import Callable
from datetime import UTC, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.events import Event, EventKind, encode
from meridia.ingest.importers.import_record import UNIT_BYTES_MAX, ImportRecord, ImportSource
from meridia.ingest.importers.json_pieces import read_native as read

#: Any Unicode text that JSON in UTF-8 can hold, NUL set aside.
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\x1b"))
EVENTS = st.builds(
    lambda kind, text, more, ts, key, uri: Event.model_validate(
        {
            "kind": kind,
            "payload": {"text": text, "more": more},
            "ts": ts,
            "session": {"key": key, f"+{text}": more},
            "artifacts": [{"uri": uri}],
            "metadata": {text: [text]},
        }
    ),
    st.sampled_from(EventKind),
    TEXT,
    st.lists(TEXT | st.integers() | st.booleans() | st.none()),
    st.none() | st.datetimes(timezones=st.sampled_from([UTC, timezone.max, timezone.min])),
    TEXT.filter(bool).map(lambda text: text[:512]),
    TEXT.filter(bool),
)
GOOD = b'{"kind": "user_message", "payload": {"text": "kept"}}'


def records(body: bytes, bytes_max: int = UNIT_BYTES_MAX) -> list[ImportRecord]:
    source = ImportSource(io.BytesIO(body), "x")
    source.bytes_max = bytes_max
    return list(read(source))


@given(st.lists(EVENTS, max_size=5))
def test_what_is_written_is_read_back_the_same(events: list[Event]) -> None:
    body = b"".join(encode(event.as_json()).encode() + b"\n" for event in events)
    assert [record.event for record in records(body)] == events


@given(st.lists(EVENTS, max_size=5))
def test_an_array_is_read_like_lines(events: list[Event]) -> None:
    array = json.dumps([event.as_json() for event in events]).encode()
    assert [record.event for record in records(array)] == events


@given(st.lists(st.binary() | st.just(GOOD) | st.just(b"[")).map(b"\n".join))
def test_any_bytes_give_records_and_never_raise(body: bytes) -> None:
    for record in records(body, 60):
        assert (record.event is None) != (record.problem is None)
        assert record.where.startswith(("x line ", "x item "))


@given(st.lists(st.binary().filter(lambda line: b"\n" not in line)))
def test_bad_lines_cost_no_good_ones(garbage: list[bytes]) -> None:
    body = b"\n".join([GOOD, *garbage, GOOD])
    assert sum(record.event is not None for record in records(body)) >= 2


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b'{"kind": "user_message", "payload": {"text": "x"', "is not JSON"),
        (b'{"payload": {"text": "x"}}', "kind: Field required"),
        (b'{"kind": "user_message", "payload": {"text": "x"}, "ts": "soon"}', "ts: "),
        (b'{"kind": "user_message", "payload": {"text": "x"}, "ts": 5}', "ts: "),
        (
            b'{"kind": "user_message", "payload": {"text": ' + b"[" * 500 + b"]" * 500 + b"}}",
            "nests",
        ),
        (b"[WARN] disk nearly full", "is not JSON"),
    ],
)
def test_a_bad_line_is_one_refusal_between_its_neighbours(line: bytes, problem: str) -> None:
    before, refused, after = records(b"\n".join([GOOD, line, GOOD]))
    assert before.event is not None
    assert after.event is not None
    assert (refused.where, refused.event) == ("x line 2", None)
    assert problem in str(refused.problem)


def test_a_first_line_that_only_looks_like_an_array_does_not_hide_the_rest() -> None:
    first, second = records(b"[WARN] disk nearly full\n" + GOOD)
    assert first.problem is not None
    assert second.event is not None


@pytest.mark.parametrize("frame", [b"%b\n%b", b"[%b, %b]"])
def test_ten_megabytes_are_refused_by_their_size_without_being_held(
    trickle: Callable[[bytes, int], io.BufferedReader], frame: bytes
) -> None:
    large = b'{"kind": "user_message", "payload": {"text": "' + b"y" * 10_485_760 + b'"}}'
    stream = trickle(frame % (large, GOOD), 65_536)
    tracemalloc.start()
    source = ImportSource(stream, "x")
    source.bytes_max = 1_048_576
    first, second = read(source)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert f"is {len(large):,} bytes, over the limit of 1,048,576" in str(first.problem)
    assert second.event is not None
    assert peak < 4_000_000


def test_a_byte_order_mark_windows_line_ends_and_blank_lines_are_accepted() -> None:
    body = b"\xef\xbb\xbf\r\n" + GOOD + b"\r\n\r\n  \n" + GOOD + b"\r\n"
    result = records(body)
    assert [record.where for record in result] == ["x line 2", "x line 5"]
    assert all(record.event for record in result)


def test_a_line_is_given_before_the_pipe_has_more() -> None:
    class Pipe(io.RawIOBase):
        given = 0

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any) -> int:
            Pipe.given += 1
            line = GOOD + b"\n"
            buffer[: len(line)] = line
            return len(line)

    first = next(read(ImportSource(io.BufferedReader(Pipe()), "x")))
    assert first.event is not None
    assert Pipe.given == 1
