"""CSV tables of messages: one row a message, the columns told by their names.

The first row names the columns; `--map COLUMN=FIELD` names the field of a column that is called
otherwise. A row without a role is said by the person it names. Columns that no field takes are
kept as metadata.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping

from ....core.errors import InvalidInput
from ....core.types import Json
from ..conversation_reader import (
    ConversationReader,
    Conversations,
    MessagePosition,
    read_text,
    stem,
)
from ..import_options import ASSISTANT, FIELDS, SYSTEM, TOOL, USER, role_of
from ..import_record import ImportFormat, ImportRecord, ImportSource, reject
from ..timestamps import TIME_FIELDS, folded, parse_timestamp

_DELIMITERS = (",", ";", "\t", "|")
#: What columns are called, however it is written; the first that is there is the field.
_COLUMNS: dict[str, tuple[str, ...]] = {
    "text": ("text", "message", "content", "body", "utterance", "value", "msg"),
    "person": ("person", "speaker", "name", "author", "sender", "user", "username", "from"),
    "role": ("role", "sendertype", "type"),
    "at": ("at", *TIME_FIELDS, "when"),
    "session": ("session", "sessionid", "conversation", "conversationid", "thread", "channel"),
    "id": ("id", "messageid", "uuid"),
    "tool_name": ("tool", "toolname"),
}
#: Without one of these beside the text, a table is no conversation.
_SPEAKERS = frozenset({*_COLUMNS["person"], *_COLUMNS["role"]})


def read(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield one record a row, by its own id, or else "<file>/<number>"."""
    try:
        text = read_text(source)
        if not text.strip():
            return
        csv.field_size_limit(source.bytes_max)
        rows = csv.reader(io.StringIO(text), delimiter=_delimiter(text))
        header = [column.strip() for column in next(rows, [])]
        fields = _fields(header, source.mapping)
        source.matched.update(header)
    except (InvalidInput, csv.Error) as error:
        yield reject(source.name, str(error))
        return
    sessions = Conversations("csv")
    number = 0
    while True:
        where = f"{source.name} line {rows.line_num + 1}"
        try:
            if (row := next(rows, None)) is None:
                break
            if not any(row):
                continue
            number += 1
            place, values = _row(where, f"{stem(source)}/{number}", header, row, fields)
        except (InvalidInput, csv.Error) as error:
            yield reject(where, str(error))
            continue
        session = sessions[values.get("session") or stem(source)]
        yield from _message(session, place, values, source.mapping)
    yield from sessions.finish()


def _row(
    where: str, fallback: str, header: list[str], row: list[str], fields: Mapping[str, str]
) -> tuple[MessagePosition, dict[str, str]]:
    if len(row) != len(header):
        raise InvalidInput(
            f"has {len(row)} values, but the first row names {len(header)} columns: "
            "quote values that contain the separator"
        )
    given = {column: value for column, value in zip(header, row, strict=True) if value.strip()}
    values = {field: given[column] for field, column in fields.items() if column in given}
    read_columns = frozenset(fields.values())
    rest: dict[str, Json] = {n: v for n, v in given.items() if n not in read_columns}
    id = values.get("id", fallback)
    at = " ".join(filter(None, (values.get("at"), values.get("clock")))) or None
    return MessagePosition(where, id, parse_timestamp(at), rest), values


def _message(
    session: ConversationReader,
    place: MessagePosition,
    values: Mapping[str, str],
    mapping: Mapping[str, str],
) -> Iterator[ImportRecord]:
    person, text = values.get("person"), values.get("text", "")
    named = person is None or person in mapping or role_of(person) is None
    word = values.get("role") or ("" if named else person or "")
    role = role_of(word)
    if role == TOOL:
        name = values.get("tool_name") or (person if named else None) or word.lower()
        yield from session.turn(place, TOOL, text, name)
    elif role in (SYSTEM, ASSISTANT):
        yield from session.turn(place, role, text)
    elif word and role is None and word not in mapping:
        yield reject(
            place.where,
            f"role is {word[:80]!r}: user, assistant, tool or system is needed, or --map it",
        )
    else:
        person = (person if named else None) if role == USER else person or word or None
        yield from session.turn(place, USER, text, person)


def _delimiter(text: str) -> str:
    header = text.lstrip("\n").partition("\n")[0]
    return max(_DELIMITERS, key=header.count)


def _fields(header: list[str], mapping: Mapping[str, str]) -> dict[str, str]:
    """Return field → column. `InvalidInput` where no column holds the text."""
    if len(set(header)) < len(header):
        raise InvalidInput("names a column twice: rename one")
    fields = {}
    for field, names in _COLUMNS.items():
        chosen = [column for column in header if mapping.get(column) == field]
        usual = [
            column
            for name in names
            for column in header
            if folded(column) == name and mapping.get(column) not in FIELDS
        ]
        if chosen or usual:
            fields[field] = (chosen or usual)[0]
    clock = next((column for column in header if folded(column) == "time"), "")
    if clock and folded(fields.get("at", "")) == "date":
        fields["clock"] = clock
    if "text" not in fields:
        raise InvalidInput(
            f"no column is known as text, of {', '.join(header)}: name it with --map COLUMN=text"
        )
    return fields


def _recognises_text(head: str) -> bool:
    header = head.lstrip().partition("\n")[0]
    names = {folded(name) for name in header.split(_delimiter(header))}
    return bool(names & {*_COLUMNS["text"]}) and bool(names & _SPEAKERS)


FORMAT = ImportFormat(
    name="csv",
    description="CSV table of messages: the first row names the columns, such as speaker and text",
    read=read,
    recognises_text=_recognises_text,
)
