"""One conversation in every form gives the same messages, calls and results, with their times."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.ingest.importers.import_reader import read

START = datetime(2026, 3, 1, 10, tzinfo=UTC)
TEXT = st.text("abc äß.!?", min_size=1).map(lambda text: f"x {text}".strip())
#: Who speaks and what, or a call of a tool with its result.
TURNS = st.lists(st.tuples(st.sampled_from(["user", "assistant", "tool"]), TEXT), min_size=1)
Turn = tuple[str, str, str, str]


def vercel(turns: list[Turn]) -> Any:
    def message(kind: str, text: str, at: str, id: str) -> dict[str, Any]:
        call = {"type": "tool-f", "toolCallId": id, "input": {"n": id}, "output": text}
        block = call if kind == "tool" else {"type": "text", "text": text}
        role = "user" if kind == "user" else "assistant"
        return {"id": id, "role": role, "parts": [block], "createdAt": at}

    return [message(*turn) for turn in turns]


def opencode(turns: list[Turn]) -> Any:
    def message(kind: str, text: str, at: str, id: str) -> dict[str, Any]:
        state = {"status": "completed", "input": {"n": id}, "output": text}
        call = {"type": "tool", "tool": "f", "callID": id, "state": state}
        part = call if kind == "tool" else {"type": "text", "text": text}
        made = {"created": datetime.fromisoformat(at).timestamp() * 1000}
        info = {"id": id, "role": "user" if kind == "user" else "assistant", "time": made}
        machine = {"type": "text", "text": "Called the Read tool", "synthetic": True}
        return {"info": info, "parts": [part, machine, {"type": "step-finish"}]}

    messages = [message(*turn) for turn in turns]
    return {"info": {"id": "s", "title": "x"}, "messages": messages}


def pydantic_ai(turns: list[Turn]) -> Any:
    messages = []
    for kind, text, at, id in turns:
        call = {"part_kind": "tool-call", "tool_name": "f", "args": {"n": id}, "tool_call_id": id}
        parts = {
            "user": [("request", {"part_kind": "user-prompt", "content": text, "timestamp": at})],
            "assistant": [("response", {"part_kind": "text", "content": text})],
            "tool": [
                ("response", call),
                ("request", {**call, "part_kind": "tool-return", "content": text}),
            ],
        }[kind]
        messages += [{"kind": k, "parts": [part], "timestamp": at} for k, part in parts]
    return messages


def gemini(turns: list[Turn]) -> Any:
    def message(kind: str, text: str, at: str, id: str) -> dict[str, Any]:
        if kind != "tool":
            role = "user" if kind == "user" else "gemini"
            return {"id": id, "timestamp": at, "type": role, "content": text}
        answer = {"functionResponse": {"name": "f", "response": {"output": text}}}
        call = {"id": id, "name": "f", "args": {"n": id}, "result": [answer]}
        return {"id": id, "timestamp": at, "type": "gemini", "content": "", "toolCalls": [call]}

    return {
        "sessionId": "s",
        "projectHash": "h",
        "messages": [message(*turn) for turn in turns],
    }


def items(turns: list[Turn]) -> list[dict[str, Any]]:
    several: list[dict[str, Any]] = []
    for kind, text, at, id in turns:
        if kind == "tool":
            call = {"call_id": id, "name": "f", "arguments": json.dumps({"n": id})}
            several.append({"type": "function_call", **call, "timestamp": at})
            answer = {"type": "function_call_output", "call_id": id, "output": text}
            several.append({**answer, "timestamp": at})
        else:
            several.append({"role": kind, "content": text, "timestamp": at})
    return several


def agents_sdk(turns: list[Turn]) -> Any:
    return [{"role": "user", "content": "x", "timestamp": START.isoformat()}, *items(turns)]


def codex(turns: list[Turn]) -> Any:
    lines = [{"timestamp": START.isoformat(), "type": "session_meta", "payload": {"id": "s"}}]
    for item in items(turns):
        at = item.pop("timestamp")
        payload = {"type": "message", **item}
        lines.append({"timestamp": at, "type": "response_item", "payload": payload})
    return "\n".join(map(json.dumps, lines))


def letta(turns: list[Turn]) -> Any:
    messages = []
    for kind, text, at, id in turns:
        call = {"name": "f", "arguments": json.dumps({"n": id}), "tool_call_id": id}
        if kind == "tool":
            given = {"message_type": "tool_call_message", "tool_call": call}
            answer = {"message_type": "tool_return_message", "tool_return": text}
            messages += [{**given, "date": at}, {**answer, "tool_call_id": id, "date": at}]
        else:
            messages.append({"message_type": f"{kind}_message", "content": text, "date": at})
    return messages


def langchain(turns: list[Turn]) -> Any:
    messages = [{"type": "human", "content": "x", "created_at": START.isoformat()}]
    for kind, text, at, id in turns:
        if kind == "tool":
            calls = [{"name": "f", "args": {"n": id}, "id": id}]
            messages.append({"type": "ai", "content": "", "tool_calls": calls, "created_at": at})
            messages.append({"type": "tool", "content": text, "tool_call_id": id, "created_at": at})
        else:
            role = "human" if kind == "user" else "ai"
            messages.append({"type": role, "content": text, "created_at": at})
    return messages


@pytest.mark.parametrize(
    ("form", "name"),
    [
        (vercel, "vercel-ai"),
        (opencode, "opencode"),
        (pydantic_ai, "pydantic-ai"),
        (gemini, "gemini"),
        (agents_sdk, "openai-chat"),
        (codex, "codex"),
        (letta, "letta"),
        (langchain, "langchain"),
    ],
)
@given(turns=TURNS)
def test_a_conversation_is_the_same_in_every_form(
    form: Callable[[list[Turn]], Any], name: str, turns: list[tuple[str, str]]
) -> None:
    dated = [
        (kind, text, (START + timedelta(minutes=n)).isoformat(), f"m{n}")
        for n, (kind, text) in enumerate([("user", "x"), *turns])
    ]
    document = form(dated[1:] if form in (agents_sdk, langchain) else dated)
    body = document if isinstance(document, str) else json.dumps(document)
    with read(io.BytesIO(body.encode())) as records:
        assert records.format == name
        results = [record.event or record.problem for record in records]
    expected = [
        ("tool_result", {"args": {"n": id}, "result": text}, at)
        if kind == "tool"
        else (f"{kind}_message", {"text": text}, at)
        for kind, text, at, id in dated
    ]
    assert [
        (event.kind.value, event.payload, event.ts.isoformat())  # type: ignore[union-attr]
        for event in results
    ] == expected
    assert len({event.id for event in results}) == len(results)  # type: ignore[union-attr]
