"""JSON of any size, in pieces."""

from __future__ import annotations

import io
import json
import re
import time
from collections.abc import Callable
from typing import Any, BinaryIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.ingest.importers.import_record import (
    BOM,
    ImportRecord,
    ImportSource,
)
from meridia.ingest.importers.json_pieces import (
    RawValue,
    lines,
    read_list_items,
    read_objects,
    values,
)

# Json pieces

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)
MESSAGE = {"kind": "user_message", "payload": {"text": "hello"}}


def source(body: bytes) -> ImportSource:
    return ImportSource(io.BytesIO(body), "x", len(body))


def bounded(stream: BinaryIO, bytes_max: int) -> ImportSource:
    source = ImportSource(stream, "x")
    source.bytes_max = bytes_max
    return source


@given(st.lists(JSON), st.sampled_from([None, 1]), st.booleans(), st.integers(1, 30))
def test_an_array_is_cut_into_its_elements_wherever_the_blocks_end(
    trickle: Streams, array: list[object], indent: int | None, ascii_only: bool, block: int
) -> None:
    body = json.dumps(array, indent=indent, ensure_ascii=ascii_only).encode()
    result = values(bounded(trickle(body, block), 10_000_000))
    assert [json.loads(piece.body) for piece in result] == array


@given(st.lists(JSON.filter(lambda value: not isinstance(value, list))), st.integers(1, 30))
def test_values_one_after_another_are_cut_like_those_of_an_array(
    trickle: Streams, several: list[object], block: int
) -> None:
    body = "\n".join(json.dumps(value) for value in several).encode()
    result = values(bounded(trickle(body, block), 10_000_000))
    assert [json.loads(piece.body) for piece in result] == several


@given(st.lists(st.binary(max_size=20)), st.integers(1, 30), st.sampled_from([b"\n", b"\r\n"]))
def test_lines_are_cut_at_newlines_only_and_blank_ones_skipped(
    trickle: Streams, several: list[bytes], block: int, end: bytes
) -> None:
    body = b"x" + end.join(several)
    result = lines(bounded(trickle(body, block), 10_000))
    assert [(piece.where, piece.body) for piece in result] == [
        (f"x line {number}", line.rstrip(b"\r"))
        for number, line in enumerate(body.split(b"\n"), start=1)
        if line.strip()
    ]


@given(st.integers(1, 70), st.sampled_from([b"\n", b"\r\n"]), st.integers(1, 80))
def test_a_line_is_refused_exactly_when_it_is_over_the_limit(
    trickle: Streams, size: int, end: bytes, block: int
) -> None:
    first, last = lines(bounded(trickle(b"a" * size + end + b"c", block), 40))
    assert (first.problem is None) == (size <= 40)
    assert first.body == (b"a" * size if size <= 40 else b"")
    assert last == RawValue("x line 2", b"c")


def test_a_long_line_is_never_taken_for_its_beginning() -> None:
    (result,) = lines(bounded(io.BytesIO(b"a" * 40 + b"\r\rtail\n"), 40))
    assert "is 46 bytes, over the limit of 40" in str(result.problem)


def test_white_space_between_elements_is_no_element() -> None:
    result = values(bounded(io.BytesIO(b' [ {"a": 1} \t, 2\n , [ ] ] \n {"b": 3} '), 1_000))
    assert [piece.body for piece in result] == [b'{"a": 1}', b"2", b"[ ]", b'{"b": 3}']


def test_an_element_over_the_limit_is_named_by_its_size_and_the_next_one_is_read() -> None:
    large = json.dumps({"text": "y" * 200_000}).encode()
    first, second = values(bounded(io.BytesIO(b"[" + large + b', {"a": 1}]'), 1_000))
    assert first.body == b""
    assert str(first.problem).startswith(f"is {len(large):,} bytes, over the limit of 1,000")
    assert second == RawValue("x item 2", b'{"a": 1}')


@pytest.mark.parametrize(
    "body", [b'[{"a": 1}, {"b": ', b'[{"a": 1},', b'[{"a": 1}, "b', b'[{"a": 1}']
)
def test_an_array_cut_short_gives_its_whole_elements_and_one_refusal(body: bytes) -> None:
    first, second = values(bounded(io.BytesIO(body), 1_000))
    assert first == RawValue("x item 1", b'{"a": 1}')
    assert second.where == "x item 2"
    assert second.problem is not None
    assert "cut short" in second.problem


@pytest.mark.parametrize("torn", [b'"a', b'"a\\', b'"a\\\\\\'])
@pytest.mark.parametrize("block", [1, 2, 3, 4, 5, 100])
def test_a_string_left_open_ends_with_its_line(trickle: Streams, torn: bytes, block: int) -> None:
    result = values(bounded(trickle(torn + b'\n{"e": 1}', block), 1_000))
    assert [piece.body for piece in result] == [torn, b'{"e": 1}']


@given(
    st.binary() | st.text('{}[]",\\\n a').map(str.encode), st.integers(1, 30), st.integers(1, 50)
)
def test_cutting_any_bytes_consumes_them_all(
    trickle: Streams, body: bytes, block: int, bytes_max: int
) -> None:
    for cut in (lines, values):
        read = bounded(trickle(body, block), bytes_max)
        assert all(len(piece.body) <= bytes_max for piece in cut(read))
        assert read.bytes_read == len(body)


