"""Adds `meridia hook` to the settings of a coding agent, or removes it; changes nothing else."""

from __future__ import annotations

import difflib
import json
import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..core.calls.outside_json import read_json_object
from ..core.errors import InvalidInput, Refused

#: Stands in every command that is installed, so that it is found again.
MARK = " hook"
_TIMEOUT_S = 10


@dataclass(frozen=True, slots=True)
class CodingAgent:
    """An agent: where its settings are, below a project or a home, and which hooks it has."""

    file: str
    events: tuple[str, ...]
    is_flat: bool = False
    per_second: int = 1


AGENTS = {
    "claude-code": CodingAgent(
        ".claude/settings.json",
        (
            "SessionStart",
            "UserPromptSubmit",
            "PostToolUse",
            "PostToolUseFailure",
            "PreCompact",
            "Stop",
            "SessionEnd",
        ),
    ),
    "codex": CodingAgent(
        ".codex/hooks.json",
        ("SessionStart", "UserPromptSubmit", "PostToolUse", "PreCompact", "Stop"),
    ),
    "gemini-cli": CodingAgent(
        ".gemini/settings.json",
        ("SessionStart", "BeforeAgent", "AfterTool", "PreCompress", "AfterAgent", "SessionEnd"),
        per_second=1000,
    ),
    "cursor": CodingAgent(
        ".cursor/hooks.json",
        (
            "sessionStart",
            "beforeSubmitPrompt",
            "afterShellExecution",
            "afterMCPExecution",
            "afterFileEdit",
            "afterAgentResponse",
            "preCompact",
            "sessionEnd",
        ),
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
        raise InvalidInput(f"{path}: hooks is no object of lists: put it right first")
    for event in [name for name, entries in hooks.items() if isinstance(entries, list)]:
        hooks[event] = [entry for entry in map(_without_ours, hooks[event]) if entry is not None]
        if not hooks[event]:
            del hooks[event]
    if command is not None:
        for event in chosen.events:
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
        raise InvalidInput(f"{error}: put it right first") from None
