"""Discord, as DiscordChatExporter writes a channel as JSON.

Somebody is called what the server calls them. Embeds are read as text, and bots are tools; what
tells of the channel (joins, pins, threads) is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ....core.errors import InvalidInput
from ....core.types import Json
from ..conversation_reader import MessagePosition, first_label, stem
from ..import_record import ImportFormat, ImportLimits, ImportRecord, ImportSource, reject, skip
from ..json_lists import list_items
from ..timestamps import parse_timestamp
from .chat_messages import ChatMessage, Chats

#: Types of messages that somebody wrote, by name or, of newer kinds, by number.
_WRITTEN = frozenset(
    "Default Reply ChatInputCommand ApplicationCommand ContextMenuCommand 0 19 20 23".split()
)


def read(source: ImportSource, limits: ImportLimits) -> Iterator[ImportRecord]:
    """Yield one record a message, by its own id."""
    chats = Chats("discord", limits)
    for item in list_items(source, "messages", limits.document_bytes_max):
        if isinstance(item, ImportRecord):
            yield item
            continue
        try:
            session = _session(item.holder) or stem(source)
            yield from _message(chats, item.where, session, item.fields)
        except InvalidInput as error:
            yield reject(item.where, str(error))


def _session(holder: Mapping[str, Json]) -> str | None:
    """Return the name of the channel, behind the one of its server."""
    names = [
        first_label(about, "name")
        for about in (holder.get("guild"), holder.get("channel"))
        if isinstance(about, dict)
    ]
    return "/".join(name for name in names if name) or None


def _message(
    chats: Chats, where: str, session: str, message: Mapping[str, Json]
) -> Iterator[ImportRecord]:
    if str(message.get("type", "Default")) not in _WRITTEN:
        yield skip(where, "system lines")
        return
    author = message.get("author")
    if not isinstance(author, dict):
        raise InvalidInput("author is missing: a message with author and content is needed")
    id = first_label(message, "id") or f"{session}/{where.rpartition(' ')[2]}"
    reference = message.get("reference")
    answered = first_label(reference, "messageId") if isinstance(reference, dict) else None
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
    embeds = message.get("embeds")
    for embed in embeds if isinstance(embeds, list) else []:
        if not isinstance(embed, dict):
            continue
        lines = [embed.get(name) for name in ("title", "description")]
        fields = embed.get("fields")
        entries = [e for e in fields if isinstance(e, dict)] if isinstance(fields, list) else []
        lines += [f"{entry.get('name')}: {entry.get('value')}" for entry in entries]
        yield "\n".join(line for line in lines if isinstance(line, str) and line.strip())


def _files(message: Mapping[str, Json]) -> Iterator[Json]:
    attached = message.get("attachments")
    for file in attached if isinstance(attached, list) else []:
        if isinstance(file, dict) and (address := first_label(file, "url", "fileName", "id")):
            name = first_label(file, "fileName")
            yield {"type": "file", "url": address, **({"title": name} if name else {})}
    stickers = message.get("stickers")
    for sticker in stickers if isinstance(stickers, list) else []:
        if isinstance(sticker, dict) and (name := first_label(sticker, "sourceUrl", "name")):
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
