"""Letta: agent files (.af), lists of messages of its API, and memory blocks and passages.

What an agent says through the tool `send_message` is what it says; what the system packs around a
user's words is taken away. Memory blocks and passages are notes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ....core.errors import InvalidInput
from ....core.events import EventKind
from ....core.types import Json
from ..agents.message_lists import MessageForm, call, conversation_records, result
from ..conversation_reader import (
    ConversationReader,
    MessagePosition,
    content_id,
    first_label,
    stem,
)
from ..import_record import ImportFormat, ImportRecord, ImportSource, list_in, objects_in
from ..json_pieces import read_objects
from ..message_content import parse_arguments
from ..timestamps import find_time

_SAYS = "send_message"
_API_ROLES = {"user_message": "user", "assistant_message": "assistant", "system_message": "system"}


def read(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield one record a message, block or passage; messages by their own ids."""
    name = stem(source)
    bare: list[Json] = []

    def read_object(where: str, fields: dict[str, Json], _: int) -> Iterator[ImportRecord]:
        if "message_type" in fields:
            bare.append(fields)
            return
        listed = list_in(fields, "agents") is not None
        for agent in objects_in(fields, "agents") if listed else [fields]:
            if (messages := list_in(agent, "messages")) is not None:
                key = first_label(agent, "name", "id") or name
                yield from conversation_records(_FORM, key, where, agent, messages)
        yield from _notes(fields, where, name)

    yield from read_objects(source, read_object)
    if bare:
        yield from conversation_records(_FORM, name, source.name, {}, bare)


def _notes(fields: Mapping[str, Json], where: str, name: str) -> Iterator[ImportRecord]:
    """Yield the memory blocks and passages that an object holds, or that it is one of."""
    lists = ("blocks", "core_memory", "passages", "archival_memory")
    conversation = ConversationReader("letta", name)
    for item in [fields, *(item for held in lists for item in objects_in(fields, held))]:
        text = item.get("value", item.get("text"))
        if not isinstance(text, str):
            continue
        label = first_label(item, "label")
        content = f"{label}: {text}" if label else text
        id = first_label(item, "id") or f"{name}/{content_id(content)}"
        place = MessagePosition(where, id, find_time(item)[0])
        yield from conversation.message(place, EventKind.MANUAL_INGEST, content)


def _turns(message: Mapping[str, Json]) -> Iterator[Mapping[str, Json]]:
    kind = message.get("message_type")
    if kind is None:
        yield from _stored(message)
    elif role := _API_ROLES.get(str(kind)):
        yield {"role": role, "content": _unpacked(message.get("content"))}
    elif kind in ("reasoning_message", "hidden_reasoning_message"):
        words = message.get("reasoning")
        yield {"role": "assistant", "content": [{"type": "reasoning", "reasoning": words}]}
    elif kind == "tool_call_message":
        given = message.get("tool_call")
        if not isinstance(given, dict):
            raise InvalidInput("tool_call is missing: name and arguments are needed")
        yield from _call(given.get("tool_call_id"), given.get("name"), given.get("arguments"))
    elif kind == "tool_return_message" and message.get("name") != _SAYS:
        status = message.get("status")
        failed = None if status is None else status == "error"
        given = message.get("tool_return")
        yield result(message.get("tool_call_id"), message.get("name"), given, failed=failed)


def _stored(message: Mapping[str, Json]) -> Iterator[Mapping[str, Json]]:
    """Yield a message as an agent file has it: in OpenAI's form, with words of the system."""
    role, calls = message.get("role"), message.get("tool_calls")
    if role == "tool":
        if message.get("name") != _SAYS:
            yield {name: message.get(name) for name in ("role", "tool_call_id", "name", "content")}
        return
    content = _unpacked(message.get("content"))
    thinks = role == "assistant" and bool(calls)  # what it says goes through the tool
    if thinks:
        words = content if isinstance(content, str) else None
        content = [{"type": "reasoning", "reasoning": words}] if words else None
    if content or not calls:
        yield {"role": role, "content": content}
    for given in objects_in(message, "tool_calls"):
        if isinstance(inner := given.get("function"), dict):
            yield from _call(given.get("id"), inner.get("name"), inner.get("arguments"))


def _call(id: Json, name: Json, arguments: Json) -> Iterator[Mapping[str, Json]]:
    if name == _SAYS:
        args = parse_arguments(arguments)
        yield {
            "role": "assistant",
            "content": args.get("message") if isinstance(args, dict) else args,
        }
    else:
        yield {"role": "assistant", "content": None, "tool_calls": [call(id, name, arguments)]}


def _unpacked(content: Json) -> Json:
    """Return a user's words out of the object that the system packs them into."""
    if isinstance(content, list) and len(content) == 1 and isinstance(content[0], dict):
        content = content[0].get("text", content)
    packed = parse_arguments(content)
    if isinstance(packed, dict) and packed.get("type") == "user_message":
        return packed.get("message")
    is_notice = isinstance(packed, dict) and packed.get("type") in (
        *("heartbeat", "login", "system_alert"),
    )
    return None if is_notice else content


_FORM = MessageForm("letta", ("messages",), ("name", "id"), _turns)
FORMAT = ImportFormat(
    name="letta",
    description="Letta: agent files, messages of its API, memory blocks and passages",
    recognises=lambda keys: (
        not keys.isdisjoint(
            {"message_type", "agents.messages", "core_memory.label", "blocks.label"}
        )
        or {"agent_type", "messages"} <= keys
        or {"label", "value", "limit"} <= keys
        or ({"text", "embedding"} <= keys and not keys.isdisjoint({"archive_id", "agent_id"}))
    ),
    read=read,
)
