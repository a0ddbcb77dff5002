from __future__ import annotations

import io
import json
from typing import Any

from meridia.ingest.importers.claude_export import read
from meridia.ingest.importers.import_record import ImportLimits, ImportRecord, ImportSource


def records(*messages: Any) -> list[ImportRecord]:
    body = json.dumps({"uuid": "c", "chat_messages": messages}).encode()
    return list(read(ImportSource(io.BytesIO(body), "conversations.json"), ImportLimits()))


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
