from __future__ import annotations

from typing import Any

from meridia.core.events import EventKind
from meridia.ingest.importers.chats import ChatMessage, Chats
from meridia.ingest.importers.conversation_reader import MessagePosition
from meridia.ingest.importers.import_record import ImportRecord


def spoken(*texts: str, **fields: Any) -> ImportRecord:
    message = ChatMessage(MessagePosition("x 1", "m"), "boats", "Dana", texts, **fields)
    (record,) = Chats("x").message(message)
    return record


def test_a_person_says_their_texts_in_one_message() -> None:
    event = spoken("one", "  ", "two").event
    assert event is not None
    assert (event.kind, event.person, event.payload) == (
        EventKind.USER_MESSAGE,
        "Dana",
        {"text": "one\ntwo"},
    )


def test_a_bot_is_a_tool_and_nobody() -> None:
    event = spoken("It rains.", is_bot=True).event
    assert event is not None
    assert event.tool is not None
    assert (event.tool.name, event.tool.isError, event.person) == ("Dana", False, None)


def test_a_message_of_nothing_is_counted_and_a_file_alone_is_one() -> None:
    assert spoken(" ").skipped == "empty messages"
    event = spoken("", files=[{"type": "image", "url": "a.png"}]).event
    assert event is not None
    assert event.artifacts[0].uri == "a.png"
