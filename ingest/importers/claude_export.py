"""The export of Claude's apps (`conversations.json`): conversations with `chat_messages`.

Messages that were edited, and answers that were asked for again, are left out.
The text that was extracted from an attachment is what the person pasted, and belongs to the
message; files of other kinds are artifacts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...core.errors import InvalidInput
from ...core.types import Json
from .conversation_reader import ConversationReader, MessagePosition, first_label, stem
from .import_options import ASSISTANT, USER, role_of
from .import_record import (
    ImportFormat,
    ImportRecord,
    ImportSource,
    json_type,
    list_in,
    objects_in,
    refusing,
)
from .json_pieces import read_objects
from .timestamps import parse_timestamp

_NAMES = ("uuid", "conversation_id", "id")
#: Parts that say nothing of the conversation.
_BOOKKEEPING = ("token_budget", "flag")


def read(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield one record a message, by its own id, conversation by conversation."""
    name = stem(source)

    def read_object(where: str, fields: dict[str, Json], number: int) -> Iterator[ImportRecord]:
        messages = fields.get("chat_messages")
        if not isinstance(messages, list):
            raise InvalidInput(f"chat_messages is {json_type(messages)}: a list is needed")
        key = first_label(fields, *_NAMES) or f"{name}/{number + 1}"
        conversation = ConversationReader("claude", key)
        conversation.set_metadata({"name": fields["name"]} if fields.get("name") else {})
        in_force = _in_force(messages, fields)
        conversation.leave_out("messages on other branches", len(messages) - len(in_force))
        for index, message in enumerate(in_force, start=1):
            place = MessagePosition(f"{where} message {index}", f"{key}/{index}")
            yield from refusing(place.where, _message(conversation, place, message))
        yield from conversation.finish()

    return read_objects(source, read_object)


def _in_force(messages: list[Json], fields: Mapping[str, Json]) -> list[Json]:
    """Return the messages without those that an edit, or a new answer, took the place of.

    The newest of the messages that follow one and the same is in force, or the one that the
    conversation says it ends in; what follows a message that is not, is not either.
    """
    parents = {
        id: first_label(message, "parent_message_uuid")
        for message in messages
        if isinstance(message, dict) and (id := first_label(message, "uuid"))
    }
    chosen = {parent: id for id, parent in parents.items() if parent}
    leaf, visited = first_label(fields, "current_leaf_message_uuid"), set[str]()
    while leaf in parents and leaf not in visited and (parent := parents[leaf]):
        visited.add(leaf)
        chosen[parent], leaf = leaf, parent
    replaced: set[str] = set()
    for id, parent in parents.items():
        if parent and (parent in replaced or chosen[parent] != id):
            replaced.add(id)
    return [
        message
        for message in messages
        if not isinstance(message, dict) or first_label(message, "uuid") not in replaced
    ]


def _message(
    conversation: ConversationReader, place: MessagePosition, message: Json
) -> Iterator[ImportRecord]:
    if not isinstance(message, dict):
        raise InvalidInput(f"is {json_type(message)}: a message with sender is needed")
    sender = first_label(message, "sender", "role") or ""
    role = role_of(sender)
    if role not in (USER, ASSISTANT):
        raise InvalidInput(f"sender is {sender!r}: human or assistant is needed")
    at = parse_timestamp(message.get("created_at"))
    place = MessagePosition(place.where, first_label(message, "uuid") or place.id, at)
    if parts := [*_content(message), *_attached(message)]:
        yield from conversation.turn(place, role, parts)


def _content(message: Mapping[str, Json]) -> list[Json]:
    """Return the parts of a message; older exports have only the text."""
    parts, text = list_in(message, "content") or [], message.get("text")
    spoken = [
        _block(block)
        for block in parts
        if not (isinstance(block, dict) and block.get("type") in _BOOKKEEPING)
        and not (isinstance(block, dict) and block.get("type") == "text" and not block.get("text"))
    ]
    return spoken if spoken or not (isinstance(text, str) and text.strip()) else [text]


def _block(block: Json) -> Json:
    """Return a part as `message_content` reads it, without what only repeats its type."""
    if not isinstance(block, dict):
        return block
    skipped = {"start_timestamp", "stop_timestamp", "flags", "display_content"}
    fields = {name: value for name, value in block.items() if name not in skipped}
    if fields.get("type") == "voice_note":
        return {**fields, "type": "text"}
    if isinstance(results := fields.get("content"), list):
        return {**fields, "content": [_search_result(result) for result in results]}
    return fields


def _search_result(result: Json) -> Json:
    """Return what a search found as words: its title, its address and its text."""
    if not isinstance(result, dict) or result.get("type") != "knowledge":
        return result
    words = [result.get(name) for name in ("title", "url", "text")]
    return {"type": "text", "text": "\n".join(word for word in words if isinstance(word, str))}


def _attached(message: Mapping[str, Json]) -> Iterator[Json]:
    for name in ("attachments", "files", "files_v2"):
        for item in objects_in(message, name):
            title = first_label(item, "file_name", "name")
            extracted = item.get("extracted_content")
            if isinstance(extracted, str) and extracted.strip():
                yield f"{title}:\n{extracted}" if title else extracted
            elif title:
                yield {"type": "file", "filename": title}


FORMAT = ImportFormat(
    name="claude",
    description="Claude's export, conversations.json: objects with chat_messages",
    recognises=lambda keys: "chat_messages" in keys,
    read=read,
)
