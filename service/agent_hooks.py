"""Converts the hook events of coding agents into events of Meridia's native form.

Claude Code, Codex, Gemini CLI and Cursor each call a command at the same moments, with nearly the
same JSON. Unknown input is ignored: an agent must never fail because of its memory.
"""

from __future__ import annotations

import difflib
import json
import os
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from ..core.calls.cleaning import read_json_object
from ..core.errors import InvalidInput, Refused
from ..core.time import to_text
from ..ingest.importers import message_content
from ..language.machine_text import own_words
from ..language.runs.tool_result import read_result

Fields = Mapping[str, Any]
#: A backslash, with what it escapes or bare.
_BACKSLASH = re.compile(r"(?P<escape>\\(?:[\"\\/bfnrt]|u[0-9a-fA-F]{4}))|(?P<bare>\\)")


@dataclass(frozen=True, slots=True)
class HookAction:
    """What a hook asks for: an event to capture, or the context that a session begins with.

    `answers_as` says how the agent wants its context: `nested` or `flat`.
    """

    event: dict[str, Any] | None = None
    wants_context: bool = False
    answers_as: str = "nested"


def fields_of(given: bytes) -> Fields:
    """Return the fields of a hook's event.

    A mark before them, line ends in texts and backslashes in paths that escape nothing are no
    reason to lose it. What no journal can keep of it is replaced when it is captured.
    """
    text = given.decode(json.detect_encoding(given), "surrogateescape")
    try:
        fields = json.loads(text, strict=False)
    except ValueError:
        fields = json.loads(_BACKSLASH.sub(r"\g<escape>\g<bare>\g<bare>", text), strict=False)
    if not isinstance(fields, dict):
        raise TypeError("standard input does not hold a JSON object")
    return fields


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


def _call(name: str, arguments: tuple[str, ...], result: str = "") -> Callable[[Fields], Any]:
    """Return what reads a call of a tool, out of the fields of its arguments and result."""
    return lambda fields: _result(
        fields, name, {each: fields.get(each) for each in arguments}, fields.get(result)
    )


def _mcp(fields: Fields) -> dict[str, Any] | None:
    result = fields.get("result_json")
    return _result(fields, fields.get("tool_name"), fields.get("tool_input"), result)


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


_said = _message("assistant_message", "last_assistant_message", "prompt_response", "text")
#: So much of the end of a transcript is read, bytes.
_TRANSCRIPT_END = 2**20


def _answer(fields: Fields) -> dict[str, Any] | None:
    """Read what the agent said; older clients name only the transcript that ends with it."""
    path = fields.get("transcript_path")
    if (event := _said(fields)) is not None or not isinstance(path, str):
        return event
    try:
        with Path(path).expanduser().open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - _TRANSCRIPT_END))
            lines = file.read().decode(errors="replace").split("\n")
    except (OSError, ValueError):
        return None
    return _said({"text": _last_words(lines)})


def _last_words(lines: Sequence[str]) -> str:
    """Return the texts of the agent's last message in a transcript, behind the last prompt."""
    texts: list[str] = []
    of = None
    for line in reversed(lines):
        try:
            message = read_json_object(line, "a line of a transcript").get("message")
            if not isinstance(message, dict):
                if texts:
                    break
                continue
            of = of or message.get("id")
            if (message.get("role"), message.get("id")) != ("assistant", of):
                break
            texts = message_content.read_content(message.get("content"), "").texts + texts
        except InvalidInput:
            continue  # cut at its beginning, or still being written
    return "\n\n".join(texts)


_compaction, _end = _boundary("the context is compacted"), _boundary("the session ended")
#: Name of a hook → what reads its event.
_EVENTS: dict[str, Callable[[Fields], dict[str, Any] | None]] = {
    "UserPromptSubmit": _prompt,
    "BeforeAgent": _prompt,
    "beforeSubmitPrompt": _prompt,
    "PostToolUse": _tool,
    "PostToolUseFailure": _tool,
    "AfterTool": _tool,
    "afterShellExecution": _call("Shell", ("command",), "output"),
    "afterMCPExecution": _mcp,
    "afterFileEdit": _call("Edit", ("file_path", "edits")),
    "Stop": _answer,
    "AfterAgent": _answer,
    "afterAgentResponse": _answer,
    "PreCompact": _compaction,
    "PreCompress": _compaction,
    "preCompact": _compaction,
    "SessionEnd": _end,
    "sessionEnd": _end,
}


#: Stands in every command that is installed, so that it is found again.
MARK = " hook"
_TIMEOUT_S = 10


