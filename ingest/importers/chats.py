"""Exported chats of people: Slack, Discord, Telegram, Messenger, Google Chat, and what they share.

Everybody in such a chat is a person; a bot is a tool. Sessions are kept apart by their keys.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import unescape
from typing import Any

from ...core.errors import InvalidInput
from ...core.events import EventKind
from ...core.types import Json
from .conversation_reader import ConversationReader, MessagePosition, first_label, stem
from .import_record import (
    EMPTY,
    ImportFormat,
    ImportRecord,
    ImportSource,
    object_in,
    objects_in,
    reject,
    skip,
)
from .json_pieces import ListItem, read_list_items, read_objects
from .message_content import ToolResult
from .timestamps import parse_timestamp


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


# Slack's export: a folder for each channel, with a list of messages for each day.
#
# People are named by `users.json`, beside the channels, and mentions of them are written out. A
# thread is a session of its own. What bots post is a tool's; joins and the like are left out.

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
    chats = Chats("slack")

    def read_message(where: str, message: dict[str, Json], number: int) -> Iterator[ImportRecord]:
        place = MessagePosition(where, f"{channel}/{number}")
        return _slack_message(chats, channel, users, place, message)

    return read_objects(source, read_message)


def _slack_message(
    chats: Chats,
    channel: str,
    users: Mapping[str, str],
    place: MessagePosition,
    message: Mapping[str, Json],
) -> Iterator[ImportRecord]:
    subtype = message.get("subtype")
    if message.get("type") != "message" or (
        subtype is not None and str(subtype) not in _SLACK_WRITTEN
    ):
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
            list(_slack_files(message)),
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


def _slack_files(message: Mapping[str, Json]) -> Iterator[Json]:
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


SLACK = ImportFormat(
    name="slack",
    description="Slack: an export, as folder or zip, or the messages of a day",
    recognises=lambda keys: (
        {"type", "ts"} <= keys and not keys.isdisjoint({"user", "text", "bot_id", "subtype"})
    ),
    read=read_slack,
)


# Discord, as DiscordChatExporter writes a channel as JSON.
#
# Somebody is called what the server calls them. Embeds are read as text, and bots are tools; what
# tells of the channel (joins, pins, threads) is left out.

#: Types of messages that somebody wrote, by name or, of newer kinds, by number.
_DISCORD_WRITTEN = frozenset(
    "Default Reply ChatInputCommand ApplicationCommand ContextMenuCommand 0 19 20 23".split()
)


def read_discord(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield one record a message, by its own id."""
    chats, name = Chats("discord"), stem(source)
    return read_list_items(source, "messages", lambda item: _discord_message(chats, name, item))


def _discord_message(chats: Chats, name: str, item: ListItem) -> Iterator[ImportRecord]:
    where, message = item.where, item.fields
    # The name of the channel, behind the one of its server.
    names = [first_label(object_in(item.holder, field), "name") for field in ("guild", "channel")]
    session = "/".join(filter(None, names)) or name
    if str(message.get("type", "Default")) not in _DISCORD_WRITTEN:
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
            list(_discord_files(message)),
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


def _discord_files(message: Mapping[str, Json]) -> Iterator[Json]:
    for file in objects_in(message, "attachments"):
        if address := first_label(file, "url", "fileName", "id"):
            name = first_label(file, "fileName")
            yield {"type": "file", "url": address, **({"title": name} if name else {})}
    for sticker in objects_in(message, "stickers"):
        if name := first_label(sticker, "sourceUrl", "name"):
            yield {"type": "image", "url": name}


DISCORD = ImportFormat(
    name="discord",
    description="Discord: a channel as DiscordChatExporter writes it, as JSON",
    recognises=lambda keys: (
        ({"guild", "channel"} <= keys and not keys.isdisjoint({"messages", "messages.content"}))
        or {"messages.author", "messages.timestampEdited"} <= keys
    ),
    read=read_discord,
)


# Telegram's export as JSON (`result.json`): one chat, or all of them, with their messages.
#
# A text is text or a list of pieces; calls, joins and the like are left out. What somebody
# forwarded keeps in its metadata whose it is.

_TELEGRAM_FILES = ("photo", "file", "thumbnail")
_METADATA = ("forwarded_from", "saved_from", "via_bot", "reply_to_message_id", "edited")


