"""OpenAI: chats of messages with role and content, and the items of the Responses API.

Other formats are read through them: a form says how one writes conversations, and turns each
message into one or several of OpenAI's. System and developer messages are configuration, and
reasoning is no message: both are left out unless a conversation holds nothing else. A call is no
event; its arguments go with the result.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from ...core.errors import InvalidInput
from ...core.events import EventKind
from ...core.types import Json
from .conversation_reader import (
    ConversationKeys,
    ConversationReader,
    Conversations,
    MessagePosition,
    numbered,
    stem,
    unused_fields,
)
from .import_options import ASSISTANT, SYSTEM, TOOL
from .import_record import (
    BOOKKEEPING,
    ImportRecord,
    ImportSource,
    first_label,
    json_type,
    label,
    list_in,
    object_in,
    refusing,
    skip,
)
from .json_pieces import read_objects
from .message_content import ToolCall, ToolResult, parse_arguments
from .timestamps import find_time

# OpenAI Responses transcripts: responses with their output, and lists of items.
#
# Imported are messages and what tools gave back, of functions and of the built-in tools alike. The
# instructions and reasoning are left out unless a conversation holds nothing else; approvals, lists
# of tools, references and compactions are bookkeeping and are always left out. Responses that go on
# from one another share a session: the conversation's id, or the id of the first of them.

#: Tools whose item holds arguments and result: the fields of both.
_BUILT_IN_TOOLS = {
    "mcp_call": ("arguments", "output"),
    "web_search_call": ("action", "results"),
    "file_search_call": ("queries", "results"),
    "code_interpreter_call": ("code", "outputs"),
    "image_generation_call": ("revised_prompt", "result"),
}
_ARGUMENTS = ("arguments", "input", "action", "actions", "operation")
_BOOKKEEPING = frozenset(
    {"mcp_list_tools", "mcp_approval_request", "mcp_approval_response", "item_reference"}
    | {"compaction", "compaction_trigger", "additional_tools", "program", "program_output"}
    | {"tool_search_call", "tool_search_output", "ghost_snapshot"}
)
#: Fields that become parts of the event; all others are kept as metadata.
_READ_OF_ITEM = frozenset(
    {"type", "id", "role", "content", "call_id", "name", "output", "summary", "encrypted_content"}
)
_READ_OF_RESPONSE = frozenset(
    {"object", "id", "created_at", "input", "output", "items", "data", "instructions"}
    | {"conversation", "previous_response_id", "output_text", "first_id", "last_id", "has_more"}
)


class ResponsesTranscript:
    """One file while it is read, in the form of a format.

    `counts` are the items of each session so far, `keys` the sessions of responses, and
    `item_ids` the ids of items: a response's input often repeats what an earlier one put out.
    """

    def __init__(self, name: str, format_name: str = "openai_responses") -> None:
        self.name, self.sessions = name, Conversations(format_name)
        self.counts = Counter[str]()
        self.keys: dict[str, str] = {}
        self.item_ids: set[str] = set()

    def response(
        self, where: str, fields: Mapping[str, Json], fallback: str
    ) -> Iterator[ImportRecord]:
        """Yield what a response holds, or a list of items: first its input, then its output."""
        items = _items(fields)
        session = self.sessions[self._key(fields, fallback)]
        ts, _ = find_time(fields)
        session.set_metadata(unused_fields(fields, _READ_OF_RESPONSE))
        position = MessagePosition(where, f"{session.key}/instructions", ts)
        session.set_aside(position, EventKind.MANUAL_INGEST, fields.get("instructions"))
        for number, (item, own) in enumerate(items, start=1):
            place = f"{where} item {number}"
            if own or not (isinstance(item, dict) and first_label(item, "id") in self.item_ids):
                yield from refusing(place, self.item(session, place, item, ts if own else None))

    def item(
        self, session: ConversationReader, where: str, item: Json, ts: str | None
    ) -> Iterator[ImportRecord]:
        """Yield what one item holds; `InvalidInput` when it is malformed."""
        self.counts[session.key] += 1
        if not isinstance(item, dict):
            raise InvalidInput(f"is {json_type(item)}: an item with a type is needed")
        id = first_label(item, "id") or f"{session.key}/{self.counts[session.key] - 1}"
        self.item_ids.add(id)
        own, name = find_time(item)
        metadata = unused_fields(item, _READ_OF_ITEM | {name or ""})
        yield from item_records(session, MessagePosition(where, id, own or ts, metadata), item)

    def _key(self, fields: Mapping[str, Json], fallback: str) -> str:
        conversation, own = fields.get("conversation"), first_label(fields, "id")
        if isinstance(conversation, dict):
            conversation = conversation.get("id")
        before = first_label(fields, "previous_response_id")
        key = first_label({"id": conversation}, "id")
        if key is None:
            key = self.keys.get(before, before) if before else own or fallback
        if own:
            self.keys[own] = key
        return key


def read_responses(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield one record a message or result, in the order of the items.

    Items have their own ids, or else "<session>/<index>".
    """
    name = stem(source)
    transcript = ResponsesTranscript(name)

    def read_object(where: str, fields: dict[str, Json], number: int) -> Iterator[ImportRecord]:
        if "type" in fields or "role" in fields:
            return transcript.item(transcript.sessions[name], where, fields, None)
        return transcript.response(where, fields, numbered(name, number))

    yield from read_objects(source, read_object)
    yield from transcript.sessions.finish()


