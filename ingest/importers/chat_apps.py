"""Exports of chat apps: ChatGPT, Claude, LibreChat and Open WebUI.

Their conversations are trees. Imported is the branch that the conversation ends in: answers that
were asked for again, and questions that were edited, stand on other branches and are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from ...core.errors import InvalidInput
from ...core.events import EventKind
from ...core.types import Json
from .conversation_reader import (
    ConversationReader,
    MessagePosition,
    first_label,
    numbered,
    stem,
    unused_fields,
)
from .import_options import ASSISTANT, SYSTEM, TOOL, USER, role_of
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
from .timestamps import find_time, parse_timestamp

_OTHER_BRANCHES = "messages on other branches"


def _in_force(
    messages: Sequence[Json], id_name: str, parent_name: str, leaf: str | None
) -> list[Json]:
    """Return the messages without those that an edit, or a new answer, took the place of.

    The newest of the messages that follow one and the same is in force, or the one that leads to
    `leaf`; what follows a message that is not, is not either.
    """
    parents = {
        id: first_label(message, parent_name)
        for message in messages
        if isinstance(message, dict) and (id := first_label(message, id_name))
    }
    chosen = {parent: id for id, parent in parents.items() if parent}
    visited = set[str]()
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
        if not isinstance(message, dict) or first_label(message, id_name) not in replaced
    ]


# ChatGPT's conversations.json. Reasoning, custom instructions and hidden system messages are set
# aside.

_ABOUT = ("title", "gizmo_id", "default_model_slug")
#: Whom everybody can read; any other recipient is a tool.
_ALL = "all"
_ASIDE = ("user_editable_context", "model_editable_context")
_REASONING = ("thoughts", "reasoning_recap")
#: Fields of a content without parts that hold its words.
_TEXTS = ("text", "result", "content", "user_profile", "user_instructions")
#: What a mark of a citation begins with, and the mark: signs that no font shows.
_OPENS = "\ue200"
_MARK = re.compile(" ?\ue200[^\ue201]*\ue201")


def read_chatgpt(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield one record a message, by its own id, conversation by conversation."""
    name = stem(source)

    def read_object(where: str, fields: dict[str, Json], number: int) -> Iterator[ImportRecord]:
        mapping = fields.get("mapping")
        if not isinstance(mapping, dict):
            raise InvalidInput(f"mapping is {json_type(mapping)}: the tree of messages is needed")
        key = first_label(fields, "conversation_id", "id") or f"{name}/{number + 1}"
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
            yield from refusing(place.where, _chatgpt_message(conversation, place, message, time))
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


