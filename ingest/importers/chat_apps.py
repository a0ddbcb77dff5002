"""Exports of chat apps: ChatGPT, Claude, LibreChat, Open WebUI and VS Code.

Their conversations are trees. Imported is the branch that the conversation ends in: answers that
were asked for again, and questions that were edited, stand on other branches and are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from ...core.errors import InvalidInput
from ...core.types import Json
from .import_options import ASSISTANT, SYSTEM, TOOL, USER, role_of
from .import_record import first_label, json_type, list_in, object_in, objects_in
from .message_content import parse_arguments, references
from .openai_messages import ANSWERED, MessageForm, thinking
from .timestamps import parse_timestamp

Turns = Iterator[Mapping[str, Json]]
Chosen = tuple[list[Json], int]


def _in_force(messages: list[Json], id_name: str, parent_name: str, leaf: str | None) -> Chosen:
    """Return the messages that no edit, and no new answer, took the place of, and how many did.

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
    in_force = [
        message
        for message in messages
        if not isinstance(message, dict) or first_label(message, id_name) not in replaced
    ]
    return in_force, len(messages) - len(in_force)


# ChatGPT's conversations.json. Reasoning, custom instructions and hidden system messages are set
# aside.

#: Whom everybody can read; any other recipient is a tool.
_ALL = "all"
_ASIDE = ("user_editable_context", "model_editable_context")
_REASONING = ("thoughts", "reasoning_recap")
#: Fields of a content without parts that hold its words.
_TEXTS = ("text", "result", "content", "user_profile", "user_instructions")
#: What a mark of a citation begins with, and the mark: signs that no font shows.
_OPENS = "\ue200"
_MARK = re.compile(" ?\ue200[^\ue201]*\ue201")


def _always_numbered(name: str, number: int) -> str:
    return f"{name}/{number + 1}"


def _branch(fields: Mapping[str, Json]) -> Chosen:
    """Return the messages from the root to the current node, or to the last leaf in the file.

    One without a time was when the one before it was.
    """
    mapping, leaf = fields.get("mapping"), fields.get("current_node")
    if not isinstance(mapping, dict):
        raise InvalidInput(f"mapping is {json_type(mapping)}: the tree of messages is needed")
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
    time = fields.get("create_time")
    for at, message in reversed([*enumerate(messages)]):
        if isinstance(message, dict):
            time = message.get("create_time") or time
            messages[at] = {**message, "create_time": time}
    held = sum(object_in(mapping, id).get("message") is not None for id in mapping)
    return messages[::-1], held - len(messages)


def _chatgpt_turns(message: Mapping[str, Json]) -> Turns:
    author, content, metadata = (object_in(message, n) for n in ("author", "content", "metadata"))
    role, kind = author.get("role"), content.get("content_type")
    parts = _parts(content, metadata)
    words = [block for block in parts if isinstance(block, str)]
    tool = first_label(message, "recipient") or _ALL
    turn = {
        "role": SYSTEM if kind in _ASIDE else role,
        "content": parts,
        "timestamp": parse_timestamp(message.get("create_time")),
        "model": metadata.get("model_slug") or None,
    }
    if turn["role"] == SYSTEM:
        yield turn
    elif kind in _REASONING:
        yield {**turn, "role": ASSISTANT, "content": thinking("\n".join(words))}
    elif role == TOOL:
        if not parts and kind != "execution_output":  # a page that was opened and not kept
            turn["role"] = ANSWERED
        name = first_label(author, "name") or TOOL
        yield {**turn, "name": name, "failed": _failed(kind, metadata)}
    elif role == ASSISTANT and tool != _ALL:
        yield {**turn, "content": None, "tool_calls": [{"name": tool, "input": "\n".join(words)}]}
    elif role not in (USER, ASSISTANT):
        raise InvalidInput(f"author.role is {role!r}: system, user, assistant or tool is needed")
    elif parts:  # a message without any is a step of the client
        yield turn


def _failed(kind: Json, metadata: Mapping[str, Json]) -> bool | None:
    """Whether a tool failed, or None where the export does not say."""
    if kind == "system_error":
        return True
    status = object_in(metadata, "aggregate_result").get("status")
    return "exception" in status or None if isinstance(status, str) else None


def _parts(content: Mapping[str, Json], metadata: Mapping[str, Json]) -> list[Json]:
    """Return the content as parts of the kind that `message_content` reads."""
    parts = [block for given in list_in(content, "parts") or () for block in _blocks(given)]
    texts = [content.get(name) for name in _TEXTS]
    texts += [item.get("content") for item in objects_in(content, "thoughts")]
    parts += [text for text in texts if isinstance(text, str)]
    pointers = " ".join(str(p.get("url")) for p in parts if isinstance(p, dict))
    for file in references(metadata, "attachments", "id", "name", kind="file"):
        if file["url"] not in pointers:
            parts.append({**file, "url": f"file-service://{file['url']}"})
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


