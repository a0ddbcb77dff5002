"""LangChain messages and LangGraph states, in the three forms that these libraries write.

A message is a dict with type and data, a serialised constructor, or its plain fields. A file holds
a list of them, objects with `messages`, or states of a graph with `values`; of several states of
one thread each message is imported once. System messages and reasoning are left out unless a
conversation holds nothing else; messages that only remove others are left out, and so is what a
state says of its checkpoint. A subgraph has its own session, "<thread>/<subgraph>".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...core.errors import InvalidInput
from ...core.types import Json
from .conversation_reader import (
    ConversationReader,
    Conversations,
    MessagePosition,
    first_label,
    numbered,
    stem,
    unused_fields,
)
from .import_options import ASSISTANT, SYSTEM, TOOL, USER
from .import_record import (
    ImportFormat,
    ImportRecord,
    ImportSource,
    json_type,
    label,
    list_in,
    object_in,
    refusing,
)
from .json_pieces import read_objects
from .message_content import ToolResult
from .timestamps import find_time

#: Takes a message back.
_REMOVE = "remove"
_ROLES = {
    **dict.fromkeys(("human", "user"), USER),
    **dict.fromkeys(("ai", "assistant"), ASSISTANT),
    **dict.fromkeys(("system", "developer"), SYSTEM),
    **dict.fromkeys(("tool", "function"), TOOL),
    _REMOVE: _REMOVE,
}
_STATES = ("values", "channel_values")
_THREADS = ("thread_id", "session_id", "conversation_id")
#: Fields of a message that become parts of the event; all others are kept as metadata.
_READ = frozenset(
    {"type", "role", "content", "id", "tool_calls", "invalid_tool_calls", "tool_call_id", "status"}
    | {"tool_call_chunks"}
)


class _LangChainTranscript:
    """One file while it is read: its sessions, and which document held a message first."""

    def __init__(self, name: str) -> None:
        self.name, self.sessions = name, Conversations("langchain")
        self._document_by_message: dict[tuple[str, str], int] = {}
        self._documents = 0

    def object(self, where: str, fields: dict[str, Json], number: int) -> Iterator[ImportRecord]:
        """Yield what an object holds: a message, or an object with `messages`, or a state."""
        if "type" in fields:
            return self._message(self.sessions[self.name], where, f"{self.name}/{number}", fields)
        return self._document(where, fields, numbered(self.name, number))

    def _document(
        self, where: str, fields: Mapping[str, Json], fallback: str
    ) -> Iterator[ImportRecord]:
        held = next((fields[n] for n in _STATES if isinstance(fields.get(n), dict)), fields)
        messages = held.get("messages")
        if not isinstance(messages, list):
            raise InvalidInput(f"messages is {json_type(messages)}: a list of messages is needed")
        self._documents += 1
        session = self.sessions[_thread(fields) or fallback]
        session.set_metadata(unused_fields(held, frozenset({"messages", *_THREADS})))
        session.ts = find_time(fields)[0]
        for index, message in enumerate(messages):
            place, id = f"{where} message {index + 1}", f"{session.key}/{index}"
            yield from refusing(place, self._message(session, place, id, message))

    def _message(
        self, session: ConversationReader, where: str, fallback: str, given: Json
    ) -> Iterator[ImportRecord]:
        """Yield what one message holds, unless another state of its thread held it before."""
        fields = flat_fields(given)
        id = first_label(fields, "id") or fallback
        first = self._document_by_message.setdefault((session.key, id), self._documents)
        if first == self._documents:
            yield from read_message(session, where, id, fields)


def read(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield one record a message of a human, an AI or a tool; the formats know no times.

    Messages have their own ids, or else "<session>/<index>".
    """
    transcript = _LangChainTranscript(stem(source))
    yield from read_objects(source, transcript.object)
    yield from transcript.sessions.finish()


def _thread(fields: Mapping[str, Json]) -> str | None:
    """Return the thread that a state belongs to, with its subgraph if it is one's."""
    inner = object_in(object_in(fields, "config"), "configurable")
    for place in (inner, object_in(fields, "checkpoint"), fields):
        if thread := first_label(place, *_THREADS):
            subgraph = first_label(place, "checkpoint_ns")
            return f"{thread}/{subgraph}" if subgraph else thread
    return None


