"""Messages as rows of CSV tables, or as objects of JSON that no program we know has written.

A row is a message, its columns are told by their names or by what they hold. The first row names
the columns; `--map COLUMN=FIELD` names the field of a column that is called otherwise. A row
without a role is said by the person it names. Columns that no field takes are kept as metadata;
values that a row lacks at its end are empty.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING

from ...core.errors import InvalidInput
from ...core.events import EventKind
from ...core.types import Json
from ...language.word_lists import word_rows
from .conversation_reader import (
    ConversationReader,
    Conversations,
    MessagePosition,
    read_text,
    stem,
)
from .import_options import ASSISTANT, FIELDS, SYSTEM, TOOL, USER, role_of
from .import_record import EMPTY, ImportRecord, ImportSource, refusing, reject, skip
from .json_pieces import read_objects
from .timestamps import (
    TIME_FIELDS,
    DayOrder,
    either_way,
    find_time,
    folded,
    in_order,
    parse_timestamp,
)

if TYPE_CHECKING:
    from _csv import Reader as CsvReader

_DELIMITERS = (",", ";", "\t", "|")
#: What columns are called, however it is written; the first that is there is the field.
_COLUMNS = word_rows("columns")
_COLUMNS["at"] = ("at", *TIME_FIELDS, *_COLUMNS["at"])
#: So many rows say what columns of other names hold.
_SAMPLE_ROWS = 50
#: A name has so many words at most, and a text so many on average.
_NAME_WORDS_MAX, _TEXT_WORDS_MIN = 4, 2.5
_DIGIT = re.compile(r"\d")


def read(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield one record a row, by its own id, or else "<file>/<number>"."""
    try:
        text = read_text(source)
        if not text.strip():
            return
        csv.field_size_limit(source.bytes_max)
        header, fields = _columns(text, source.mapping)
        source.matched.update(header)
        rows = _rows(text)
        day_first = _day_first(source, text, header, fields)
        next(rows, None)
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
            values, rest = _row(header, row, fields)
            at = values.get("at")
            if at and (date := either_way(at)):
                at = in_order(date, day_first=day_first)
            id = values.get("id", f"{stem(source)}/{number}")
            place = MessagePosition(where, id, parse_timestamp(at), rest)
        except (InvalidInput, csv.Error) as error:
            yield reject(where, str(error))
            continue
        session = sessions[values.get("session") or stem(source)]
        yield from _take_row(session, place, values, source.mapping)
    yield from sessions.finish()


def _row(
    header: list[str], row: list[str], fields: Mapping[str, str]
) -> tuple[dict[str, str], dict[str, Json]]:
    """Return the fields of a row by their names, and the columns that no field takes."""
    if len(row) > len(header):
        raise InvalidInput(
            f"has {len(row)} values, but the first row names {len(header)} columns: "
            "quote values that contain the separator"
        )
    given = {column: value for column, value in zip(header, row, strict=False) if value.strip()}
    values = {field: given[column] for field, column in fields.items() if column in given}
    if clock := values.pop("clock", None):
        values["at"] = " ".join(filter(None, (values.get("at"), clock)))
    read_columns = frozenset(fields.values())
    return values, {name: value for name, value in given.items() if name not in read_columns}


def _take_row(
    session: ConversationReader,
    place: MessagePosition,
    values: Mapping[str, str],
    mapping: Mapping[str, str],
) -> Iterator[ImportRecord]:
    """Yield what a row of values says, whose role may stand where its person does."""
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


def _rows(text: str) -> CsvReader:
    header = text.lstrip("\n").partition("\n")[0]
    return csv.reader(io.StringIO(text), delimiter=max(_DELIMITERS, key=header.count))


def _columns(text: str, mapping: Mapping[str, str]) -> tuple[list[str], dict[str, str]]:
    """Return the columns, and field → column. `InvalidInput` where no column holds the text."""
    header, fields = _guess(text, mapping)
    if len(set(header)) < len(header):
        raise InvalidInput("names a column twice: rename one")
    clock = next((column for column in header if folded(column) == "time"), "")
    if clock and folded(fields.get("at", "")) == "date":
        fields["clock"] = clock
    if "text" not in fields:
        raise InvalidInput(
            f"no column is known as text, of {', '.join(header)}: name it with --map COLUMN=text"
        )
    return header, fields


