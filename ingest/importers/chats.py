"""Exported chats of people: Slack, Discord, Telegram, Messenger, Google Chat.

Everybody in such a chat is a person; a bot is a tool. Sessions are kept apart by their keys. What
tells of the chat itself, such as joins and calls, is left out.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from html import unescape
from typing import Any

from ...core.errors import InvalidInput
from ...core.events import EventKind
from ...core.types import Json
from .conversation_reader import ConversationReader, MessagePosition, stem
from .import_record import (
    EMPTY,
    ImportRecord,
    ImportSource,
    first_label,
    object_in,
    objects_in,
    refusing,
    skip,
)
from .json_pieces import ListItem, read_list_items, read_objects
from .message_content import ToolResult, references
from .timestamps import parse_timestamp


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message: its id, session and time, who wrote it, its texts, and parts that are files."""

    id: str
    session: str
    at: Json
    name: str | None
    texts: Iterable[Json]
    files: Sequence[Json] = ()
    is_bot: bool = False
    metadata: Mapping[str, Json] = field(default_factory=dict)


#: Reads an item of a chat that has a name; None for what nobody wrote.
ReadMessage = Callable[[str, ListItem], ChatMessage | None]


class _Chats:
    """The chats of one file while it is read."""

    def __init__(self, format_name: str) -> None:
        self._format_name = format_name
        self._current: ConversationReader | None = None

    def message(self, where: str, message: ChatMessage | None) -> Iterator[ImportRecord]:
        """Yield what one message holds."""
        if message is None:
            yield skip(where, "system lines")
            return
        if self._current is None or self._current.key != message.session:
            self._current = ConversationReader(self._format_name, message.session)
        at = parse_timestamp(message.at)
        place = MessagePosition(where, message.id, at, message.metadata)
        said = [text for text in message.texts if isinstance(text, str) and text.strip()]
        content = [*(["\n".join(said)] if said else []), *message.files]
        if not content:
            yield skip(where, EMPTY)
        elif message.is_bot:
            result = ToolResult(content, None, message.name or "bot", failed=False)
            yield from self._current.result(place, result)
        else:
            kind = EventKind.USER_MESSAGE
            yield from self._current.message(place, kind, content, person=message.name)


def _read(name: str, read: ReadMessage, source: ImportSource) -> Iterator[ImportRecord]:
    """Yield one record for each item of the lists of messages."""
    chats, key = _Chats(name), stem(source)
    return read_list_items(
        source, "messages", lambda item: chats.message(item.where, read(key, item))
    )


# Slack's export: a folder for each channel, with a list of messages for each day.
#
# People are named by `users.json`, beside the channels, and mentions of them are written out. A
# thread is a session of its own. What bots post is a tool's.

#: Subtypes of what somebody wrote; all others tell what happened to the channel.
_SLACK_WRITTEN = frozenset(
    "bot_message file_share file_comment me_message thread_broadcast reply_broadcast".split()
)
_REFERENCE = re.compile(r"<(?P<sign>[@#!]?)(?P<target>[^<>|\n]+)(?:\|(?P<label>[^<>\n]*))?>")


