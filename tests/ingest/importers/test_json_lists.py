from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from meridia.ingest.importers.import_record import ImportRecord, ImportSource
from meridia.ingest.importers.json_lists import read_list_items

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
