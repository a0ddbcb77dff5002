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
    numbered,
    stem,
    unused_fields,
)
from .import_options import ASSISTANT, SYSTEM, TOOL, USER
from .import_record import (
    ImportFormat,
    ImportRecord,
    ImportSource,
    first_label,
    json_type,
    list_in,
    object_in,
    refusing,
)
from .json_pieces import read_objects
from .openai_messages import read_message
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
#: Fields of `additional_kwargs` that do.
_READ_OF_EXTRA = frozenset({"tool_calls", "function_call", "reasoning_content"})
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
        message = chat_message(fields)
        if message and first == self._documents:
            yield from read_message(session, where, id, message)


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


def chat_message(fields: Mapping[str, Json]) -> dict[str, Json] | None:
    """Return a message of plain fields in OpenAI's form; None for one that only removes others."""
    role = role_of(fields)
    others = unused_fields(fields, _READ if role == ASSISTANT else _READ | {"name"})
    extra = object_in(fields, "additional_kwargs")
    if isinstance(others.get("additional_kwargs"), dict):
        others["additional_kwargs"] = unused_fields(extra, _READ_OF_EXTRA)
    message = {n: value for n, value in others.items() if value not in ({}, [], "")}
    message |= {"role": role, "content": fields.get("content")}
    reasoning = extra.get("reasoning_content")
    if role == ASSISTANT:
        message["tool_calls"] = _calls(fields)
        if fields.get("content") in (None, "", []) and isinstance(reasoning, str):
            message["reasoning_content"] = reasoning
    elif name := first_label(fields, "name"):
        message["name"] = name
    if role == TOOL:
        failed = fields["status"] == "error" if isinstance(fields.get("status"), str) else None
        message |= {"tool_call_id": fields.get("tool_call_id"), "failed": failed}
    return None if role == _REMOVE else message


def _calls(fields: Mapping[str, Json]) -> Json:
    """Return the calls of an AI message, with those whose arguments could not be read."""
    calls, invalid = fields.get("tool_calls"), list_in(fields, "invalid_tool_calls")
    if invalid:
        return [*(list_in(fields, "tool_calls") or ()), *invalid]
    older = object_in(fields, "additional_kwargs")
    legacy = older.get("function_call")
    return calls or older.get("tool_calls") or ([legacy] if isinstance(legacy, dict) else calls)


_NOT_LISTED = "messages.content -messages.role -messages.author -projectHash"
_MARKS = (
    "type lc | type data.content | type additional_kwargs | type response_metadata | messages.lc "
    "| messages.data | messages.additional_kwargs | messages.response_metadata | values.messages "
    "| channel_values.messages | content type=human | content type=ai "
    f"| messages.type=human {_NOT_LISTED} | messages.type=ai {_NOT_LISTED}"
)

FORMAT = ImportFormat(
    name="langchain",
    description="LangChain messages and LangGraph states, as dicts or serialised constructors",
    marks=_MARKS,
    read=read,
)
