"""Adjacency: the graph's edges in the SQLite file, and the array views built from them.

A projection with a cursor. It applies the same mutations as the graph stores, so the arrays used by
recall and the graph used by Cypher are the same graph; only the arrays have nodes for words.
Properties are not stored here.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from itertools import chain, groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeAlias

from ..core.errors import Damaged
from ..core.lazy import np
from ..core.types import Entry, Mutation, Space
from ..storage.edge_table import ALL_NODES, EdgeTable
from ..storage.store import Store
from . import view
from .erasure_filter import changes
from .mutations import index_mutations
from .schema import PROJECTION_VERSION

if TYPE_CHECKING:
    from .view import EdgeLayers, Floats, GraphView, Ints

#: Its name and version among the cursors.
PROJECTION = "adjacency", PROJECTION_VERSION
#: The part of a space's files that has a view, and how it is written.
_FILE = "edges", str(PROJECTION_VERSION)
_BATCH = 500
_DAMAGED = "the stored edges are damaged: run `meridia rebuild`"
#: Where the journal ended when the edges were begun anew.
_BEGUN = "adjacency begun", PROJECTION_VERSION
#: An overlay larger than this share of the settled edges (and than the floor) is merged.
_OVERLAY_SHARE, _OVERLAY_FLOOR = 0.1, 20_000
#: A view is read anew after more changes.
_CHANGES_MAX = 5000
#: An edge or a change, as it is stored.
_Row: TypeAlias = "tuple[Any, ...]"
#: Of each type: node numbers of the sources, of the targets, and weights.
_Edges: TypeAlias = "dict[str, tuple[Ints, Ints, Floats]]"


class Adjacency:
    """Brings the adjacency tables up to date and publishes views of them."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def cursor(self, space: Space) -> int:
        """Return the last journal sequence applied."""
        return self._store.space(space).cursors.position(*PROJECTION)

    def catch_up(self, space: Space, should_continue: Callable[[], bool] = lambda: True) -> None:
        """Apply the journal entries that are missing, in batches, each with its cursor.

        At least one is applied, whether it should continue or not.
        """
        journal, space_store = self._store.journal, self._store.space(space)
        head = journal.head(space).seq
        if self._is_outdated(space):
            with self._store.writing():  # nobody else has begun anew meanwhile
                if self._is_outdated(space):
                    self.clear(space)
        while self.cursor(space) < head:
            with self._store.writing(appends=False):
                done = self.cursor(space)
                if done == 0:
                    space_store.edges.clear()
                    space_store.cursors.move(*_BEGUN, journal.head(space).seq)
                entries = journal.read(space, done, _BATCH)
                for entry, mutations in self.changes(space, entries):
                    space_store.edges.apply(entry.seq, mutations)
                # Where the end of the journal is lost, which `verify` tells, nothing follows.
                last = entries[-1].seq if entries else head
                space_store.cursors.move(*PROJECTION, last)
            if not should_continue():
                return

    def _is_outdated(self, space: Space) -> bool:
        begun = self._store.space(space).cursors.position(*_BEGUN)
        return self._store.journal.is_outdated(space, self.cursor(space), begun)

    def changes(self, space: Space, entries: Sequence[Entry]) -> list[tuple[Entry, list[Mutation]]]:
        """Return what each of some entries means to the adjacency, as it is now."""
        edges, directory = self._store.space(space).edges, self._store.journal.directory(space)
        existing = lambda _label, ids: set(edges.numbers(ids))  # noqa: E731 - one of a port
        return changes(entries, existing, index_mutations, directory, named=False)

    def clear(self, space: Space) -> None:
        """Drop the space's adjacency; the next catch-up builds it again."""
        space_store = self._store.space(space)
        with self._store.writing(appends=False):
            space_store.edges.clear()
            space_store.cursors.forget(PROJECTION[0])

    def numbers(self, space: Space, ids: Sequence[str]) -> dict[str, int]:
        """Return the stored numbers of some node ids; absent ones are left out."""
        return self._store.space(space).edges.numbers(ids)

    def names_of(self, space: Space, ids: Sequence[str]) -> dict[str, str]:
        """Return the readable names of some node ids."""
        return self._store.space(space).edges.names_of(ids)

    def most_shared(self, space: Space, limit: int) -> list[tuple[str, str, int, str | None]]:
        """Return (name, label, memories, what it was merged into) of what is shared most."""
        return self._store.space(space).edges.most_shared(limit)

    def view(self, space: Space, before: GraphView | None = None) -> GraphView:
        """Return the newest view; extending `before`, when given, costs only what is new."""
        edges = self._store.space(space).edges
        with self._store.snapshot():
            until = self.cursor(space)
            base, changed = _empty(edges.last_change()), list[Any]()
            arrays = self._store.space(space).arrays
            if before is None:
                base = arrays.load(*_FILE, view.PARTS) or base
            else:
                changes = edges.changes(before.changes)
                if len(changes) <= _CHANGES_MAX and not _is_of_all(changes):
                    changed = edges.changed_edges(before.changes, before.until) if changes else []
                    base = _without(before, changes, edges.edge_types())
            # A space that was undone may come back with other nodes.
            if not _has_nodes_of(edges, base):
                base, changed = _empty(edges.last_change()), []
            if base.until >= until and not changed:
                return base
            newest = self._read(space, base, until, changed)
            arrays.offer(*_FILE, lambda: newest, len(newest.experiences.seqs))
            return newest

    def view_at(self, space: Space, until: int) -> GraphView:
        """Return the view as it was at an earlier sequence, built again."""
        with self._store.snapshot():
            return self._read(space, _empty(), min(until, self.cursor(space)), [])

    def identify(self, space: Space, numbers: Sequence[int]) -> dict[int, tuple[str, str]]:
        """Return (id, readable name) of some stored node numbers."""
        named = self._store.space(space).edges.identify(numbers)
        return {number: (id, name or id) for number, (_, id, name) in named.items()}

    def _read(self, space: Space, base: GraphView, until: int, changed: list[_Row]) -> GraphView:
        table = self._store.space(space).edges
        nodes = table.nodes(int(base.numbers[-1]) if len(base.numbers) else 0, until)
        edges = _edges(table, base.until, until, changed)
        features = self._store.catalog.features(space, base.until, until)
        return _extend(base, until, nodes, edges, features)


