"""Langchain"""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

import pytest

from meridia.ingest.importers.agents import read_langchain
from meridia.ingest.importers.import_record import ImportRecord, ImportSource

KINDS = {"human": "Human", "ai": "AI", "system": "System", "tool": "Tool", "function": "Function"}


def records(*documents: Any) -> list[ImportRecord]:
    body = b"\n".join(json.dumps(document).encode() for document in documents)
    everything = read_langchain(ImportSource(io.BytesIO(body), "x.json"))
    return [record for record in everything if record.skipped is None]


def ids(results: list[ImportRecord]) -> list[str | None]:
    return [record.event.id for record in results if record.event]


def keys(results: list[ImportRecord]) -> list[str]:
    return [r.event.session.key for r in results if r.event and r.event.session]


def flat(kind: str, content: Any, **fields: Any) -> dict[str, Any]:
    return {"type": kind, "content": content, "response_metadata": {}, **fields}


def as_dict(message: dict[str, Any]) -> dict[str, Any]:
    return {"type": message["type"], "data": message}


def serialised(message: dict[str, Any]) -> dict[str, Any]:
    path = ["langchain", "schema", "messages", f"{KINDS[message['type']]}Message"]
    return {"lc": 1, "type": "constructor", "id": path, "kwargs": message}


CONVERSATION = [
    flat("system", "You are a clerk."),
    flat("human", "Hello", name="Ada", id="h"),
    flat("ai", "", tool_calls=[{"id": "c", "name": "f", "args": {"a": 1}}]),
    flat("tool", "no", tool_call_id="c", status="error"),
    flat("ai", "Done.", usage_metadata={"total_tokens": 3}),
]


@pytest.mark.parametrize("form", [lambda message: message, as_dict, serialised])
@pytest.mark.parametrize(
    "around",
    [
        lambda messages: [{"messages": messages}],
        lambda messages: [messages],
        lambda messages: messages,
        lambda messages: [{"values": {"messages": messages}, "next": []}],
        lambda messages: [{"v": 1, "channel_values": {"messages": messages}}],
    ],
)
def test_a_conversation_is_the_same_in_every_form(
    form: Callable[..., Any], around: Callable[..., Any]
) -> None:
    results = records(*around([form(message) for message in CONVERSATION]))
    utterance, result, done = (record.event for record in results)
    assert utterance is not None
    assert (utterance.id, utterance.person, utterance.payload) == ("h", "Ada", {"text": "Hello"})
    assert result is not None
    assert result.tool is not None
    assert (result.tool.name, result.tool.isError) == ("f", True)
    assert result.payload == {"args": {"a": 1}, "result": "no"}
    assert done is not None
    assert done.id == "x/4"
    assert done.metadata == {"langchain": {"usage_metadata": {"total_tokens": 3}}}
    assert keys(results) == ["x", "x", "x"]


@pytest.mark.parametrize(
    ("fields", "key"),
    [
        ({"config": {"configurable": {"thread_id": "t"}}}, "t"),
        ({"config": {"configurable": {"thread_id": "t", "checkpoint_ns": "sub:1"}}}, "t/sub:1"),
        ({"checkpoint": {"thread_id": "t", "checkpoint_ns": ""}}, "t"),
        ({"thread_id": "t"}, "t"),
        ({"config": {"configurable": {"thread_id": []}}}, "x"),
    ],
)
def test_a_state_belongs_to_its_thread_or_its_subgraph(fields: Any, key: str) -> None:
    results = records({"values": {"messages": [flat("human", "Hello")]}, **fields})
    assert keys(results) == [key]


def test_of_several_states_of_one_thread_each_message_is_imported_once() -> None:
    history = [flat("human", str(n), id=str(n)) for n in range(3)]
    states = [{"values": {"messages": history[:n]}, "thread_id": "t"} for n in (3, 2, 1)]
    assert ids(records(*states)) == ["0", "1", "2"]
    assert ids(records(*reversed(states))) == ["0", "1", "2"]


def test_messages_of_one_document_with_the_same_id_are_all_yielded() -> None:
    messages = [flat("human", "one", id="h"), flat("human", "two", id="h")]
    assert ids(records({"messages": messages})) == ["h", "h"]


def test_other_channels_of_a_state_are_kept_and_its_checkpoint_is_not() -> None:
    (record,) = records(
        {"values": {"messages": [flat("human", "Hi")], "mood": "calm"}, "metadata": {"step": 3}}
    )
    assert record.event is not None
    assert record.event.metadata == {"langchain": {"conversation": {"mood": "calm"}}}


def test_calls_of_older_versions_are_joined_too() -> None:
    call = {"id": "c", "function": {"name": "f", "arguments": '{"a": 1}'}}
    legacy = {"name": "g", "arguments": "{}"}
    first, second = records(
        flat("ai", "", additional_kwargs={"tool_calls": [call]}),
        flat("tool", "ok", tool_call_id="c"),
        flat("ai", "", additional_kwargs={"function_call": legacy}),
        flat("function", "ok", name="g"),
    )
    assert first.event is not None
    assert first.event.payload == {"args": {"a": 1}, "result": "ok"}
    assert second.event is not None
    assert second.event.payload == {"args": {}, "result": "ok"}


@pytest.mark.parametrize("kind", ["AIMessageChunk", "AIMessage", "assistant"])
def test_an_answer_is_one_under_every_name_of_its_type(kind: str) -> None:
    assert ids(records(flat(kind, "Hi", id="a"))) == ["a"]


def test_reasoning_in_place_of_content_is_left_out() -> None:
    reasoning = flat("ai", "", additional_kwargs={"reasoning_content": "Hm."}, id="a")
    assert ids(records(flat("human", "Hi", id="h"), reasoning)) == ["h"]
    assert ids(records(reasoning)) == ["a"]
