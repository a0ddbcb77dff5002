"""Indexes of entries: by the entity, fact or memory that they are about, and by replacement.

Each is written in the transaction that appends the entry, so that none ever lags. The index of
facts holds no facts: readers fold them from the entries. Entries that were read again are replaced:
projections read the newest version in the place of the first.
"""

from __future__ import annotations

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
from ..space_scope import OfSpace, Row, SpaceScope


@dataclass(frozen=True, slots=True)
class EntityRow:
    """One entity as first named; `merged_into` is the id it was itself merged into."""

    id: str
    type: str
    name: str
    mentions: int
    merged_into: str | None


def project_entities(space: SpaceScope, entry: Entry) -> None:
    """Count mentions, and take over merges and unmerges."""
    match entry.payload:
        case EntitiesMentioned(entities=entities):
            rows = [(e.id, e.type, e.name, entry.seq) for e in entities]
            space.run_many("entities/mention", rows)
        case EntitiesMerged(entity=entity, into=into):
            space.run("entities/merge", entity=entity, into=into)
        case EntitiesUnmerged(entity=entity):
            space.run("entities/merge", entity=entity, into=None)


class EntityList(OfSpace):
    """The entities of one space."""

    def list_all(self) -> list[EntityRow]:
        """Return every entity, most mentioned first."""
        rows = self._space.rows("entities/all")
        return [EntityRow(*row) for row in rows]

    def counts(self) -> tuple[int, int]:
        """Return how many entities there are, and how many of them were merged into others."""
        entities, merged = self._space.only_row("entities/count")
        return entities, merged


#: What was said of a fact, and when it was learned.
RecordedFact = tuple[FactEntry, datetime]


def project_facts(space: SpaceScope, entry: Entry) -> None:
    """File an assertion under its subject, and a supersession under the subject of its fact."""
    subject: str | None
    by: str | None = None
    match entry.payload:
        case FactAsserted(fact=fact, subject_id=id, subject=name):
            subject = subject_key(id, name)
        case FactSuperseded(fact=fact, by_fact=by):
            row = space.row("facts/subject", fact)
            subject = row[0] if row else None
        case _:
            return
    if subject is not None:
        space.run("facts/add", entry.seq, fact, subject, by)


def subject_key(id: str | None, name: str) -> str:
    """Return what facts of one subject are filed under: its id, or else its folded name."""
    return id or fold(name)


class FactIndex(OfSpace):
    """The entries of one space that speak about facts."""

    def about(self, subjects: Sequence[str]) -> list[RecordedFact]:
        """Return the entries about some subjects, in order."""
        return _entries(self._space.rows("facts/about", subjects))

    def related(self, facts: Sequence[str]) -> list[RecordedFact]:
        """Return the entries that say how some facts stand, in order."""
        return _entries(self._space.rows("facts/related", facts=facts))

    def list_all(self) -> list[RecordedFact]:
        """Return the entries about all subjects, in order."""
        return _entries(self._space.rows("facts/all"))


def _entries(rows: Sequence[Row]) -> list[RecordedFact]:
    return [(_decode(kind, body), from_text(at)) for kind, body, at in rows]


def _decode(kind: str, body: str) -> FactEntry:
    if kind == EntryKind.FACT_ASSERTED:
        return decode_text(FactAsserted, body)
    return decode_text(FactSuperseded, body)


#: Fields of entries that name a memory, and those that name several.
_NAMING, _LISTING = ("experience", "canonical", "duplicate_of"), ("shown", "effects")


def project_references(space: SpaceScope, entry: Entry) -> None:
    """Note which memories an entry is about."""
    if ids := _named_in(entry.payload):
        space.run("references/add", seq=entry.seq, ids=sorted(ids))


def rebuild_references(space: SpaceScope) -> None:
    """Note it again for all entries, also for those that are read otherwise now."""
    space.run("references/clear")
    space.run("references/rebuild")


def _named_in(payload: EntryPayload | None) -> set[str]:
    ids = {id for field in _NAMING if (id := getattr(payload, field, None))}
    return ids.union(*(getattr(payload, field, ()) for field in _LISTING))


def rebuild_readings(space: SpaceScope) -> None:
    """Rebuild the list of a space's replaced entries."""
    space.run("readings/clear")
    space.run("readings/note", 0)


class Readings(OfSpace):
    """What is read otherwise in one space."""

    def count(self, after: int) -> int:
        """Return how many memories are read otherwise by entries after a sequence."""
        (count,) = self._space.only_row("readings/count", after)
        return int(count)

    def newest(self) -> int:
        """Return the last sequence by which anything is read otherwise, 0 for none."""
        (seq,) = self._space.only_row("readings/newest")
        return int(seq)
