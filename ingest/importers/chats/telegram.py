"""Telegram's export as JSON (`result.json`): one chat, or all of them, with their messages.

A text is text or a list of pieces; calls, joins and the like are left out. What somebody forwarded
keeps in its metadata whose it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

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

_FILES = ("photo", "file", "thumbnail")
_METADATA = ("forwarded_from", "saved_from", "via_bot", "reply_to_message_id", "edited")


def read(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield one record a message, by the id "<chat's id>/<message's id>"."""
    chats, name = Chats("telegram"), stem(source)
    return read_list_items(source, "messages", lambda item: _message(chats, name, item))


def _message(chats: Chats, name: str, item: ListItem) -> Iterator[ImportRecord]:
    where, chat, message = item.where, item.holder, item.fields
    if message.get("type") != "message":
        yield skip(where, "system lines")
        return
    key = first_label(chat, "name", "id") or name
    number = first_label(message, "id") or where.rpartition(" ")[2]
    id = f"{first_label(chat, 'id') or key}/{number}"
    at = parse_timestamp(message.get("date_unixtime") or message.get("date"))
    metadata = {name: message[name] for name in _METADATA if message.get(name) is not None}
    yield from chats.message(
        ChatMessage(
            MessagePosition(where, id, at, metadata),
            key,
            first_label(message, "from", "from_id"),
            [_text(message.get("text")), *_asked(message)],
            list(_files(message)),
        )
    )


def _text(text: Json) -> str:
    """Return a text that may be a list of pieces; a link behind words follows them."""
    if isinstance(text, str):
        return text
    pieces = []
    for piece in text if isinstance(text, list) else []:
        if isinstance(piece, str):
            pieces.append(piece)
        elif isinstance(piece, dict) and isinstance(piece.get("text"), str):
            link = piece.get("href")
            pieces.append(f"{piece['text']} ({link})" if isinstance(link, str) else piece["text"])
    return "".join(pieces)


def _asked(message: Mapping[str, Json]) -> Iterator[str]:
    """Yield the words of a poll, of a place, or of a sticker."""
    poll, place = object_in(message, "poll"), object_in(message, "location_information")
    if poll:
        options = [answer.get("text") for answer in objects_in(poll, "answers")]
        yield "\n".join(str(line) for line in (poll.get("question"), *options) if line)
    if place:
        yield f"{place.get('latitude')}, {place.get('longitude')}"
    if isinstance(message.get("sticker_emoji"), str):
        yield str(message["sticker_emoji"])


def _files(message: Mapping[str, Json]) -> Iterator[Json]:
    for name in _FILES[:2]:
        path = message.get(name)
        if isinstance(path, str) and path and not path.startswith("("):  # "(File not included …)"
            kind = "image" if name == "photo" else str(message.get("media_type") or "file")
            media = kind if kind in ("image", "audio", "video") else "file"
            yield {"type": media, "url": path}


FORMAT = ImportFormat(
    name="telegram",
    description="Telegram: an export as JSON, of one chat or of all",
    recognises=lambda keys: (
        not keys.isdisjoint({"messages.date_unixtime", "messages.from_id", "messages.actor_id"})
        or {"about", "personal_information"} <= keys
        or {"chats.about", "chats.list"} <= keys
    ),
    read=read,
)
