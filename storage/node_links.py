"""Links between the nodes that a plan can name: experiences, episodes, facts and artifacts.

Reads the adjacency tables, which have the edges of the graph; it holds no text and writes nothing.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from .space_scope import SpaceScope


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
    """Looks up nodes and their edges in one space."""

    def __init__(self, space: SpaceScope) -> None:
        self._space = space

    def nodes(self, ids: Sequence[str]) -> list[NodeRef]:
        """Return the nodes that have some ids; the others are left out."""
        rows = self._space.rows("links/nodes", (self._space.number, json.dumps(list(ids))))
        return [NodeRef(*row) for row in rows]

    def list_all(self) -> list[NodeRef]:
        """Return every experience, episode, fact and artifact, oldest first."""
        rows = self._space.rows("links/all_nodes", (self._space.number,))
        return [NodeRef(*row) for row in rows]

    def touching(self, ids: Sequence[str]) -> list[NodeLink]:
        """Return the edges from or to the nodes that have some ids, oldest first."""
        values = {"space": self._space.number, "ids": json.dumps(list(ids))}
        rows = self._space.rows("links/edges_of", values)
        return [NodeLink(NodeRef(*row[:3]), NodeRef(*row[3:6]), row[6]) for row in rows]
