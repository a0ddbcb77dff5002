"""Which journal entries speak about the facts of which subject.

A projection that never lags. It holds no fact: what is true when, whoever asks folds from the
entries, in order.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime

from ...core.ids import fold
from ...core.time import from_text
from ...core.types import Entry, EntryKind, Payload
from ..database import Connection
from ..space_scope import Row, SpaceScope
from ..statement_loader import sql

#: Kind, payload, and when it was learned.
FactEntry = tuple[str, Payload, datetime]


def projection(connection: Connection, space: int, entry: Entry) -> None:
    """File an assertion under its subject, and a supersession under the subject of its fact."""
    payload = entry.payload
    if payload is None:
        return
    subject = None
    if entry.kind is EntryKind.FACT_ASSERTED:
        subject = subject_key(payload.get("subject_id"), payload["subject"])
    elif entry.kind is EntryKind.FACT_SUPERSEDED:
        row = connection.execute(sql("facts/subject"), (space, payload["fact"])).fetchone()
        subject = row[0] if row else None
    if subject is not None:
        values = (space, entry.seq, payload["fact"], subject)
        connection.execute(sql("facts/add"), values)


def subject_key(id: str | None, name: str) -> str:
    """Return what facts of one subject are filed under: its id, or else its folded name."""
    return id or fold(name)


class FactIndex:
    """The entries of one space that speak about facts."""

    def __init__(self, space: SpaceScope) -> None:
        self._space = space

    def about(self, subjects: Sequence[str]) -> list[FactEntry]:
        """Return what was told about some subjects, in order."""
        values = (self._space.number, json.dumps(list(subjects)))
        return _entries(self._space.rows("facts/about", values))

    def list_all(self) -> list[FactEntry]:
        """Return what was told about anything, in order."""
        return _entries(self._space.rows("facts/all", (self._space.number,)))


def clear(connection: Connection, space: int) -> None:
    """Drop a space's files before a rebuild."""
    connection.execute(sql("facts/clear"), (space,))


def _entries(rows: Sequence[Row]) -> list[FactEntry]:
    return [(kind, json.loads(body), from_text(at)) for kind, body, at in rows]
