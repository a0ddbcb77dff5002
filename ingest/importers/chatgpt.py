"""ChatGPT's export (`conversations.json`): conversations, each a tree of messages.

Imported is the branch that the conversation ends in: answers that were asked for again, and
questions that were edited, stand on other branches and are left out. Reasoning, custom
instructions and hidden system messages are set aside.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial

from ...core.errors import InvalidInput
from ...core.events import EventKind
from ...core.types import Json
from .conversation_reader import (
    ConversationReader,
    MessagePosition,
    ObjectReader,
    conversation_of,
    first_label,
    read_objects,
    stem,
    unused_fields,
)
from .import_options import ASSISTANT, SYSTEM, TOOL, USER
from .import_record import (
    ImportFormat,
    ImportLimits,
    ImportRecord,
    ImportSource,
    json_type,
)
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


def read(source: ImportSource, limits: ImportLimits) -> Iterator[ImportRecord]:
    """Yield one record a message, by its own id, conversation by conversation."""

    def reader_of(fields: Mapping[str, Json], number: int) -> ObjectReader:
        mapping = fields.get("mapping")
        if not isinstance(mapping, dict):
            raise InvalidInput(f"mapping is {json_type(mapping)}: the tree of messages is needed")
        key = first_label(fields, *_NAMES) or f"{stem(source)}/{number + 1}"
        conversation = ConversationReader("chatgpt", key, limits)
        about = {name: fields[name] for name in _ABOUT if name in fields}
        conversation.set_metadata(unused_fields(about, frozenset()))
        messages = _branch(mapping, fields.get("current_node"))
        times = [fields.get("create_time")]
        conversation.leave_out(_OTHER_BRANCHES, _count_messages(mapping) - len(messages))
        return conversation_of(conversation, messages, partial(_message, times))

    return read_objects(source, limits, "message", reader_of)


def _branch(mapping: Mapping[str, Json], leaf: Json) -> list[Json]:
    """Return the messages from the root to the current node, or to the last leaf in the file."""
    if not isinstance(leaf, str) or leaf not in mapping:
        leaf = next(
            (id for id in reversed(list(mapping)) if not _node(mapping, id).get("children")), None
        )
    messages: list[Json] = []
    visited: set[str] = set()
    while isinstance(leaf, str) and leaf in mapping and leaf not in visited:
        visited.add(leaf)
        node = _node(mapping, leaf)
        if node.get("message") is not None:
            messages.append(node["message"])
        leaf = node.get("parent")
    return messages[::-1]


def _count_messages(mapping: Mapping[str, Json]) -> int:
    return sum(_node(mapping, id).get("message") is not None for id in mapping)


def _node(mapping: Mapping[str, Json], id: str) -> Mapping[str, Json]:
    node = mapping[id]
    return node if isinstance(node, dict) else {}


def _message(
    times: list[Json], conversation: ConversationReader, place: MessagePosition, message: Json
) -> Iterator[ImportRecord]:
    if not isinstance(message, dict):
        raise InvalidInput(f"is {json_type(message)}: a message with author and content is needed")
    author, content = _object(message, "author"), _object(message, "content")
    role, name = author.get("role"), first_label(author, "name")
    times[0] = message.get("create_time") or times[0]  # without one: as the message before
    place = _position(place, message, times[0])
    kind, metadata = content.get("content_type"), _object(message, "metadata")
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
        args = parse_arguments("\n".join(_words(parts)))
        conversation.add_call(read_call({"name": tool, "arguments": args}, place.where))
    elif role in (USER, ASSISTANT):
        event = EventKind.USER_MESSAGE if role == USER else EventKind.ASSISTANT_MESSAGE
        if parts:  # a message without any is a step of the client
            yield from conversation.message(place, event, parts)
    else:
        raise InvalidInput(f"author.role is {role!r}: system, user, assistant or tool is needed")


def _failed(kind: Json, metadata: Mapping[str, Json]) -> bool | None:
    """Whether a tool failed, or None where the export does not say."""
    if kind == "system_error":
        return True
    status = _object(metadata, "aggregate_result").get("status")
    return "exception" in status or None if isinstance(status, str) else None


def _position(place: MessagePosition, message: Mapping[str, Json], time: Json) -> MessagePosition:
    metadata = {}
    if model := _object(message, "metadata").get("model_slug"):
        metadata["model"] = model
    id = first_label(message, "id") or place.id
    return MessagePosition(place.where, id, parse_timestamp(time), metadata)


def _parts(content: Mapping[str, Json], metadata: Mapping[str, Json]) -> list[Json]:
    """Return the content as parts of the kind that `message_content` reads."""
    parts = [block for given in _list(content.get("parts")) for block in _blocks(given)]
    texts = [content.get(name) for name in _TEXTS]
    texts += [t.get("content") for t in _list(content.get("thoughts")) if isinstance(t, dict)]
    parts += [text for text in texts if isinstance(text, str)]
    pointers = " ".join(str(p.get("url")) for p in parts if isinstance(p, dict))
    for attachment in _list(metadata.get("attachments")):
        id = first_label(attachment, "id") if isinstance(attachment, dict) else None
        if id and id not in pointers:
            name = {"filename": attachment["name"]} if first_label(attachment, "name") else {}
            parts.append({"type": "file", "url": f"file-service://{id}", **name})
    parts = [
        _without_marks(block, metadata) if isinstance(block, str) else block for block in parts
    ]
    return [block for block in parts if not isinstance(block, str) or block.strip()]


def _without_marks(text: str, metadata: Mapping[str, Json]) -> str:
    """Return a text with its marks of citations as the app shows them, or without."""
    for reference in _list(metadata.get("content_references")) if _OPENS in text else ():
        fields = reference if isinstance(reference, dict) else {}
        mark, shown = fields.get("matched_text"), fields.get("alt")
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


def _words(parts: list[Json]) -> list[str]:
    return [block for block in parts if isinstance(block, str)]


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _object(fields: Mapping[str, Json], name: str) -> Mapping[str, Json]:
    value = fields.get(name)
    return value if isinstance(value, dict) else {}


FORMAT = ImportFormat(
    name="chatgpt",
    description="ChatGPT's export, conversations.json: conversations with a mapping of messages",
    recognises=lambda keys: "mapping" in keys and not keys.isdisjoint({"current_node", "title"}),
    read=read,
)
