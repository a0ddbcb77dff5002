"""What every reader yields, and the stream that it reads."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import NoReturn

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.errors import InvalidInput, Unavailable
from meridia.ingest.importers.import_record import (
    ImportSource,
    accept_event,
    label,
    parse_json,
)
from meridia.ingest.importers.json_pieces import lines

# Import record

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)
MESSAGE = {"kind": "user_message", "payload": {"text": "hello"}}


Streams = Callable[[bytes, int], io.BufferedReader]


def source(body: bytes) -> ImportSource:
    return ImportSource(io.BytesIO(body), "x", len(body))


def test_a_medium_that_fails_is_unavailable_with_the_place() -> None:
    class Broken(io.BytesIO):
        def readline(self, _size: int | None = -1) -> NoReturn:
            raise OSError(5, "Input/output error")

    result = lines(ImportSource(Broken(b"one"), "x"))
    with pytest.raises(
        Unavailable, match=r"x: reading failed after 0 bytes \(Input/output error\)"
    ):
        list(result)


@given(JSON)
def test_strict_parsing_reads_what_json_writes(value: object) -> None:
    assert parse_json(json.dumps(value)) == value


@pytest.mark.parametrize("levels", [98, 99, 400, 900])
def test_an_event_may_nest_to_the_limit_and_no_deeper(levels: int) -> None:
    nested: object = []
    for _ in range(levels - 1):
        nested = [nested]
    record = accept_event("here", {**MESSAGE, "payload": {"deep": nested}})
    assert (record.event is not None) == (levels == 98)
    assert (record.problem == "nests deeper than 100 levels: flatten it") == (levels > 98)


@pytest.mark.parametrize("body", [b"a\0b", rb"a\u0000b", rb"a\ud800b", b"a\xffb"])
def test_what_no_journal_keeps_is_replaced_and_counted(body: bytes) -> None:
    line = b'{"kind": "user_message", "payload": {"text": "' + body + b'"}}'
    ((where, fields),) = [
        ("here", json.loads(line.decode("utf-8", "surrogateescape"), strict=False))
    ]
    record = accept_event(where, fields)
    assert record.event is not None
    assert record.event.payload["text"] in ("a␀b", "a�b")
    assert sum(record.event.cleaned.values()) == 1


def test_a_label_is_a_number_or_a_short_printable_name() -> None:
    assert label({"id": 7}, "id") == "7"
    assert label({"id": "sju é"}, "id") == "sju é"
    assert label({"id": "a\0b"}, "id") == "a␀b"
    several: tuple[object, ...] = (None, True, 1.5, [], "", "a\nb", "x" * 257)
    for wrong in several:
        with pytest.raises(InvalidInput, match=r"^id is "):
            label({"id": wrong}, "id")


# Text lines


@given(st.lists(st.text("ab ", max_size=9)), st.sampled_from(["\n", "\r\n"]))
def test_every_line_has_its_number_and_no_end(lines: list[str], end: str) -> None:
    source = ImportSource(io.BytesIO("".join(line + end for line in lines).encode()), "x")
    assert list(source.lines()) == list(enumerate(lines, 1))


def test_a_long_line_comes_in_pieces_of_one_number_and_bad_bytes_are_marked() -> None:
    source = ImportSource(io.BytesIO(b"abcdef\n\xff\n"), "x")
    source.bytes_max = 4
    assert list(source.lines()) == [(1, "abcd"), (1, "ef"), (2, "\ufffd")]
