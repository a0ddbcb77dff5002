"""OpenAI chat transcripts: conversations of messages with role and content, and completions.

A file holds one conversation, a list of them, one a line as for fine-tuning, or the bare messages
of one. System and developer messages are configuration, and reasoning is no message: both are left
out unless a conversation holds nothing else. An assistant message that only calls tools is no
event; its arguments go with the results. A result is an error by its first word or its error key,
because the format does not say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from ...core.errors import InvalidInput
from ...core.events import EventKind
from ...core.types import Json
from .conversation_reader import (
    ConversationKeys,
    ConversationReader,
    MessagePosition,
    first_label,
    numbered,
    stem,
    unused_fields,
)
from .import_options import ASSISTANT, SYSTEM
from .import_record import (
    ImportFormat,
    ImportRecord,
    ImportSource,
    json_type,
    label,
    list_in,
    refusing,
)
from .json_pieces import read_objects
from .message_content import ToolResult
from .openai_responses import READ_OF_ITEM, item_records
from .timestamps import find_time

_NAMES = ("conversation_id", "thread_id", "session_id", "custom_id", "id")
_REASONING = ("reasoning_content", "reasoning", "thinking")
#: What only messages of LangChain have.
_LANGCHAIN = frozenset(
    {"messages.lc", "messages.data", "messages.additional_kwargs", "messages.response_metadata"}
)
#: What only messages of other libraries have.
_OF_OTHERS = frozenset({"parts", "messages.parts", "role_type", "messages.role_type", "agent_type"})
#: Fields of a message that become parts of the event; all others are kept as metadata.
_READ = frozenset(
    {"role", "content", "tool_calls", "function_call", "tool_call_id", "refusal", "audio", "failed"}
    | {*_REASONING, "reasoning_details"}
)


def read(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield one record a message of a user, an assistant or a tool, conversation by conversation.

    Messages have the id "<conversation>/<index>". A conversation is named by an id of its own, or
    by the file, with a number from the second one on.
    """
    name, keys = stem(source), ConversationKeys()
    bare = ConversationReader("openai_chat", name)

    def read_object(where: str, fields: dict[str, Json], number: int) -> Iterator[ImportRecord]:
        if "messages" not in fields and ("role" in fields or _is_item(fields)):
            return read_message(bare, where, f"{name}/{number}", fields)
        return _conversation(where, fields, numbered(name, number), keys)

    yield from read_objects(source, read_object)
    yield from bare.finish()


def _conversation(
    where: str, fields: Mapping[str, Json], fallback: str, keys: ConversationKeys
) -> Iterator[ImportRecord]:
    messages = _messages(fields)
    key = keys.key_of(_key(fields, fallback), messages)
    conversation = ConversationReader("openai_chat", key)
    conversation.set_metadata(unused_fields(fields, frozenset({"messages", "choices", *_NAMES})))
    conversation.ts, _ = find_time(fields)
    for index, message in enumerate(messages):
        place = f"{where} message {index + 1}"
        yield from refusing(place, read_message(conversation, place, f"{key}/{index}", message))
    yield from conversation.finish()


def _key(fields: Mapping[str, Json], fallback: str) -> str:
    """Return the name of a conversation; a bare number names none outside of its file."""
    name = first_label(fields, *_NAMES)
    return fallback if name is None else f"{fallback}/{name}" if name.isdecimal() else name


def _messages(fields: Mapping[str, Json]) -> list[Json]:
    """Return the messages of a request, of a completion, or of both in one object."""
    messages, choices = fields.get("messages"), fields.get("choices")
    if messages is None and isinstance(choices, list):
        messages = []
    if not isinstance(messages, list):
        raise InvalidInput(f"messages is {json_type(messages)}: a list of messages is needed")
    answered = list_in(fields, "choices") or ()
    return [*messages, *(_choice_message(choice, fields) for choice in answered)]


