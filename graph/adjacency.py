"""Adjacency: the graph's edges in the SQLite file, and the array views built from them.

A projection with a cursor. It applies the same mutations as the graph stores, so the arrays that
recall walks and the graph that Cypher sees are one graph. Properties are not kept here.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import TypeAlias

import numpy as np

from ..core.types import EdgeUpsert, NodeUpsert, Space
from ..storage import cursors
from ..storage.database import Connection, Database
from ..storage.journal import SqliteJournal
from ..storage.projections.catalog import Catalog
from ..storage.statement_loader import sql
from .erasure_filter import changes
from .schema import PROJECTION_VERSION
from .view import EdgeLayers, Experiences, Floats, GraphView, Ints, SparseRows

_PROJECTION = "adjacency"
_BATCH = 500
#: An overlay larger than this share of the settled edges (and than the floor) is merged.
_OVERLAY_SHARE, _OVERLAY_FLOOR = 0.1, 20_000
#: Two million tuples at once take half a gigabyte, and as long again to look for garbage among.
_EDGES_READ = 500
#: Of each type: node numbers of the sources, of the targets, and weights.
_Edges: TypeAlias = dict[str, tuple[Ints, Ints, Floats]]


class Adjacency:
    """Brings the adjacency tables up to date and publishes views of them."""

    def __init__(self, database: Database, journal: SqliteJournal, catalog: Catalog) -> None:
        self._database = database
        self._journal = journal
        self._catalog = catalog

    def cursor(self, space: Space) -> int:
        """Return the last journal sequence applied."""
        with self._database.reading() as connection:
            number = self._journal.number(space)
            return cursors.position(connection, number, _PROJECTION, PROJECTION_VERSION)

    def catch_up(self, space: Space) -> None:
        """Apply every journal entry that is missing, in batches, each with its cursor."""
        number, head = self._journal.number(space), self._journal.head(space).seq
        while self.cursor(space) < head:
            with self._database.writing() as connection:
                done = cursors.position(connection, number, _PROJECTION, PROJECTION_VERSION)
                if done == 0:
                    connection.execute(sql("adjacency/clear_edges"), (number,))
                    connection.execute(sql("adjacency/clear_nodes"), (number,))
                entries = self._journal.read(space, done, _BATCH)
                for entry, mutations in changes(
                    entries, partial(_existing_ids, connection, number)
                ):
                    _apply(connection, number, entry.seq, mutations)
                if entries:
                    last = entries[-1].seq
                    cursors.move(connection, number, _PROJECTION, PROJECTION_VERSION, last)

    def clear(self, space: Space) -> None:
        """Drop the space's adjacency; the next catch-up builds it again."""
        number = self._journal.number(space)
        with self._database.writing() as connection:
            connection.execute(sql("adjacency/clear_edges"), (number,))
            connection.execute(sql("adjacency/clear_nodes"), (number,))
            connection.execute(sql("journal/forget_cursor"), (number, _PROJECTION))

    def numbers(self, space: Space, ids: Sequence[str]) -> dict[str, int]:
        """Return the stored numbers of some node ids; absent ones are left out."""
        values = (self._journal.number(space), json.dumps(list(ids)))
        with self._database.reading() as connection:
            return dict(connection.execute(sql("adjacency/find_nodes"), values).fetchall())

    def names(self, space: Space, numbers: Sequence[int]) -> dict[int, str]:
        """Return the readable names of some stored node numbers: a word, a person, a session."""
        values = (self._journal.number(space), json.dumps([int(n) for n in numbers]))
        with self._database.reading() as connection:
            rows = connection.execute(sql("adjacency/describe_nodes"), values)
            return {number: name or "?" for number, name in rows}

    def names_of(self, space: Space, ids: Sequence[str]) -> dict[str, str]:
        """Return the readable names of some node ids."""
        values = (self._journal.number(space), json.dumps(list(ids)))
        with self._database.reading() as connection:
            rows = connection.execute(sql("adjacency/names"), values).fetchall()
        return {id: name for id, name in rows if name}

    def most_shared(self, space: Space, limit: int) -> list[tuple[str, str, int, str | None]]:
        """Return (name, label, memories, what it was merged into) of what is shared most."""
        values = (self._journal.number(space), limit)
        with self._database.reading() as connection:
            return connection.execute(sql("adjacency/entities"), values).fetchall()

    def view(self, space: Space, before: GraphView | None = None) -> GraphView:
        """Return the newest view; extending `before`, when given, costs only what is new."""
        number = self._journal.number(space)
        with self._database.snapshot() as connection:
            until = self.cursor(space)
            # Numbers are never used twice: one that is gone means that somebody rebuilt.
            same = before is not None and self._has_nodes_of(connection, number, before)
            base = before if before is not None and same else _empty()
            if same and base.until >= until:
                return base
            return self._read(connection, space, base, until)

    @staticmethod
    def _has_nodes_of(connection: Connection, space: int, view: GraphView) -> bool:
        """Say whether the nodes that a view was made of are still there."""
        values = (int(view.numbers[0]) if len(view.numbers) else None, space)
        return bool(connection.execute(sql("adjacency/has_node"), values).fetchone()[0])

    def view_at(self, space: Space, until: int) -> GraphView:
        """Return the view as it was at an earlier sequence, read anew."""
        with self._database.snapshot() as connection:
            return self._read(connection, space, _empty(), min(until, self.cursor(space)))

    def identify(self, space: Space, numbers: Sequence[int]) -> dict[int, tuple[str, str]]:
        """Return (id, readable name) of some stored node numbers."""
        values = (self._journal.number(space), json.dumps([int(n) for n in numbers]))
        with self._database.reading() as connection:
            rows = connection.execute(sql("adjacency/identify_nodes"), values)
            return {number: (id, name or id) for number, id, name in rows}

    def _read(self, connection: Connection, space: Space, base: GraphView, until: int) -> GraphView:
        number = self._journal.number(space)
        last = int(base.numbers[-1]) if len(base.numbers) else 0
        nodes = connection.execute(sql("adjacency/nodes"), (last, number, until)).fetchall()
        edges = _edges(connection, number, base.until, until)
        features = self._catalog.features(space, base.until, until)
        return _extend(base, until, nodes, edges, features)