def flat_fields(given: Json) -> dict[str, Json]:
    """Return the plain fields of a message, in whichever of the three forms it is."""
    if not isinstance(given, dict):
        raise InvalidInput(f"is {json_type(given)}: a message with type and content is needed")
    if isinstance(given.get("data"), dict):
        return {"type": given.get("type"), **given["data"]}
    if "lc" not in given:
        return given
    path, fields = given.get("id"), given.get("kwargs")
    if not (isinstance(path, list) and path and isinstance(path[-1], str)):
        raise InvalidInput("id is not the path of a class: a serialised message is needed")
    if not isinstance(fields, dict):
        raise InvalidInput(f"kwargs is {json_type(fields)}: the fields of a message are needed")
    return {"type": path[-1], **fields}


def role_of(fields: Mapping[str, Json]) -> str:
    """Return who speaks: user, assistant, system or tool; `remove` takes a message back."""
    kind = fields.get("type")
    if not isinstance(kind, str):
        raise InvalidInput(f"type is {json_type(kind)}: human, ai, system or tool is needed")
    name = kind.removesuffix("Chunk").removesuffix("Message").lower()
    role_name = fields.get("role") if name == "chat" else name
    if not isinstance(role_name, str) or role_name.lower() not in _ROLES:
        shown = repr(role_name[:80]) if isinstance(role_name, str) else json_type(role_name)
        raise InvalidInput(f"{kind[:80]!r} is of {shown}: human, ai, system or tool is needed")
    return _ROLES[role_name.lower()]


def _metadata(fields: Mapping[str, Json], role: str) -> dict[str, Json]:
    metadata = unused_fields(fields, _READ if role == "assistant" else _READ | {"name"})
    extra = metadata.get("additional_kwargs")
    if isinstance(extra, dict):
        metadata["additional_kwargs"] = unused_fields(
            extra, frozenset({"tool_calls", "function_call", "reasoning_content"})
        )
    return {name: value for name, value in metadata.items() if value not in ({}, [], "")}


def read_message(
    session: ConversationReader, where: str, id: str, fields: Mapping[str, Json]
) -> Iterator[ImportRecord]:
    """Yield what a message of plain fields holds; `InvalidInput` says what is wrong with it."""
    role, content = role_of(fields), fields.get("content")
    metadata, (ts, time_field) = _metadata(fields, role), find_time(fields)
    metadata.pop(time_field or "", None)
    place, name = MessagePosition(where, id, ts, metadata), first_label(fields, "name")
    if role == ASSISTANT:
        content, calls = _assistant_content(fields), _calls(fields)
        yield from session.turn(place, role, content, calls=calls)
    elif role == TOOL:
        given = fields.get("tool_call_id")
        call_id = None if given is None else label(fields, "tool_call_id")
        failed = fields["status"] == "error" if isinstance(fields.get("status"), str) else None
        yield from session.result(place, ToolResult(content, call_id, name, failed))
    elif role != _REMOVE:
        yield from session.turn(place, role, content, name)


def _assistant_content(fields: Mapping[str, Json]) -> Json:
    """Return the content of an AI message, or the reasoning that stands in its place."""
    content = fields.get("content")
    reasoning = object_in(fields, "additional_kwargs").get("reasoning_content")
    if content in (None, "", []) and isinstance(reasoning, str) and reasoning.strip():
        return [{"type": "reasoning", "reasoning": reasoning}]
    return content


def _calls(fields: Mapping[str, Json]) -> Json:
    """Return the calls of an AI message, with those whose arguments could not be read."""
    calls, invalid = fields.get("tool_calls"), list_in(fields, "invalid_tool_calls")
    if invalid:
        return [*(list_in(fields, "tool_calls") or ()), *invalid]
    older = object_in(fields, "additional_kwargs")
    legacy = older.get("function_call")
    return calls or older.get("tool_calls") or ([legacy] if isinstance(legacy, dict) else calls)


def _recognises(keys: frozenset[str]) -> bool:
    marks = ("lc", "data.content", "additional_kwargs", "response_metadata")
    bare = "type" in keys and not keys.isdisjoint(marks)
    bare = bare or ("content" in keys and not keys.isdisjoint({"type=human", "type=ai"}))
    inner = {"messages.lc", "messages.data", *(f"messages.{mark}" for mark in marks[2:])}
    listed = (
        "messages.content" in keys
        and not keys.isdisjoint({"messages.type=human", "messages.type=ai"})
        and keys.isdisjoint({"messages.role", "messages.author", "projectHash"})
    )
    states = {f"{state}.messages" for state in _STATES}
    return bare or listed or not keys.isdisjoint(inner | states)


FORMAT = ImportFormat(
    name="langchain",
    description="LangChain messages and LangGraph states, as dicts or serialised constructors",
    recognises=_recognises,
    read=read,
)
