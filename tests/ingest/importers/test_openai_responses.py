from __future__ import annotations

import io
import json
from typing import Any

import pytest

from meridia.ingest.importers.import_record import ImportRecord, ImportSource
from meridia.ingest.importers.openai_responses import read


def records(*documents: Any) -> list[ImportRecord]:
    body = b"\n".join(json.dumps(document).encode() for document in documents)
    everything = read(ImportSource(io.BytesIO(body), "x.jsonl"))
    return [record for record in everything if record.skipped is None]


def message(text: str, role: str = "assistant", **fields: Any) -> dict[str, Any]:
    return {"type": "message", "role": role, "content": text, **fields}


def keys(result: list[ImportRecord]) -> list[str]:
    return [r.event.session.key for r in result if r.event and r.event.session]


def test_bare_items_are_one_conversation_named_by_the_file() -> None:
    call = {"type": "function_call", "call_id": "c", "name": "f", "arguments": '{"a": 1}'}
    output = {"type": "function_call_output", "call_id": "c", "output": "ok"}
    items = [message("Hello", "user"), call, output, message("Done", id="msg_1")]
    result = records(*items)
    assert [r.event.id for r in result if r.event] == ["x/0", "x/2", "msg_1"]
    assert keys(result) == ["x", "x", "x"]
    assert result[1].event is not None
    assert result[1].event.payload == {"args": {"a": 1}, "result": "ok"}
    assert [r.event for r in records({"items": items})] == [r.event for r in result]


def test_responses_that_go_on_from_one_another_share_a_session() -> None:
    result = records(
        {"id": "r1", "output": [message("1")]},
        {"id": "r2", "previous_response_id": "r1", "output": [message("2")]},
        {"id": "r3", "previous_response_id": "r2", "output": [message("3")]},
        {"id": "r4", "previous_response_id": "lost", "output": [message("4")]},
        {"id": "r5", "previous_response_id": "r4", "output": [message("5")]},
        {"id": "r6", "conversation": {"id": "c"}, "output": [message("6")]},
        {"id": "r7", "conversation": "c", "output": [message("7")]},
        {"output": [message("8")]},
    )
    assert keys(result) == ["r1", "r1", "r1", "lost", "lost", "c", "c", "x/8"]


def test_output_that_the_next_input_repeats_is_imported_once() -> None:
    call = {"type": "function_call", "id": "fc", "call_id": "c", "name": "f", "arguments": "{}"}
    output = {"type": "function_call_output", "call_id": "c", "output": "ok"}
    reported = message("Wait.", id="msg")
    result = records(
        {"id": "r1", "output": [reported, call]},
        {"id": "r2", "previous_response_id": "r1", "input": [reported, call, output], "output": []},
    )
    assert [r.event.id for r in result if r.event] == ["msg", "r1/2"]
    assert [r.problem for r in result if r.problem] == []


def test_fields_of_each_response_go_with_its_first_event() -> None:
    result = records(
        {"id": "r1", "model": "y", "output": [message("1"), message("2")]},
        {"id": "r2", "previous_response_id": "r1", "model": "z", "output": [message("3")]},
    )
    assert [r.event.metadata for r in result if r.event] == [
        {"openai_responses": {"conversation": {"model": "y"}}},
        {},
        {"openai_responses": {"conversation": {"model": "z"}}},
    ]


def test_only_output_has_the_time_of_its_response() -> None:
    asked, answered = records({"created_at": 1767348000, "input": "Hi", "output": [message("Ho")]})
    assert asked.event is not None
    assert asked.event.ts is None
    assert answered.event is not None
    assert answered.event.as_json()["ts"] == "2026-01-02T10:00:00Z"


@pytest.mark.parametrize(
    ("item", "name", "payload", "failed"),
    [
        (
            {"type": "mcp_call", "name": "f", "arguments": '{"a": 1}', "output": "ok"},
            "f",
            {"args": {"a": 1}, "result": "ok"},
            False,
        ),
        (
            {"type": "mcp_call", "name": "f", "arguments": "{}", "error": "down"},
            "f",
            {"args": {}, "result": "down"},
            True,
        ),
        (
            {"type": "web_search_call", "action": {"query": "q"}, "status": "failed"},
            "web_search",
            {"args": {"query": "q"}, "result": None},
            True,
        ),
        (
            {"type": "code_interpreter_call", "code": "1", "outputs": [{"type": "logs"}]},
            "code_interpreter",
            {"args": {"code": "1"}, "result": [{"type": "logs"}]},
            False,
        ),
    ],
)
def test_a_built_in_tool_is_its_own_result(
    item: Any, name: str, payload: Any, failed: bool
) -> None:
    (record,) = records({"output": [{"id": "i", **item}]})
    assert record.event is not None
    assert record.event.tool is not None
    assert (record.event.tool.name, record.event.tool.isError) == (name, failed)
    assert record.event.payload == payload


@pytest.mark.parametrize("kind", ["mcp_list_tools", "item_reference", "compaction"])
def test_bookkeeping_is_left_out(kind: str) -> None:
    assert records({"output": [{"type": kind, "id": "i"}]}) == []


def test_instructions_are_imported_only_where_there_is_nothing_else() -> None:
    (record,) = records({"id": "r", "instructions": "Be kind.", "output": []})
    assert record.event is not None
    assert record.event.payload == {"text": "Be kind."}
    (record,) = records({"id": "r", "instructions": "Be kind.", "output": [message("Yes")]})
    assert record.event is not None
    assert record.event.payload == {"text": "Yes"}