def _guess(text: str, mapping: Mapping[str, str]) -> tuple[list[str], dict[str, str]]:
    """Return the columns, and field → column, by their names or else by what they hold."""
    rows = _rows(text)
    header = [column.strip() for column in next(rows, [])]
    held: dict[str, list[str]] = {column: [] for column in header}
    with suppress(csv.Error):
        for row in islice(rows, _SAMPLE_ROWS):
            for column, value in zip(header, row, strict=False):
                held[column] += [value.strip()] if value.strip() else []
    fields = {}
    called: dict[str, list[str]] = {}
    for column in header:
        if mapping.get(column) not in FIELDS:
            called.setdefault(folded(column), []).append(column)
    for field, names in _COLUMNS.items():
        chosen = [column for column in header if mapping.get(column) == field]
        usual = [column for name in names for column in called.get(name, ())]
        if field == "at":
            usual = [column for column in usual if _are_times(held[column])] or usual[:1]
        if chosen or usual:
            fields[field] = (chosen or usual)[0]
    if "text" in fields and ("person" in fields or "role" in fields):
        return header, fields
    left = {column: values for column, values in held.items() if column not in fields.values()}
    given = fields.get("at") or next((c for c, values in left.items() if _are_times(values)), None)
    left.pop(given or "", None)
    longest = max(left, key=lambda column: _words(left[column]), default=None)
    said = fields.get("text") or (longest if _words(left.get(longest or "", [])) else None)
    left.pop(said or "", None)
    who = fields.get("person") or next((c for c, values in left.items() if _recur(values)), None)
    if given and said and who and _recur(held[who]):
        return header, {**fields, "at": given, "text": said, "person": who}
    return header, fields


def _words(values: Sequence[str]) -> float:
    """Return the words of a value on average; 0 for what is too short to be said."""
    words = sum(len(value.split()) for value in values) / max(len(values), 1)
    return words if words >= _TEXT_WORDS_MIN else 0


def _recur(values: Sequence[str]) -> bool:
    """Whether values are names of people who speak again."""
    return 1 < len(set(values)) < len(values) and all(
        not value[0].islower()
        and len(value.split()) <= _NAME_WORDS_MAX
        and not _DIGIT.search(value)
        for value in values
    )


def _are_times(values: Sequence[str]) -> bool:
    times = sum(bool(either_way(value)) or _is_time(value) for value in values)
    return bool(values) and 2 * times > len(values)


def _is_time(value: str) -> bool:
    try:
        return parse_timestamp(value) is not None
    except InvalidInput:
        return False


def _day_first(
    source: ImportSource, text: str, header: list[str], fields: Mapping[str, str]
) -> bool:
    """Return whether the day comes first in dates that could be either; it is said then."""
    order = DayOrder()
    column = header.index(fields["at"]) if "at" in fields else len(header)
    for row in _rows(text):
        if column < len(row) and (date := either_way(row[column])):
            order.add(date)
    day_first, remark = order.day_first()
    source.remarks += [remark] if remark else []
    return day_first


def recognises_text(head: str) -> bool:
    """Return whether a text begins as a table of messages."""
    try:
        _, fields = _guess(head.lstrip(), {})
    except csv.Error:
        return False
    return "text" in fields and ("person" in fields or "role" in fields)


# JSON of messages or notes that no format of its own describes: of apps, threads, scripts.
#
# A message has a text, who wrote it and when, each under a usual name of a field, or within an
# object there (`author.login`, `content.body`). What has a title and nobody who wrote it is a note.
# Messages in a list within a message belong to its session, such as the comments of an issue.

