"""Takes out of the adjacency what entries made that are erased, as if they had never been there.

The work is that of what goes: its edges and nodes, and of nodes that others name too (people,
words, entities, sessions) only those that were made by what goes. What is left equals a rebuild.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...core.entries import enrichment_keys
from ...core.types import EdgeUpsert, Entry, EntryKind, NodeUpsert, Seq, Space
from ...storage.edge_table import CutEdge, EdgeTable, StoredNode, readable_name
from ...storage.store import Store
from ..adjacency import Adjacency

#: Labels of nodes that are of one memory, or of what was told of it.
_OWN = frozenset({"Experience", "Fact", "Transition", "Episode"})
#: Entries that make a node without an edge to it.
ALONE = {
    "Person": (EntryKind.PERSON_MET,),
    "Entity": (EntryKind.ENTITIES_MERGED, EntryKind.ENTITIES_UNMERGED),
}
#: What is found out about a memory that stays may be erased with another of its session.
_DERIVED = (EntryKind.EXPERIENCE_ENRICHED, EntryKind.ENTITIES_MENTIONED)
_KNOWS, _NEXT = "KNOWS", "NEXT"


@dataclass(frozen=True, slots=True)
class Touched:
    """What some entries said before they were erased: their sequences, nodes, and memories."""

    seqs: Sequence[int]
    nodes: Sequence[str]
    memories: Sequence[str]


@dataclass(frozen=True, slots=True)
class Cut:
    """What is another now: nodes that went, and edges that went or were added anew."""

    gone: Sequence[StoredNode]
    edges: Sequence[CutEdge]


class AdjacencyRemoval:
    """Takes erased entries of one space out of its adjacency."""

    def __init__(self, store: Store, space: Space) -> None:
        self._journal = store.journal
        self._space = space
        self._edges: EdgeTable = store.space(space).edges
        self._adjacency = Adjacency(store)

    def look(self, ids: Sequence[str]) -> Touched:
        """Return what entries touch that are to be erased; they are named by their ids."""
        entries = self._journal.by_ids(self._space, ids)
        nodes: dict[str, None] = {}
        for _, changes in self._adjacency.changes(self._space, entries):
            nodes |= dict.fromkeys(each.id for each in changes if isinstance(each, NodeUpsert))
        memories = {id for entry in entries if (id := getattr(entry.payload, "experience", None))}
        return Touched([entry.seq for entry in entries], list(nodes), sorted(memories))

    def remove(self, touched: Touched) -> Cut:
        """Take it out, inside of the transaction that erased it; return what is another now."""
        cut = self._edges.cut(touched.seqs)
        gone: list[StoredNode] = []
        for node in self._edges.made_by(touched.nodes, touched.seqs):
            first = None if node.label in _OWN else self._first_that_stays(node)
            if first is None:
                gone.append(node)
            else:
                cut += self._edges.begin(node.node_number, *first)
        cut += self._edges.remove([node.node_number for node in gone])
        added = self._find_out_again(touched)
        added += self._join_again([edge for edge in cut if edge.type == _KNOWS])
        added += self._join_neighbours([edge.target for edge in cut if edge.type == _NEXT])
        return Cut(gone, [*cut, *self._edges.find(added)])

    def _first_that_stays(self, node: StoredNode) -> tuple[int, str | None] | None:
        """Return the sequence of the first entry that makes a node, and its readable name."""
        first: int | None = None
        for entry in self._that_may_make(node):
            for change in self._nodes_of(entry):
                if change.id != node.id:
                    continue
                first = entry.seq if first is None else first
                if name := readable_name(change):
                    return first, name
        return None if first is None else (first, None)

    def _that_may_make(self, node: StoredNode) -> Iterator[Entry]:
        """Yield the entries that may make a node, in order."""
        alone = [
            entry.seq
            for kind in ALONE.get(node.label, ())
            for entry in self._journal.of_kind(self._space, kind)
            if any(change.id == node.id for change in self._nodes_of(entry))
        ]
        after = 0
        while seqs := self._edges.into(node.node_number, after):
            waiting = sorted({*seqs, *(seq for seq in alone if after < seq < seqs[-1])})
            for seq in waiting:
                yield from self._journal.read(self._space, seq - 1, 1)
            after = seqs[-1]
        for seq in sorted(seq for seq in alone if seq > after):
            yield from self._journal.read(self._space, seq - 1, 1)

    def _nodes_of(self, entry: Entry) -> list[NodeUpsert]:
        changes = self._adjacency.changes(self._space, [entry])
        return [each for _, mine in changes for each in mine if isinstance(each, NodeUpsert)]

    def _find_out_again(self, touched: Touched) -> list[EdgeUpsert]:
        """Apply again what else was found out about memories that stay; return the edges."""
        keys = enrichment_keys(touched.memories)
        erased = set(touched.seqs)
        entries = [
            entry
            for kind in _DERIVED
            for entry in self._journal.by_keys(self._space, kind, keys)
            if entry.seq not in erased and entry.payload is not None
        ]
        entries.sort(key=lambda entry: entry.seq)
        return self._apply_again(entries)

    def _join_again(self, cut: Sequence[CutEdge]) -> list[EdgeUpsert]:
        """Let people know each other of whom another fact that stays says so."""
        added: list[EdgeUpsert] = []
        for edge in cut:
            for seq in self._edges.into(edge.source, 0, sys.maxsize):
                added += self._apply_again(self._journal.read(self._space, Seq(seq - 1), 1), _KNOWS)
        return added

    def _join_neighbours(self, nodes: Sequence[int]) -> list[EdgeUpsert]:
        """Let what came behind something that went follow what came before that."""
        ids = [id for id, _ in self._edges.identify(nodes).values()]
        return self._apply_again(self._journal.by_ids(self._space, ids))

    def _apply_again(self, entries: Sequence[Entry], only: str | None = None) -> list[EdgeUpsert]:
        """Apply entries that stay, or their edges of one type; return the edges."""
        edges: list[EdgeUpsert] = []
        for entry, changes in self._adjacency.changes(self._space, entries):
            mine = [e for e in changes if isinstance(e, EdgeUpsert) and only in (None, e.type)]
            self._edges.apply_again(entry.seq, mine if only else changes)
            edges += mine
        return edges
