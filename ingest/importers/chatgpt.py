"""ChatGPT's export (`conversations.json`): conversations, each a tree of messages.

Imported is the branch that the conversation ends in: answers that were asked for again, and
questions that were edited, stand on other branches and are left out. Reasoning, custom
instructions and hidden system messages are set aside.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ...core.errors import InvalidInput
from ...core.events import EventKind
from ...core.types import Json
from .conversation_reader import (
    ConversationReader,
    MessagePosition,
    first_label,
    stem,
    unused_fields,
)
from .import_options import ASSISTANT, SYSTEM, TOOL, USER
from .import_record import (
    ImportFormat,
    ImportRecord,
    ImportSource,
    json_type,
    list_in,
    object_in,
    objects_in,
    refusing,
)
from .json_pieces import read_objects
from .message_content import ToolResult, parse_arguments, read_call
from .timestamps import parse_timestamp

_NAMES = ("conversation_id", "id")
_ABOUT = ("title", "gizmo_id", "default_model_slug")
#: Whom everybody can read; any other recipient is a tool.
_ALL = "all"
_ASIDE = ("user_editable_context", "model_editable_context")
_REASONING = ("thoughts", "reasoning_recap")
_OTHER_BRANCHES = "messages on other branches"
#: Fields of a content without parts that hold its words.
_TEXTS = ("text", "result", "content", "user_profile", "user_instructions")
#: What a mark of a citation begins with, and the mark: signs that no font shows.
_OPENS = "\ue200"
_MARK = re.compile(" ?\ue200[^\ue201]*\ue201")


def read(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield one record a message, by its own id, conversation by conversation."""
    name = stem(source)

    def read_object(where: str, fields: dict[str, Json], number: int) -> Iterator[ImportRecord]:
        mapping = fields.get("mapping")
        if not isinstance(mapping, dict):
            raise InvalidInput(f"mapping is {json_type(mapping)}: the tree of messages is needed")
        key = first_label(fields, *_NAMES) or f"{name}/{number + 1}"
        conversation = ConversationReader("chatgpt", key)
        about = {name: fields[name] for name in _ABOUT if name in fields}
        conversation.set_metadata(unused_fields(about, frozenset()))
        messages = _branch(mapping, fields.get("current_node"))
        conversation.leave_out(_OTHER_BRANCHES, _count_messages(mapping) - len(messages))
        time = fields.get("create_time")
        for index, message in enumerate(messages, start=1):
            if isinstance(message, dict):  # without a time: as the message before
                time = message.get("create_time") or time
            place = MessagePosition(f"{where} message {index}", f"{key}/{index}")
            yield from refusing(place.where, _message(conversation, place, message, time))
        yield from conversation.finish()

    return read_objects(source, read_object)


def _branch(mapping: Mapping[str, Json], leaf: Json) -> list[Json]:
    """Return the messages from the root to the current node, or to the last leaf in the file."""
    if not isinstance(leaf, str) or leaf not in mapping:
        ends = (id for id in reversed(list(mapping)) if not object_in(mapping, id).get("children"))
        leaf = next(ends, None)
    messages: list[Json] = []
    visited: set[str] = set()
    while isinstance(leaf, str) and leaf in mapping and leaf not in visited:
        visited.add(leaf)
        node = object_in(mapping, leaf)
        if node.get("message") is not None:
            messages.append(node["message"])
        leaf = node.get("parent")
    return messages[::-1]


def _count_messages(mapping: Mapping[str, Json]) -> int:
    return sum(object_in(mapping, id).get("message") is not None for id in mapping)


