"""Messenger: a conversation in the shape of Meta's exports gives the same people, texts, times."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.ingest.importers.format_detection import detect
from meridia.ingest.importers.import_reader import read

START = 1772359200000
WORDS = st.text("abc äß水🙂’.", min_size=1).map("x{}".format)
TURNS = st.lists(
    st.tuples(st.sampled_from(["Zoë", "Ben"]), WORDS, st.integers(0, 3)), min_size=1, max_size=8
)


def garbled(text: str) -> str:
    return text.encode().decode("latin-1")


def older(turns: list[tuple[str, str, int]]) -> dict[str, Any]:
    messages = [
        {"sender_name": garbled(who), "timestamp_ms": at, "content": garbled(text)}
        for who, text, at in reversed(turns)
    ]
    return {"participants": [{"name": garbled("Zoë")}, {"name": "Ben"}], "messages": messages}


def newer(turns: list[tuple[str, str, int]]) -> dict[str, Any]:
    messages = [
        {"senderName": who, "text": text, "timestamp": at, "type": "text", "media": []}
        for who, text, at in reversed(turns)
    ]
    return {"participants": ["Zoë", "Ben"], "threadName": "Zoë_1", "messages": messages}


@pytest.mark.parametrize("written", [older, newer])
@given(turns=TURNS)
def test_a_chat_gives_its_messages_in_the_order_of_time(written, turns):
    at, timed = START, []
    for who, text, gap in turns:
        at += gap + 1
        timed.append((who, text.strip(), at))
    body = json.dumps(written(timed)).encode()
    assert detect(body) == "messenger"
    events = [record.event for record in read(io.BytesIO(body))]
    assert [(e.person, e.payload["text"]) for e in events] == [turn[:2] for turn in timed]
    assert [e.ts.timestamp() * 1000 for e in events] == [turn[2] for turn in timed]
    assert len({event.id for event in events}) == len(events)


def test_messages_of_one_moment_are_apart_and_the_same_when_they_are_read_again():
    body = json.dumps(older([("Ben", "one", START), ("Ben", "two", START)])).encode()
    first, again = ([r.event.id for r in read(io.BytesIO(body))] for _ in range(2))
    assert first == again
    assert len(set(first)) == 2


def test_photos_are_kept_and_calls_and_unsent_messages_are_left_out():
    chat = older([("Ben", "one", START)])
    chat["messages"] += [
        {"sender_name": "Ben", "timestamp_ms": START, "photos": [{"uri": "photos/1.jpg"}]},
        {"sender_name": "Ben", "timestamp_ms": START, "type": "Call", "call_duration": 3},
        {"sender_name": "Ben", "timestamp_ms": START, "is_unsent": True},
    ]
    records = read(io.BytesIO(json.dumps(chat).encode()))
    assert "photos/1.jpg" in json.dumps([record.event.as_json() for record in records])
    assert dict(records.report.skipped) == {"system lines": 2}
