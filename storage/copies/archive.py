"""Archives: all entries of some spaces of a journal as JSON lines (docs/backup.md has the form).

The first line is the header, the last one counts; between them stands one entry a line, with what
its place in the chain was made of, so that a journal read from it has the same hashes.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import timedelta
from typing import Any

from ...core.calls.cleaning import read_json_object
from ...core.codec import exported_event
from ...core.errors import Damaged, InvalidInput
from ...core.events import encode, encode_as_given, event_of
from ...core.ids import event_id_of, fold, session_id
from ...core.time import Clock, to_text
from ...core.types import EntryKind, Space
from ...core.vocabulary import CORRECTS, Payload
from ..database import Connection, Database
from ..journal import stored_body
from ..statement_loader import sql
from ..store import Store

FORM = 1
_PAGE = 1000
#: Cursors of the passes whose results are entries. What is not in the archive is computed again.
_PASSES = frozenset({"enrichment", "associations", "opinions"})
_HEADER = ("seq", "kind", "id", "key", "stream", "previous", "at", "recorded_at")


#: What a line that is none of an archive raises: here, and where it is written.
_WRONG = (
    *(KeyError, TypeError, ValueError, AttributeError, OverflowError, InvalidInput),
    *(sqlite3.IntegrityError, sqlite3.InterfaceError, sqlite3.ProgrammingError),
)


def archive_lines(store: Store, spaces: Sequence[Space]) -> Iterator[str]:
    """Yield an archive of some spaces, a line at a time, as they are at one moment.

    An entry that was forgotten has its header and no payload. The key of receipts is left out.
    """
    count = 0
    with store.snapshot():
        listed = [_space_object(store, space) for space in spaces]
        yield encode({"meridia_archive": FORM, "spaces": listed})
        for space in spaces:
            scope = store.space(space).space_scope
            for rows in scope.row_parts("archive/entries", _PAGE):
                for row in rows:
                    yield encode_as_given({"space": space} | _entry_object(row))
                count += len(rows)
    yield encode({"entries": count})


def read_archive(
    lines: Iterable[str],
    name: str,
    database: Database,
    clock: Clock,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[Space]:
    """Write an archive called `name` into an empty file; return its spaces.

    Raises `InvalidInput`, with the line, for text that is not an archive, and `Damaged` where it
    ends early. Whether the entries fit their chain is for `verify` to say.
    """
    numbered = enumerate(lines, 1)
    spaces: dict[str, int] = {}
    count, number, ended = 0, 0, False
    with database.writing() as connection:
        try:
            for number, line in numbered:
                fields = read_json_object(line, "what stands there", any_number=True)
                if number == 1:
                    spaces = _create_spaces(connection, fields, clock)
                elif "entries" in fields:
                    ended = fields["entries"] == count
                else:
                    _write_entry(connection, spaces[fields["space"]], fields)
                    count += 1
                if count % _PAGE == 0:
                    progress(count, 0)
        except _WRONG as error:
            raise InvalidInput(
                f"{name}, line {number} is not a line of an archive ({_reason(error)}); "
                "`meridia export` writes archives, `meridia import` reads everything else"
            ) from None
        if not ended:
            raise Damaged(f"{name} has {count} entries and no end: it was cut off, or changed")
        for space in spaces.values():
            connection.execute(sql("archive/note_forgettings"), (space,))
    return [Space(space) for space in spaces]


def _reason(error: Exception) -> str:
    """Return what is wrong with a line, in words for one who did not write it."""
    if isinstance(error, OverflowError):
        return "a number in it is too large"
    return f"{error} is missing" if isinstance(error, KeyError) else str(error)


def events(
    store: Store, space: Space, person: str | None, session: str | None
) -> Iterator[Payload]:
    """Yield the events of a space that were not forgotten, in order, as `capture` takes them."""
    stream = session and session_id(space, session)
    after = 0
    while entries := store.journal.read(space, after, _PAGE):
        after = entries[-1].seq
        for entry in entries:
            if entry.kind is not EntryKind.EXPERIENCE_CAPTURED or entry.payload is None:
                continue
            event = event_of(entry)
            if person is not None and fold(str(event.get("person") or "")) != fold(person):
                continue
            if stream is None or entry.stream == stream:
                is_undated = "undated" in getattr(entry.payload, "marks", ())
                id, at = event_id_of(entry.key), to_text(entry.at)
                shown = exported_event(event, id, at, is_undated=is_undated)
                yield _with_key_of_corrected(store, space, shown)


def _with_key_of_corrected(store: Store, space: Space, event: Payload) -> Payload:
    """Name the version that an event corrects by what that is called in the export."""
    about = event.get("metadata") or {}
    if not isinstance(before := about.get(CORRECTS), str):
        return event
    for entry in store.journal.by_ids(space, [before]):
        return {**event, "metadata": {**about, CORRECTS: event_id_of(entry.key)}}
    return event


def _space_object(store: Store, space: Space) -> dict[str, Any]:
    state = store.space(space).cursors.state(timedelta(), store.clock())
    passes = {name: list(at) for name, at in state.positions.items() if name in _PASSES}
    head = state.head
    return {"name": space, "seq": head.seq, "hash": head.hash.hex(), "passes": passes}


def _entry_object(row: Sequence[Any]) -> dict[str, Any]:
    *header, payload_hash, hash, salt, body, until, held = row
    fields = dict(zip(_HEADER, header, strict=True))
    fields |= {"payload_hash": payload_hash.hex(), "hash": hash.hex()}
    if body is not None:
        fields |= {"salt": salt.hex(), "payload": json.loads(body)}
    return fields if held is None else fields | {"held": json.loads(held), "held_until": until}


def _create_spaces(connection: Connection, fields: Any, clock: Clock) -> dict[str, int]:
    """Create the spaces that a header names; return their numbers."""
    if fields.get("meridia_archive") != FORM:
        raise ValueError(f"the header does not say meridia_archive {FORM}")
    numbers = {}
    for space in fields["spaces"]:
        values = (space["name"], to_text(clock()))
        number = connection.execute(sql("journal/create_space"), values).lastrowid
        head = {"seq": int(space["seq"]), "hash": bytes.fromhex(space["hash"]), "space": number}
        connection.execute(sql("journal/move_head"), head)
        for name in _PASSES & space["passes"].keys():
            cursor = (number, name, *map(int, space["passes"][name]))
            connection.execute(sql("journal/move_cursor"), cursor)
        numbers[space["name"]] = int(number or 0)
    return numbers


def _write_entry(connection: Connection, space: int, fields: dict[str, Any]) -> None:
    """Write an entry as it was: where it does not fit the chain, verification says so."""
    seq = int(fields["seq"])
    header = (fields[name] for name in _HEADER[1:])
    hashes = (bytes.fromhex(fields["payload_hash"]), bytes.fromhex(fields["hash"]))
    connection.execute(sql("journal/append_entry"), (space, seq, *header, *hashes))
    if "payload" in fields:
        body = stored_body(EntryKind(fields["kind"]), encode_as_given(fields["payload"]))
        stored = (space, seq, bytes.fromhex(fields["salt"]), body)
        connection.execute(sql("journal/append_payload"), stored)
    if "held" in fields:
        held = (space, seq, fields["held_until"], encode_as_given(fields["held"]))
        connection.execute(sql("provisional/hold"), held)
