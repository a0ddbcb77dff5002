"""LlamaIndex: a memory block for an agent's `Memory`, and a retriever.

    Memory.from_defaults(memory_blocks=[MeridiaBlock(memory=memory, person="Kim")])

The block holds what leaves the short-term memory; the retriever finds what anybody said.
"""

from __future__ import annotations

import asyncio
from typing import Any

from ..core.lazy import extra
from ..memory import Memory
from .transcript import context_for, document_fields

with extra("llama-index"):
    from llama_index.core.base.llms.types import ChatMessage
    from llama_index.core.memory import BaseMemoryBlock
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

_ROLES = {"user": "user", "assistant": "assistant", "tool": "tool", "system": "system"}


class MeridiaBlock(BaseMemoryBlock[str]):
    """Remembers the messages that leave the short-term memory, and tells what fits the last one."""

    name: str = "meridia"
    memory: Memory
    person: str | None = None
    tokens: int = 1000

    async def _aget(self, messages: list[ChatMessage] | None = None, **_: Any) -> str:
        asked = [m.content or "" for m in messages or () if m.role == "user"]
        question = asked[-1] if asked else ""
        return await asyncio.to_thread(context_for, self.memory, question, self.person, self.tokens)

    async def _aput(self, messages: list[ChatMessage]) -> None:
        said = [
            {
                "role": _ROLES.get(message.role.value, "note"),
                "text": message.content,
                "session": message.additional_kwargs.get("session_id"),
                "tool": message.additional_kwargs.get("name", "tool"),
            }
            for message in messages
            if (message.content or "").strip()
        ]
        for message in said:
            if message["role"] != "tool":
                del message["tool"]
        await asyncio.to_thread(self.memory.remember_many, said, person=self.person)


class MeridiaNodeRetriever(BaseRetriever):
    """Memories as nodes with their scores, best first."""

    def __init__(self, memory: Memory, *, limit: int = 5, **filters: Any) -> None:
        """Recall at most `limit` memories that `filters` of `Memory.recall` leave."""
        self._memory, self._limit, self._filters = memory, limit, filters
        super().__init__()

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        recall = self._memory.recall(query_bundle.query_str, limit=self._limit, **self._filters)
        return [
            NodeWithScore(
                node=TextNode(id_=hit.id, text=hit.text, metadata=document_fields(hit)),
                score=hit.score,
            )
            for hit in recall
        ]