_TEXTS = (*_COLUMNS["text"], "textcontent", "plaintext", "fulltext", "note", "listcontent")
#: What a text is called within what holds one.
_WORDS = (*_TEXTS, "data", "memory", "fact")
_TITLES = ("title", "subject", "topic", "headline")
#: What a person is called within what tells of one.
_NAMES = (
    *("displayname", "fullname", "realname", "name", "login", "username", "screenname"),
    *("nickname", "nick", "handle", "user", "email", "address"),
)
_PEOPLE = (*_COLUMNS["person"], "createdby", "postedby", "actor")
#: What says that somebody deleted it, and what only lines of a log have.
_DELETED = frozenset({"istrashed", "trashed", "isdeleted", "deleted"})
_OF_LOGS = frozenset({"level", "severity", "loglevel", "levelname"})
#: Where it stands in a recording, as programs that write down speech tell it.
_IN_RECORDING = {"start", "end"}
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
#: Words in the name of a time, and of a time at which nobody wrote.
_WHEN = frozenset("time timestamp date datetime at ts when created sent posted".split())
_NOT_THEN = frozenset("expires expiry expiration due deleted until end ends birth read".split())


def read_json(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield one record a message or note, by the id "<file>/<its own id, or its number>"."""
    sessions = Conversations("json")

    def read_object(where: str, fields: dict[str, Json], number: int) -> Iterator[ImportRecord]:
        return _records(source, sessions, where, fields, str(number + 1))

    yield from read_objects(source, read_object)
    yield from sessions.finish()


def _records(
    source: ImportSource, sessions: Conversations, where: str, fields: dict[str, Json], number: str
) -> Iterator[ImportRecord]:
    """Yield a message, or note, and those in lists within it."""
    text, person = _text_in(fields, _TEXTS, _WORDS), _text_in(fields, _PEOPLE, _NAMES)
    title, key = _text_in(fields, _TITLES, ()), _text_in(fields, _COLUMNS["session"], ("id",))
    own = _text_in(fields, (*_COLUMNS["id"], "key"), ()) or number
    place = MessagePosition(where, f"{stem(source)}/{own}", _time_of(fields))
    session = sessions[key or stem(source)]
    if any(value for name, value in fields.items() if folded(name) in _DELETED):
        yield skip(where, "deleted messages")
        return
    inner = [
        (at, item)
        for value in fields.values()
        for at, item in enumerate(value if isinstance(value, list) else (), start=1)
        if isinstance(item, dict) and is_message(frozenset(item))
    ]
    text = "\n".join(filter(None, (title, text)))
    if person and text:
        values = {"text": text, "person": person}
        yield from refusing(where, _take_row(session, place, values, source.mapping))
    elif not text:
        yield skip(where, EMPTY)
    elif title or not inner:  # else it says what they say together
        yield from session.message(place, EventKind.MANUAL_INGEST, text)
    for at, item in inner:
        of_it = {_COLUMNS["session"][0]: session.key, **item}
        yield from _records(source, sessions, where, of_it, f"{own}/{at}")


def _text_in(value: Json, names: tuple[str, ...], within: tuple[str, ...]) -> str:
    """Return the text that a value is, that its items are, or that it has under one of the names.

    What a name has that is no text itself is looked at in the same way, by the names `within`.
    """
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        return str(value).strip()
    if isinstance(value, list):
        return "\n".join(filter(None, (_text_in(item, within, within) for item in value)))
    if not isinstance(value, dict):
        return ""
    called = {folded(name): inner for name, inner in value.items()}
    found = (_text_in(called[name], within, within) for name in names if name in called)
    return next(filter(None, found), "")


def _time_of(fields: Mapping[str, Json]) -> str | None:
    """Return when it was written: under a usual name, or else the first of its times."""
    if ts := find_time(fields)[0]:
        return ts
    times = []
    for name, value in fields.items():
        if _names_time(name):
            try:
                times.append(parse_timestamp(value))
            except InvalidInput:
                continue
    return min(filter(None, times), default=None)


def _names_time(name: str) -> bool:
    words = {word.lower() for word in _WORD.findall(name)}
    return not words.isdisjoint(_WHEN) and words.isdisjoint(_NOT_THEN)


def is_message(keys: frozenset[str]) -> bool:
    """Whether keys of an object name a text, a time, and either who said it or a title."""
    names = {folded(key) for key in keys if "." not in key and "=" not in key}
    about = names & {*_PEOPLE, *_TITLES}
    # What a text or a person is called may be one and the same word.
    said = bool(about) and bool(names & {*_TEXTS}) and len(names & {*_TEXTS} | about) > 1
    is_timed = names >= _IN_RECORDING or any(_names_time(key) for key in keys if "." not in key)
    return said and is_timed and not names & _OF_LOGS