def test_a_byte_order_mark_is_no_part_of_the_text(trickle: Streams) -> None:
    for cut, body in ((lines, b"1\n2"), (values, b"[1, 2]")):
        read = ImportSource(trickle(BOM + body, 1), "x")
        assert [piece.body for piece in cut(read)] == [b"1", b"2"]
        assert read.bytes_read == len(BOM + body)


def test_looking_at_the_head_consumes_nothing_and_asks_for_no_more_than_needed(
    trickle: Streams,
) -> None:
    read = ImportSource(trickle(b"one\ntwo\n", 4), "x")
    assert read.head(re.compile(rb".*\n")) == b"one\n"
    assert read.bytes_read == 0
    assert [piece.body for piece in lines(read)] == [b"one", b"two"]


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (b'{"a": NaN}', "NaN is not a number"),
        (b'{"a": -1e999}', "-1e999 is not a number"),
        (b'{"a": ' + b"9" * 5_000 + b"}", "too many digits"),
        (b"[" * 100_000, "nests deeper than 100 levels"),
        (b"[1, 2]", "is a list"),
        (b"null", "is null"),
        (b"{'a': 1}", "is not JSON"),
    ],
)
def test_what_is_no_json_object_is_refused_with_the_reason(body: bytes, problem: str) -> None:
    (result,) = read_objects(source(b""), lambda *_: [], lambda _: iter([RawValue("here", body)]))
    assert result.where == "here"
    assert result.event is None
    assert problem in str(result.problem)


# Json lists

Streams = Callable[[bytes, int], io.BufferedReader]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text().filter(lambda key: key != "messages"), inner, max_size=3)
    ),
    max_leaves=6,
)
OBJECTS = st.dictionaries(
    st.text().filter(lambda key: key not in ("messages", "behind")), VALUES, max_size=4
)
CHATS = st.tuples(OBJECTS, st.lists(OBJECTS, max_size=4), OBJECTS)


def items(body: bytes, trickle: Streams, block: int, bytes_max: int = 10_000_000) -> list[Any]:
    source = ImportSource(trickle(body, block), "x")
    source.bytes_max = bytes_max
    return list(read_list_items(source, "messages", lambda item: [item]))  # type: ignore[list-item]


@given(st.lists(CHATS, max_size=3), st.booleans(), st.integers(1, 30), st.sampled_from([None, 1]))
def test_the_items_of_every_list_come_with_what_stands_before_them(
    trickle: Streams, chats: list[Any], nested: bool, block: int, indent: int | None
) -> None:
    documents = [
        {**before, "messages": several, "behind": after} for before, several, after in chats
    ]
    whole = {"about": "x", "chats": {"list": documents}} if nested else (documents or [{}])[0]
    results = items(json.dumps(whole, indent=indent).encode(), trickle, block)
    chosen = chats if nested else chats[:1]
    assert [item.fields for item in results] == [one for _, several, _ in chosen for one in several]
    assert [item.holder for item in results] == [
        {**before, "messages": []} for before, several, _ in chosen for _ in several
    ]


def test_what_is_broken_costs_its_item(trickle: Streams) -> None:
    body = b'{"id": 1, "messages": [{"a": 1}, {"a": x}, {"b": "open\n}, {"a": 2}]}'
    results = items(body, trickle, 7)
    assert [isinstance(item, ImportRecord) for item in results] == [False, True, True, False]
    assert results[-1].fields == {"a": 2}


def test_a_file_cut_short_gives_its_whole_items_and_one_refusal(trickle: Streams) -> None:
    first, last = items(b'{"id": 1, "messages": [{"a": 1}, {"a": ', trickle, 3)
    assert first.fields == {"a": 1}
    assert "cut short" in str(last.problem)


def test_an_item_over_the_limit_is_refused_by_its_size(trickle: Streams) -> None:
    large = json.dumps({"a": "y" * 500}).encode()
    body = b'{"id": 1, "messages": [' + large + b', {"a": 1}]}'
    first, second = items(body, trickle, 64, bytes_max=100)
    assert f"is {len(large)} bytes, over the limit of 100" in str(first.problem)
    assert second.fields == {"a": 1}


@given(st.binary() | st.text('{}[]",:\\\n ames').map(str.encode), st.integers(1, 20))
def test_any_bytes_are_read_to_their_end(trickle: Streams, body: bytes, block: int) -> None:
    items(b'{"messages": [' + body, trickle, block)


def test_the_time_for_a_string_is_in_proportion_to_it_however_it_comes(trickle: Streams) -> None:
    body = json.dumps({"messages": [{"text": "a" * 1_000_000}, {"text": "b"}]}).encode()
    started = time.process_time()
    assert [item.fields["text"][:1] for item in items(body, trickle, 256)] == ["a", "b"]
    assert time.process_time() - started < 1.0  # scanned from its start for each block: over 5 s


@pytest.mark.parametrize("deep", [200, 100_000])
def test_a_list_is_read_however_deep_it_stands(trickle: Streams, deep: int) -> None:
    body = b'{"a":' * deep + b'{"messages": [{"text": "a"}]}' + b"}" * deep
    assert [item.fields["text"] for item in items(body, trickle, 65_536)] == ["a"]
