"""Lists of messages in a form of their own, read by mapping each message to OpenAI's form.

A format says where its messages stand, what names the conversation, and how one message is
written: as one or several of role, content, calls and results. All else is what OpenAI chats do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from ....core.errors import InvalidInput
from ....core.types import Json
from ..conversation_reader import (
    ConversationReader,
    Conversations,
    first_label,
    numbered,
    stem,
)
from ..import_record import (
    BOOKKEEPING,
    ImportFormat,
    ImportRecord,
    ImportSource,
    json_type,
    list_in,
    refusing,
    skip,
)
from ..json_pieces import read_objects
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


def _read(form: MessageForm, source: ImportSource) -> Iterator[ImportRecord]:
    """Yield one record a message, by its own id, or else "<conversation>/<index>"."""
    name, bare, counts = stem(source), Conversations(form.name), Counter[str]()

    def read_object(where: str, fields: dict[str, Json], number: int) -> Iterator[ImportRecord]:
        messages, own = list_in(fields, *form.lists), first_label(fields, *form.names)
        if messages is not None:
            return conversation_records(
                form, own or numbered(name, number), where, fields, messages
            )
        key = own or name
        counts[key] += 1
        return _message(form, bare[key], where, counts[key] - 1, fields)

    yield from read_objects(source, read_object)
    yield from bare.finish()


def conversation_records(
    form: MessageForm, key: str, where: str, holder: Mapping[str, Json], messages: Sequence[Json]
) -> Iterator[ImportRecord]:
    """Yield the records of one conversation, which `holder` says when it was."""
    conversation = ConversationReader(form.name, key)
    conversation.ts, _ = find_time(holder)
    for index, message in enumerate(messages):
        at = f"{where} message {index + 1}"
        yield from refusing(at, _message(form, conversation, at, index, message))
    yield from conversation.finish()


def _message(
    form: MessageForm, conversation: ConversationReader, where: str, index: int, message: Json
) -> Iterator[ImportRecord]:
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
        yield from refusing(where, read_message(conversation, where, own, dated))


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
    return ImportFormat(form.name, description, partial(_read, form), recognises)
