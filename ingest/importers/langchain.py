"""LangChain messages and LangGraph states, in the three forms that these libraries write.

A message is a dict with type and data, a serialised constructor, or its plain fields. A file holds
a list of them, objects with `messages`, or states of a graph with `values`; of several states of
one thread each message is imported once. System messages and reasoning are left out unless a
conversation holds nothing else; messages that only remove others are left out, and so is what a
state says of its checkpoint. A subgraph has its own session, "<thread>/<subgraph>".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ...core.errors import InvalidInput
from ...core.events import EventKind
from ...core.types import Json
from .conversation_reader import (
    ConversationReader,
    MessagePosition,
    first_label,
    split_input,
    stem,
    unused_fields,
)
from .import_record import (
    ImportFormat,
    ImportLimits,
    ImportRecord,
    ImportSource,
    json_type,
    label,
    reject,
)
from .json_pieces import parse_objects
from .message_content import ToolResult
from .timestamps import find_time

_ROLES = {
    "human": "user",
    "user": "user",
    "ai": "assistant",
    "assistant": "assistant",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
    "remove": "remove",
}
_STATES = ("values", "channel_values")
_THREADS = ("thread_id", "session_id", "conversation_id")
#: Fields of a message that become parts of the event; all others are kept as metadata.
_READ = frozenset(
    {"type", "role", "content", "id", "tool_calls", "invalid_tool_calls", "tool_call_id", "status"}
    | {"tool_call_chunks"}
)


@dataclass(slots=True)
class _LangChainTranscript:
    """One file while it is read: its sessions, and which document held a message first."""

    name: str
    limits: ImportLimits
    sessions: dict[str, ConversationReader] = field(default_factory=dict)
    document_by_message: dict[tuple[str, str], int] = field(default_factory=dict)
    documents: int = 0

    def session(self, key: str) -> ConversationReader:
        """Return the session of a key."""
        if key not in self.sessions:
            self.sessions[key] = ConversationReader("langchain", key, self.limits)
        return self.sessions[key]

    def document(
        self, where: str, fields: Mapping[str, Json], fallback: str
    ) -> Iterator[ImportRecord]:
        """Yield the messages of an object with `messages`, or of a state."""
        held = next((fields[n] for n in _STATES if isinstance(fields.get(n), dict)), fields)
        messages = held.get("messages")
        if not isinstance(messages, list):
            kind = json_type(messages)
            yield reject(where, f"messages is {kind}: a list of messages is needed")
            return
        self.documents += 1
        session = self.session(_thread(fields) or fallback)
        session.set_metadata(unused_fields(held, frozenset({"messages", *_THREADS})))
        session.ts = find_time(fields)[0]
        for index, message in enumerate(messages):
            place = f"{where} message {index + 1}"
            yield from self.message(session, place, f"{session.key}/{index}", message)

    def message(
        self, session: ConversationReader, where: str, fallback: str, given: Json
    ) -> Iterator[ImportRecord]:
        """Yield what one message holds, unless another state of its thread held it before."""
        try:
            fields = flat_fields(given)
            id = first_label(fields, "id") or fallback
            if (
                self.document_by_message.setdefault((session.key, id), self.documents)
                != self.documents
            ):
                return
            yield from read_message(session, where, id, fields)
        except InvalidInput as error:
            yield reject(where, str(error))

    def finish(self) -> Iterator[ImportRecord]:
        """Yield what is left at the end of the file."""
        for session in self.sessions.values():
            yield from session.finish()


def read(source: ImportSource, limits: ImportLimits) -> Iterator[ImportRecord]:
    """Yield one record a message of a human, an AI or a tool; the formats know no times.

    Messages have their own ids, or else "<session>/<index>".
    """
    name = stem(source)
    transcript = _LangChainTranscript(name, limits)
    for number, item in enumerate(parse_objects(split_input(source, limits))):
        if isinstance(item, ImportRecord):
            yield item
            continue
        where, fields = item
        if "type" in fields:
            session = transcript.session(name)
            yield from transcript.message(session, where, f"{name}/{number}", fields)
        else:
            fallback = f"{name}/{number + 1}" if number else name
            yield from transcript.document(where, fields, fallback)
    yield from transcript.finish()


def _thread(fields: Mapping[str, Json]) -> str | None:
    """Return the thread that a state belongs to, with its subgraph if it is one's."""
    config = fields.get("config")
    inner = config.get("configurable") if isinstance(config, dict) else None
    for place in (inner, fields.get("checkpoint"), fields):
        if isinstance(place, dict) and (thread := first_label(place, *_THREADS)):
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
    metadata, (ts, name) = _metadata(fields, role), find_time(fields)
    metadata.pop(name or "", None)
    place = MessagePosition(where, id, ts, metadata)
    if role == "system":
        session.set_aside(place, EventKind.MANUAL_INGEST, content)
    elif role == "user":
        person = first_label(fields, "name")
        yield from session.message(place, EventKind.USER_MESSAGE, content, person=person)
    elif role == "assistant":
        kind = EventKind.ASSISTANT_MESSAGE
        yield from session.message(place, kind, _assistant_content(fields), _calls(fields))
    elif role == "tool":
        given = fields.get("tool_call_id")
        call_id = None if given is None else label(fields, "tool_call_id")
        failed = fields["status"] == "error" if isinstance(fields.get("status"), str) else None
        yield from session.result(
            place, ToolResult(content, call_id, first_label(fields, "name"), failed)
        )


def _assistant_content(fields: Mapping[str, Json]) -> Json:
    """Return the content of an AI message, or the reasoning that stands in its place."""
    content = fields.get("content")
    reasoning = _extra(fields).get("reasoning_content")
    if content in (None, "", []) and isinstance(reasoning, str) and reasoning.strip():
        return [{"type": "reasoning", "reasoning": reasoning}]
    return content


def _calls(fields: Mapping[str, Json]) -> Json:
    """Return the calls of an AI message, with those whose arguments could not be read."""
    calls, invalid = fields.get("tool_calls"), fields.get("invalid_tool_calls")
    if isinstance(invalid, list) and invalid:
        return [*(calls if isinstance(calls, list) else []), *invalid]
    older = _extra(fields)
    legacy = older.get("function_call")
    return calls or older.get("tool_calls") or ([legacy] if isinstance(legacy, dict) else calls)


def _extra(fields: Mapping[str, Json]) -> Mapping[str, Json]:
    extra = fields.get("additional_kwargs")
    return extra if isinstance(extra, dict) else {}


def _recognises(keys: frozenset[str]) -> bool:
    marks = ("lc", "data.content", "additional_kwargs", "response_metadata")
    bare = "type" in keys and not keys.isdisjoint(marks)
    bare = bare or ("content" in keys and not keys.isdisjoint({"type=human", "type=ai"}))
    inner = {"messages.lc", "messages.data", *(f"messages.{mark}" for mark in marks[2:])}
    listed = {"messages.type", "messages.content"} <= keys and keys.isdisjoint(
        {"messages.role", "messages.author", "projectHash"}
    )
    states = {f"{state}.messages" for state in _STATES}
    return bare or listed or not keys.isdisjoint(inner | states)


FORMAT = ImportFormat(
    name="langchain",
    description="LangChain messages and LangGraph states, as dicts or serialised constructors",
    recognises=_recognises,
    read=read,
)
