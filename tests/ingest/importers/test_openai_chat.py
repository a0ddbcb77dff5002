from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.ingest.importers.import_record import ImportRecord, ImportSource
from meridia.ingest.importers.openai_chat import read


def records(*documents: Any, name: str = "x.jsonl") -> list[ImportRecord]:
    body = b"\n".join(json.dumps(document).encode() for document in documents)
    everything = read(ImportSource(io.BytesIO(body), name))
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
    assert ids(records({"messages": messages})) == expected


def test_a_list_lines_and_bare_messages_are_the_same_conversation() -> None:
    messages = [
        utterance("Hello"),
        utterance("Hi", "assistant"),
        utterance("?", "narrator"),
        utterance("Bye"),
    ]
    events = [record.event for record in records({"messages": messages})]
    assert [record.event for record in records([{"messages": messages}])] == events
    assert [record.event for record in records(*messages)] == events
    assert [record.event for record in records(messages)] == events


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
    assert ids(records({"messages": [utterance("Hello")], **fields})) == [f"{key}/0"]


def test_further_conversations_of_a_file_are_numbered_by_their_place() -> None:
    item = {"messages": [utterance("Hello")]}
    assert ids(records(item, {"messages": 0}, item)) == ["x/0", "x/3/0"]


def test_a_completion_follows_what_it_answers() -> None:
    first, second = records(
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
    (record,) = records({"messages": [utterance("Hello", **fields)]})
    assert record.event is not None
    assert record.event.as_json().get("ts") == ts
    assert record.event.metadata == metadata


def test_what_stands_in_place_of_content_is_said() -> None:
    audio = {"id": "a", "data": "YSB0b25l", "transcript": "Ding."}
    result = records(
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
    (record,) = records(
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
    (record,) = records({"role": "tool", "tool_call_id": "c", "name": "f"})
    assert record.problem == "content is missing: the tool's result is needed"
