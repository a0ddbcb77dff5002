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
from .openai_responses import READ_OF_ITEM, item_records
from .timestamps import TIME_FIELDS, find_time

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


def read(source: ImportSource, limits: ImportLimits) -> Iterator[ImportRecord]:
    """Yield one record a message of a user, an assistant or a tool, conversation by conversation.

    Messages have the id "<conversation>/<index>". A conversation is named by an id of its own, or
    by the file, with a number from the second one on.
    """
    name, keys = stem(source), ConversationKeys()
    bare = ConversationReader("openai_chat", name, limits)
    for number, item in enumerate(parse_objects(split_input(source, limits))):
        if isinstance(item, ImportRecord):
            yield item
            continue
        where, fields = item
        if "messages" not in fields and ("role" in fields or _is_item(fields)):
            yield from read_message(bare, where, f"{name}/{number}", fields)
        else:
            fallback = f"{name}/{number + 1}" if number else name
            yield from _document(where, fields, fallback, keys, limits)
    yield from bare.finish()


def _document(
    where: str,
    fields: Mapping[str, Json],
    fallback: str,
    keys: ConversationKeys,
    limits: ImportLimits,
) -> Iterator[ImportRecord]:
    try:
        messages = _messages(fields)
    except InvalidInput as error:
        yield reject(where, str(error))
        return
    key = keys.key_of(_key(fields, fallback), messages)
    conversation = ConversationReader("openai_chat", key, limits)
    conversation.set_metadata(unused_fields(fields, frozenset({"messages", "choices", *_NAMES})))
    conversation.ts, _ = find_time(fields)
    for index, message in enumerate(messages):
        place = f"{where} message {index + 1}"
        yield from read_message(conversation, place, f"{conversation.key}/{index}", message)
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
    answered = choices if isinstance(choices, list) else []
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
    """Yield what one message with a role holds, or why it is refused."""
    try:
        if not isinstance(message, dict):
            raise InvalidInput(f"is {json_type(message)}: a message with a role is needed")
        place, role = _place(where, id, message), message.get("role")
        if _is_item(message):
            metadata = unused_fields(message, READ_OF_ITEM | {*TIME_FIELDS})
            yield from item_records(conversation, replace(place, metadata=metadata), message)
        elif role == "note":
            yield from conversation.message(place, EventKind.MANUAL_INGEST, message.get("content"))
        elif role in ("system", "developer"):
            conversation.set_aside(place, EventKind.MANUAL_INGEST, message.get("content"))
        elif role == "user":
            yield from conversation.message(
                place,
                EventKind.USER_MESSAGE,
                message.get("content"),
                person=first_label(message, "name"),
            )
        elif role == "assistant":
            kind = EventKind.ASSISTANT_MESSAGE
            yield from conversation.message(
                place, kind, _assistant_content(message), _calls(message)
            )
        elif role in ("tool", "function"):
            yield from conversation.result(place, _answer(message))
        else:
            given = repr(role[:80]) if isinstance(role, str) else json_type(role)
            raise InvalidInput(f"role is {given}: system, user, assistant or tool is needed")
    except InvalidInput as error:
        yield reject(where, str(error))


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
    calls, older = message.get("tool_calls"), message.get("function_call")
    if not isinstance(older, dict):
        return calls
    return [*(calls if isinstance(calls, list) else []), older]


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
