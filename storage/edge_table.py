"""The nodes and edges of a space's graph in the SQLite file.

`EdgeTable` is written by the adjacency projection, which knows their meaning; `NodeLinks` looks up
what a plan can name. The number of a node is never used twice.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..core.types import EdgeUpsert, NodeUpsert
from .space_scope import OfSpace, Row

#: Two million tuples at once take half a gigabyte, and as long again to look for garbage among.
_EDGES_READ = 500
#: Entries that may be the first to name a node are read so many at a time.
_MAKERS_READ = 16
#: Stands for every node in a note of what went.
ALL_NODES = 0
#: Labels of nodes that say what was said: their names are no names, but text.
_WITH_TEXT = frozenset({"Experience", "Episode", "Fact", "Transition"})


@dataclass(frozen=True, slots=True)
class StoredNode:
    """A node as it is stored."""

    node_number: int
    label: str
    id: str


@dataclass(frozen=True, slots=True)
class CutEdge:
    """An edge that was removed, between the numbers of its nodes."""

    type: str
    source: int
    target: int


class EdgeTable(OfSpace):
    """The nodes and edges of one space."""

    def clear(self) -> None:
        """Remove all of them, edges first."""
        self._space.run("adjacency/clear_edges")
        self._space.run("adjacency/clear_nodes")
        self._note([(None, ALL_NODES, None)])

    def cut(self, seqs: Sequence[int]) -> list[CutEdge]:
        """Remove the edges that some entries made; return them."""
        return self._cut("adjacency/cut", seqs)

    def made_by(self, ids: Sequence[str], seqs: Sequence[int]) -> list[StoredNode]:
        """Return those of some nodes that were first named by some entries."""
        return [StoredNode(*row) for row in self._space.rows("adjacency/made_by", ids, seqs)]

    def into(self, number: int, after: int, limit: int = _MAKERS_READ) -> list[int]:
        """Return the next entries, after a sequence, that made edges into a node, in order."""
        return [row[0] for row in self._space.rows("adjacency/into", number, after, limit)]

    def into_newest(self, number: int, before: int, limit: int = _MAKERS_READ) -> list[int]:
        """Return the last entries before a sequence that made edges into a node, newest first."""
        return [row[0] for row in self._space.rows("adjacency/into_newest", number, before, limit)]

    def find(self, edges: Sequence[EdgeUpsert]) -> list[CutEdge]:
        """Return edges by the numbers of their nodes, as far as these are there."""
        numbers = self.numbers(list({id for edge in edges for id in (edge.source, edge.target)}))
        ends = [(e.type, numbers.get(e.source), numbers.get(e.target)) for e in edges]
        return [CutEdge(type, source, target) for type, source, target in ends if source and target]

    def made_at(self, edges: Sequence[CutEdge]) -> dict[CutEdge, int]:
        """Return the sequences of the entries that edges are of, as far as they are there."""
        keys = [(edge.type, edge.source, edge.target) for edge in edges]
        rows = self._space.rows("adjacency/made_at", edges=keys)
        return {CutEdge(*edge): seq for *edge, seq in rows}

    def begin(self, number: int, seq: int, name: str | None) -> list[CutEdge]:
        """Set the first entry of a node; remove its older edges and return them."""
        self._space.run("adjacency/begin_node", number=number, seq=seq, name=name)
        return self._cut_at([number], seq)

    def remove(self, numbers: Sequence[int]) -> list[CutEdge]:
        """Remove some nodes and all their edges; return the edges."""
        cut = self._cut_at(numbers, sys.maxsize)
        self._note([(None, number, None) for number in numbers])
        self._space.run("adjacency/remove_nodes", numbers)
        return cut

    def _cut_at(self, numbers: Sequence[int], before: int) -> list[CutEdge]:
        cut = (self._cut(f"adjacency/{name}", numbers, before) for name in ("cut_into", "cut_from"))
        return [edge for edges in cut for edge in edges]

    def _cut(self, statement: str, *values: Any) -> list[CutEdge]:
        types, rows = self.edge_types(), self._space.rows(statement, *values)
        self._note(rows)
        return [CutEdge(types[type], *ends) for type, *ends in rows]

    def _note(self, changes: Sequence[Row]) -> None:
        """Note edges (type, source, target) that may be others now, and nodes that went."""
        self._space.run_many("adjacency/note_change", changes)

    def last_change(self) -> int:
        """Return the number of the last change of what was there."""
        return int(self._space.only_row("adjacency/last_change")[0])

    def changes(self, after: int) -> list[Row]:
        """Return (number, type, source, target) of what was changed since a change.

        Without a type, a node went; of `ALL_NODES`, all did.
        """
        return self._space.rows("adjacency/changes", after)

    def changed_edges(self, after: int, until: int) -> list[Row]:
        """Return (type, source, target, weight) of edges that were changed, as they are now."""
        return self._space.rows("adjacency/changed_edges", after, until)

    def apply_again(self, seq: int, changes: Sequence[NodeUpsert | EdgeUpsert]) -> None:
        """Add what an earlier entry makes, where some of it went; whoever holds it is told."""
        self.apply(seq, changes)
        edges = [(c.type, c.source, c.target) for c in changes if isinstance(c, EdgeUpsert)]
        self._space.run_many("adjacency/note_edge", edges)

    def apply(self, seq: int, changes: Sequence[NodeUpsert | EdgeUpsert]) -> None:
        """Add the nodes and edges that an entry makes, inside the caller's transaction."""
        nodes = [c for c in changes if isinstance(c, NodeUpsert)]
        edges = [
            (c.type, c.source, c.target, c.properties["weight"], c.properties["source_seq"])
            for c in changes
            if isinstance(c, EdgeUpsert)
        ]
        rows = [(node.label, node.id, seq, readable_name(node)) for node in nodes]
        self._space.run_many("adjacency/add_node", rows)
        types = sorted({type for type, *_ in edges})
        self._space.run_many("adjacency/add_edge_type", [(type,) for type in types])
        self._space.run_many("adjacency/add_edge", edges)

    def numbers(self, ids: Sequence[str]) -> dict[str, int]:
        """Return the numbers of some node ids, which are unique in a space; absent: left out."""
        return dict(self._space.rows("adjacency/find_nodes", ids))

    def names_of(self, ids: Sequence[str]) -> dict[str, str]:
        """Return the readable names of some node ids; those without are left out."""
        return {id: name for id, name in self._space.rows("adjacency/names", ids) if name}

    def identify(self, numbers: Sequence[int]) -> dict[int, tuple[str, str, str | None]]:
        """Return (label, id, readable name) of some node numbers: a word, a person, a session."""
        rows = self._space.rows("adjacency/identify_nodes", numbers)
        return {number: (label, id, name) for number, label, id, name in rows}

    def most_shared(self, limit: int) -> list[Row]:
        """Return (name, label, memories, what it was merged into) of what is shared most."""
        return self._space.rows("adjacency/entities", limit)

    def has_node(self, number: int | None) -> bool:
        """Return whether there is a node with a number; False for None."""
        return bool(self._space.only_row("adjacency/has_node", number)[0])

    def nodes(self, last: int, until: int) -> list[Row]:
        """Return (number, label, sequence) of the nodes after a number and up to a sequence."""
        return self._space.rows("adjacency/nodes", last, until)

    def edge_types(self) -> dict[int, str]:
        """Return the names of types of edges by their numbers in this space."""
        return dict(self._space.rows("adjacency/edge_types"))

    def edges(self, after: int, until: int) -> Iterator[list[Row]]:
        """Yield parts of (type, source, target, weight) of the edges made by a run of entries.

        The types are numbers of `edge_types`.
        """
        statement = "adjacency/edges" if after else "adjacency/all_edges"
        return self._space.row_parts(statement, _EDGES_READ, after, until)


def readable_name(node: NodeUpsert) -> str | None:
    """Return what a node is called where it is read."""
    if node.label in _WITH_TEXT:
        return None
    names = (node.properties.get(key) for key in ("word", "key", "uri", "name"))
    return next((str(name) for name in names if name is not None), None)


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


class NodeLinks(OfSpace):
    """Looks up nodes and their edges in one space."""

    def nodes(self, ids: Sequence[str]) -> list[NodeRef]:
        """Return the nodes that have some ids; the others are left out."""
        return [NodeRef(*row) for row in self._space.rows("links/nodes", ids)]

    def list_all(self) -> list[NodeRef]:
        """Return every experience, episode, fact and artifact, oldest first."""
        return [NodeRef(*row) for row in self._space.rows("links/all_nodes")]

    def touching(self, ids: Sequence[str]) -> list[NodeLink]:
        """Return the edges from or to the nodes that have some ids, oldest first."""
        rows = self._space.rows("links/edges_of", ids=ids)
        return [NodeLink(NodeRef(*row[:3]), NodeRef(*row[3:6]), row[6]) for row in rows]