def _chatgpt_message(
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
        yield _pointer(block)
        return
    pointers = [value for name, value in block.items() if name.endswith("_asset_pointer")]
    yield from map(_pointer, [p for p in pointers if p] if pointers else [block])


def _pointer(block: Json) -> Json:
    if not isinstance(block, dict):
        return block
    pointer = block.get("asset_pointer")
    if isinstance(pointer, str):
        kind = "audio" if "audio" in str(block.get("content_type")) else "image"
        return {"type": kind, "url": pointer}
    if isinstance(block.get("text"), str):
        return block["text"]
    return {"type": "unknown", **block}


CHATGPT = ImportFormat(
    name="chatgpt",
    description="ChatGPT's export, conversations.json: conversations with a mapping of messages",
    recognises=lambda keys: "mapping" in keys and not keys.isdisjoint({"current_node", "title"}),
    read=read_chatgpt,
)

# Claude's conversations.json. The text that was extracted from an attachment is what the person
# pasted, and belongs to the message; files of other kinds are artifacts.

#: Parts that say nothing of the conversation.
_BOOKKEEPING = ("token_budget", "flag")


def read_claude(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield one record a message, by its own id, conversation by conversation."""
    name = stem(source)

    def read_object(where: str, fields: dict[str, Json], number: int) -> Iterator[ImportRecord]:
        messages = fields.get("chat_messages")
        if not isinstance(messages, list):
            raise InvalidInput(f"chat_messages is {json_type(messages)}: a list is needed")
        key = first_label(fields, "uuid", "conversation_id", "id") or f"{name}/{number + 1}"
        conversation = ConversationReader("claude", key)
        conversation.set_metadata({"name": fields["name"]} if fields.get("name") else {})
        in_force = _in_force(messages, "uuid", "parent_message_uuid", _leaf(fields))
        conversation.leave_out(_OTHER_BRANCHES, len(messages) - len(in_force))
        for index, message in enumerate(in_force, start=1):
            place = MessagePosition(f"{where} message {index}", f"{key}/{index}")
            yield from refusing(place.where, _claude_message(conversation, place, message))
        yield from conversation.finish()

    return read_objects(source, read_object)


def _leaf(fields: Mapping[str, Json]) -> str | None:
    return first_label(fields, "current_leaf_message_uuid")


def _claude_message(
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


CLAUDE = ImportFormat(
    name="claude",
    description="Claude's export, conversations.json: objects with chat_messages",
    recognises=lambda keys: "chat_messages" in keys,
    read=read_claude,
)

# LibreChat and Open WebUI: messages as a list, as a tree of children, or by their ids.

_TREE = ("messageId", "parentMessageId")


def read_librechat(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield one record a message, by its own id, conversation by conversation."""
    name = stem(source)

    def read_object(where: str, fields: dict[str, Json], number: int) -> Iterator[ImportRecord]:
        given = [*_flattened(fields.get("messages"))]
        key = first_label(fields, "conversationId") or numbered(name, number)
        conversation = ConversationReader("librechat", key)
        return _tree_records(conversation, where, given, _TREE, None, fields)

    return read_objects(source, read_object)


def read_open_webui(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield one record a message, by its own id, conversation by conversation."""
    name = stem(source)

    def read_object(where: str, fields: dict[str, Json], number: int) -> Iterator[ImportRecord]:
        chat = object_in(fields, "chat") or fields
        history = object_in(chat, "history")
        by_id = object_in(history, "messages")
        given = [*by_id.values()] or list_in(chat, "messages") or []
        key = first_label(fields, "id") or numbered(name, number)
        leaf = first_label(history, "currentId")
        conversation = ConversationReader("open-webui", key)
        return _tree_records(conversation, where, given, ("id", "parentId"), leaf, fields)

    return read_objects(source, read_object)


def _flattened(messages: Json) -> Iterator[Json]:
    """Yield messages, each before its children."""
    waiting = [*messages][::-1] if isinstance(messages, list) else []
    while waiting:
        message = waiting.pop()
        if isinstance(message, dict):
            waiting += (list_in(message, "children") or [])[::-1]
            message = {name: value for name, value in message.items() if name != "children"}
        yield message


def _tree_records(
    conversation: ConversationReader,
    where: str,
    messages: Sequence[Json],
    ids: tuple[str, str],
    leaf: str | None,
    about: Mapping[str, Json],
) -> Iterator[ImportRecord]:
    conversation.ts, _ = find_time(about)
    conversation.set_metadata({"title": about["title"]} if about.get("title") else {})
    in_force = _in_force(messages, *ids, leaf)
    conversation.leave_out(_OTHER_BRANCHES, len(messages) - len(in_force))
    for index, message in enumerate(in_force, start=1):
        place = MessagePosition(f"{where} message {index}", f"{conversation.key}/{index}")
        yield from refusing(place.where, _tree_message(conversation, place, message, ids[0]))
    yield from conversation.finish()


def _tree_message(
    conversation: ConversationReader, place: MessagePosition, message: Json, id_name: str
) -> Iterator[ImportRecord]:
    if not isinstance(message, dict):
        raise InvalidInput(f"is {json_type(message)}: a message with its words is needed")
    by_user = message.get("isCreatedByUser")
    role = message.get("role") if by_user is None else USER if by_user else ASSISTANT
    metadata: dict[str, Json] = {"model": model} if (model := message.get("model")) else {}
    id = first_label(message, id_name) or place.id
    content = message.get("text") or message.get("content")
    if isinstance(content, str) and role == ASSISTANT:
        content = _THOUGHTS.sub("", content).strip()
    elif isinstance(content, list):
        content = [block for given in content for block in _steps(given)]
    files = [{"type": "file", "filename": name} for name in _file_names(message)]
    if files:
        content = [*(content if isinstance(content, list) else [content or ""]), *files]
    place = MessagePosition(place.where, id, find_time(message)[0], metadata)
    yield from conversation.turn(place, role, content)


#: How Open WebUI shows what a model thought, and the calls of its tools.
_THOUGHTS = re.compile(r"<details type=\"[^\"\n]*\".*?</details>\s*", re.DOTALL)


def _steps(block: Json) -> Iterator[Json]:
    """Yield a part of LibreChat's as `message_content` reads it: a call has its result in it."""
    kind = block.get("type") if isinstance(block, dict) else None
    if kind == "think":
        yield {"type": "thinking", "thinking": block.get("think")}
    elif kind == "tool_call":
        call = object_in(block, "tool_call")
        id = first_label(call, "id") or "call"
        args = parse_arguments(call.get("args"))
        yield {"type": "tool_use", "id": id, "name": call.get("name"), "input": args}
        if "output" in call:
            yield {"type": "tool_result", "tool_use_id": id, "content": call["output"]}
    else:
        yield block


def _file_names(message: Mapping[str, Json]) -> Iterator[str]:
    for file in objects_in(message, "files"):
        if name := first_label(file, "filename", "name"):
            yield name


LIBRECHAT = ImportFormat(
    name="librechat",
    description="LibreChat: conversations exported as JSON",
    recognises=lambda keys: "messages.isCreatedByUser" in keys,
    read=read_librechat,
)
OPEN_WEBUI = ImportFormat(
    name="open-webui",
    description="Open WebUI: chats exported as JSON",
    recognises=lambda keys: (
        {"chat", "title"} <= keys and not keys.isdisjoint({"chat.history", "chat.messages"})
    ),
    read=read_open_webui,
)