def read_slack(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield one record a message, by the id "<channel>/<ts>"."""
    key = stem(source)
    channel = posixpath.basename(posixpath.dirname(key)) or key
    users = _users(source.beside("../users.json") or source.beside("users.json") or b"[]")
    chats = _Chats("slack")

    def read_message(where: str, fields: dict[str, Json], number: int) -> Iterator[ImportRecord]:
        message = _slack_message(channel, users, f"{channel}/{number}", fields)
        return chats.message(where, message)

    return read_objects(source, read_message)


def _slack_message(
    channel: str, users: Mapping[str, str], id: str, message: Mapping[str, Json]
) -> ChatMessage | None:
    subtype = message.get("subtype")
    written = subtype is None or str(subtype) in _SLACK_WRITTEN
    if message.get("type") != "message" or not written:
        return None
    ts, thread = first_label(message, "ts"), first_label(message, "thread_ts")
    is_bot = subtype == "bot_message" or "bot_id" in message
    user = first_label(message, "user") or ""
    own = first_label(object_in(message, "user_profile"), "real_name", "display_name", "name")
    machine = first_label(message, "username")
    machine = machine or first_label(object_in(message, "bot_profile"), "name")
    names = [users.get(user) or own, machine]
    name = next(filter(None, names[::-1] if is_bot else names), None)
    return ChatMessage(
        f"{channel}/{ts}" if ts else id,
        f"{channel}/{thread}" if thread else channel,
        ts,
        name or user or first_label(message, "bot_id"),
        [_written_out(text, users) for text in _slack_texts(message)],
        references(message, "files", "permalink url_private name id", "title name"),
        is_bot,
    )


def _slack_texts(message: Mapping[str, Json]) -> Iterator[str]:
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
        users = objects_in({"users": json.loads(body)}, "users")
    except ValueError:
        return {}
    return {
        id: first_label(object_in(user, "profile"), "real_name", "display_name")
        or first_label(user, "real_name", "name", "id")
        or id
        for user in users
        if (id := first_label(user, "id"))
    }


# Discord, as DiscordChatExporter writes a channel as JSON.
#
# Somebody is called what the server calls them. Embeds are read as text, and bots are tools.

#: Types of messages that somebody wrote, by name or, of newer kinds, by number.
_DISCORD_WRITTEN = frozenset(
    "Default Reply ChatInputCommand ApplicationCommand ContextMenuCommand 0 19 20 23".split()
)


def _discord_message(name: str, item: ListItem) -> ChatMessage | None:
    message = item.fields
    # The name of the channel, behind the one of its server.
    names = [first_label(object_in(item.holder, field), "name") for field in ("guild", "channel")]
    session = "/".join(filter(None, names)) or name
    if str(message.get("type", "Default")) not in _DISCORD_WRITTEN:
        return None
    author = message.get("author")
    if not isinstance(author, dict):
        raise InvalidInput("author is missing: a message with author and content is needed")
    answered = first_label(object_in(message, "reference"), "messageId")
    return ChatMessage(
        first_label(message, "id") or f"{session}/{item.index}",
        session,
        message.get("timestamp"),
        first_label(author, "nickname", "name", "id"),
        [message.get("content"), *map(_embedded, objects_in(message, "embeds"))],
        [
            *references(message, "attachments", "url fileName id", "fileName"),
            *references(message, "stickers", "sourceUrl name", kind="image"),
        ],
        author.get("isBot") is True,
        {"replies_to": answered} if answered else {},
    )


def _embedded(embed: Mapping[str, Json]) -> str:
    """Return the words of an embed: title, description, and fields with their names."""
    lines = [embed.get(name) for name in ("title", "description")]
    lines += [f"{each.get('name')}: {each.get('value')}" for each in objects_in(embed, "fields")]
    return "\n".join(line for line in lines if isinstance(line, str) and line.strip())


read_discord = partial(_read, "discord", _discord_message)


# Telegram's export as JSON (`result.json`): one chat, or all of them, with their messages.
#
# A text is text or a list of pieces. What somebody forwarded keeps in its metadata whose it is.

_TELEGRAM_METADATA = ("forwarded_from", "saved_from", "via_bot", "reply_to_message_id", "edited")


def _telegram_message(name: str, item: ListItem) -> ChatMessage | None:
    chat, message = item.holder, item.fields
    if message.get("type") != "message":
        return None
    key = first_label(chat, "name", "id") or name
    return ChatMessage(
        f"{first_label(chat, 'id') or key}/{first_label(message, 'id') or item.index}",
        key,
        message.get("date_unixtime") or message.get("date"),
        first_label(message, "from", "from_id"),
        [_text(message.get("text")), *_asked(message)],
        list(_telegram_files(message)),
        metadata={n: message[n] for n in _TELEGRAM_METADATA if message.get(n) is not None},
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


def _asked(message: Mapping[str, Json]) -> Iterator[Json]:
    """Yield the words of a poll, of a place, or of a sticker."""
    poll, place = object_in(message, "poll"), object_in(message, "location_information")
    options = [answer.get("text") for answer in objects_in(poll, "answers")]
    yield "\n".join(str(line) for line in (poll.get("question"), *options) if line)
    yield f"{place.get('latitude')}, {place.get('longitude')}" if place else None
    yield message.get("sticker_emoji")


def _telegram_files(message: Mapping[str, Json]) -> Iterator[Json]:
    kinds = {"photo": "image", "file": str(message.get("media_type") or "file")}
    for name, kind in kinds.items():
        path = message.get(name)
        if isinstance(path, str) and path and not path.startswith("("):  # "(File not included …)"
            yield {"type": kind if kind in ("image", "audio", "video") else "file", "url": path}


read_telegram = partial(_read, "telegram", _telegram_message)


# Facebook Messenger and Instagram, as Meta exports a chat as JSON.
#
# The newest message stands first in such a file, and all are held until they are in order: Meta
# cuts a chat into files of some thousand messages. In older files each byte of UTF-8 is written as
# a character of its own.

_UNWRITTEN = frozenset({"Call", "Subscribe", "Unsubscribe", "call", "placeholder"})
_MESSENGER_FILES = {"photos": "image", "gifs": "image", "videos": "video", "audio_files": "audio"}
_MESSENGER_FILES |= {"files": "file", "media": "file", "sticker": "image"}


def read_messenger(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield one record a message, in the order of time, by the id "<chat>/<time>/<sender>"."""
    items: list[ListItem] = []

    def hold(item: ListItem) -> Iterable[ImportRecord]:
        items.append(item)
        return ()

    yield from read_list_items(source, "messages", hold)
    chats, name, alike = _Chats("messenger"), stem(source), Counter[str]()

    def read_item(item: ListItem) -> Iterator[ImportRecord]:
        if message := _messenger_message(name, item):
            alike[message.id] += 1
            if (times := alike[message.id]) > 1:
                message = replace(message, id=f"{message.id}/{times}")
        yield from chats.message(item.where, message)

    for item in sorted(items, key=_time):
        yield from refusing(item.where, read_item(item))


def _time(item: ListItem) -> float:
    at = item.fields.get("timestamp_ms", item.fields.get("timestamp"))
    return at if isinstance(at, int | float) else 0


def _messenger_message(name: str, item: ListItem) -> ChatMessage | None:
    message = _repaired(item.fields)
    unsent = message.get("is_unsent") or message.get("isUnsent")
    if str(message.get("type")) in _UNWRITTEN or unsent:
        return None
    listed = _repaired(item.holder.get("participants"))
    people = listed if isinstance(listed, list) else []
    names = [one.get("name") if isinstance(one, dict) else one for one in people]
    session = ", ".join(sorted(one for one in names if isinstance(one, str))) or name
    sender, share = first_label(message, "sender_name", "senderName"), object_in(message, "share")
    words = [message.get("content"), message.get("text"), share.get("share_text")]
    if isinstance(message.get("sticker"), dict):
        message["sticker"] = [message["sticker"]]
    return ChatMessage(
        f"{session}/{_time(item):.0f}/{sender}",
        session,
        message.get("timestamp_ms", message.get("timestamp")),
        sender,
        dict.fromkeys(word for word in (*words, share.get("link")) if isinstance(word, str)),
        [
            file
            for listed_as, kind in _MESSENGER_FILES.items()
            for file in references(message, listed_as, "uri", kind=kind)
        ],
    )


def _repaired(value: Any, levels: int = 8) -> Any:
    """Return a value with the texts that were decoded as Latin-1, decoded as UTF-8.

    Nothing of a message stands deeper than `levels`: what does, stays as it is.
    """
    if isinstance(value, dict) and levels:
        return {key: _repaired(inner, levels - 1) for key, inner in value.items()}
    if isinstance(value, list) and levels:
        return [_repaired(inner, levels - 1) for inner in value]
    if not isinstance(value, str) or value.isascii():
        return value
    try:
        return value.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return value


# Google Chat, as Takeout exports a group: `messages.json`, beside a `group_info.json`.


def _google_message(name: str, item: ListItem) -> ChatMessage:
    message, creator = item.fields, object_in(item.fields, "creator")
    names = "original_name export_name"
    return ChatMessage(
        first_label(message, "message_id") or f"{name}/{item.index}",
        name,
        message.get("created_date"),
        first_label(creator, "name", "email"),
        [message.get("text")],
        references(message, "attached_files", names, names),
        str(creator.get("user_type")).lower() == "bot",
    )


read_google_chat = partial(_read, "google-chat", _google_message)
