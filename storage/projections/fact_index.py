"""Index of the journal entries about the facts of each subject.

A projection that never lags. It holds no facts: readers fold them from the entries, in order.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime

from ...core.codec import decode_text
from ...core.entries import FactAsserted, FactEntry, FactSuperseded
from ...core.ids import fold
from ...core.time import from_text
from ...core.types import Entry, EntryKind
from ..database import Connection
from ..space_scope import Row, SpaceScope
from ..statement_loader import sql

#: What was said of a fact, and when it was learned.
RecordedFact = tuple[FactEntry, datetime]


def projection(connection: Connection, space: int, entry: Entry) -> None:
    """File an assertion under its subject, and a supersession under the subject of its fact."""
    subject: str | None
    by: str | None = None
    match entry.payload:
        case FactAsserted(fact=fact, subject_id=id, subject=name):
            subject = subject_key(id, name)
        case FactSuperseded(fact=fact, by_fact=by):
            row = connection.execute(sql("facts/subject"), (space, fact)).fetchone()
            subject = row[0] if row else None
        case _:
            return
    if subject is not None:
        connection.execute(sql("facts/add"), (space, entry.seq, fact, subject, by))


def subject_key(id: str | None, name: str) -> str:
    """Return what facts of one subject are filed under: its id, or else its folded name."""
    return id or fold(name)


class FactIndex:
    """The entries of one space that speak about facts."""

    def __init__(self, space: SpaceScope) -> None:
        self._space = space

    def about(self, subjects: Sequence[str]) -> list[RecordedFact]:
        """Return the entries about some subjects, in order."""
        values = (self._space.number, json.dumps(list(subjects)))
        return _entries(self._space.rows("facts/about", values))

    def related(self, facts: Sequence[str]) -> list[RecordedFact]:
        """Return the entries that say how some facts stand, in order."""
        values = {"space": self._space.number, "facts": json.dumps(list(facts))}
        return _entries(self._space.rows("facts/related", values))

    def list_all(self) -> list[RecordedFact]:
        """Return the entries about all subjects, in order."""
        return _entries(self._space.rows("facts/all", (self._space.number,)))


def clear(connection: Connection, space: int) -> None:
    """Drop a space's files before a rebuild."""
    connection.execute(sql("facts/clear"), (space,))


def _entries(rows: Sequence[Row]) -> list[RecordedFact]:
    return [(_decode(kind, body), from_text(at)) for kind, body, at in rows]


def _decode(kind: str, body: str) -> FactEntry:
    if kind == EntryKind.FACT_ASSERTED:
        return decode_text(FactAsserted, body)
    return decode_text(FactSuperseded, body)
