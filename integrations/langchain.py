"""LangChain: the messages of a chat, and a retriever of what was said in any.

    history = MeridiaChatMessageHistory(memory, "chat-7", person="Kim")
    retriever = MeridiaRetriever(memory=memory)

Both have the asynchronous methods of their base classes, which use a worker thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import ConfigDict

from ..core.lazy import extra
from ..memory import Memory
from .transcript import Item, Transcript, document_fields, words_of

with extra("langchain"):
    from langchain_core.callbacks import CallbackManagerForRetrieverRun
    from langchain_core.chat_history import BaseChatMessageHistory
    from langchain_core.documents import Document
    from langchain_core.messages import BaseMessage, message_to_dict, messages_from_dict
    from langchain_core.retrievers import BaseRetriever

_ROLES = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool"}


class MeridiaChatMessageHistory(BaseChatMessageHistory):
    """The messages of one chat, which come back as they were; `clear` forgets them."""

    def __init__(self, memory: Memory, session: str, person: str | None = None) -> None:
        """Keep the chat under `session`; `person` is who the human of its messages is."""
        self._transcript = Transcript(memory, "langchain", session, person)

    @property
    def messages(self) -> list[BaseMessage]:  # type: ignore[override]
        """The messages, oldest first."""
        return messages_from_dict(self._transcript.contents())

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Append messages; all or none go in."""
        self._transcript.add(map(_item, messages))

    def clear(self) -> None:
        """Forget the messages of this chat."""
        self._transcript.clear()


class MeridiaRetriever(BaseRetriever):
    """Memories as documents, best first, with the reason of each in its metadata."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    memory: Memory
    limit: int = 5
    filters: dict[str, Any] = {}  # noqa: RUF012 - a field of a pydantic model
    """Arguments of `Memory.recall` that narrow: person, session, kind, since, until, where."""

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002
    ) -> list[Document]:
        recall = self.memory.recall(query, limit=self.limit, **self.filters)
        return [Document(page_content=hit.text, metadata=document_fields(hit)) for hit in recall]


def _item(message: BaseMessage) -> Item:
    name = getattr(message, "name", None)
    return Item(
        _ROLES.get(message.type, "note"), words_of(message.content), message_to_dict(message), name
    )