CHATGPT = MessageForm(
    "chatgpt",
    "",
    "conversation_id id",
    _chatgpt_turns,
    ids="id",
    about="title gizmo_id default_model_slug",
    first=1,
    choose=_branch,
    empty=None,
    needs="a message with author and content",
    unnamed=_always_numbered,
)

# Claude's conversations.json. The text that was extracted from an attachment is what the person
# pasted, and belongs to the message; files of other kinds are artifacts.

#: Parts that say nothing of the conversation.
_BOOKKEEPING = ("token_budget", "flag")


def _claude_messages(fields: Mapping[str, Json]) -> Chosen:
    messages, leaf = fields.get("chat_messages"), first_label(fields, "current_leaf_message_uuid")
    if not isinstance(messages, list):
        raise InvalidInput(f"chat_messages is {json_type(messages)}: a list is needed")
    return _in_force(messages, "uuid", "parent_message_uuid", leaf)


def _claude_turns(message: Mapping[str, Json]) -> Turns:
    sender = first_label(message, "sender", "role") or ""
    role = role_of(sender)
    if role not in (USER, ASSISTANT):
        raise InvalidInput(f"sender is {sender!r}: human or assistant is needed")
    at = parse_timestamp(message.get("created_at"))
    if parts := [*_content(message), *_attached(message)]:
        yield {"role": role, "content": parts, "timestamp": at}


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


CLAUDE = replace(
    CHATGPT,
    name="claude",
    names="uuid conversation_id id",
    turns=_claude_turns,
    ids="uuid",
    about="name",
    choose=_claude_messages,
    needs="a message with sender",
)

# LibreChat and Open WebUI: messages as a list, as a tree of children, or by their ids.


def _librechat_messages(fields: Mapping[str, Json]) -> Chosen:
    given = [*_flattened(fields.get("messages"))]
    return _in_force(given, "messageId", "parentMessageId", None)


def _open_webui_messages(fields: Mapping[str, Json]) -> Chosen:
    chat = object_in(fields, "chat") or fields
    history = object_in(chat, "history")
    given = [*object_in(history, "messages").values()] or list_in(chat, "messages") or []
    return _in_force(given, "id", "parentId", first_label(history, "currentId"))


def _flattened(messages: Json) -> Iterator[Json]:
    """Yield messages, each before its children."""
    waiting = [*messages][::-1] if isinstance(messages, list) else []
    while waiting:
        message = waiting.pop()
        if isinstance(message, dict):
            waiting += (list_in(message, "children") or [])[::-1]
            message = {name: value for name, value in message.items() if name != "children"}
        yield message


def _tree_turns(message: Mapping[str, Json]) -> Turns:
    by_user = message.get("isCreatedByUser")
    role = message.get("role") if by_user is None else USER if by_user else ASSISTANT
    content = message.get("text") or message.get("content")
    if isinstance(content, str) and role == ASSISTANT:
        content = _THOUGHTS.sub("", content).strip()
    elif isinstance(content, list):
        content = [block for given in content for block in _steps(given)]
    if files := references(message, "files", "filename name", "filename name", kind="file"):
        content = [*(content if isinstance(content, list) else [content or ""]), *files]
    yield {"role": role, "content": content, "model": message.get("model") or None}


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


LIBRECHAT = MessageForm(
    "librechat",
    "",
    "conversationId",
    _tree_turns,
    ids="messageId",
    about="title",
    first=1,
    choose=_librechat_messages,
    needs="a message with its words",
)
OPEN_WEBUI = replace(
    LIBRECHAT, name="open-webui", names="id", ids="id", choose=_open_webui_messages
)


# VS Code's exported chats: requests, each with the parts of its answer.


def _request_turns(request: Mapping[str, Json]) -> Turns:
    at, asked = request.get("timestamp"), request.get("message")
    yield {
        "role": USER,
        "content": object_in(request, "message").get("text", asked),
        "timestamp": at,
    }
    parts = [part.get("value") for part in objects_in(request, "response") if "kind" not in part]
    answer = "".join(part for part in parts if isinstance(part, str))
    if answer.strip():
        yield {"role": ASSISTANT, "content": answer, "timestamp": at}


VSCODE = MessageForm("vscode", "requests", "sessionId", _request_turns, ids="requestId", first=1)