def read_telegram(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield one record a message, by the id "<chat's id>/<message's id>"."""
    chats, name = Chats("telegram"), stem(source)
    return read_list_items(source, "messages", lambda item: _telegram_message(chats, name, item))


def _telegram_message(chats: Chats, name: str, item: ListItem) -> Iterator[ImportRecord]:
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
            list(_telegram_files(message)),
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


def _telegram_files(message: Mapping[str, Json]) -> Iterator[Json]:
    for name in _TELEGRAM_FILES[:2]:
        path = message.get(name)
        if isinstance(path, str) and path and not path.startswith("("):  # "(File not included …)"
            kind = "image" if name == "photo" else str(message.get("media_type") or "file")
            media = kind if kind in ("image", "audio", "video") else "file"
            yield {"type": media, "url": path}


TELEGRAM = ImportFormat(
    name="telegram",
    description="Telegram: an export as JSON, of one chat or of all",
    recognises=lambda keys: (
        not keys.isdisjoint({"messages.date_unixtime", "messages.from_id", "messages.actor_id"})
        or {"about", "personal_information"} <= keys
        or {"chats.about", "chats.list"} <= keys
    ),
    read=read_telegram,
)


# Facebook Messenger and Instagram, as Meta exports a chat as JSON.
#
# The newest message stands first in such a file, and all are held until they are in order: Meta
# cuts a chat into files of some thousand messages. In older files each byte of UTF-8 is written as
# a character of its own. Calls and unsent messages are left out.

_SYSTEM = frozenset({"Call", "Subscribe", "Unsubscribe", "call", "placeholder"})
_MESSENGER_FILES = {"photos": "image", "gifs": "image", "videos": "video", "audio_files": "audio"}
_MESSENGER_FILES |= {"files": "file", "media": "file"}


def read_messenger(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield one record a message, in the order of time, by the id "<chat>/<time>/<sender>"."""
    items: list[ListItem] = []

    def hold(item: ListItem) -> Iterable[ImportRecord]:
        items.append(item)
        return ()

    yield from read_list_items(source, "messages", hold)
    chats, name, alike = Chats("messenger"), stem(source), Counter[str]()
    for item in sorted(items, key=_time):
        try:
            yield from _messenger_message(chats, name, alike, item)
        except InvalidInput as error:
            yield reject(item.where, str(error))


def _time(item: ListItem) -> float:
    at = item.fields.get("timestamp_ms", item.fields.get("timestamp"))
    return at if isinstance(at, int | float) else 0


def _messenger_message(
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
    yield from chats.message(
        ChatMessage(place, session, sender, texts, list(_messenger_files(message)))
    )


def _participants(chat: Mapping[str, Json]) -> list[str]:
    listed = _repaired(chat.get("participants"))
    people = listed if isinstance(listed, list) else []
    each = [one.get("name") if isinstance(one, dict) else one for one in people]
    return sorted(one for one in each if isinstance(one, str))


def _messenger_files(message: Mapping[str, Json]) -> Iterator[Json]:
    for name, kind in _MESSENGER_FILES.items():
        for file in objects_in(message, name):
            if address := first_label(file, "uri"):
                yield {"type": kind, "url": address}
    if address := first_label(object_in(message, "sticker"), "uri"):
        yield {"type": "image", "url": address}


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


MESSENGER = ImportFormat(
    name="messenger",
    description="Messenger and Instagram: a chat as Meta exports it, as JSON",
    recognises=lambda keys: (
        {"messages.sender_name", "messages.timestamp_ms"} <= keys
        or {"participants", "messages.senderName", "messages.timestamp"} <= keys
    ),
    read=read_messenger,
)


# Google Chat, as Takeout exports a group: `messages.json`, beside a `group_info.json`.


def read_google_chat(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield one record a message, by its own id, or "<chat>/<number>"."""
    chats, name = Chats("google-chat"), stem(source)
    return read_list_items(source, "messages", lambda item: _google_message(chats, name, item))


def _google_message(chats: Chats, name: str, item: ListItem) -> Iterator[ImportRecord]:
    message, creator = item.fields, object_in(item.fields, "creator")
    id = first_label(message, "message_id") or f"{name}/{item.where.rpartition(' ')[2]}"
    place = MessagePosition(item.where, id, parse_timestamp(message.get("created_date")))
    text = message.get("text")
    yield from chats.message(
        ChatMessage(
            place,
            name,
            first_label(creator, "name", "email"),
            [text] if isinstance(text, str) else [],
            [
                {"type": "file", "filename": file}
                for attached in objects_in(message, "attached_files")
                if (file := first_label(attached, "original_name", "export_name"))
            ],
            is_bot=str(creator.get("user_type")).lower() == "bot",
        )
    )


GOOGLE_CHAT = ImportFormat(
    name="google-chat",
    description="Google Chat: messages.json of Takeout",
    recognises=lambda keys: {"messages.creator", "messages.created_date"} <= keys,
    read=read_google_chat,
)
