from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.events import EventKind
from meridia.ingest.importers.claude_code import read
from meridia.ingest.importers.import_record import ImportRecord, ImportSource


def records(*lines: Any) -> list[ImportRecord]:
    body = b"\n".join(json.dumps(line).encode() for line in lines)
    everything = read(ImportSource(io.BytesIO(body), "hive.jsonl"))
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
