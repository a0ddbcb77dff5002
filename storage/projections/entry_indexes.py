"""Indexes of entries: by the entity, fact or memory that they are about, and by replacement.

Each is written in the transaction that appends the entry, so that none ever lags. The index of
facts holds no facts: readers fold them from the entries. Entries that were read again are replaced:
projections read the newest version in the place of the first.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from ...core.codec import decode_text
from ...core.entries import (
    EntitiesMentioned,
    EntitiesMerged,
    EntitiesUnmerged,
    EntryPayload,
    FactAsserted,
    FactEntry,
    FactSuperseded,
)
from ...core.ids import fold
from ...core.time import from_text
from ...core.types import Entry, EntryKind
from ..database import Connection
from ..space_scope import Row, SpaceScope
from ..statement_loader import sql


@dataclass(frozen=True, slots=True)
class EntityRow:
    """One entity as first named; `merged_into` is the id it was itself merged into."""

    id: str
    type: str
    name: str
    mentions: int
    merged_into: str | None


def project_entities(connection: Connection, space: int, entry: Entry) -> None:
    """Count mentions, and take over merges and unmerges."""
    match entry.payload:
        case EntitiesMentioned(entities=entities):
            about = {"space": space, "seq": entry.seq}
            rows = [{**about, "id": e.id, "type": e.type, "name": e.name} for e in entities]
            connection.executemany(sql("entities/mention"), rows)
        case EntitiesMerged(entity=entity, into=into):
            connection.execute(
                sql("entities/merge"), {"space": space, "entity": entity, "into": into}
            )
        case EntitiesUnmerged(entity=entity):
            connection.execute(
                sql("entities/merge"), {"space": space, "entity": entity, "into": None}
            )


class EntityList:
    """The entities of one space."""

    def __init__(self, space: SpaceScope) -> None:
        self._space = space

    def list_all(self) -> list[EntityRow]:
        """Return every entity, most mentioned first."""
        rows = self._space.rows("entities/all", (self._space.number,))
        return [EntityRow(*row) for row in rows]

    def counts(self) -> tuple[int, int]:
        """Return how many entities there are, and how many of them were merged into others."""
        entities, merged = self._space.only_row("entities/count", (self._space.number,))
        return entities, merged


def clear_entities(connection: Connection, space: int) -> None:
    """Drop a space's entities before a rebuild."""
    connection.execute(sql("entities/clear"), (space,))


#: What was said of a fact, and when it was learned.
RecordedFact = tuple[FactEntry, datetime]


def project_facts(connection: Connection, space: int, entry: Entry) -> None:
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


def clear_facts(connection: Connection, space: int) -> None:
    """Drop a space's files before a rebuild."""
    connection.execute(sql("facts/clear"), (space,))


def _entries(rows: Sequence[Row]) -> list[RecordedFact]:
    return [(_decode(kind, body), from_text(at)) for kind, body, at in rows]


def _decode(kind: str, body: str) -> FactEntry:
    if kind == EntryKind.FACT_ASSERTED:
        return decode_text(FactAsserted, body)
    return decode_text(FactSuperseded, body)


#: Fields of entries that name a memory, and those that name several.
_NAMING, _LISTING = ("experience", "canonical", "duplicate_of"), ("shown", "effects")


def project_references(connection: Connection, space: int, entry: Entry) -> None:
    """Note which memories an entry is about."""
    if ids := _named_in(entry.payload):
        row = {"space": space, "seq": entry.seq, "ids": json.dumps(sorted(ids))}
        connection.execute(sql("references/add"), row)


def rebuild_references(connection: Connection, space: int) -> None:
    """Note it again for all entries, also for those that are read otherwise now."""
    connection.execute(sql("references/clear"), (space,))
    connection.execute(sql("references/rebuild"), {"space": space})


def _named_in(payload: EntryPayload | None) -> set[str]:
    ids = {id for field in _NAMING if (id := getattr(payload, field, None))}
    return ids.union(*(getattr(payload, field, ()) for field in _LISTING))


def rebuild_readings(connection: Connection, space: int) -> None:
    """Rebuild the list of a space's replaced entries."""
    connection.execute(sql("readings/clear"), (space,))
    connection.execute(sql("readings/note"), (space, 0))


class Readings:
    """What is read otherwise in one space."""

    def __init__(self, space: SpaceScope) -> None:
        self._space = space

    def count(self, after: int) -> int:
        """Return how many memories are read otherwise by entries after a sequence."""
        (count,) = self._space.only_row("readings/count", (self._space.number, after))
        return int(count)

    def newest(self) -> int:
        """Return the last sequence by which anything is read otherwise, 0 for none."""
        (seq,) = self._space.only_row("readings/newest", (self._space.number,))
        return int(seq)