def _message(
    conversation: ConversationReader, place: MessagePosition, message: Json, time: Json
) -> Iterator[ImportRecord]:
    if not isinstance(message, dict):
        raise InvalidInput(f"is {json_type(message)}: a message with author and content is needed")
    author, content = object_in(message, "author"), object_in(message, "content")
    role, name = author.get("role"), first_label(author, "name")
    place = _position(place, message, time)
    kind, metadata = content.get("content_type"), object_in(message, "metadata")
    parts = _parts(content, metadata)
    if role == SYSTEM or kind in _ASIDE:
        conversation.set_aside(place, EventKind.MANUAL_INGEST, parts)
    elif kind in _REASONING:
        conversation.set_aside(place, EventKind.ASSISTANT_MESSAGE, parts)
    elif role == TOOL:
        result = ToolResult(parts, None, name or TOOL, failed=_failed(kind, metadata))
        if parts or kind == "execution_output":
            yield from conversation.result(place, result)
        else:  # a page that was opened and not kept: its call is answered
            conversation.calls.take(result)
    elif role == ASSISTANT and (tool := first_label(message, "recipient")) not in (None, _ALL):
        args = parse_arguments("\n".join(block for block in parts if isinstance(block, str)))
        conversation.add_call(read_call({"name": tool, "arguments": args}, place.where))
    elif role in (USER, ASSISTANT):
        if parts:  # a message without any is a step of the client
            yield from conversation.turn(place, role, parts)
    else:
        raise InvalidInput(f"author.role is {role!r}: system, user, assistant or tool is needed")


def _failed(kind: Json, metadata: Mapping[str, Json]) -> bool | None:
    """Whether a tool failed, or None where the export does not say."""
    if kind == "system_error":
        return True
    status = object_in(metadata, "aggregate_result").get("status")
    return "exception" in status or None if isinstance(status, str) else None


def _position(place: MessagePosition, message: Mapping[str, Json], time: Json) -> MessagePosition:
    metadata = {}
    if model := object_in(message, "metadata").get("model_slug"):
        metadata["model"] = model
    id = first_label(message, "id") or place.id
    return MessagePosition(place.where, id, parse_timestamp(time), metadata)


def _parts(content: Mapping[str, Json], metadata: Mapping[str, Json]) -> list[Json]:
    """Return the content as parts of the kind that `message_content` reads."""
    parts = [block for given in list_in(content, "parts") or () for block in _blocks(given)]
    texts = [content.get(name) for name in _TEXTS]
    texts += [item.get("content") for item in objects_in(content, "thoughts")]
    parts += [text for text in texts if isinstance(text, str)]
    pointers = " ".join(str(p.get("url")) for p in parts if isinstance(p, dict))
    for attachment in objects_in(metadata, "attachments"):
        id = first_label(attachment, "id")
        if id and id not in pointers:
            name = {"filename": attachment["name"]} if first_label(attachment, "name") else {}
            parts.append({"type": "file", "url": f"file-service://{id}", **name})
    parts = [
        _without_marks(block, metadata) if isinstance(block, str) else block for block in parts
    ]
    return [block for block in parts if not isinstance(block, str) or block.strip()]


def _without_marks(text: str, metadata: Mapping[str, Json]) -> str:
    """Return a text with its marks of citations as the app shows them, or without."""
    for reference in objects_in(metadata, "content_references") if _OPENS in text else ():
        mark, shown = reference.get("matched_text"), reference.get("alt")
        if isinstance(mark, str) and _OPENS in mark and isinstance(shown, str):
            text = text.replace(mark, shown)
    return _MARK.sub("", text)


def _blocks(block: Json) -> Iterator[Json]:
    """Yield a part as `message_content` reads it; one of a voice chat holds recordings."""
    if not isinstance(block, dict) or "asset_pointer" in block:
        yield _block(block)
        return
    pointers = [value for name, value in block.items() if name.endswith("_asset_pointer")]
    yield from map(_block, [p for p in pointers if p] if pointers else [block])


def _block(block: Json) -> Json:
    if not isinstance(block, dict):
        return block
    pointer = block.get("asset_pointer")
    if isinstance(pointer, str):
        kind = "audio" if "audio" in str(block.get("content_type")) else "image"
        return {"type": kind, "url": pointer}
    if isinstance(block.get("text"), str):
        return block["text"]
    return {"type": "unknown", **block}


FORMAT = ImportFormat(
    name="chatgpt",
    description="ChatGPT's export, conversations.json: conversations with a mapping of messages",
    recognises=lambda keys: "mapping" in keys and not keys.isdisjoint({"current_node", "title"}),
    read=read,
)
