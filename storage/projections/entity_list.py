"""The entities that a space's memories mention: how often, and which were merged into which.

A projection that never lags: it is written in the transaction that appends the entry.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...core.entries import EntitiesMentioned, EntitiesMerged, EntitiesUnmerged
from ...core.types import Entry
from ..database import Connection
from ..space_scope import SpaceScope
from ..statement_loader import sql


@dataclass(frozen=True, slots=True)
class EntityRow:
    """One entity as first named; `merged_into` is the id it was itself merged into."""

    id: str
    type: str
    name: str
    mentions: int
    merged_into: str | None


def projection(connection: Connection, space: int, entry: Entry) -> None:
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


def clear(connection: Connection, space: int) -> None:
    """Drop a space's entities before a rebuild."""
    connection.execute(sql("entities/clear"), (space,))
