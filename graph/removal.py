"""Takes what was forgotten out of the adjacency and of the graphs; a rebuild gives the same.

`AdjacencyRemoval` works inside the transaction that erases, in proportion to what goes. `Removal`
says what each graph has to change: what goes, and what other entries say again. It quotes nothing;
entries are named by sequence.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias

from ..core.entries import enrichment_keys
from ..core.ports import GraphStore, GraphWriter
from ..core.types import EdgeUpsert, Entry, EntryKind, Mutation, NodeUpsert, Seq, Space
from ..storage.edge_table import CutEdge, EdgeTable, StoredNode, readable_name
from ..storage.journal import Journal
from ..storage.store import Store
from .adjacency import Adjacency
from .batch_writer import EdgeKey, NodeKey
from .erasure_filter import changes, ids_in_graph
from .schema import HAS_WORD, LABELS, EdgeType, for_edge

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
    """The sequences, nodes and memories of entries before they are erased."""

    seqs: Sequence[int]
    nodes: Sequence[str]
    memories: Sequence[str]


@dataclass(frozen=True, slots=True)
class Cut:
    """What an erasure changed: nodes that went, edges that went or were added again."""

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
        for _, mine in self._adjacency.changes(self._space, entries):
            nodes |= dict.fromkeys(each.id for each in mine if isinstance(each, NodeUpsert))
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
        """Restore KNOWS edges that another remaining fact supports."""
        added: list[EdgeUpsert] = []
        for edge in cut:
            for seq in self._edges.into(edge.source, 0, sys.maxsize):
                added += self._apply_again(self._journal.read(self._space, Seq(seq - 1), 1), _KNOWS)
        return added

    def _join_neighbours(self, nodes: Sequence[int]) -> list[EdgeUpsert]:
        """Link the successors of what went to its predecessors."""
        ids = [id for _, id, _ in self._edges.identify(nodes).values()]
        return self._apply_again(self._journal.by_ids(self._space, ids))

    def _apply_again(self, entries: Sequence[Entry], only: str | None = None) -> list[EdgeUpsert]:
        """Apply entries that stay, or their edges of one type; return the edges."""
        edges: list[EdgeUpsert] = []
        for entry, made in self._adjacency.changes(self._space, entries):
            mine = [e for e in made if isinstance(e, EdgeUpsert) and only in (None, e.type)]
            self._edges.apply_again(entry.seq, mine if only else made)
            edges += mine
        return edges


#: Erasing more entries makes a graph anew.
ENTRIES_MAX = 2_000
#: Nodes that one entry makes, which go with it.
_OF_SINGLE_ENTRIES = ("Transition", "Episode")
#: What entries say that make no edge at their node.
_WITHOUT_EDGES = frozenset({"aliases", "canonical"})
_WITH_PEOPLE = (EntryKind.PERSON_MET, EntryKind.RELATIONSHIP_CHANGED)
_UNDERWENT = EdgeType("UNDERWENT", "Relationship", "Transition")

_Written: TypeAlias = "Mapping[NodeKey, set[str]]"


@dataclass(frozen=True, slots=True)
class Removal:
    """Nodes and edges that go, properties that others may set, and who says what is left.

    `standing` are the edges that are there afterwards, `again` the entries that say so, by
    sequence; `relationships` those that say what somebody is to the agent.
    """

    gone: Sequence[NodeKey]
    cut: Sequence[EdgeKey]
    standing: frozenset[EdgeKey]
    written: _Written
    again: Sequence[int]
    relationships: Mapping[str, Sequence[int]]

    def apply(self, journal: Journal, store: GraphStore, space: Space, writer: GraphWriter) -> None:
        """Change a graph that has all entries before the forgetting."""
        left = {
            id: [*saying, *self._transitions(store, id)]
            for id, saying in self.relationships.items()
        }
        gone = {*self.gone, *(("Relationship", id) for id, saying in left.items() if not saying)}
        seqs = sorted({*self.again, *(seq for saying in left.values() for seq in saying)})
        entries = [entry for seq in seqs for entry in journal.read(space, seq - 1, 1)]
        existing = partial(ids_in_graph, store)
        means = changes(entries, existing, directory=journal.directory(space))
        stays = {key: names for key, names in self.written.items() if key not in gone}
        resets = [
            NodeUpsert(key[0], key[1], {name: LABELS[key[0]].defaults.get(name) for name in names})
            for key, names in stays.items()
        ]
        saying = [c for _, mine in means for each in mine if (c := self._wanted(each, stays, gone))]
        writer.remove(sorted(gone), self.cut)
        writer.apply([*resets, *saying])

    def _transitions(self, store: GraphStore, relationship: str) -> list[int]:
        """Return the sequence of the last transition of a relationship that stays, if any does."""
        edges = store.run(for_edge("read/edges_from", _UNDERWENT), {"ids": [relationship]})
        went, place = (
            {id for label, id in self.gone if label == "Transition"},
            edges.columns.index("source_seq"),
        )
        return sorted(row[place] for row in edges.rows if row[1] not in went)[-1:]

    def _wanted(self, change: Mutation, stays: _Written, gone: set[NodeKey]) -> Mutation | None:
        """Return what is left of a change of an entry that stays."""
        if isinstance(change, NodeUpsert):
            names = stays.get((change.label, change.id), set()) & change.properties.keys()
            saying = {name: change.properties[name] for name in sorted(names)}
            return replace(change, properties=saying) if saying else None
        key = edge_key(change)
        if change.target_label == "Relationship":
            is_wanted = change.target in self.relationships and key[2] not in gone
        else:
            is_wanted = key in self.standing
        return change if is_wanted else None


def edge_key(edge: EdgeUpsert) -> EdgeKey:
    """Return what tells an edge from others."""
    source, target = (edge.source_label, edge.source), (edge.target_label, edge.target)
    return edge.type, source, target


class GraphEraser:
    """Takes erased entries of one space out of its adjacency, and says what a graph has to do."""

    def __init__(self, store: Store, space: Space) -> None:
        self._file, self._space = store, space
        self._journal, self._store = store.journal, store.space(space)
        self._removal = AdjacencyRemoval(store, space)
        self._written: dict[NodeKey, set[str]] = defaultdict(set)
        self._edges: dict[EdgeKey, None] = {}

    def look(self, ids: Sequence[str]) -> Touched:
        """Return what entries touch that are to be erased; they are named by their ids."""
        touched = self._removal.look(ids)
        if len(touched.seqs) <= ENTRIES_MAX:
            for entry in self._journal.by_ids(self._space, ids):
                for change in self._changes(entry):
                    if isinstance(change, NodeUpsert):
                        names = change.properties.keys() - {"space"}
                        self._written[change.label, change.id] |= names
                    else:
                        self._edges[edge_key(change)] = None
        return touched

    def remove(self, touched: Touched) -> Removal | None:
        """Take it out of the adjacency, in the transaction that erased it; None for too much."""
        until = self._journal.head(self._space).seq
        cut = self._removal.remove(touched)
        if len(touched.seqs) > ENTRIES_MAX:
            return None
        standing: dict[EdgeKey, int] = {}
        for key, seq in self._touched_edges(cut):
            self._edges[key] = None
            if seq is not None:
                standing[key] = seq
        gone = {(node.label, node.id) for node in cut.gone if node.label in LABELS}
        gone |= {key for key in self._written if key[0] in _OF_SINGLE_ENTRIES}
        again = set(standing.values())
        # Capture and enrichment say the same of an artifact: the last one counts.
        for _, source, (label, _) in standing:
            if label == "Artifact":
                again |= set(self._store.entries_about(*source))
        for node, names in self._written.items():
            if node not in gone and node[0] != "Relationship":
                again |= set(self._saying(node, names))
        people = {id for label, id in self._written if label == "Relationship"}
        relationships = self._relationships(people) if people else {}
        return Removal(
            sorted(gone),
            list(self._edges),
            frozenset(standing),
            self._written,
            sorted(seq for seq in again if seq <= until),
            {id: [seq for seq in saying if seq <= until] for id, saying in relationships.items()},
        )

    def _touched_edges(self, cut: Cut) -> Iterator[tuple[EdgeKey, int | None]]:
        """Yield the edges that are others now, with the sequence of what says so; None: nothing."""
        numbers = {number for edge in cut.edges for number in (edge.source, edge.target)}
        named = self._store.edges.identify(sorted(numbers))
        nodes = {number: (label, id) for number, (label, id, _) in named.items()}
        nodes |= {node.node_number: (node.label, node.id) for node in cut.gone}
        seqs = self._store.edges.made_at(cut.edges)
        for edge in cut.edges:
            if edge.type != HAS_WORD:
                yield (edge.type, nodes[edge.source], nodes[edge.target]), seqs.get(edge)

    def _saying(self, node: NodeKey, names: set[str]) -> Iterator[int]:
        """Yield the sequences of entries that stay and say properties of a node, the last ones."""
        label, id = node
        if label in ("Experience", "Fact"):
            yield from self._store.entries_about(label, id)
            return
        for kind in ALONE.get(label, ()):
            yield from (
                e.seq for e in self._journal.of_kind(self._space, kind) if self._says(e, node)
            )
        sought = names - _WITHOUT_EDGES
        number, before = self._store.edges.numbers([id])[id], sys.maxsize
        while sought and (seqs := self._store.edges.into_newest(number, before)):
            for before in seqs:
                for entry in self._journal.read(self._space, before - 1, 1):
                    if saying := sought & self._says(entry, node):
                        yield before
                        sought = sought - saying
                if not sought:
                    break

    def _says(self, entry: Entry, node: NodeKey) -> set[str]:
        """Return the properties of a node that an entry says."""
        mine = (c for c in self._changes(entry) if isinstance(c, NodeUpsert))
        return {name for c in mine if (c.label, c.id) == node for name in c.properties}

    def _relationships(self, ids: set[str]) -> dict[str, list[int]]:
        """Return the sequences of the entries that say what somebody is to the agent."""
        saying: dict[str, list[int]] = {id: [] for id in ids}
        for kind in _WITH_PEOPLE:
            for entry in self._journal.of_kind(self._space, kind):
                for change in self._changes(entry):
                    if isinstance(change, NodeUpsert) and change.id in saying:
                        saying[change.id].append(entry.seq)
        return saying

    def _changes(self, entry: Entry) -> list[Mutation]:
        edges, directory = self._store.edges, self._journal.directory(self._space)
        existing = lambda _label, ids: set(edges.numbers(ids))  # noqa: E731 - one of a port
        return [c for _, mine in changes([entry], existing, directory=directory) for c in mine]
