"""Normalising: an event becomes a draft, whole, or is refused with its size or its fault."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.errors import InvalidInput
from meridia.core.events import Event, encode, parse_event
from meridia.core.ids import session_id
from meridia.core.types import EntryKind, Space
from meridia.ingest.normalise import normalise

HOME = Space("home")


def message(text: str = "hello", **fields: Any) -> Event:
    return parse_event({"kind": "user_message", "payload": {"text": text}} | fields)


def test_a_draft_has_the_event_whole():
    fields = {
        "kind": "tool_result",
        "id": "t-1",
        "ts": "2026-03-01T10:00:05Z",
        "session": {"key": "s-9", "extra": 1},
        "tool": {"name": "sh", "isError": True},
        "payload": {"result": ["x", None]},
        "unknown": {"kept": True},
    }
    draft = normalise(parse_event(fields), HOME, 1 << 20)
    assert draft.kind is EntryKind.EXPERIENCE_CAPTURED
    assert draft.payload == {"event": fields}
    assert draft.key == "t-1"
    assert draft.at == datetime(2026, 3, 1, 10, 0, 5, tzinfo=UTC)
    assert draft.stream == session_id(HOME, "s-9")


def test_what_was_not_said_is_left_open():
    draft = normalise(message(), HOME, 1 << 20)
    assert (draft.key, draft.at, draft.stream) == ("", None, None)


def test_a_session_belongs_to_its_space():
    event = message(session={"key": "s"})
    streams = {normalise(event, Space(space), 1 << 20).stream for space in ("home", "away")}
    assert len(streams) == 2


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=200))
def test_the_limit_counts_bytes_of_utf_8_exactly(text):
    event = message(text)
    size = len(encode(event.as_json()).encode("utf-8"))
    assert normalise(event, HOME, size).payload["event"] == event.as_json()
    with pytest.raises(InvalidInput, match=rf"has {size:,} bytes, more than the limit of"):
        normalise(event, HOME, size - 1)


def test_the_refusal_of_a_large_event_says_which_and_what_to_do():
    with pytest.raises(InvalidInput, match=r"event m-1 has .*: split it, or raise journal\.event"):
        normalise(message("x" * 2000, id="m-1"), HOME, 1024)
    with pytest.raises(InvalidInput, match="event without id has"):
        normalise(message("x" * 2000), HOME, 1024)


def test_text_that_no_journal_can_keep_is_refused():
    with pytest.raises(InvalidInput, match="text holds NUL"):
        normalise(message("nul \0"), HOME, 1 << 20)