def _existing_ids(connection: Connection, space: int, _label: str, ids: Sequence[str]) -> set[str]:
    """Return which of some nodes there are; ids are unique in a space, whatever the label."""
    values = (space, json.dumps(list(ids)))
    return {row[0] for row in connection.execute(sql("adjacency/find_nodes"), values)}


def _apply(
    connection: Connection, space: int, seq: int, changes: Sequence[NodeUpsert | EdgeUpsert]
) -> None:
    nodes = [
        (space, c.label, c.id, seq, _readable_name(c)) for c in changes if isinstance(c, NodeUpsert)
    ]
    edges = [
        {
            "space": space,
            "type": c.type,
            "source": c.source,
            "target": c.target,
            "weight": c.properties["weight"],
            "source_seq": c.properties["source_seq"],
        }
        for c in changes
        if isinstance(c, EdgeUpsert)
    ]
    connection.executemany(sql("adjacency/add_node"), nodes)
    connection.executemany(sql("adjacency/add_edge"), edges)


def _edges(connection: Connection, space: int, after: int, until: int) -> _Edges:
    """Read the edges made by entries after a sequence and up to another, a part at a time."""
    statement = sql("adjacency/edges" if after else "adjacency/all_edges")
    cursor = connection.execute(statement, (space, after, until))
    parts: dict[str, list[tuple[Ints, Ints, Floats]]] = {}
    while rows := cursor.fetchmany(_EDGES_READ):
        rows.sort(key=itemgetter(0))
        for type, mine in groupby(rows, itemgetter(0)):
            _, source, target, weight = zip(*mine, strict=True)
            columns = np.array(source, np.int64), np.array(target, np.int64), np.array(weight)
            parts.setdefault(type, []).append(columns)
    edges: _Edges = {}
    for type, read in parts.items():
        sources, targets, weights = zip(*read, strict=True)
        edges[type] = np.concatenate(sources), np.concatenate(targets), np.concatenate(weights)
    return edges


def _readable_name(node: NodeUpsert) -> str | None:
    names = (node.properties.get(key) for key in ("word", "name", "key", "uri"))
    return next((str(name) for name in names if name is not None), None)


def _empty() -> GraphView:
    none = np.zeros(0, np.int64)
    columns = Experiences(none, none, none, none, none, none, none, none, none)
    return GraphView(0, none, none, columns, [], [], {}, {})


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
        source, target = np.searchsorted(numbers, sources), np.searchsorted(numbers, targets)
        if type == "NEXT":
            experiences = experiences.linked(experience_of[source], experience_of[target])
        outgoing[type] = _add(outgoing.get(type), source, target, weight, len(numbers))
        incoming[type] = _add(incoming.get(type), target, source, weight, len(numbers))
    return GraphView(
        until, numbers, experience_of, experiences, people, sessions, outgoing, incoming
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
        return EdgeLayers((SparseRows.build(sources, targets, weights, nodes),))
    settled, overlay = links.layers[0], links.layers[1:]
    grown = sum(len(layer.targets) for layer in overlay) + len(sources)
    merge = grown > max(_OVERLAY_FLOOR, _OVERLAY_SHARE * len(settled.targets))
    for layer in (settled, *overlay) if merge else overlay:
        sources = np.concatenate(
            [np.repeat(np.arange(len(layer.starts) - 1), np.diff(layer.starts)), sources]
        )
        targets = np.concatenate([layer.targets.astype(np.int64), targets])
        weights = np.concatenate([layer.weights.astype(np.float64), weights])
    fresh = SparseRows.build(sources, targets, weights, nodes)
    return EdgeLayers((fresh,)) if merge else EdgeLayers((settled, fresh))