def _has_nodes_of(table: EdgeTable, view: GraphView) -> bool:
    """Return whether the nodes that a view was made of are still there."""
    if not len(view.numbers):
        return table.has_node(None)
    return all(table.has_node(int(view.numbers[place])) for place in (0, -1))


def _is_of_all(changes: Sequence[_Row]) -> bool:
    return any(type is None and source == ALL_NODES for _, type, source, _ in changes)


def _without(before: GraphView, changes: Sequence[_Row], types: Mapping[int, str]) -> GraphView:
    """Return a view without what was changed since, which is then read as it is now."""
    if not changes:
        return before
    nodes = [source for _, type, source, _ in changes if type is None]
    edges: dict[str, list[tuple[int, int]]] = {}
    for _, type, source, target in changes:
        if type is not None:
            edges.setdefault(types[type], []).append((source, target))
    left = view.thinned(before, nodes, edges)
    return dataclasses.replace(left, changes=changes[-1][0])


def _edges(table: EdgeTable, after: int, until: int, changed: list[_Row]) -> _Edges:
    """Read the edges made by entries after a sequence and up to another, a part at a time.

    And those that were `changed`.
    """
    types = table.edge_types()
    parts: dict[str, list[tuple[Ints, Ints, Floats]]] = {}
    for rows in chain([changed] if changed else [], table.edges(after, until)):
        rows.sort(key=itemgetter(0))
        for type, mine in groupby(rows, itemgetter(0)):
            _, source, target, weight = zip(*mine, strict=True)
            columns = np.array(source, np.int64), np.array(target, np.int64), np.array(weight)
            if type not in types:
                raise Damaged(_DAMAGED)
            parts.setdefault(types[type], []).append(columns)
    edges: _Edges = {}
    for type, read in parts.items():
        sources, targets, weights = zip(*read, strict=True)
        edges[type] = np.concatenate(sources), np.concatenate(targets), np.concatenate(weights)
    return edges


