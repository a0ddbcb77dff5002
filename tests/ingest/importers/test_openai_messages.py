"""OpenAI's chats and Responses."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.ingest.importers.import_reader import read
from meridia.ingest.importers.import_record import ImportRecord, ImportSource
from meridia.ingest.importers.openai_messages import read_chat, read_responses

# Openai chat


def chat_records(*documents: Any, name: str = "x.jsonl") -> list[ImportRecord]:
    body = b"\n".join(json.dumps(document).encode() for document in documents)
    everything = read_chat(ImportSource(io.BytesIO(body), name))
    return [record for record in everything if record.skipped is None]


def ids(result: list[ImportRecord]) -> list[str | None]:
    return [record.event.id for record in result if record.event]


def utterance(text: str, role: str = "user", **fields: Any) -> dict[str, Any]:
    return {"role": role, "content": text, **fields}


@given(st.lists(st.sampled_from(["system", "user", "assistant", "call", "tool"])))
def test_every_message_is_an_event_unless_it_is_the_system_or_only_calls(roles: list[str]) -> None:
    call = {"id": "c", "function": {"name": "f", "arguments": "{}"}}
    messages = [
        {"role": "assistant", "content": None, "tool_calls": [call]}
        if role == "call"
        else utterance("words", role, tool_call_id="c", name="f")
        for role in roles
    ]
    wanted = [f"x/{at}" for at, role in enumerate(roles) if role not in ("system", "call")]
    only = [f"x/{at}" for at, role in enumerate(roles) if role == "system"]
    expected = wanted or ([] if "call" in roles else only)
    assert ids(chat_records({"messages": messages})) == expected


def test_a_list_lines_and_bare_messages_are_the_same_conversation() -> None:
    messages = [
        utterance("Hello"),
        utterance("Hi", "assistant"),
        utterance("?", "narrator"),
        utterance("Bye"),
    ]
    events = [record.event for record in chat_records({"messages": messages})]
    assert [record.event for record in chat_records([{"messages": messages}])] == events
    assert [record.event for record in chat_records(*messages)] == events
    assert [record.event for record in chat_records(messages)] == events


@pytest.mark.parametrize(
    ("fields", "key"),
    [
        ({}, "x"),
        ({"id": "abc"}, "abc"),
        ({"id": 7}, "x/7"),
        ({"id": "7"}, "x/7"),
        ({"id": "abc", "conversation_id": "def"}, "def"),
        ({"thread_id": ["?"]}, "x"),
    ],
)
def test_a_conversation_has_its_own_name_or_the_files(fields: Any, key: str) -> None:
    assert ids(chat_records({"messages": [utterance("Hello")], **fields})) == [f"{key}/0"]


def test_further_conversations_of_a_file_are_numbered_by_their_place() -> None:
    item = {"messages": [utterance("Hello")]}
    assert ids(chat_records(item, {"messages": 0}, item)) == ["x/0", "x/3/0"]


def test_a_completion_follows_what_it_answers() -> None:
    first, second = chat_records(
        {
            "messages": [utterance("Hello")],
            "created": 1767348000,
            "choices": [
                {"index": 0, "finish_reason": "stop", "message": utterance("Hi", "assistant")}
            ],
        }
    )
    assert first.event is not None
    assert second.event is not None
    assert first.event.ts == second.event.ts
    assert second.event.as_json()["ts"] == "2026-01-02T10:00:00Z"
    assert second.event.metadata == {
        "openai_chat": {"choice": {"index": 0, "finish_reason": "stop"}}
    }


@pytest.mark.parametrize(
    ("fields", "ts", "metadata"),
    [
        ({"timestamp": "2026-01-02T10:00:00Z"}, "2026-01-02T10:00:00Z", {}),
        ({"created_at": 1767348000}, "2026-01-02T10:00:00Z", {}),
        ({"timestamp": "10:45"}, None, {"openai_chat": {"timestamp": "10:45"}}),
    ],
)
def test_a_time_is_taken_where_it_is_one_and_kept_where_it_is_none(
    fields: Any, ts: str | None, metadata: Any
) -> None:
    (record,) = chat_records({"messages": [utterance("Hello", **fields)]})
    assert record.event is not None
    assert record.event.as_json().get("ts") == ts
    assert record.event.metadata == metadata


def test_what_stands_in_place_of_content_is_said() -> None:
    audio = {"id": "a", "data": "YSB0b25l", "transcript": "Ding."}
    result = chat_records(
        utterance("", "assistant", refusal="I may not."),
        utterance("", "assistant", audio=audio),
        utterance("", "assistant", reasoning="Hm."),
    )
    assert [record.event.payload for record in result if record.event] == [
        {"text": "I may not."},
        {"text": "Ding."},
    ]
    assert result[1].event is not None
    assert result[1].event.artifacts[0].kind == "audio"


def test_messages_of_anthropic_are_read_in_the_same_way() -> None:
    call = {"type": "tool_use", "id": "c", "name": "f", "input": {"a": 1}}
    answer = {"type": "tool_result", "tool_use_id": "c", "content": "no", "is_error": True}
    (record,) = chat_records(
        {
            "messages": [
                {"role": "assistant", "content": [call]},
                {"role": "user", "content": [answer]},
            ]
        }
    )
    assert record.event is not None
    assert record.event.payload == {"args": {"a": 1}, "result": "no"}
    assert record.event.tool is not None
    assert record.event.tool.isError


def test_a_result_without_content_is_refused() -> None:
    (record,) = chat_records({"role": "tool", "tool_call_id": "c", "name": "f"})
    assert record.problem == "content is missing: the tool's result is needed"


# Openai responses


def response_records(*documents: Any) -> list[ImportRecord]:
    body = b"\n".join(json.dumps(document).encode() for document in documents)
    everything = read_responses(ImportSource(io.BytesIO(body), "x.jsonl"))
    return [record for record in everything if record.skipped is None]


def message(text: str, role: str = "assistant", **fields: Any) -> dict[str, Any]:
    return {"type": "message", "role": role, "content": text, **fields}


def keys(result: list[ImportRecord]) -> list[str]:
    return [r.event.session.key for r in result if r.event and r.event.session]


def test_bare_items_are_one_conversation_named_by_the_file() -> None:
    call = {"type": "function_call", "call_id": "c", "name": "f", "arguments": '{"a": 1}'}
    output = {"type": "function_call_output", "call_id": "c", "output": "ok"}
    items = [message("Hello", "user"), call, output, message("Done", id="msg_1")]
    result = response_records(*items)
    assert [r.event.id for r in result if r.event] == ["x/0", "x/2", "msg_1"]
    assert keys(result) == ["x", "x", "x"]
    assert result[1].event is not None
    assert result[1].event.payload == {"args": {"a": 1}, "result": "ok"}
    assert [r.event for r in response_records({"items": items})] == [r.event for r in result]


def test_responses_that_go_on_from_one_another_share_a_session() -> None:
    result = response_records(
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
    result = response_records(
        {"id": "r1", "output": [reported, call]},
        {"id": "r2", "previous_response_id": "r1", "input": [reported, call, output], "output": []},
    )
    assert [r.event.id for r in result if r.event] == ["msg", "r1/2"]
    assert [r.problem for r in result if r.problem] == []


def test_fields_of_each_response_go_with_its_first_event() -> None:
    result = response_records(
        {"id": "r1", "model": "y", "output": [message("1"), message("2")]},
        {"id": "r2", "previous_response_id": "r1", "model": "z", "output": [message("3")]},
    )
    assert [r.event.metadata for r in result if r.event] == [
        {"openai_responses": {"conversation": {"model": "y"}}},
        {},
        {"openai_responses": {"conversation": {"model": "z"}}},
    ]


def test_only_output_has_the_time_of_its_response() -> None:
    asked, answered = response_records(
        {"created_at": 1767348000, "input": "Hi", "output": [message("Ho")]}
    )
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
    (record,) = response_records({"output": [{"id": "i", **item}]})
    assert record.event is not None
    assert record.event.tool is not None
    assert (record.event.tool.name, record.event.tool.isError) == (name, failed)
    assert record.event.payload == payload


@pytest.mark.parametrize("kind", ["mcp_list_tools", "item_reference", "compaction"])
def test_bookkeeping_is_left_out(kind: str) -> None:
    assert response_records({"output": [{"type": kind, "id": "i"}]}) == []


def test_instructions_are_imported_only_where_there_is_nothing_else() -> None:
    (record,) = response_records({"id": "r", "instructions": "Be kind.", "output": []})
    assert record.event is not None
    assert record.event.payload == {"text": "Be kind."}
    (record,) = response_records(
        {"id": "r", "instructions": "Be kind.", "output": [message("Yes")]}
    )
    assert record.event is not None
    assert record.event.payload == {"text": "Yes"}


def test_a_message_in_an_envelope_of_its_own_is_read_at_its_time() -> None:
    """As many programs log them: `{"at": ..., "message": {"role": ..., "content": ...}}`."""
    said = [("user", "Which key signs it?"), ("assistant", "The key 0xA41F."), ("user", "Good.")]
    logged = [
        {"message": {"role": role, "content": text}, "context": [], "timestamp": 1_770_000_000 + n}
        for n, (role, text) in enumerate(said)
    ]
    for document in (logged, {"title": "Keys", "history": logged}):
        records = list(read(io.BytesIO(json.dumps(document).encode())))
        events = [record.event for record in records if record.event]
        assert [event.payload["text"] for event in events] == [text for _, text in said]
        assert [event.ts.timestamp() - 1_770_000_000 for event in events if event.ts] == [0, 1, 2]
