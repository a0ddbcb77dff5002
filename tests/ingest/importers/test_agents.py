"""Agents: sessions of Claude Code, OpenCode, and messages in every form."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.events import EventKind
from meridia.ingest.importers.agents import read_claude_code
from meridia.ingest.importers.import_reader import read
from meridia.ingest.importers.import_record import ImportRecord, ImportSource

# Claude code


def records(*lines: Any) -> list[ImportRecord]:
    body = b"\n".join(json.dumps(line).encode() for line in lines)
    everything = read_claude_code(ImportSource(io.BytesIO(body), "hive.jsonl"))
    return [record for record in everything if record.skipped is None]


def line(kind: str, content: Any, **fields: Any) -> dict[str, Any]:
    return {"type": kind, "sessionId": "s", "message": {"role": kind, "content": content}, **fields}


def keys(result: list[ImportRecord]) -> list[str | None]:
    return [r.event.session.key for r in result if r.event and r.event.session]


@given(st.lists(st.sampled_from(["user", "assistant", "thinking", "summary", "progress"])))
def test_every_line_that_somebody_said_is_an_event_with_its_own_id(kinds: list[str]) -> None:
    lines = [
        line("assistant", [{"type": "thinking", "thinking": "Hm."}], uuid=str(at))
        if kind == "thinking"
        else line(kind, "words", uuid=str(at))
        for at, kind in enumerate(kinds)
    ]
    utterance = [str(at) for at, kind in enumerate(kinds) if kind in ("user", "assistant")]
    result = [record.event.id for record in records(*lines) if record.event]
    reasoning = [str(at) for at, kind in enumerate(kinds) if kind == "thinking"]
    assert result == (utterance or reasoning)


def test_lines_of_cursor_are_read_like_those_with_a_type() -> None:
    query = [{"type": "text", "text": "<user_query>\nRun it twice\n</user_query>"}]
    of_cursor = [
        {"role": "user", "message": {"content": query}},
        {"role": "assistant", "message": {"content": [{"type": "text", "text": "Done."}]}},
    ]
    texts = [r.event.payload["text"] for r in records(*of_cursor) if r.event]
    assert texts == ["Run it twice", "Done."]


def test_an_exported_session_is_read_like_its_lines() -> None:
    lines = [line("user", "Hello"), line("assistant", "Hi"), "torn", line("user", 7)]
    exported = records({"loglines": lines})
    assert [record.event for record in exported] == [record.event for record in records(*lines)]
    assert [r.where for r in exported] == [f"hive.jsonl line 1 line {n}" for n in (1, 2, 3, 4)]


def test_a_sub_agent_has_its_own_session_by_its_id_or_by_its_first_line() -> None:
    apart = {"isSidechain": True}
    result = records(
        line("user", "main", uuid="1"),
        line("user", "named", uuid="2", agentId="a7", **apart),
        line("user", "root", uuid="3", parentUuid=None, **apart),
        line("assistant", "next", uuid="4", parentUuid="3", **apart),
        line("assistant", "last", uuid="5", parentUuid="4", **apart),
        line("assistant", "cut off", uuid="6", parentUuid="lost", **apart),
        line("user", "nameless", **apart),
    )
    assert keys(result) == ["s", "s/a7", "s/3", "s/3", "s/3", "s/lost", "s/agent"]


def test_a_call_is_answered_across_sessions_of_one_file() -> None:
    call = {"type": "tool_use", "id": "c", "name": "Bash", "input": {"command": "ls"}}
    answer = {"type": "tool_result", "tool_use_id": "c", "content": "hive.py"}
    (record,) = records(line("assistant", [call]), line("user", [answer], sessionId="resumed"))
    assert record.event is not None
    assert record.event.payload == {"args": {"command": "ls"}, "result": "hive.py"}


@pytest.mark.parametrize("mark", ["isMeta", "isCompactSummary"])
def test_what_was_written_for_the_model_is_left_out_unless_it_is_all_there_is(mark: str) -> None:
    summary = line("user", "So far: nothing.", uuid="1", **{mark: True})
    (record,) = records(summary)
    assert record.event is not None
    assert record.event.kind is EventKind.MANUAL_INGEST
    assert [r.event.id for r in records(summary, line("user", "Go on", uuid="2")) if r.event] == [
        "2"
    ]


def test_a_long_repetition_of_the_result_is_kept_as_its_size() -> None:
    call = {"type": "tool_use", "id": "c", "name": "Read", "input": {}}
    answer = {"type": "tool_result", "tool_use_id": "c", "content": "ok"}
    (record,) = records(
        line("assistant", [call]),
        line("user", [answer], toolUseResult={"file": {"content": "y" * 5_000}}),
    )
    assert record.event is not None
    assert record.event.metadata == {"claude_code": {"toolUseResult": {"left_out_chars": 5_011}}}


def test_a_session_without_a_name_is_named_by_the_file() -> None:
    (record,) = records({"type": "user", "message": {"content": "Hello"}})
    assert record.event is not None
    assert record.event.id == "hive/0"
    assert keys([record]) == ["hive"]


# One conversation in every form gives the same messages, calls and results, with their times.

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


# OpenCode's parts: a failed call is one, a file is an artifact, a running call has no result.


def test_parts_of_every_kind_are_read_and_an_error_is_one() -> None:
    def tool(id: str, state: dict[str, object]) -> dict[str, object]:
        return {"type": "tool", "tool": "bash", "callID": id, "state": {"input": {}, **state}}

    parts = [
        {"type": "reasoning", "text": "hm"},
        tool("a", {"status": "error", "error": "no such kiln"}),
        tool("b", {"status": "running"}),
        {"type": "text", "text": "It failed."},
        {"type": "file", "mime": "image/png", "url": "https://example.org/kiln.png"},
        {"type": "patch", "hash": "x"},
    ]
    info = {"id": "m1", "role": "assistant", "time": {"created": 1767348000000}}
    session = {"info": {"id": "s"}, "messages": [{"info": info, "parts": parts}, {"info": None}]}
    with read(io.BytesIO(json.dumps(session).encode())) as records:
        kept = list(records)
    failed, said = [record.event for record in kept if record.event]
    assert failed.tool.isError
    assert failed.payload["result"] == "no such kiln"
    assert said.payload["text"] == "It failed."
    assert said.artifacts[0].uri == "https://example.org/kiln.png"
    assert {str(event.ts)[:10] for event in (failed, said)} == {"2026-01-02"}
    assert not [record for record in kept if record.problem]
