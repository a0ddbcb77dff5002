"""Strands Agents: sessions that go on, and a store of memories for its memory manager.

    sessions = RepositorySessionManager("chat-7", MeridiaSessions(memory, person="Kim"))
    store = MeridiaMemoryStore(memory, person="Kim")
    Agent(session_manager=sessions, plugins=[MemoryManager(stores=[store])])

Either works without the other.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from ..core.errors import NotFound
from ..core.lazy import extra
from ..memory import Memory
from .transcript import Item, Transcript, key_of, words_of

with extra("strands"):
    from strands.memory import MemoryEntry, MemoryStore, SearchOptions
    from strands.session.session_repository import SessionRepository
    from strands.types.session import Session, SessionAgent, SessionMessage

_SOURCE = "strands"


class MeridiaSessions(SessionRepository):
    """Sessions, their agents and their messages, which come back as they were."""

    def __init__(self, memory: Memory, person: str | None = None) -> None:
        """Keep sessions in `memory`; `person` is who the user of them is."""
        self._memory, self._person = memory, person

    def create_session(self, session: Session, **_: Any) -> Session:
        """Keep a session's dates and kind."""
        self._keep(key_of(session.session_id), "session", session.to_dict())
        return session

    def read_session(self, session_id: str, **_: Any) -> Session | None:
        """Return a session; None where there is none."""
        body = self._kept(key_of(session_id))
        return None if body is None else Session.from_dict(body)

    def create_agent(self, session_id: str, session_agent: SessionAgent, **_: Any) -> None:
        """Keep the state of an agent."""
        self._keep(key_of(session_id, session_agent.agent_id), "agent", session_agent.to_dict())

    def read_agent(self, session_id: str, agent_id: str, **_: Any) -> SessionAgent | None:
        """Return an agent's state; None where there is none."""
        body = self._kept(key_of(session_id, agent_id))
        return None if body is None else SessionAgent.from_dict(body)

    def update_agent(self, session_id: str, session_agent: SessionAgent, **_: Any) -> None:
        """Keep the state that an agent has now."""
        self.create_agent(session_id, session_agent)

    def create_message(
        self, session_id: str, agent_id: str, session_message: SessionMessage, **_: Any
    ) -> None:
        """Append a message."""
        key = key_of(session_id, agent_id)
        self._transcript(key).add([_item(key, session_message)])

    def read_message(
        self, session_id: str, agent_id: str, message_id: int, **_: Any
    ) -> SessionMessage | None:
        """Return a message; None where there is none."""
        body = self._kept(key_of(session_id, agent_id, str(message_id)))
        return None if body is None else SessionMessage.from_dict(body)

    def update_message(
        self, session_id: str, agent_id: str, session_message: SessionMessage, **_: Any
    ) -> None:
        """Replace a message: what was said before is forgotten for good."""
        key, shown = key_of(session_id, agent_id), session_message.to_message()
        said = replace(session_message, message=shown, redact_message=None)
        self._transcript(key).replace(_item(key, said))

    def list_messages(
        self, session_id: str, agent_id: str, limit: int | None = None, offset: int = 0, **_: Any
    ) -> list[SessionMessage]:
        """Return an agent's messages, oldest first."""
        bodies = self._transcript(key_of(session_id, agent_id)).contents()
        messages = sorted(map(SessionMessage.from_dict, bodies), key=lambda it: it.message_id)
        return messages[offset:] if limit is None else messages[offset : offset + limit]

    def _transcript(self, key: str) -> Transcript:
        return Transcript(self._memory, _SOURCE, key, self._person)

    def _keep(self, key: str, kind: str, body: dict[str, Any]) -> None:
        metadata = {"from": f"{_SOURCE} {kind}", "item": body, "status": "inactive"}
        self._memory.upsert(f"{_SOURCE}:{key}", f"({kind})", role="note", metadata=metadata)

    def _kept(self, key: str) -> Any:
        try:
            return self._memory.get(f"{_SOURCE}:{key}").metadata["item"]
        except NotFound:
            return None


class MeridiaMemoryStore(MemoryStore):
    """What the memory knows, for `MemoryManager`: searched before calls of the model, or by it."""

    def __init__(self, memory: Memory, *, person: str | None = None, limit: int = 5) -> None:
        """Search all of `memory`; what is added is said by the `person`, or is a note."""
        self._memory, self._person = memory, person
        self.name, self.description = "meridia", "What was said and done before"
        self.max_search_results, self.writable, self.extraction = limit, True, None

    async def search(self, query: str, options: SearchOptions | None = None) -> list[MemoryEntry]:
        """Return the memories that answer, best first, each with why it is there."""
        limit = (options or {}).get("max_search_results") or self.max_search_results
        hits = await asyncio.to_thread(self._memory.recall, query, limit=limit, keep=False)
        return [
            MemoryEntry(hit.text, metadata={"id": hit.id, "reason": hit.summary.sentence})
            for hit in hits
        ]

    async def add(self, content: str, metadata: dict[str, Any] | None = None) -> None:
        """Keep one memory."""
        said: dict[str, Any] = {"role": "note", "metadata": metadata}
        if self._person:
            said |= {"role": "user", "person": self._person}
        await asyncio.to_thread(self._memory.remember, content, **said)


def _item(key: str, kept: SessionMessage) -> Item:
    message = kept.to_message()
    results = [block["toolResult"] for block in message["content"] if "toolResult" in block]
    role = "tool" if results else message["role"]
    id = f"{key}/{kept.message_id}"
    return Item(role, words_of(results or message["content"]), kept.to_dict(), id=id)
