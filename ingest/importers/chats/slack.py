"""Slack's export: a folder for each channel, with a list of messages for each day.

People are named by `users.json`, beside the channels, and mentions of them are written out. A
thread is a session of its own. What bots post is a tool's; joins and the like are left out.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from html import unescape

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
from ..json_pieces import read_objects
from ..timestamps import parse_timestamp
from .chat_messages import ChatMessage, Chats

#: Subtypes of what somebody wrote; all others tell what happened to the channel.
_WRITTEN = frozenset(
    "bot_message file_share file_comment me_message thread_broadcast reply_broadcast".split()
)
_REFERENCE = re.compile(r"<(?P<sign>[@#!]?)(?P<target>[^<>|\n]+)(?:\|(?P<label>[^<>\n]*))?>")


def read(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield one record a message, by the id "<channel>/<ts>"."""
    key = stem(source)
    channel = posixpath.basename(posixpath.dirname(key)) or key
    users = _users(source.beside("../users.json") or source.beside("users.json") or b"[]")
    chats = Chats("slack")

    def read_message(where: str, message: dict[str, Json], number: int) -> Iterator[ImportRecord]:
        place = MessagePosition(where, f"{channel}/{number}")
        return _message(chats, channel, users, place, message)

    return read_objects(source, read_message)


def _message(
    chats: Chats,
    channel: str,
    users: Mapping[str, str],
    place: MessagePosition,
    message: Mapping[str, Json],
) -> Iterator[ImportRecord]:
    subtype = message.get("subtype")
    if message.get("type") != "message" or (subtype is not None and str(subtype) not in _WRITTEN):
        yield skip(place.where, "system lines")
        return
    ts, thread = first_label(message, "ts"), first_label(message, "thread_ts")
    id = f"{channel}/{ts}" if ts else place.id
    place = MessagePosition(place.where, id, parse_timestamp(ts))
    yield from chats.message(
        ChatMessage(
            place,
            f"{channel}/{thread}" if thread else channel,
            _name(message, users),
            [_written_out(text, users) for text in _texts(message)],
            list(_files(message)),
            is_bot=_is_bot(message),
        )
    )


def _name(message: Mapping[str, Json], users: Mapping[str, str]) -> str | None:
    user = first_label(message, "user") or ""
    own = object_in(message, "user_profile")
    named = first_label(object_in(message, "bot_profile"), "name")
    person = users.get(user) or first_label(own, "real_name", "display_name", "name")
    machine = first_label(message, "username") or named
    first, second = (machine, person) if _is_bot(message) else (person, machine)
    return first or second or user or first_label(message, "bot_id")


def _is_bot(message: Mapping[str, Json]) -> bool:
    return message.get("subtype") == "bot_message" or "bot_id" in message


def _texts(message: Mapping[str, Json]) -> Iterator[str]:
    """Yield what was written, and what stands in the attachments of bots and links."""
    text = message.get("text")
    if isinstance(text, str):
        yield text or "".join(_leaves(message.get("blocks")))
    for attachment in objects_in(message, "attachments"):
        words = [attachment.get(name) for name in ("title", "text")]
        lines = [word for word in words if isinstance(word, str) and word.strip()]
        yield "\n".join(lines or [str(attachment.get("fallback") or "")])


def _leaves(blocks: Json) -> Iterator[str]:
    """Yield the texts in the blocks of a message that has no other text."""
    for each in blocks if isinstance(blocks, list) else [blocks]:
        inner = each.get("elements", each.get("text")) if isinstance(each, dict) else each
        if isinstance(inner, str):
            yield inner
        elif inner:
            yield from _leaves(inner)


def _files(message: Mapping[str, Json]) -> Iterator[Json]:
    for file in objects_in(message, "files"):
        title = first_label(file, "title", "name")
        address = first_label(file, "permalink", "url_private", "name", "id")
        kind = "image" if str(file.get("mimetype")).startswith("image") else "file"
        yield {"type": kind, "url": address or "file", **({"title": title} if title else {})}


def _written_out(text: str, users: Mapping[str, str]) -> str:
    """Return a text with its references as people see them."""

    def shown(match: re.Match[str]) -> str:
        sign, target, label = match["sign"], match["target"], match["label"]
        if sign == "@":
            return f"@{users.get(target) or label or target}"
        if sign == "#":
            return f"#{label or target}"
        if sign == "!":
            return label or f"@{target.partition('^')[0]}"
        return target if label in (None, "", target) else f"{label} ({target})"

    return unescape(_REFERENCE.sub(shown, text))


@lru_cache(maxsize=4)
def _users(body: bytes) -> Mapping[str, str]:
    """Return the names of the people in `users.json` by their ids."""
    try:
        users = json.loads(body)
    except ValueError:
        return {}
    names = {}
    for user in objects_in({"users": users}, "users"):
        if id := first_label(user, "id"):
            name = first_label(object_in(user, "profile"), "real_name", "display_name")
            names[id] = name or first_label(user, "real_name", "name") or id
    return names


FORMAT = ImportFormat(
    name="slack",
    description="Slack: an export, as folder or zip, or the messages of a day",
    recognises=lambda keys: (
        {"type", "ts"} <= keys and not keys.isdisjoint({"user", "text", "bot_id", "subtype"})
    ),
    read=read,
)
