"""Lists of messages in a form of their own, read by mapping each message to OpenAI's form.

A format says where its messages stand, what names the conversation, and how one message is
written: as one or several of role, content, calls and results. All else is what OpenAI chats do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from ....core.errors import InvalidInput
from ....core.types import Json
from ..conversation_reader import ConversationReader, first_label, split_input, stem
from ..import_record import (
    BOOKKEEPING,
    ImportFormat,
    ImportLimits,
    ImportRecord,
    ImportSource,
    json_type,
    reject,
    skip,
)
from ..json_pieces import parse_objects
from ..openai_chat import read_message
from ..timestamps import find_time

Turns = Callable[[Mapping[str, Json]], Iterator[Mapping[str, Json]]]


@dataclass(frozen=True, slots=True)
class MessageForm:
    """How a format writes conversations.

    `lists` are the names that an object has its messages under, `names` what names a conversation.
    `turns` yields a message in OpenAI's form, perhaps as several; nothing for bookkeeping.
    """

    name: str
    lists: tuple[str, ...]
    names: tuple[str, ...]
    turns: Turns


def reader_of(form: MessageForm) -> Callable[[ImportSource, ImportLimits], Iterator[ImportRecord]]:
    """Return what reads a file in a form."""
    return partial(_read, form)


def _read(form: MessageForm, source: ImportSource, limits: ImportLimits) -> Iterator[ImportRecord]:
    """Yield one record a message, by its own id, or else "<conversation>/<index>"."""
    name = stem(source)
    bare: dict[str, ConversationReader] = {}
    counts: dict[str, int] = {}
    for number, item in enumerate(parse_objects(split_input(source, limits))):
        if isinstance(item, ImportRecord):
            yield item
            continue
        where, fields = item
        messages = next((fields[n] for n in form.lists if isinstance(fields.get(n), list)), None)
        own = first_label(fields, *form.names)
        if messages is None:
            key = own or name
            conversation = bare.setdefault(key, ConversationReader(form.name, key, limits))
            index = counts[key] = counts.get(key, -1) + 1
            yield from _message(form, conversation, where, index, fields)
            continue
        key = own or (f"{name}/{number + 1}" if number else name)
        yield from conversation_records(form, key, where, fields, messages, limits)
    for conversation in bare.values():
        yield from conversation.finish()


def conversation_records(
    form: MessageForm,
    key: str,
    where: str,
    holder: Mapping[str, Json],
    messages: Sequence[Json],
    limits: ImportLimits,
) -> Iterator[ImportRecord]:
    """Yield the records of one conversation, which `holder` says when it was."""
    conversation = ConversationReader(form.name, key, limits)
    conversation.ts, _ = find_time(holder, "startTime")
    for index, message in enumerate(messages):
        at = f"{where} message {index + 1}"
        yield from _message(form, conversation, at, index, message)
    yield from conversation.finish()


def _message(
    form: MessageForm, conversation: ConversationReader, where: str, index: int, message: Json
) -> Iterator[ImportRecord]:
    try:
        if not isinstance(message, dict):
            raise InvalidInput(f"is {json_type(message)}: a message is needed")
        turns = list(form.turns(message))
        if not turns:
            yield skip(where, BOOKKEEPING)
        ts, _ = find_time(message)
        id = first_label(message, "id", "uuid") or f"{conversation.key}/{index}"
        for number, turn in enumerate(turns):
            dated = {"timestamp": ts, **turn} if ts else turn
            own = f"{id}/{number}" if number else id
            yield from read_message(conversation, where, own, dated)
    except InvalidInput as error:
        yield reject(where, str(error))


def call(id: Json, name: Json, args: Json) -> dict[str, Json]:
    """Return a call of a tool in OpenAI's form."""
    return {"id": id, "function": {"name": name, "arguments": args}}


def result(id: Json, name: Json, content: Json, *, failed: bool | None = None) -> dict[str, Json]:
    """Return the result of a tool in OpenAI's form; `failed` is None where nothing says it."""
    turn = {"role": "tool", "tool_call_id": id, "name": name, "content": content}
    return {**turn, "failed": failed} if failed is not None else turn


def form_format(
    form: MessageForm, description: str, recognises: Callable[[frozenset[str]], bool]
) -> ImportFormat:
    """Return the format of a form."""
    return ImportFormat(form.name, description, recognises, reader_of(form))