def _items(fields: Mapping[str, Json]) -> list[tuple[Json, bool]]:
    """Return the items of a response, with whether each is its own: its input came before it."""
    given = fields.get("input")
    before = [{"role": "user", "content": given}] if isinstance(given, str) else given
    name = next((n for n in ("output", "items", "data") if n in fields), "output")
    items = fields.get(name)
    if items is None and isinstance(before, list):
        items = []
    if not isinstance(items, list):
        raise InvalidInput(f"{name} is {json_type(items)}: a list of items is needed")
    asked = before if isinstance(before, list) else []
    return [*((item, False) for item in asked), *((item, True) for item in items)]


def item_records(
    session: ConversationReader, place: MessagePosition, item: Mapping[str, Json]
) -> Iterator[ImportRecord]:
    """Yield what one item holds; `InvalidInput` when it is malformed."""
    kind = item.get("type", "message")
    if not isinstance(kind, str):
        raise InvalidInput(f"type is {json_type(kind)}: message or function_call is needed")
    if kind in _BOOKKEEPING:
        yield skip(place.where, BOOKKEEPING)
        return
    if kind == "message":
        role = SYSTEM if item.get("role") == "developer" else item.get("role")
        yield from session.turn(place, role, item.get("content"), first_label(item, "name"))
    elif kind == "reasoning":
        session.set_aside(place, EventKind.ASSISTANT_MESSAGE, [item])
    elif kind in _BUILT_IN_TOOLS:
        yield from _built_in_call(session, place, item, kind)
    elif kind.endswith("_output"):
        yield from session.result(place, _item_answer(item))
    elif kind.endswith("_call"):
        args = next((item[name] for name in _ARGUMENTS if item.get(name) is not None), None)
        id = label(item, "call_id" if item.get("call_id") is not None else "id")
        session.add_call(ToolCall(place.where, _tool(item, kind), parse_arguments(args), id))
    else:
        raise InvalidInput(f"type is {kind[:80]!r}: it is not a known item")


def _item_answer(item: Mapping[str, Json]) -> ToolResult:
    output = item.get("output")
    id = label(item, "call_id" if item.get("call_id") is not None else "id")
    return ToolResult(
        [output] if isinstance(output, dict) else output,
        id,
        first_label(item, "name"),
        True if item.get("status") == "failed" else None,
    )


def _built_in_call(
    session: ConversationReader, place: MessagePosition, item: Mapping[str, Json], kind: str
) -> Iterator[ImportRecord]:
    """Yield the result of a built-in tool; a picture that it made becomes an artifact."""
    given, result_field = _BUILT_IN_TOOLS[kind]
    id = first_label(item, "id", "call_id") or place.id
    result, error = item.get(result_field), item.get("error")
    if kind == "image_generation_call" and isinstance(result, str):
        media = f"image/{first_label(item, 'output_format') or 'png'}"
        result = [{"type": "image", "base64": result, "media_type": media}]
    args = parse_arguments(item.get(given))
    args = args if isinstance(args, dict) else {given: args}
    session.add_call(ToolCall(place.where, _tool(item, kind), args, id))
    failed = error is not None or item.get("status") == "failed"
    used = {given, result_field, "error"} if result is None else {given, result_field}
    metadata = {name: value for name, value in place.metadata.items() if name not in used}
    answer = ToolResult(error if result is None else result, id, failed=failed)
    yield from session.result(replace(place, metadata=metadata), answer)


def _tool(item: Mapping[str, Json], kind: str) -> str:
    return first_label(item, "name") or kind.removesuffix("_call")


# Chats: a file holds one conversation, a list of them, one a line as for fine-tuning, or the bare
# messages of one. A result is an error by its first word or its error key, because the format does
# not say.

#: The role of a result that was not kept: its call is answered.
ANSWERED = "answered"
_NAMES = ("conversation_id", "thread_id", "session_id", "custom_id", "id")
_REASONING = ("reasoning_content", "reasoning", "thinking")
#: Fields of a message that become parts of the event; all others are kept as metadata.
_READ = frozenset(
    {"role", "content", "tool_calls", "function_call", "tool_call_id", "refusal", "audio", "failed"}
    | {*_REASONING, "reasoning_details"}
)


