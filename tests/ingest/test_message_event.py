from __future__ import annotations

from datetime import UTC, datetime

import pytest

from meridia.core.errors import InvalidInput
from meridia.core.events import parse_event
from meridia.core.types import Artifact
from meridia.ingest.message_event import message_event
from tests.core.test_events import encoded, message


def test_what_was_said_is_a_message_with_nothing_made_up():
    assert message_event("hello") == message("hello")
    assert encoded(message_event("hello")) == message("hello")


def test_all_that_is_known_of_what_was_said_is_in_the_event():
    at = datetime(2026, 3, 1, 10, tzinfo=UTC)
    picture = Artifact("image", "file:a.png", "a barn")
    event = message_event("look", "Dana", "s-1", at, "m-1", {"mood": 1}, [picture, {"uri": "b"}])
    assert encoded(event) == message(
        "look",
        id="m-1",
        person="Dana",
        session={"key": "s-1"},
        ts="2026-03-01T10:00:00Z",
        metadata={"mood": 1},
        artifacts=[
            {"kind": "image", "uri": "file:a.png", "description": "a barn"},
            {"uri": "b"},
        ],
    )


def test_what_is_given_empty_is_refused_and_not_dropped():
    with pytest.raises(InvalidInput, match="person"):
        parse_event(message_event("hello", person=""))
    with pytest.raises(InvalidInput, match=r"session\.key"):
        parse_event(message_event("hello", session=""))
