"""What chats of people share: who wrote what in which session, with which files.

Everybody in such a chat is a person; a bot is a tool. Sessions are kept apart by their keys.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ....core.events import EventKind
from ....core.types import Json
from ..conversation_reader import ConversationReader, MessagePosition
from ..import_record import EMPTY, ImportRecord, skip
from ..message_content import ToolResult


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message: its session, who wrote it, its texts, and parts that are files."""

    place: MessagePosition
    session: str
    name: str | None
    texts: Sequence[str]
    files: Sequence[Json] = ()
    is_bot: bool = False


class Chats:
    """The chats of one file while it is read."""

    def __init__(self, format_name: str) -> None:
        self._format_name = format_name
        self._current: ConversationReader | None = None

    def message(self, message: ChatMessage) -> Iterator[ImportRecord]:
        """Yield what one message holds."""
        if self._current is None or self._current.key != message.session:
            self._current = ConversationReader(self._format_name, message.session)
        text = "\n".join(text for text in message.texts if text.strip())
        content = [*([text] if text else []), *message.files]
        if not content:
            yield skip(message.place.where, EMPTY)
        elif message.is_bot:
            result = ToolResult(content, None, message.name or "bot", failed=False)
            yield from self._current.result(message.place, result)
        else:
            yield from self._current.message(
                message.place, EventKind.USER_MESSAGE, content, person=message.name
            )
