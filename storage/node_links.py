"""Links between what a plan can name: experiences, episodes, facts and artifacts, in both ways.

Reads the adjacency tables, which have the edges of the graph; it holds no text and writes nothing.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from ..core.types import Space
from .database import Database
from .journal import SqliteJournal
from .statement_loader import sql


@dataclass(frozen=True, slots=True)
class NodeRef:
    """One node: its id, its label, and the journal sequence that first named it."""

    id: str
    label: str
    seq: int


@dataclass(frozen=True, slots=True)
class NodeLink:
    """One edge of the graph, from an end to another, and the sequence that made it."""

    source: NodeRef
    target: NodeRef
    seq: int


class NodeLinks:
    """Looks up nodes and their edges in one space of one file."""

    def __init__(self, database: Database, journal: SqliteJournal, space: Space) -> None:
        self._database = database
        self._number = journal.number(space)

    def nodes(self, ids: Sequence[str]) -> list[NodeRef]:
        """Return the nodes that have some ids; the others are left out."""
        values = (self._number, json.dumps(list(ids)))
        with self._database.reading() as connection:
            rows = connection.execute(sql("links/nodes"), values).fetchall()
        return [NodeRef(*row) for row in rows]

    def list_all(self) -> list[NodeRef]:
        """Return every experience, episode, fact and artifact, oldest first."""
        with self._database.reading() as connection:
            rows = connection.execute(sql("links/all_nodes"), (self._number,)).fetchall()
        return [NodeRef(*row) for row in rows]

    def touching(self, ids: Sequence[str]) -> list[NodeLink]:
        """Return the edges from or to the nodes that have some ids, oldest first."""
        values = {"space": self._number, "ids": json.dumps(list(ids))}
        with self._database.reading() as connection:
            rows = connection.execute(sql("links/edges_of"), values).fetchall()
        return [NodeLink(NodeRef(*row[:3]), NodeRef(*row[3:6]), row[6]) for row in rows]
