"""Which entries are about a memory: what goes with it when it is forgotten.

A projection that never lags: it is written in the transaction that appends the entry.
"""

from __future__ import annotations

import json

from ...core.entries import EntryPayload
from ...core.types import Entry
from ..database import Connection
from ..statement_loader import sql

#: Fields of entries that name a memory, and those that name several.
_NAMING, _LISTING = ("experience", "canonical", "duplicate_of"), ("shown", "effects")


def projection(connection: Connection, space: int, entry: Entry) -> None:
    """Note which memories an entry is about."""
    if ids := _named_in(entry.payload):
        row = {"space": space, "seq": entry.seq, "ids": json.dumps(sorted(ids))}
        connection.execute(sql("references/add"), row)


def rebuild(connection: Connection, space: int) -> None:
    """Note it again for all entries, also for those that are read otherwise now."""
    connection.execute(sql("references/clear"), (space,))
    connection.execute(sql("references/rebuild"), {"space": space})


def _named_in(payload: EntryPayload | None) -> set[str]:
    ids = {id for field in _NAMING if (id := getattr(payload, field, None))}
    return ids.union(*(getattr(payload, field, ()) for field in _LISTING))
