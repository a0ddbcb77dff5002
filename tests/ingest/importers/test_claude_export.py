from __future__ import annotations

import io
import json
from typing import Any

from meridia.ingest.importers.chat_apps import read_claude as read
from meridia.ingest.importers.import_record import ImportRecord, ImportSource


def records(*messages: Any) -> list[ImportRecord]:
    body = json.dumps({"uuid": "c", "chat_messages": messages}).encode()
    everything = read(ImportSource(io.BytesIO(body), "conversations.json"))
    return [record for record in everything if record.skipped is None]


def message(**fields: Any) -> dict[str, Any]:
    return {"uuid": "m", "sender": "human", **fields}


def test_what_was_pasted_belongs_to_the_message() -> None:
    pasted = {"file_name": "log.txt", "extracted_content": "pump: stuck"}
    (record,) = records(message(text="", content=[], attachments=[pasted]))
    assert record.event is not None
    assert record.event.payload == {"text": "log.txt:\npump: stuck"}


def test_older_exports_have_only_the_text() -> None:
    (record,) = records(message(text="Hello", content=[]))
    assert record.event is not None
    assert record.event.payload == {"text": "Hello"}


def test_a_tool_without_an_id_is_answered_by_its_name() -> None:
    call = {"type": "tool_use", "name": "repl", "input": {"code": "6 * 7"}}
    result = {"type": "tool_result", "name": "repl", "content": "42", "is_error": True}
    (record,) = records(message(sender="assistant", content=[call, result]))
    assert record.event is not None
    assert record.event.payload == {"args": {"code": "6 * 7"}, "result": "42"}
    assert record.event.tool is not None
    assert record.event.tool.isError


def test_a_message_without_words_is_none() -> None:
    assert records(message(text="", content=[{"type": "token_budget"}])) == []


def said(*messages: Any, **fields: Any) -> list[str]:
    body = json.dumps({"uuid": "c", "chat_messages": messages, **fields}).encode()
    read_from = ImportSource(io.BytesIO(body), "conversations.json")
    return [str(r.event and r.event.id) for r in read(read_from) if r.event]


def turn(uuid: str, parent: str) -> dict[str, Any]:
    return {"uuid": uuid, "sender": "human", "text": uuid, "parent_message_uuid": parent}


def test_an_edited_message_and_what_followed_it_are_left_out() -> None:
    turns = [turn("a", "0"), turn("b", "a"), turn("c", "b"), turn("b2", "a"), turn("c2", "b2")]
    assert said(*turns) == ["a", "b2", "c2"]


def test_the_branch_that_the_conversation_ends_in_is_in_force() -> None:
    turns = [turn("a", "0"), turn("b", "a"), turn("c", "b"), turn("b2", "a"), turn("c2", "b2")]
    assert said(*turns, current_leaf_message_uuid="c") == ["a", "b", "c"]


def test_messages_whose_parent_is_missing_stay() -> None:
    assert said(turn("a", "0"), turn("c", "lost"), turn("d", "c")) == ["a", "c", "d"]
    assert said(turn("a", "b"), turn("b", "a"), current_leaf_message_uuid="a") == ["a", "b"]


def test_what_a_search_found_is_words() -> None:
    call = {"type": "tool_use", "id": None, "name": "web_search", "input": {"query": "pdb"}}
    found = {"type": "knowledge", "title": "Budgets", "url": "https://k8s.io", "text": "At most 1."}
    result = {"type": "tool_result", "tool_use_id": None, "name": "web_search", "content": [found]}
    (record,) = records(message(sender="assistant", content=[call, result]))
    assert record.event is not None
    assert record.event.payload["result"] == "Budgets\nhttps://k8s.io\nAt most 1."


def test_a_spoken_note_is_text() -> None:
    (record,) = records(
        message(content=[{"type": "voice_note", "title": "t", "text": "Buy yeast"}])
    )
    assert record.event is not None
    assert record.event.payload == {"text": "Buy yeast"}