@dataclass(frozen=True, slots=True)
class CodingAgent:
    """An agent: where its settings are, below a project or a home, and which hooks it has."""

    file: str
    events: str
    is_flat: bool = False
    per_second: int = 1


AGENTS = {
    "claude-code": CodingAgent(
        ".claude/settings.json",
        "SessionStart UserPromptSubmit PostToolUse PostToolUseFailure PreCompact Stop SessionEnd",
    ),
    "codex": CodingAgent(
        ".codex/hooks.json",
        "SessionStart UserPromptSubmit PostToolUse PreCompact Stop",
    ),
    "gemini-cli": CodingAgent(
        ".gemini/settings.json",
        "SessionStart BeforeAgent AfterTool PreCompress AfterAgent SessionEnd",
        per_second=1000,
    ),
    "cursor": CodingAgent(
        ".cursor/hooks.json",
        "sessionStart beforeSubmitPrompt afterShellExecution afterMCPExecution afterFileEdit "
        "afterAgentResponse preCompact sessionEnd",
        is_flat=True,
    ),
}


@dataclass(frozen=True, slots=True)
class SettingsChange:
    """What would become of a settings file."""

    path: Path
    before: str
    after: str

    def diff(self) -> str:
        """Return the change as a unified diff; empty where there is none."""
        lines = difflib.unified_diff(
            self.before.splitlines(), self.after.splitlines(), str(self.path), "new", lineterm=""
        )
        return "\n".join(lines)

    def write(self) -> None:
        """Write the file in one step; `Refused` where that is not allowed."""
        if self.before == self.after:
            return
        beside = self.path.with_name(f".{self.path.name}.new")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            beside.write_text(self.after, "utf-8")
            if self.path.exists():
                beside.chmod(self.path.stat().st_mode)
            beside.replace(self.path.resolve())
        except OSError as error:
            raise Refused(f"{self.path} cannot be written: {error.strerror}") from None


def change(agent: str, folder: Path, command: str | None) -> SettingsChange:
    """Return the settings of an agent with its hooks calling `command`; None: without ours.

    Raises `InvalidInput` for a file that is no JSON object, and changes nothing.
    """
    chosen = AGENTS[agent]
    path = folder / chosen.file
    before = _read(path)
    document = _parse(path, before)
    hooks = document.setdefault("hooks", {})
    if not isinstance(hooks, dict) or not all(isinstance(v, list | bool) for v in hooks.values()):
        raise InvalidInput(f"{path}: hooks is not an object of lists: correct it first")
    for event in [name for name, entries in hooks.items() if isinstance(entries, list)]:
        hooks[event] = [entry for entry in map(_without_ours, hooks[event]) if entry is not None]
        if not hooks[event]:
            del hooks[event]
    if command is not None:
        for event in chosen.events.split():
            hooks.setdefault(event, []).append(_entry(chosen, command))
        if chosen.is_flat:
            document.setdefault("version", 1)
    if not hooks:
        del document["hooks"]
    if document == _parse(path, before) or (command is None and not before):
        return SettingsChange(path, before, before)
    return SettingsChange(path, before, json.dumps(document, ensure_ascii=False, indent=2) + "\n")


def installed_command(words: Sequence[str]) -> str:
    """Return words as a command line for the settings of an agent."""
    if os.name == "nt":
        return " ".join(f'"{word}"' if " " in word else word for word in words)
    return shlex.join(words)


def _entry(agent: CodingAgent, command: str) -> dict[str, Any]:
    if agent.is_flat:
        return {"command": command}
    timeout = _TIMEOUT_S * agent.per_second
    return {"hooks": [{"type": "command", "command": command, "timeout": timeout}]}


def _without_ours(entry: Any) -> Any:
    """Return an entry of a hook without our command; None where nothing is left of it."""
    if not isinstance(entry, dict):
        return entry
    if _is_ours(entry):
        return None
    inner = entry.get("hooks")
    if not isinstance(inner, list) or not any(map(_is_ours, inner)):
        return entry
    left = [each for each in inner if not _is_ours(each)]
    return {**entry, "hooks": left} if left else None


def _is_ours(entry: Any) -> bool:
    command = entry.get("command") if isinstance(entry, dict) else None
    return isinstance(command, str) and "meridia" in command and MARK in command


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path} cannot be read: {error}") from None


def _parse(path: Path, text: str) -> dict[str, Any]:
    try:
        return read_json_object(text, str(path)) if text.strip() else {}
    except InvalidInput as error:
        raise InvalidInput(f"{error}: correct it first") from None
