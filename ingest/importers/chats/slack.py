"""Slack's export: a folder for each channel, with a list of messages for each day.

People are named by `users.json`, beside the channels, and mentions of them are written out. A
thread is a session of its own. What bots post is a tool's; joins and the like are left out.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache, partial
from html import unescape

from ....core.errors import InvalidInput
from ....core.types import Json
from ..conversation_reader import (
    ItemPosition,
    MessagePosition,
    ObjectReader,
    first_label,
    read_objects,
    stem,
)
from ..import_record import ImportFormat, ImportLimits, ImportRecord, ImportSource, json_type, skip
from ..timestamps import parse_timestamp
from .chat_messages import ChatMessage, Chats

#: Subtypes of what somebody wrote; all others tell what happened to the channel.
_WRITTEN = frozenset(
    "bot_message file_share file_comment me_message thread_broadcast reply_broadcast".split()
)
_REFERENCE = re.compile(r"<(?P<sign>[@#!]?)(?P<target>[^<>|\n]+)(?:\|(?P<label>[^<>\n]*))?>")


def read(source: ImportSource, limits: ImportLimits) -> Iterator[ImportRecord]:
    """Yield one record a message, by the id "<channel>/<ts>"."""
    key = stem(source)
    channel = posixpath.basename(posixpath.dirname(key)) or key
    users = _users(source.beside("../users.json") or source.beside("users.json") or b"[]")
    chats = Chats("slack", limits)

    def reader_of(_fields: Mapping[str, Json], _number: int) -> ObjectReader:
        return ObjectReader(None, partial(_message, chats, channel, users), lambda: iter(()))

    yield from read_objects(source, limits, "message", reader_of)


def _message(
    chats: Chats, channel: str, users: Mapping[str, str], at: ItemPosition, message: Json
) -> Iterator[ImportRecord]:
    if not isinstance(message, dict):
        raise InvalidInput(f"is {json_type(message)}: a message with text and ts is needed")
    subtype = message.get("subtype")
    if message.get("type") != "message" or (subtype is not None and str(subtype) not in _WRITTEN):
        yield skip(at.where, "system lines")
        return
    ts, thread = first_label(message, "ts"), first_label(message, "thread_ts")
    place = MessagePosition(at.where, f"{channel}/{ts or at.serial}", parse_timestamp(ts))
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
    profile = message.get("user_profile")
    own = profile if isinstance(profile, dict) else {}
    bot = message.get("bot_profile")
    named = first_label(bot, "name") if isinstance(bot, dict) else None
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
        yield text
    attached = message.get("attachments")
    for attachment in attached if isinstance(attached, list) else []:
        if isinstance(attachment, dict):
            words = [attachment.get(name) for name in ("title", "text")]
            lines = [word for word in words if isinstance(word, str) and word.strip()]
            yield "\n".join(lines or [str(attachment.get("fallback") or "")])


def _files(message: Mapping[str, Json]) -> Iterator[Json]:
    files = message.get("files")
    for file in files if isinstance(files, list) else []:
        if isinstance(file, dict):
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
    for user in users if isinstance(users, list) else []:
        if isinstance(user, dict) and (id := first_label(user, "id")):
            profile = user.get("profile")
            own = profile if isinstance(profile, dict) else {}
            name = first_label(own, "real_name", "display_name")
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
