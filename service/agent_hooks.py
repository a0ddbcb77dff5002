"""Converts the hook events of coding agents into events of Meridia's native form.

Claude Code, Codex, Gemini CLI and Cursor each call a command at the same moments, with nearly the
same JSON. Unknown input is ignored: an agent must never fail because of its memory.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ..core.runs.tool_result import read_result
from ..core.time import to_text
from ..ingest.machine_text import own_words

Fields = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class HookAction:
    """What a hook asks for: an event to capture, or the context that a session begins with.

    `answers_as` says how the agent wants its context: `nested` or `flat`.
    """

    event: dict[str, Any] | None = None
    wants_context: bool = False
    answers_as: str = "nested"


def action_of(fields: Fields, at: datetime, person: str | None = None) -> HookAction:
    """Return what a hook asks for; nothing for an event that is not known.

    `at` is when it came, `person` who talks with the agent.
    """
    name = str(fields.get("hook_event_name") or "")
    if name in {"SessionStart", "sessionStart"}:
        return HookAction(wants_context=True, answers_as="nested" if name[0] == "S" else "flat")
    read = _EVENTS.get(name)
    event = None if read is None else read(fields)
    if event is None:
        return HookAction()
    session = fields.get("session_id") or fields.get("conversation_id")
    event |= {"ts": to_text(at), "metadata": _metadata(fields, name)}
    if isinstance(session, str) and session:
        event["session"] = {"key": session[:512]}
    if event["kind"] == "user_message" and person:
        event["person"] = person
    return HookAction(event)


def context_answer(action: HookAction, text: str) -> str:
    """Return context as the agent reads it."""
    if action.answers_as == "flat":
        return json.dumps({"additional_context": text})
    specific = {"hookEventName": "SessionStart", "additionalContext": text}
    return json.dumps({"hookSpecificOutput": specific})


def _metadata(fields: Fields, name: str) -> dict[str, Any]:
    named = ("cwd", "trigger", "source", "reason", "agent_id")
    return {"hook": name} | {key: fields[key] for key in named if fields.get(key)}


def _tool(fields: Fields) -> dict[str, Any] | None:
    """Read the result of a tool."""
    response = fields.get("tool_response", fields.get("error"))
    is_failure = fields.get("hook_event_name") == "PostToolUseFailure"
    failed = is_failure or read_result({"payload": {"result": response}}).ok is False
    return _result(fields, fields.get("tool_name"), fields.get("tool_input"), response, failed)


def _result(
    fields: Fields, name: object, arguments: object, result: object, failed: bool = False
) -> dict[str, Any] | None:
    if not isinstance(name, str) or not name:
        return None
    tool: dict[str, Any] = {"name": name[:256], "isError": failed}
    event: dict[str, Any] = {"kind": "tool_result", "tool": tool}
    if isinstance(call := fields.get("tool_use_id"), str) and call:
        tool["callId"] = call
        # A hook that is installed twice tells of one call, and so does a repeated one.
        event["id"] = f"{fields.get('session_id', '')}/{call}"[:512]
    return event | {"payload": {"args": arguments, "result": result}}


def _shell(fields: Fields) -> dict[str, Any] | None:
    return _result(fields, "Shell", {"command": fields.get("command")}, fields.get("output"))


def _mcp(fields: Fields) -> dict[str, Any] | None:
    result = fields.get("result_json")
    return _result(fields, fields.get("tool_name"), fields.get("tool_input"), result)


def _edit(fields: Fields) -> dict[str, Any] | None:
    arguments = {"file_path": fields.get("file_path"), "edits": fields.get("edits")}
    return _result(fields, "Edit", arguments, None)


def _message(kind: str, *names: str) -> Callable[[Fields], dict[str, Any] | None]:
    """Return what reads a message out of the first of some fields that has a text."""

    def read(fields: Fields) -> dict[str, Any] | None:
        texts = [fields.get(name) for name in names]
        text = next((text for text in texts if isinstance(text, str) and text.strip()), None)
        return None if text is None else {"kind": kind, "payload": {"text": text}}

    return read


def _boundary(text: str) -> Callable[[Fields], dict[str, Any]]:
    """Return what says that a session is over, or that what it holds is about to be shortened."""
    return lambda _: {"kind": "session_boundary", "payload": {"text": text}}


def _prompt(fields: Fields) -> dict[str, Any] | None:
    """Read what the person wrote of a prompt: a client adds to it, or writes one itself."""
    prompt = fields.get("prompt")
    words = own_words(prompt) if isinstance(prompt, str) else ""
    return {"kind": "user_message", "payload": {"text": words}} if words.strip() else None


_answer = _message("assistant_message", "last_assistant_message", "prompt_response", "text")
_compaction, _end = _boundary("the context is compacted"), _boundary("the session ended")
#: Name of a hook → what reads its event.
_EVENTS: dict[str, Callable[[Fields], dict[str, Any] | None]] = {
    "UserPromptSubmit": _prompt,
    "BeforeAgent": _prompt,
    "beforeSubmitPrompt": _prompt,
    "PostToolUse": _tool,
    "PostToolUseFailure": _tool,
    "AfterTool": _tool,
    "afterShellExecution": _shell,
    "afterMCPExecution": _mcp,
    "afterFileEdit": _edit,
    "Stop": _answer,
    "AfterAgent": _answer,
    "afterAgentResponse": _answer,
    "PreCompact": _compaction,
    "PreCompress": _compaction,
    "preCompact": _compaction,
    "SessionEnd": _end,
    "sessionEnd": _end,
}
