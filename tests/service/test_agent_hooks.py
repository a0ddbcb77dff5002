"""Hook events of coding agents become events in the native form; what is unknown is ignored."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from meridia.core.events import parse_event
from meridia.service.agent_hooks import action_of, context_answer, fields_of

AT = datetime(2026, 3, 1, 10, tzinfo=UTC)
CLAUDE = {"session_id": "s1", "cwd": "/home/dana/boat", "transcript_path": "/t.jsonl"}
CURSOR = {"conversation_id": "c1", "generation_id": "g1", "workspace_roots": ["/boat"]}


def event_of(**fields):
    """Return the event of a hook, which must be one that can be captured."""
    event = action_of(fields, AT, "Dana").event
    assert event is not None
    parse_event(event)
    return event


@pytest.mark.parametrize(
    ("fields", "kind", "text"),
    [
        (CLAUDE | {"hook_event_name": "UserPromptSubmit", "prompt": "Fix it."}, "user", "Fix it."),
        (CLAUDE | {"hook_event_name": "BeforeAgent", "prompt": "Fix it."}, "user", "Fix it."),
        (CURSOR | {"hook_event_name": "beforeSubmitPrompt", "prompt": "Hi."}, "user", "Hi."),
        (CLAUDE | {"hook_event_name": "Stop", "last_assistant_message": "Ok"}, "assistant", "Ok"),
        (CLAUDE | {"hook_event_name": "AfterAgent", "prompt_response": "Ok"}, "assistant", "Ok"),
        (CURSOR | {"hook_event_name": "afterAgentResponse", "text": "Ok"}, "assistant", "Ok"),
    ],
)
def test_what_was_said(fields, kind, text):
    event = event_of(**fields)
    assert (event["kind"], event["payload"]) == (f"{kind}_message", {"text": text})
    assert event["session"]["key"] in {"s1", "c1"}
    assert event["ts"] == "2026-03-01T10:00:00.000000Z"
    assert event.get("person") == ("Dana" if kind == "user" else None)


@pytest.mark.parametrize(
    ("fields", "tool", "failed"),
    [
        ({"hook_event_name": "PostToolUse", "tool_response": {"stdout": "ok"}}, "Bash", False),
        ({"hook_event_name": "PostToolUse", "tool_response": {"is_error": True}}, "Bash", True),
        ({"hook_event_name": "PostToolUseFailure", "error": "exit 2"}, "Bash", True),
        ({"hook_event_name": "AfterTool", "tool_response": {"error": "no"}}, "Bash", True),
        ({"hook_event_name": "afterShellExecution", "command": "ls", "output": ""}, "Shell", False),
        ({"hook_event_name": "afterMCPExecution", "result_json": "{}"}, "Bash", False),
        ({"hook_event_name": "afterFileEdit", "file_path": "a.py", "edits": []}, "Edit", False),
    ],
)
def test_what_a_tool_did(fields, tool, failed):
    event = event_of(**CLAUDE, tool_name="Bash", tool_input={"command": "make"}, **fields)
    assert event["kind"] == "tool_result"
    assert (event["tool"]["name"], event["tool"]["isError"]) == (tool, failed)
    assert event["metadata"]["cwd"] == "/home/dana/boat"


def test_one_call_is_one_event_however_often_it_is_told():
    hook = {**CLAUDE, "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_use_id": "t1"}
    assert event_of(**hook)["id"] == "s1/t1"


@pytest.mark.parametrize("name", ["PreCompact", "PreCompress", "preCompact", "SessionEnd"])
def test_what_ends_or_shortens_a_session_is_a_boundary(name):
    assert event_of(**CLAUDE, hook_event_name=name)["kind"] == "session_boundary"


def test_a_session_begins_with_context_in_the_words_of_its_agent():
    nested = action_of({"hook_event_name": "SessionStart"}, AT)
    flat = action_of({"hook_event_name": "sessionStart"}, AT)
    assert nested.wants_context
    assert flat.wants_context
    answer = json.loads(context_answer(nested, "Hi."))["hookSpecificOutput"]
    assert answer == {"hookEventName": "SessionStart", "additionalContext": "Hi."}
    assert json.loads(context_answer(flat, "Hi.")) == {"additional_context": "Hi."}


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"hook_event_name": "Unheard"},
        {"hook_event_name": ["a"]},
        {"hook_event_name": "UserPromptSubmit"},
        {"hook_event_name": "UserPromptSubmit", "prompt": {"a": 1}},
        {"hook_event_name": "Stop", "last_assistant_message": " "},
        {"hook_event_name": "PostToolUse", "tool_name": 7},
    ],
)
def test_what_is_unknown_asks_for_nothing(fields):
    action = action_of(fields, AT)
    assert action.event is None
    assert not action.wants_context


def line(role, content, id=None):
    return json.dumps({"type": role, "message": {"role": role, "id": id, "content": content}})


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        ([line("user", "Use podman."), line("assistant", "Podman it is.")], "Podman it is."),
        (
            [
                line("assistant", [{"type": "text", "text": "Old."}], "m1"),
                line("user", "Go on."),
                line("assistant", [{"type": "thinking", "thinking": "Hm."}], "m2"),
                line("assistant", [{"type": "text", "text": "First."}], "m2"),
                line("assistant", [{"type": "text", "text": "Then."}], "m2"),
                '{"type": "summary", "summary": "podman"}',
                '{"type": "assistant", "mess',
            ],
            "First.\n\nThen.",
        ),
        ([line("assistant", "Old."), line("user", "Go on.")], None),
        ([], None),
    ],
)
def test_an_answer_that_only_the_transcript_has_is_read_from_its_end(tmp_path, lines, text):
    path = tmp_path / "t.jsonl"
    path.write_text("\n".join(lines) + "\n")
    event = action_of(CLAUDE | {"hook_event_name": "Stop", "transcript_path": str(path)}, AT).event
    assert (event and event["payload"]["text"]) == text


def test_a_transcript_that_is_not_there_says_nothing():
    stop = {"hook_event_name": "Stop", "transcript_path": "/nowhere/\0.jsonl"}
    assert action_of(CLAUDE | stop, AT).event is None


PROMPT = {"hook_event_name": "UserPromptSubmit", "cwd": "C:\\Users\\uma\\new", "prompt": "Ä\tb 🎣"}
AS_JSON = json.dumps(PROMPT)


@pytest.mark.parametrize(
    "given",
    [
        AS_JSON.encode(),
        AS_JSON.encode("utf-8-sig"),
        AS_JSON.encode("utf-16"),
        json.dumps(PROMPT, ensure_ascii=False).encode("utf-16-le"),
        json.dumps(PROMPT, indent=2).replace("\n", "\r\n").encode(),
        AS_JSON.replace("\\t", "\t").encode(),
        AS_JSON.replace("C:\\\\U", "C:\\U").encode(),
    ],
)
def test_what_machines_add_to_an_event_or_forget_loses_no_prompt(given):
    assert fields_of(given) == PROMPT


@pytest.mark.parametrize("path", ["C:\\Users\\x", "D:\\proj\\my app\\lib", "E:\\work\\", "~"])
def test_backslashes_of_a_path_that_escape_nothing_lose_no_prompt(path):
    given = rf'{{"prompt": "Fix \"it\".\n", "cwd": "{path} "}}'
    assert fields_of(given.encode()) == {"prompt": 'Fix "it".\n', "cwd": f"{path} "}


@pytest.mark.parametrize("given", [b"", b"hello", b"[1]", b'{"prompt": '])
def test_what_is_no_object_is_an_error(given):
    with pytest.raises((ValueError, TypeError)):
        fields_of(given)
