"""Google ADK: a memory service, each user of each app in a space of their own.

    Runner(agent=agent, memory_service=MeridiaMemoryService(memory), …)

ADK's own tools for memory then search what earlier sessions said.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime

from ..core.errors import NotFound
from ..core.lazy import extra
from ..memory import Memory
from ..retrieval.recall_result import Hit
from .transcript import key_of

with extra("google-adk"):
    from google.adk.events import Event
    from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
    from google.adk.memory.memory_entry import MemoryEntry
    from google.adk.sessions import Session
    from google.genai import types

_SOURCE = "google-adk"


class MeridiaMemoryService(BaseMemoryService):
    """What users and agents said, searched by words and meaning.

    A session may be added as often as it grows: an event is kept once, and one that was deleted
    does not come back.
    """

    def __init__(self, memory: Memory, *, limit: int = 10) -> None:
        """Keep sessions in spaces beside that of `memory`; a search has `limit` entries at most."""
        self._memory, self._limit = memory, limit

    async def add_session_to_memory(self, session: Session) -> None:
        """Keep the events of a session that are new."""
        here = self._of(session.app_name, session.user_id)
        await asyncio.to_thread(self._add, here, session.user_id, session.id, session.events)

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Event],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Keep some events; metadata goes with each."""
        here = self._of(app_name, user_id)
        await asyncio.to_thread(self._add, here, user_id, session_id, events, custom_metadata)

    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[MemoryEntry],
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Keep entries as notes."""
        notes = [
            {
                "role": "note",
                "text": text,
                "id": f"{_SOURCE}:{entry.id}" if entry.id else None,
                "at": entry.timestamp,
                "metadata": {**(custom_metadata or {}), **entry.custom_metadata, "from": _SOURCE},
            }
            for entry in memories
            if (text := _words(entry.content))
        ]
        await asyncio.to_thread(self._of(app_name, user_id).remember_many, notes)

    async def search_memory(
        self, *, app_name: str, user_id: str, query: str
    ) -> SearchMemoryResponse:
        """Return the memories of one user that answer, best first, each with why it is there."""
        here = self._of(app_name, user_id)
        hits = await asyncio.to_thread(here.recall, query, limit=self._limit, keep=False)
        return SearchMemoryResponse(memories=list(map(_entry, hits)))

    async def delete_memory(
        self, *, app_name: str, user_id: str, memory_id: str | None = None
    ) -> None:
        """Forget the memory that a search returned under this id, for good."""
        if memory_id:
            here = self._of(app_name, user_id)
            try:
                await asyncio.to_thread(here.forget, ids=[memory_id])
            except NotFound:  # as in ADK's own service
                return

    def _of(self, app_name: str, user_id: str) -> Memory:
        return self._memory.in_space(key_of(app_name, user_id))

    def _add(
        self,
        here: Memory,
        user: str,
        session: str | None,
        events: Iterable[Event],
        metadata: Mapping[str, object] | None = None,
    ) -> None:
        here.remember_many(
            {
                "role": "user" if event.author == "user" else "assistant",
                "text": text,
                "person": user if event.author == "user" else None,
                "session": session,
                "id": f"{_SOURCE}:{key_of(session or '', event.id)}",
                "at": datetime.fromtimestamp(event.timestamp, UTC),
                "metadata": {**(metadata or {}), "from": _SOURCE, "author": event.author},
            }
            for event in events
            if not event.partial and (text := _words(event.content))
        )


def _words(content: types.Content | None) -> str:
    parts = (content.parts if content else None) or ()
    return "\n".join(part.text for part in parts if part.text and not part.thought).strip()


def _entry(hit: Hit) -> MemoryEntry:
    role = "user" if hit.person else "model"
    return MemoryEntry(
        id=hit.id,
        content=types.Content(role=role, parts=[types.Part.from_text(text=hit.text)]),
        author=str(hit.metadata.get("author", role)),
        timestamp=hit.at.isoformat(),
        custom_metadata={"score": hit.score, "reason": hit.summary.sentence},
    )
