"""Keeps packs that were given: how each was asked for, what it cited and its hash, never its text.

Beside the journal, as the trace is: it can be pruned. A pack's text comes again from the journal,
so that what was erased there is in no pack either.
"""

from __future__ import annotations

import json

from ..core.time import to_text
from ..core.types import Payload, Space
from .journal_file import JournalFile
from .statement_loader import sql
from .trace import add


def keep(file: JournalFile, space: Space, body: Payload) -> None:
    """Keep one pack, and trace that it was given: `body` names its `pack`, `mode` and `cited`."""
    number = file.journal.number(space)
    text = json.dumps(dict(body), ensure_ascii=False)
    detail = {"mode": body["mode"], "cited": len(body["cited"]), "hash": body["hash"]}
    with file.database.writing() as connection:
        values = (body["pack"], number, to_text(file.clock()), body["mode"], text)
        connection.execute(sql("packs/add"), values)
        add(connection, number, file.clock(), ("pack", "pack", body["pack"]), detail)


def find(file: JournalFile, space: Space, id: str) -> Payload | None:
    """Return a kept pack."""
    with file.database.reading() as connection:
        values = (file.journal.number(space), id)
        row = connection.execute(sql("packs/find"), values).fetchone()
    return json.loads(row[0]) if row else None


def latest(file: JournalFile, space: Space, limit: int) -> list[Payload]:
    """Return the latest packs, newest first."""
    with file.database.reading() as connection:
        values = (file.journal.number(space), limit)
        rows = connection.execute(sql("packs/latest"), values).fetchall()
    return [json.loads(row[0]) for row in rows]
