"""OpenAI Agents SDK: a session that remembers.

    await Runner.run(agent, "Hi", session=MeridiaSession(memory, "chat-7", person="Kim"))

A long-term memory beside it: `memory.resume("Kim")` in the agent's instructions.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from ..core.lazy import extra
from ..memory import Memory
from .transcript import Item, Transcript, words_of

with extra("openai-agents"):
    from agents.items import TResponseInputItem
    from agents.memory import SessionABC, SessionSettings


class MeridiaSession(SessionABC):
    """The items of one session, which come back as they were."""

    session_settings: SessionSettings | None = None

    def __init__(self, memory: Memory, session_id: str, person: str | None = None) -> None:
        """Keep items under `session_id`; `person` is who the user of the session is."""
        self.session_id = session_id
        self._transcript = Transcript(memory, "openai-agents", session_id, person)

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """Return the items, oldest first; with a `limit`, the newest alone."""
        return await asyncio.to_thread(self._transcript.contents, limit)

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Append items; all or none go in."""
        await asyncio.to_thread(self._transcript.add, list(map(_item, items)))

    async def pop_item(self) -> TResponseInputItem | None:
        """Forget the newest item and return it; None where there is none."""
        popped: TResponseInputItem | None = await asyncio.to_thread(self._transcript.pop)
        return popped

    async def clear_session(self) -> None:
        """Forget the items of this session."""
        await asyncio.to_thread(self._transcript.clear)


def _item(item: Mapping[str, Any]) -> Item:
    if item.get("type") == "function_call_output":
        return Item("tool", words_of(item.get("output")), item)
    role = str(item.get("role", ""))
    return Item(role or "note", words_of(item.get("content")) if role else "", item)
