"""Facebook Messenger and Instagram, as Meta exports a chat as JSON.

The newest message stands first in such a file, and all are held until they are in order: Meta cuts
a chat into files of some thousand messages. In older files each byte of UTF-8 is written as a
character of its own. Calls and unsent messages are left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ....core.errors import InvalidInput
from ....core.types import Json
from ..conversation_reader import MessagePosition, first_label, stem
from ..import_record import (
    ImportFormat,
    ImportRecord,
    ImportSource,
    object_in,
    objects_in,
    reject,
    skip,
)
from ..json_lists import ListItem, read_list_items
from ..timestamps import parse_timestamp
from .chat_messages import ChatMessage, Chats

_SYSTEM = frozenset({"Call", "Subscribe", "Unsubscribe", "call", "placeholder"})
_FILES = {"photos": "image", "gifs": "image", "videos": "video", "audio_files": "audio"}
_FILES |= {"files": "file", "media": "file"}


def read(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield one record a message, in the order of time, by the id "<chat>/<time>/<sender>"."""
    items: list[ListItem] = []

    def hold(item: ListItem) -> Iterable[ImportRecord]:
        items.append(item)
        return ()

    yield from read_list_items(source, "messages", hold)
    chats, name, alike = Chats("messenger"), stem(source), Counter[str]()
    for item in sorted(items, key=_time):
        try:
            yield from _message(chats, name, alike, item)
        except InvalidInput as error:
            yield reject(item.where, str(error))


def _time(item: ListItem) -> float:
    at = item.fields.get("timestamp_ms", item.fields.get("timestamp"))
    return at if isinstance(at, int | float) else 0


def _message(
    chats: Chats, name: str, alike: Counter[str], item: ListItem
) -> Iterator[ImportRecord]:
    message = _repaired(item.fields)
    if str(message.get("type")) in _SYSTEM or message.get("is_unsent") or message.get("isUnsent"):
        yield skip(item.where, "system lines")
        return
    session = ", ".join(_participants(item.holder)) or name
    sender = first_label(message, "sender_name", "senderName")
    id = f"{session}/{_time(item):.0f}/{sender}"
    alike[id] += 1
    place = MessagePosition(
        item.where,
        id if alike[id] == 1 else f"{id}/{alike[id]}",
        parse_timestamp(message.get("timestamp_ms", message.get("timestamp"))),
    )
    share = object_in(message, "share")
    words = [message.get("content"), message.get("text"), share.get("share_text")]
    words.append(share.get("link"))
    texts = list(dict.fromkeys(word for word in words if isinstance(word, str)))
    yield from chats.message(ChatMessage(place, session, sender, texts, list(_files(message))))


def _participants(chat: Mapping[str, Json]) -> list[str]:
    listed = _repaired(chat.get("participants"))
    people = listed if isinstance(listed, list) else []
    each = [one.get("name") if isinstance(one, dict) else one for one in people]
    return sorted(one for one in each if isinstance(one, str))


def _files(message: Mapping[str, Json]) -> Iterator[Json]:
    for name, kind in _FILES.items():
        for file in objects_in(message, name):
            if address := first_label(file, "uri"):
                yield {"type": kind, "url": address}
    if address := first_label(object_in(message, "sticker"), "uri"):
        yield {"type": "image", "url": address}


def _repaired(value: Any) -> Any:
    """Return a value with the texts that were decoded as Latin-1, decoded as UTF-8."""
    if isinstance(value, dict):
        return {key: _repaired(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_repaired(inner) for inner in value]
    if not isinstance(value, str) or value.isascii():
        return value
    try:
        return value.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return value


FORMAT = ImportFormat(
    name="messenger",
    description="Messenger and Instagram: a chat as Meta exports it, as JSON",
    recognises=lambda keys: (
        {"messages.sender_name", "messages.timestamp_ms"} <= keys
        or {"participants", "messages.senderName", "messages.timestamp"} <= keys
    ),
    read=read,
)