def _places_of(numbers: Ints, nodes: Ints) -> Ints:
    places = np.searchsorted(numbers, nodes)
    is_whole = len(numbers) and np.array_equal(numbers.take(places, mode="clip"), nodes)
    if len(nodes) and not is_whole:
        raise Damaged(_DAMAGED)
    return places


def _empty(changes: int = 0) -> GraphView:
    none = np.zeros(0, np.int64)
    columns = view.Experiences(none, none, none, none, none, none, none, none, none)
    return view.GraphView(0, none, none, columns, [], [], {}, {}, changes)


def _extend(
    base: GraphView,
    until: int,
    nodes: list[tuple[int, str, int]],
    edges: _Edges,
    features: list[tuple[int, int, str | None, str | None, int, int]],
) -> GraphView:
    numbers = np.concatenate([base.numbers, np.array([n[0] for n in nodes], np.int64)])
    people, sessions = list(base.people), list(base.sessions)
    node_of = {seq: i for i, (_, label, seq) in enumerate(nodes) if label == "Experience"}
    # An experience whose payload was erased before its turn is listed, and no node.
    features = [feature for feature in features if feature[0] in node_of]
    columns = _columns(features, people, sessions)
    columns.append([len(base.numbers) + node_of[feature[0]] for feature in features])
    columns += [[-1] * len(features), [-1] * len(features)]
    experiences = base.experiences.extended(columns)
    experience_of = np.full(len(numbers), -1, np.int64)
    experience_of[experiences.node] = np.arange(len(experiences.seqs))
    outgoing, incoming = dict(base.outgoing), dict(base.incoming)
    for type, (sources, targets, weight) in edges.items():
        source, target = _places_of(numbers, sources), _places_of(numbers, targets)
        if type == "NEXT":
            experiences = experiences.linked(experience_of[source], experience_of[target])
        outgoing[type] = _add(outgoing.get(type), source, target, weight, len(numbers))
        incoming[type] = _add(incoming.get(type), target, source, weight, len(numbers))
    return view.GraphView(
        until,
        numbers,
        experience_of,
        experiences,
        people,
        sessions,
        outgoing,
        incoming,
        base.changes,
    )


def _columns(
    features: list[tuple[int, int, str | None, str | None, int, int]],
    people: list[str],
    sessions: list[str],
) -> list[list[int]]:
    """Turn catalogue rows into columns, adding new people and sessions to the names."""
    person_at = {name: i for i, name in enumerate(people)}
    session_at = {name: i for i, name in enumerate(sessions)}
    columns: list[list[int]] = [[], [], [], [], [], []]
    for seq, at, person, session, words, traits in features:
        row = (
            seq,
            at,
            _index_of(person, person_at, people),
            _index_of(session, session_at, sessions),
        )
        for column, value in zip(columns, (*row, words, traits), strict=True):
            column.append(value)
    return columns


def _index_of(name: str | None, places: dict[str, int], names: list[str]) -> int:
    if name is None:
        return -1
    if name not in places:
        places[name] = len(names)
        names.append(name)
    return places[name]


def _add(
    links: EdgeLayers | None, sources: Ints, targets: Ints, weights: Floats, nodes: int
) -> EdgeLayers:
    """Put edges into the overlay, or merge everything when the overlay has grown too large."""
    if links is None:
        return view.EdgeLayers((view.SparseRows.build(sources, targets, weights, nodes),))
    settled, overlay = links.layers[0], links.layers[1:]
    grown = sum(len(layer.targets) for layer in overlay) + len(sources)
    merge = grown > max(_OVERLAY_FLOOR, _OVERLAY_SHARE * len(settled.targets))
    for layer in (settled, *overlay) if merge else overlay:
        sources = np.concatenate(
            [np.repeat(np.arange(len(layer.starts) - 1), np.diff(layer.starts)), sources]
        )
        targets = np.concatenate([layer.targets.astype(np.int64), targets])
        weights = np.concatenate([layer.weights.astype(np.float64), weights])
    fresh = view.SparseRows.build(sources, targets, weights, nodes)
    return view.EdgeLayers((fresh,) if merge else (settled, fresh))
