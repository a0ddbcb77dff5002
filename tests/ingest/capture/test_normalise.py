"""Normalising: an event that no journal can keep is refused with its size or its fault."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.errors import InvalidInput
from meridia.core.events import encode, parse_event
from meridia.ingest.capture.normalise import validate_event


def message(text: str = "hello", **fields: Any) -> dict[str, Any]:
    event = {"kind": "user_message", "payload": {"text": text}} | fields
    return parse_event(event).as_json()


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=200))
def test_the_limit_counts_bytes_of_utf_8_exactly(text):
    event = message(text)
    size = len(encode(event).encode("utf-8"))
    validate_event(event, size)
    with pytest.raises(InvalidInput, match=rf"has {size:,} bytes, more than the limit of"):
        validate_event(event, size - 1)


def test_the_refusal_of_a_large_event_says_which_and_what_to_do():
    with pytest.raises(InvalidInput, match=r"event m-1 has .*: split it, or raise journal\.event"):
        validate_event(message("x" * 2000, id="m-1"), 1024)
    with pytest.raises(InvalidInput, match="event without id has"):
        validate_event(message("x" * 2000), 1024)


def test_text_that_no_journal_can_keep_is_refused():
    with pytest.raises(InvalidInput, match="text holds NUL"):
        validate_event(message("nul \0"), 1 << 20)
