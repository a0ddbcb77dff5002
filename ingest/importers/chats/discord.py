"""Discord, as DiscordChatExporter writes a channel as JSON.

Somebody is called what the server calls them. Embeds are read as text, and bots are tools; what
tells of the channel (joins, pins, threads) is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ....core.errors import InvalidInput
from ....core.types import Json
from ..conversation_reader import MessagePosition, first_label, stem
from ..import_record import (
    ImportFormat,
    ImportRecord,
    ImportSource,
    object_in,
    objects_in,
    skip,
)
from ..json_lists import ListItem, read_list_items
from ..timestamps import parse_timestamp
from .chat_messages import ChatMessage, Chats

#: Types of messages that somebody wrote, by name or, of newer kinds, by number.
_WRITTEN = frozenset(
    "Default Reply ChatInputCommand ApplicationCommand ContextMenuCommand 0 19 20 23".split()
)


def read(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield one record a message, by its own id."""
    chats, name = Chats("discord"), stem(source)
    return read_list_items(source, "messages", lambda item: _message(chats, name, item))


def _message(chats: Chats, name: str, item: ListItem) -> Iterator[ImportRecord]:
    where, message = item.where, item.fields
    # The name of the channel, behind the one of its server.
    names = [first_label(object_in(item.holder, field), "name") for field in ("guild", "channel")]
    session = "/".join(filter(None, names)) or name
    if str(message.get("type", "Default")) not in _WRITTEN:
        yield skip(where, "system lines")
        return
    author = message.get("author")
    if not isinstance(author, dict):
        raise InvalidInput("author is missing: a message with author and content is needed")
    id = first_label(message, "id") or f"{session}/{where.rpartition(' ')[2]}"
    answered = first_label(object_in(message, "reference"), "messageId")
    metadata: dict[str, Json] = {"replies_to": answered} if answered else {}
    at = parse_timestamp(message.get("timestamp"))
    texts = [text for text in (message.get("content"), *_embedded(message)) if text]
    yield from chats.message(
        ChatMessage(
            MessagePosition(where, id, at, metadata),
            session,
            first_label(author, "nickname", "name", "id"),
            [text for text in texts if isinstance(text, str)],
            list(_files(message)),
            is_bot=author.get("isBot") is True,
        )
    )


def _embedded(message: Mapping[str, Json]) -> Iterator[str]:
    """Yield the words of each embed: title, description, and fields with their names."""
    for embed in objects_in(message, "embeds"):
        lines = [embed.get(name) for name in ("title", "description")]
        entries = objects_in(embed, "fields")
        lines += [f"{entry.get('name')}: {entry.get('value')}" for entry in entries]
        yield "\n".join(line for line in lines if isinstance(line, str) and line.strip())


def _files(message: Mapping[str, Json]) -> Iterator[Json]:
    for file in objects_in(message, "attachments"):
        if address := first_label(file, "url", "fileName", "id"):
            name = first_label(file, "fileName")
            yield {"type": "file", "url": address, **({"title": name} if name else {})}
    for sticker in objects_in(message, "stickers"):
        if name := first_label(sticker, "sourceUrl", "name"):
            yield {"type": "image", "url": name}


FORMAT = ImportFormat(
    name="discord",
    description="Discord: a channel as DiscordChatExporter writes it, as JSON",
    recognises=lambda keys: (
        ({"guild", "channel"} <= keys and not keys.isdisjoint({"messages", "messages.content"}))
        or {"messages.author", "messages.timestampEdited"} <= keys
    ),
    read=read,
)