def read_chat(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield one record a message of a user, an assistant or a tool, conversation by conversation.

    Messages have the id "<conversation>/<index>". A conversation is named by an id of its own, or
    by the file, with a number from the second one on.
    """
    name, keys = stem(source), ConversationKeys()
    bare = ConversationReader("openai_chat", name)

    def read_object(where: str, fields: dict[str, Json], number: int) -> Iterator[ImportRecord]:
        inner = object_in(fields, "message")
        if "role" in inner:
            ts, of_time = find_time(fields)
            about = unused_fields(fields, frozenset({"message", of_time or ""}))
            fields = {**about, **({"timestamp": ts} if ts else {}), **inner}
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
        metadata = unused_fields(message, _READ_OF_ITEM | {find_time(message)[1] or ""})
        yield from item_records(conversation, replace(place, metadata=metadata), message)
    elif role == "note":
        yield from conversation.message(place, EventKind.MANUAL_INGEST, content)
    elif role == ASSISTANT:
        content, calls = _assistant_content(message), _calls(message)
        yield from conversation.turn(place, role, content, calls=calls)
    elif role in (TOOL, "function"):
        yield from conversation.result(place, _answer(message))
    elif role == ANSWERED:
        conversation.calls.take(_answer(message))
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


# Formats that are read as chats.

Turns = Callable[[dict[str, Json]], Iterable[Mapping[str, Json]]]


@dataclass(frozen=True, slots=True)
class MessageForm:
    """How a format writes conversations: objects with a list of messages, or bare messages.

    `lists` are the names that an object has its messages under, `names` what names a conversation,
    `ids` a message, which has else its number, from `first`; fields in `about` are kept.
    `choose` returns the messages that are read, where not all are, and how many are not.
    `turns` yields a message in OpenAI's form, perhaps as several; of none it is `empty` what it is,
    and `needs` says what a message is.
    """

    name: str
    lists: str
    names: str
    turns: Turns
    ids: str = "id uuid"
    about: str = ""
    first: int = 0
    choose: Callable[[dict[str, Json]], tuple[list[Json], int]] | None = None
    empty: str | None = BOOKKEEPING
    needs: str = "a message"
    unnamed: Callable[[str, int], str] = numbered

    def read(self, source: ImportSource) -> Iterator[ImportRecord]:
        """Yield one record a message, by its own id, or else "<conversation>/<index>"."""
        name, bare, counts = stem(source), Conversations(self.name), Counter[str]()

        def read_object(where: str, fields: dict[str, Json], number: int) -> Iterator[ImportRecord]:
            own = first_label(fields, *self.names.split())
            if self.choose or list_in(fields, *self.lists.split()) is not None:
                return conversation_records(self, own or self.unnamed(name, number), where, fields)
            key = own or name
            counts[key] += 1
            return _form_message(self, bare[key], where, counts[key] - 1, fields)

        yield from read_objects(source, read_object)
        yield from bare.finish()


def conversation_records(
    form: MessageForm, key: str, where: str, fields: dict[str, Json]
) -> Iterator[ImportRecord]:
    """Yield the records of one conversation, whose fields say when it was."""
    given = list_in(fields, *form.lists.split()) or []
    messages, others = form.choose(fields) if form.choose else (given, 0)
    conversation = ConversationReader(form.name, key)
    conversation.ts, _ = find_time(fields)
    conversation.set_metadata({n: fields[n] for n in form.about.split() if fields.get(n)})
    conversation.leave_out("messages on other branches", others)
    for index, message in enumerate(messages):
        at = f"{where} message {index + 1}"
        yield from refusing(at, _form_message(form, conversation, at, index + form.first, message))
    yield from conversation.finish()


def _form_message(
    form: MessageForm, conversation: ConversationReader, where: str, index: int, message: Json
) -> Iterator[ImportRecord]:
    if not isinstance(message, dict):
        raise InvalidInput(f"is {json_type(message)}: {form.needs} is needed")
    turns = list(form.turns(message))
    if not turns and form.empty:
        yield skip(where, form.empty)
    ts, _ = find_time(message) if any("timestamp" not in turn for turn in turns) else (None, None)
    id = first_label(message, *form.ids.split()) or f"{conversation.key}/{index}"
    for number, turn in enumerate(turns):
        dated = {"timestamp": ts, **turn} if ts else turn
        own = f"{id}/{number}" if number else id
        yield from refusing(where, read_message(conversation, where, own, dated))


def call(id: Json, name: Json, args: Json) -> dict[str, Json]:
    """Return a call of a tool in OpenAI's form."""
    return {"id": id, "function": {"name": name, "arguments": args}}


def calling(content: Json, *calls: Json) -> dict[str, Json]:
    """Return a message of an assistant that calls tools, in OpenAI's form."""
    return {"role": ASSISTANT, "content": content, "tool_calls": list(calls)}


def thinking(words: Json) -> list[Json]:
    """Return what a model thought as the content of a message."""
    return [{"type": "reasoning", "reasoning": words}]


def result(id: Json, name: Json, content: Json, *, failed: bool | None = None) -> dict[str, Json]:
    """Return the result of a tool in OpenAI's form; `failed` is None where nothing says it."""
    return {"role": TOOL, "tool_call_id": id, "name": name, "content": content, "failed": failed}
