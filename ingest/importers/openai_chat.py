"""OpenAI chat transcripts: conversations of messages with role and content, and completions.

A file holds one conversation, a list of them, one a line as for fine-tuning, or the bare messages
of one. System and developer messages are configuration, and reasoning is no message: both are left
out unless a conversation holds nothing else. An assistant message that only calls tools is no
event; its arguments go with the results. A result is an error by its first word or its error key,
because the format does not say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...core.errors import InvalidInput
from ...core.events import EventKind
from ...core.types import Json
from .content import Answer
from .conversation import Conversation, Place, instant, named, pieces, stem, unread
from .record import Format, Limits, Record, Source, json_type, label, objects, refuse

_NAMES = ("conversation_id", "thread_id", "session_id", "custom_id", "id")
_TIMES = ("timestamp", "created_at", "created")
_REASONING = ("reasoning_content", "reasoning", "thinking")
#: What only messages of LangChain have.
_LANGCHAIN = frozenset(
    {"messages.lc", "messages.data", "messages.additional_kwargs", "messages.response_metadata"}
)
#: Fields of a message that become parts of the event; all others are kept as metadata.
_READ = frozenset(
    {"role", "content", "tool_calls", "function_call", "tool_call_id", "refusal", "audio"}
    | {*_REASONING, "reasoning_details"}
)


def read(source: Source, limits: Limits) -> Iterator[Record]:
    """Yield one record a message of a user, an assistant or a tool, conversation by conversation.

    Messages have the id "<conversation>/<index>". A conversation is named by an id of its own, or
    by the file, with a number from the second one on.
    """
    name = stem(source)
    bare = Conversation("openai_chat", name, limits)
    for number, found in enumerate(objects(pieces(source, limits))):
        if isinstance(found, Record):
            yield found
            continue
        where, fields = found
        if "role" in fields and "messages" not in fields:
            yield from _message(bare, where, f"{name}/{number}", fields)
        else:
            fallback = f"{name}/{number + 1}" if number else name
            yield from _document(where, fields, fallback, limits)
    yield from bare.finish()


def _document(
    where: str, fields: Mapping[str, Json], fallback: str, limits: Limits
) -> Iterator[Record]:
    try:
        messages = _messages(fields)
    except InvalidInput as error:
        yield refuse(where, str(error))
        return
    conversation = Conversation("openai_chat", _key(fields, fallback), limits)
    conversation.describe(unread(fields, frozenset({"messages", "choices", *_NAMES})))
    for index, message in enumerate(messages):
        place = f"{where} message {index + 1}"
        yield from _message(conversation, place, f"{conversation.key}/{index}", message)
    yield from conversation.finish()


def _key(fields: Mapping[str, Json], fallback: str) -> str:
    """Return the name of a conversation; a bare number names none outside of its file."""
    name = named(fields, *_NAMES)
    return fallback if name is None else f"{fallback}/{name}" if name.isdecimal() else name


def _messages(fields: Mapping[str, Json]) -> list[Json]:
    """Return the messages of a request, of a completion, or of both in one object."""
    messages, choices = fields.get("messages"), fields.get("choices")
    if messages is None and isinstance(choices, list):
        messages = []
    if not isinstance(messages, list):
        raise InvalidInput(f"messages is {json_type(messages)}: a list of messages is needed")
    answered = choices if isinstance(choices, list) else []
    return [*messages, *(_answered(choice, fields) for choice in answered)]


def _answered(choice: Json, fields: Mapping[str, Json]) -> Json:
    """Return the message of a choice, with what the choice and its completion say of it."""
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(message, dict):
        return message
    told = unread(choice, frozenset({"message"}))
    return {"created": fields.get("created"), **message, **({"choice": told} if told else {})}


def _message(conversation: Conversation, where: str, id: str, message: Json) -> Iterator[Record]:
    try:
        if not isinstance(message, dict):
            raise InvalidInput(f"is {json_type(message)}: a message with a role is needed")
        place, role = _place(where, id, message), message.get("role")
        if role in ("system", "developer"):
            conversation.aside(place, EventKind.MANUAL_INGEST, message.get("content"))
        elif role == "user":
            yield from conversation.message(
                place, EventKind.USER_MESSAGE, message.get("content"), person=named(message, "name")
            )
        elif role == "assistant":
            kind = EventKind.ASSISTANT_MESSAGE
            yield from conversation.message(place, kind, _said(message), _calls(message))
        elif role in ("tool", "function"):
            yield from conversation.result(place, _answer(message))
        else:
            given = repr(role[:80]) if isinstance(role, str) else json_type(role)
            raise InvalidInput(f"role is {given}: system, user, assistant or tool is needed")
    except InvalidInput as error:
        yield refuse(where, str(error))


def _place(where: str, id: str, message: Mapping[str, Json]) -> Place:
    """Return the place of a message; the format knows no times, but many who write it do."""
    kept = unread(message, _READ)
    if message.get("role") != "assistant" and named(message, "name"):
        del kept["name"]
    for name in _TIMES:
        try:
            if ts := instant(message.get(name)):
                kept.pop(name)
                return Place(where, id, ts, kept)
        except InvalidInput:
            continue
    return Place(where, id, None, kept)


def _said(message: Mapping[str, Json]) -> Json:
    """Return the content of an assistant message, or what stands in its place."""
    content, audio = message.get("content"), message.get("audio")
    if not (content is None or content in ("", [])):
        return content
    if isinstance(message.get("refusal"), str):
        return message["refusal"]
    if isinstance(audio, dict) and isinstance(audio.get("data"), str):
        said = {"type": "text", "text": audio.get("transcript") or ""}
        return [said, {"type": "audio", "audio": audio}]
    reasoning = next((message[n] for n in _REASONING if isinstance(message.get(n), str)), "")
    return [{"type": "reasoning", "reasoning": reasoning}] if reasoning.strip() else content


def _calls(message: Mapping[str, Json]) -> Json:
    """Return the calls of an assistant message; the older form has one, without an id."""
    calls, older = message.get("tool_calls"), message.get("function_call")
    if not isinstance(older, dict):
        return calls
    return [*(calls if isinstance(calls, list) else []), older]


def _answer(message: Mapping[str, Json]) -> Answer:
    if "content" not in message:
        raise InvalidInput("content is missing: the tool's result is needed")
    given = message.get("tool_call_id")
    id = None if given is None else label(message, "tool_call_id")
    return Answer(message["content"], id, named(message, "name"))


def _recognises(keys: frozenset[str]) -> bool:
    bare = "type" not in keys and ({"role", "content"} <= keys or {"role", "tool_calls"} <= keys)
    several = "messages.role" in keys and keys.isdisjoint(_LANGCHAIN)
    return bare or several or "choices.message" in keys


FORMAT = Format(
    name="openai-chat",
    description="OpenAI chat: conversations as objects with messages, JSON or JSON Lines",
    recognises=_recognises,
    read=read,
)
