"""ShareGPT: conversations whose turns say from whom they are, and their value.

System turns are set aside. A `function_call`, or a call marked in what the assistant said, waits
for its `observation` or `tool` turn; where the value of a call is no object with a name, it is what
the assistant said.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from ....core.errors import InvalidInput
from ....core.types import Json
from ..conversation_reader import (
    ConversationKeys,
    ConversationReader,
    MessagePosition,
    first_label,
    numbered,
    stem,
    unused_fields,
)
from ..import_options import ASSISTANT, SYSTEM, TOOL, USER, role_of
from ..import_record import (
    ImportFormat,
    ImportRecord,
    ImportSource,
    json_type,
    list_in,
    refusing,
)
from ..json_pieces import read_objects
from ..message_content import ToolResult, parse_arguments, read_call
from ..timestamps import find_time

_LISTS = ("conversations", "conversation", "items")
_NAMES = ("id", "conversation_id")
_CALLS = frozenset({"function_call", "tool_call"})
_RESULTS = frozenset({"function_response", "observation"})
#: How functions are called, and answer, within what is said: a convention of many data sets.
_MARKED_CALL = re.compile(r"<tool_call>\s*+(\{.*?\})\s*</tool_call>", re.DOTALL)
_MARKED_RESULT = re.compile(r"<tool_response>\s*+(.*?)\s*</tool_response>", re.DOTALL)
#: The name of a tool whose call names none.
_TOOL = "tool"


def read(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield one record a turn, by the id "<conversation>/<index>"."""
    name, keys = stem(source), ConversationKeys()

    def read_object(where: str, fields: dict[str, Json], number: int) -> Iterator[ImportRecord]:
        if (turns := list_in(fields, *_LISTS)) is None:
            raise InvalidInput("holds no list of conversations: one is needed")
        key = first_label(fields, *_NAMES)
        fallback = numbered(name, number)
        key = fallback if key is None else f"{name}/{key}" if key.isdecimal() else key
        conversation = ConversationReader("sharegpt", keys.key_of(key, turns))
        conversation.set_metadata(unused_fields(fields, frozenset({*_LISTS, *_NAMES, "tools"})))
        conversation.ts, _ = find_time(fields)
        pending: list[str] = []
        for index, turn in enumerate(turns):
            place = MessagePosition(f"{where} turn {index + 1}", f"{conversation.key}/{index}")
            yield from refusing(place.where, _turn(pending, conversation, place, turn))
        yield from conversation.finish()

    return read_objects(source, read_object)


def _turn(
    pending: list[str], conversation: ConversationReader, place: MessagePosition, turn: Json
) -> Iterator[ImportRecord]:
    if not isinstance(turn, dict):
        raise InvalidInput(f"is {json_type(turn)}: a turn with from and value is needed")
    word = first_label(turn, "from", "role")
    value = turn.get("value", turn.get("content"))
    place = MessagePosition(place.where, place.id, find_time(turn)[0])
    role = role_of(word or "")
    if role == ASSISTANT or word in _CALLS:
        value, calls = _without_calls(value, is_call=word in _CALLS)
        pending.extend(str(call["name"]) for call in calls)
        for call in calls:
            conversation.add_call(read_call(call, place.where))
        if value or not calls:
            yield from conversation.turn(place, ASSISTANT, value)
    elif role == TOOL or word in _RESULTS:
        for number, result in enumerate(_results(value)):
            name = first_label(turn, "name") or (pending.pop(0) if pending else _TOOL)
            yield from conversation.result(place.numbered(number), ToolResult(result, None, name))
    elif role in (SYSTEM, USER):
        yield from conversation.turn(place, role, value, first_label(turn, "name"))
    elif word:
        yield from conversation.turn(place, USER, value, word)
    else:
        raise InvalidInput("from is missing: human, gpt, system or a name is needed")


def _call(value: Json) -> Mapping[str, Json] | None:
    """Return the call that a value spells out, if it names a tool."""
    call = parse_arguments(value)
    return call if isinstance(call, dict) and isinstance(call.get("name"), str) else None


def _without_calls(value: Json, *, is_call: bool) -> tuple[Json, list[Mapping[str, Json]]]:
    """Return what an assistant said without the calls in it, and the calls."""
    if is_call and (whole := _call(value)):
        return None, [whole]
    calls: list[Mapping[str, Json]] = []

    def take(match: re.Match[str]) -> str:
        if call := _call(match[1]) or _call(_literal(match[1])):
            calls.append(call)
        return "" if call else match[0]

    if isinstance(value, str) and "<tool_call>" in value:
        value = _MARKED_CALL.sub(take, value).strip()
    return value, calls


def _literal(text: str) -> Json:
    """Return what text spells out as Python writes it, or None."""
    try:
        value: Json = ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None
    return value


def _results(value: Json) -> list[Json]:
    """Return the results that are marked in a turn of a tool, or its whole value."""
    marked = _MARKED_RESULT.findall(value) if isinstance(value, str) else []
    return marked or [value]


def _recognises(keys: frozenset[str]) -> bool:
    turns = ("from", "value", "role", "content")
    lists = {f"{key}.{name}" for key in ("conversations", "items") for name in turns[:2]}
    return not keys.isdisjoint(lists | {f"conversations.{name}" for name in turns})


FORMAT = ImportFormat(
    name="sharegpt",
    description="ShareGPT: objects with conversations of turns with from and value",
    recognises=_recognises,
    read=read,
)
