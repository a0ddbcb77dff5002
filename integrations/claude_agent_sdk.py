"""Claude Agent SDK: a store of sessions that remembers, and a hook that tells what is known.

    options = ClaudeAgentOptions(
        session_store=MeridiaSessionStore(memory, person="Kim"), hooks=hooks(memory, "Kim")
    )

Either works without the other. Claude Code itself uses `meridia hook install`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from ..core.lazy import extra
from ..memory import Memory
from .transcript import Item, Transcript, context_for, key_of, words_of

with extra("claude-agent-sdk"):
    from claude_agent_sdk.types import (
        HookContext,
        HookEvent,
        HookInput,
        HookJSONOutput,
        HookMatcher,
        SessionKey,
        SessionListSubkeysKey,
        SessionStore,
        SessionStoreEntry,
        SessionStoreListEntry,
    )

_SOURCE = "claude-agent-sdk"


class MeridiaSessionStore(SessionStore):
    """Transcripts of sessions and of their subagents, which come back as they were.

    What was said and what tools returned is recalled like any other memory.
    """

    def __init__(self, memory: Memory, person: str | None = None) -> None:
        """Keep transcripts in `memory`; `person` is who writes the prompts."""
        self._memory, self._person = memory, person

    async def append(self, key: SessionKey, entries: list[SessionStoreEntry]) -> None:
        """Append entries; one whose `uuid` is there already is not kept twice."""
        transcript = self._transcript(_name(key))
        await asyncio.to_thread(transcript.add, [_item(transcript.session, e) for e in entries])

    async def load(self, key: SessionKey) -> list[SessionStoreEntry] | None:
        """Return the entries in order; None where there are none."""
        return await asyncio.to_thread(self._transcript(_name(key)).contents) or None

    async def list_sessions(self, project_key: str) -> list[SessionStoreListEntry]:
        """Return the sessions of a project, each with the time of its last entry."""
        there = await asyncio.to_thread(self._memory.sessions)
        return [
            {"session_id": path[0], "mtime": int(session.last.timestamp() * 1000)}
            for session in there
            if len(path := _within(session.id, key_of(_SOURCE, project_key))) == 1
        ]

    async def list_subkeys(self, key: SessionListSubkeysKey) -> list[str]:
        """Return the transcripts of a session's subagents."""
        there = await asyncio.to_thread(self._memory.sessions)
        paths = (_within(session.id, _name(key)) for session in there)
        return [path[0] for path in paths if path]

    async def delete(self, key: SessionKey) -> None:
        """Forget a transcript; that of a session with those of its subagents."""
        below = [] if "subpath" in key else await self.list_subkeys(_main(key))
        for name in [_name(key), *(f"{_name(key)}/{key_of(subpath)}" for subpath in below)]:
            await asyncio.to_thread(self._transcript(name).clear)

    def _transcript(self, session: str) -> Transcript:
        return Transcript(self._memory, _SOURCE, session, self._person)


def hooks(
    memory: Memory, person: str | None = None, tokens: int = 1000
) -> dict[HookEvent, list[HookMatcher]]:
    """Return hooks that tell the model, with each prompt, what it should know of the past."""

    async def tell(given: HookInput, _id: str | None, _context: HookContext) -> HookJSONOutput:
        prompt = str(given.get("prompt", ""))
        told = await asyncio.to_thread(context_for, memory, prompt, person, tokens)
        if not told:
            return {}
        output = {"hookEventName": "UserPromptSubmit", "additionalContext": told}
        return {"hookSpecificOutput": output}  # type: ignore[typeddict-item]

    return {"UserPromptSubmit": [HookMatcher(hooks=[tell])]}


def _name(key: Mapping[str, Any]) -> str:
    """Return the name of a session's transcript, or of that of a subagent in it."""
    parts = (key["project_key"], key["session_id"], key.get("subpath"))
    return key_of(_SOURCE, *(part for part in parts if part is not None))


def _main(key: SessionKey) -> SessionListSubkeysKey:
    return {"project_key": key["project_key"], "session_id": key["session_id"]}


def _within(name: str, parent: str) -> list[str]:
    """Return the parts of a name behind its parent's, or none where it has another parent."""
    rest = name.removeprefix(f"{parent}/")
    return [] if rest == name else list(map(unquote, rest.split("/")))


def _item(session: str, entry: Mapping[str, Any]) -> Item:
    message = entry.get("message") or {}
    blocks = message.get("content")
    id = key_of(session, entry["uuid"]) if entry.get("uuid") else None
    if entry["type"] not in {"user", "assistant"} or entry.get("isMeta"):
        return Item("note", "", entry, id=id)
    results = [b for b in blocks or () if isinstance(b, Mapping) and b.get("type") == "tool_result"]
    if results:
        return Item("tool", words_of(results), entry, id=id)
    return Item(entry["type"], words_of(blocks), entry, id=id)
