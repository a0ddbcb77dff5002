"""Keeps the items of a session as a framework wrote them, each in a memory of its own.

Frameworks replay a session to the model, so an item comes back as it was. Its words are recalled
and enter packs like any others; an item without words, such as a tool call, is only listed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from ..core.errors import NotFound
from ..core.types import MemoryRecord, memories_of
from ..memory import Memory
from ..retrieval.recall_result import Hit

_NO_WORDS = {"status": "inactive"}


@dataclass(frozen=True, slots=True)
class Item:
    """One item of a session: who speaks (a role of `remember`), its words, and itself as JSON.

    Under an `id` it is kept once, however often it is added.
    """

    role: str
    text: str
    content: Any
    tool: str | None = None
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Transcript:
    """The items that one framework, `source`, keeps under a session; `person` is who asks in it."""

    memory: Memory
    source: str
    session: str
    person: str | None = None

    def add(self, items: Iterable[Item]) -> None:
        """Append items; all or none go in."""
        self.memory.remember_many(map(self._message, items))

    def contents(self, limit: int | None = None) -> list[Any]:
        """Return the items' contents, oldest first; with a `limit`, of the newest alone."""
        contents = [record.metadata["item"] for record in self._records()]
        return contents if limit is None else contents[max(0, len(contents) - limit) :]

    def pop(self) -> Any:
        """Forget the newest item and return its content; None where there is none."""
        records = list(self._records())
        if not records:
            return None
        self.memory.forget(ids=[records[-1].id])
        return records[-1].metadata["item"]

    def replace(self, item: Item) -> None:
        """Forget the item that has this one's id, for good, and keep this one."""
        message = self._message(item)
        self.memory.forget(ids=[message["id"]])
        self.memory.upsert(**message)

    def clear(self) -> None:
        """Forget the items, and nothing else that was said in the session."""
        try:
            self.memory.forget(session=self.session, where={"from": self.source})
        except NotFound:  # nothing was ever said in it
            return

    def _message(self, item: Item) -> dict[str, Any]:
        metadata = {"from": self.source, "item": item.content}
        message: dict[str, Any] = {"session": self.session, "metadata": metadata}
        message["role"] = item.role
        if item.id is not None:
            message["id"] = f"{self.source}:{item.id}"
        if not item.text.strip():
            kind = item.content.get("type", "item") if isinstance(item.content, Mapping) else "item"
            return message | {"text": f"({kind})", "role": "note", "metadata": metadata | _NO_WORDS}
        if item.role == "user":
            message["person"] = self.person
        if item.role == "tool":
            message["tool"] = item.tool or "tool"
        return message | {"text": item.text}

    def _records(self) -> Iterator[MemoryRecord]:
        return memories_of(self.memory.list, session=self.session, where={"from": self.source})


def key_of(*parts: str) -> str:
    """Return parts as one name, from which none can be taken for another."""
    return "/".join(quote(part, safe=" @") for part in parts)


def words_of(content: Any) -> str:
    """Return the words of a message's content: a text, or parts of which some have a text."""
    if isinstance(content, str):
        return content
    if isinstance(content, Mapping):
        return words_of(content.get("text") or content.get("content") or "")
    parts = content if isinstance(content, Iterable) else ()
    return "\n".join(filter(None, map(words_of, parts)))


def document_fields(hit: Hit) -> dict[str, Any]:
    """Return what a document says beside its text."""
    return {
        **hit.metadata,
        "id": hit.id,
        "address": hit.address,
        "score": hit.score,
        "person": hit.person,
        "session": hit.session,
        "at": hit.at.isoformat(),
        "reason": hit.summary.sentence,
    }


def context_for(memory: Memory, question: str, person: str | None, tokens: int) -> str:
    """Return what a model should know before it answers: where things stand, and what fits.

    Half of the `tokens` are the pack of the person, the rest memories that answer the question.
    Empty where nothing is known.
    """
    pack = memory.resume(person, tokens=tokens // 2) if person or memory.people.known() else None
    shown = str(pack) if pack else ""
    recall = memory.recall(question, keep=False) if question.strip() else None
    if recall is not None and recall.hits:
        room = max(tokens - len(shown) // 4, tokens // 4)
        shown = "\n\n".join(filter(None, [shown, recall.for_prompt(room)]))
    return shown