def _choice_message(choice: Json, fields: Mapping[str, Json]) -> Json:
    """Return the message of a choice, with what the choice and its completion say of it."""
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(message, dict):
        return message
    choice_fields = unused_fields(choice, frozenset({"message"}))
    return {
        "created": fields.get("created"),
        **message,
        **({"choice": choice_fields} if choice_fields else {}),
    }


def read_message(
    conversation: ConversationReader, where: str, id: str, message: Json
) -> Iterator[ImportRecord]:
    """Yield what one message with a role holds; `InvalidInput` says what is wrong with it."""
    if not isinstance(message, dict):
        raise InvalidInput(f"is {json_type(message)}: a message with a role is needed")
    place, role, content = _place(where, id, message), message.get("role"), message.get("content")
    if _is_item(message):
        metadata = unused_fields(message, READ_OF_ITEM | {find_time(message)[1] or ""})
        yield from item_records(conversation, replace(place, metadata=metadata), message)
    elif role == "note":
        yield from conversation.message(place, EventKind.MANUAL_INGEST, content)
    elif role == ASSISTANT:
        content, calls = _assistant_content(message), _calls(message)
        yield from conversation.turn(place, role, content, calls=calls)
    elif role in ("tool", "function"):
        yield from conversation.result(place, _answer(message))
    else:
        role = SYSTEM if role == "developer" else role
        yield from conversation.turn(place, role, content, first_label(message, "name"))


def _is_item(message: Mapping[str, Json]) -> bool:
    """Whether it is an item of the Responses API, as agents put them between messages."""
    return "role" not in message and isinstance(message.get("type"), str)


def _place(where: str, id: str, message: Mapping[str, Json]) -> MessagePosition:
    """Return the place of a message; the format knows no times, but many who write it do."""
    metadata = unused_fields(message, _READ)
    if message.get("role") != "assistant" and first_label(message, "name"):
        del metadata["name"]
    ts, name = find_time(message)
    metadata.pop(name or "", None)
    return MessagePosition(where, id, ts, metadata)


def _assistant_content(message: Mapping[str, Json]) -> Json:
    """Return the content of an assistant message, or what stands in its place."""
    content, audio = message.get("content"), message.get("audio")
    if not (content is None or content in ("", [])):
        return content
    if isinstance(message.get("refusal"), str):
        return message["refusal"]
    if isinstance(audio, dict) and isinstance(audio.get("data"), str):
        transcript = {"type": "text", "text": audio.get("transcript") or ""}
        return [transcript, {"type": "audio", "audio": audio}]
    reasoning = next((message[n] for n in _REASONING if isinstance(message.get(n), str)), "")
    return [{"type": "reasoning", "reasoning": reasoning}] if reasoning.strip() else content


def _calls(message: Mapping[str, Json]) -> Json:
    """Return the calls of an assistant message; the older form has one, without an id."""
    if not isinstance(older := message.get("function_call"), dict):
        return message.get("tool_calls")
    return [*(list_in(message, "tool_calls") or ()), older]


def _answer(message: Mapping[str, Json]) -> ToolResult:
    if "content" not in message:
        raise InvalidInput("content is missing: the tool's result is needed")
    given = message.get("tool_call_id")
    id = None if given is None else label(message, "tool_call_id")
    failed = message.get("failed")
    outcome = failed if isinstance(failed, bool) else None
    return ToolResult(message["content"], id, first_label(message, "name"), outcome)


def _recognises(keys: frozenset[str]) -> bool:
    bare = "type" not in keys and ({"role", "content"} <= keys or {"role", "tool_calls"} <= keys)
    several = "messages.role" in keys and keys.isdisjoint(_LANGCHAIN)
    if not keys.isdisjoint(_OF_OTHERS):
        return False
    return bare or several or "choices.message" in keys


FORMAT = ImportFormat(
    name="openai-chat",
    description="OpenAI chat: conversations as objects with messages, JSON or JSON Lines",
    recognises=_recognises,
    read=read,
)
