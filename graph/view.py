"""The graph of one space as immutable arrays, for recall and traversal.

Nodes have dense indices 0…N-1. Edges of each type are stored in both directions as compressed
sparse rows, plus a small sorted overlay of newer edges; a new view shares the arrays of the old
one. Experiences are the first nodes: their columns are in `Experiences`. `CypherEdges` gives the
same hops, bit for bit, by queries of a graph engine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.ports import Table
from ..storage.sorted_arrays import places
from .schema import cypher

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
#: Edges of experiences that a column holds once more.
_COLUMNS = {"SPOKEN_BY": "person", "IN_SESSION": "session"}
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class EdgeRows:
    """Edges found for some nodes: position of the node in the asked list, target, weight, seq."""

    position: Ints
    target: Ints
    weight: Floats


#: An edge type, and whether its edges are followed in their own direction.
Way = tuple[str, bool]


@dataclass(frozen=True, slots=True)
class Hop:
    """Every edge that leads away from some nodes by some ways: one row an edge.

    `position` is the node's place among the asked, `way` the way's; rows come by way, node and
    neighbour. `fan_out` is how many edges each asked node has; one with too many has no rows.
    """

    fan_out: Ints
    position: Ints
    way: Ints
    target: Ints
    weight: Floats


@dataclass(frozen=True, slots=True)
class SparseRows:
    """Edges in compressed sparse rows: those of node i lie in starts[i]…starts[i+1]."""

    starts: Ints
    targets: NDArray[np.int32]
    weights: NDArray[np.float32]

    @staticmethod
    def build(sources: Ints, targets: Ints, weights: Floats, nodes: int) -> SparseRows:
        """Sort edges into rows for `nodes` nodes; the order within a row is that of targets."""
        order = np.lexsort((targets, sources))
        rows = max(nodes, 1)
        starts = np.zeros(rows + 1, np.int64)
        np.cumsum(np.bincount(sources, minlength=rows), out=starts[1:])
        return SparseRows(
            starts, targets[order].astype(np.int32), weights[order].astype(np.float32)
        )

    def of(self, nodes: Ints) -> EdgeRows:
        """Return all edges of `nodes`, which may repeat and may be newer than these rows."""
        lengths = self.degrees(nodes)
        position = np.repeat(np.arange(len(nodes)), lengths)
        ends = np.cumsum(lengths)
        within = np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(ends - lengths, lengths)
        first = self.starts[np.minimum(nodes, len(self.starts) - 2)]
        index = first[position] + within
        return EdgeRows(
            position,
            self.targets[index].astype(np.int64),
            self.weights[index].astype(np.float64),
        )

    def degrees(self, nodes: Ints) -> Ints:
        """Return how many edges each node has here."""
        inside = nodes < len(self.starts) - 1
        inside_nodes = np.where(inside, nodes, 0)
        return np.where(inside, self.starts[inside_nodes + 1] - self.starts[inside_nodes], 0)


@dataclass(frozen=True, slots=True)
class EdgeLayers:
    """All edges of one type in one direction: settled rows and the overlay since."""

    layers: tuple[SparseRows, ...]

    def of(self, nodes: Ints) -> EdgeRows:
        """Return all edges of `nodes`, ordered by position, then by target.

        The same order whatever lies in which layer, so that sums over them are the same to the bit.
        """
        blocks = [layer.of(nodes) for layer in self.layers]
        if len(blocks) == 1:
            return blocks[0]
        position = np.concatenate([rows.position for rows in blocks])
        target = np.concatenate([rows.target for rows in blocks])
        weight = np.concatenate([rows.weight for rows in blocks])
        order = np.lexsort((target, position))
        return EdgeRows(position[order], target[order], weight[order])

    def degrees(self, nodes: Ints) -> Ints:
        """Return how many edges each node has."""
        total = self.layers[0].degrees(nodes)
        for layer in self.layers[1:]:
            total = total + layer.degrees(nodes)
        return total


NO_EDGES = EdgeLayers(
    (SparseRows(np.zeros(2, np.int64), np.zeros(0, np.int32), np.zeros(0, np.float32)),)
)


@dataclass(frozen=True, slots=True)
class Experiences:
    """Columns of a space's experiences in journal order, n rows.

    `at` is seconds since 1970; `person` and `session` are indices into the names (-1: none);
    `node` is the dense node index; `before` and `after` are the rows of the neighbours in the
    session (-1: none), which are the edges NEXT once more, for looking up many at once.
    """

    seqs: Ints
    at: Ints
    person: Ints
    session: Ints
    words: Ints
    traits: Ints
    node: Ints
    before: Ints
    after: Ints

    def extended(self, columns: Sequence[Sequence[int]]) -> Experiences:
        """Return these experiences with further rows, given as columns in order of the fields."""
        names = [field.name for field in fields(self)]
        return replace(
            self,
            **{
                name: np.concatenate([getattr(self, name), np.array(column, np.int64)])
                for name, column in zip(names, columns, strict=True)
            },
        )

    def linked(self, earlier: Ints, later: Ints) -> Experiences:
        """Return these experiences with pairs of rows that follow each other in a session."""
        before, after = self.before.copy(), self.after.copy()
        before[later], after[earlier] = earlier, later
        return replace(self, before=before, after=after)

    def neighbours(self, rows: Ints, steps: int) -> Ints:
        """Return the row `steps` places later (negative: earlier) in the same session, or -1."""
        column = self.after if steps > 0 else self.before
        here = rows
        for _ in range(abs(steps)):
            here = np.where(here >= 0, column[here], -1)
        return here

    def index_of(self, seqs: Ints) -> Ints:
        """Return the row of each sequence, -1 where it is not here."""
        return places(self.seqs, seqs)


@dataclass(frozen=True, slots=True)
class GraphView:
    """An immutable snapshot of a space's graph, up to and including journal sequence `until`.

    `numbers` are the stored node numbers, ascending; a node's dense index is its place there.
    `experience_of` maps a node to its row in `experiences` (-1: another kind of node). `changes`
    is the last change of the stored graph that the view knows of.
    """

    until: int
    numbers: Ints
    experience_of: Ints
    experiences: Experiences
    people: Sequence[str]
    sessions: Sequence[str]
    outgoing: Mapping[str, EdgeLayers]
    incoming: Mapping[str, EdgeLayers]
    changes: int = 0

    def links(self, type: str, outgoing: bool = True) -> EdgeLayers:
        """Return the edges of a type in one direction."""
        return (self.outgoing if outgoing else self.incoming).get(type, NO_EDGES)

    def hop(self, ways: Sequence[Way], nodes: Ints, fan_out_max: int) -> Hop:
        """Return the edges that lead away from `nodes`, but for those of larger hubs."""
        links = [self.links(type, along) for type, along in ways]
        degrees = [link.degrees(nodes) for link in links]
        fan_out = np.zeros(len(nodes), np.int64)
        for degree in degrees:
            fan_out += degree
        open_ = fan_out <= fan_out_max
        blocks = []
        for number, (link, degree) in enumerate(zip(links, degrees, strict=True)):
            asked = np.flatnonzero(open_ & (degree > 0))
            if len(asked):
                blocks.append((number, asked, link.of(nodes[asked])))
        none = np.zeros(0, np.int64)
        return Hop(
            fan_out,
            np.concatenate([none, *(asked[rows.position] for _, asked, rows in blocks)]),
            np.repeat(
                np.array([number for number, *_ in blocks], np.int64),
                [len(rows.target) for *_, rows in blocks],
            ),
            np.concatenate([none, *(rows.target for *_, rows in blocks)]),
            np.concatenate([np.zeros(0), *(rows.weight for *_, rows in blocks)]),
        )

    def nodes_of(self, numbers: Ints) -> Ints:
        """Return the dense index of each stored node number, -1 where it is not here."""
        return places(self.numbers, numbers)

    def has(self, type: str, source: int, target: int) -> bool:
        """Return whether there is an edge between two nodes, given by their dense indices."""
        there = self.links(type).of(np.array([source], np.int64)).target
        return bool((there == target).any())

    def without(self, type: str, source: int, target: int) -> GraphView:
        """Return this graph without one edge, given by the dense indices of its ends.

        The columns of `experiences` that say the same as the edge change with it.
        """
        if not self.has(type, source, target):
            return self
        pair, none, experiences = (
            np.array([[source, target]]),
            np.zeros(0, np.int64),
            self.experiences,
        )
        if type == "NEXT":
            experiences = _unlinked(self, pair)
        elif type in _COLUMNS:
            column = getattr(experiences, _COLUMNS[type]).copy()
            column[self.experience_of[source]] = -1
            experiences = replace(experiences, **{_COLUMNS[type]: column})
        outgoing, incoming = (
            {**layers, type: _thinned(layers[type], none, pair, back)}
            for layers, back in ((self.outgoing, False), (self.incoming, True))
        )
        return replace(self, experiences=experiences, outgoing=outgoing, incoming=incoming)


#: What a view is made of.
PARTS = (GraphView, EdgeLayers, SparseRows, Experiences)


def thinned(
    view: GraphView, nodes: Sequence[int], edges: Mapping[str, Sequence[tuple[int, int]]]
) -> GraphView:
    """Return a view without some nodes and, by type, some edges, given by stored numbers."""
    stays = np.ones(len(view.numbers), bool)
    dead = view.nodes_of(np.array(sorted(nodes), np.int64))
    dead = dead[dead >= 0]
    stays[dead] = False
    cut = {type: _dense(view, pairs) for type, pairs in edges.items()}
    experiences = _unlinked(view, cut["NEXT"]) if "NEXT" in cut else view.experiences
    experiences = _left(experiences, stays)
    session, sessions = _named(experiences.session, view.sessions)
    person, people = _named(experiences.person, view.people)
    experiences = replace(experiences, session=session, person=person)
    experience_of = np.full(int(stays.sum()), -1, np.int64)
    experience_of[experiences.node] = np.arange(len(experiences.seqs))
    outgoing, incoming = (
        {type: _thinned(links, dead, cut.get(type), back) for type, links in layers.items()}
        for layers, back in ((view.outgoing, False), (view.incoming, True))
    )
    return replace(
        view,
        numbers=view.numbers[stays],
        experience_of=experience_of,
        experiences=experiences,
        people=people,
        sessions=sessions,
        outgoing=outgoing,
        incoming=incoming,
    )


def _named(column: Ints, names: Sequence[str]) -> tuple[Ints, list[str]]:
    """Return a column of places among names, and the names, of those alone that are in it.

    They stand in the order in which they first come, as where a view is read anew.
    """
    used, first = np.unique(column[column >= 0], return_index=True)
    used = used[np.argsort(first)]
    place = np.full(len(names) + 1, -1, column.dtype)  # the last one: no name, -1
    place[used] = np.arange(len(used))
    return place[column], [names[at] for at in used.tolist()]


def _dense(view: GraphView, pairs: Sequence[tuple[int, int]]) -> Ints:
    """Return edges between stored numbers as two columns of dense nodes, of both that are there."""
    ends = view.nodes_of(np.array(pairs, np.int64).reshape(-1, 2))
    return ends[(ends >= 0).all(axis=1)]


def _unlinked(view: GraphView, pairs: Ints) -> Experiences:
    """Return the experiences without some links to neighbours."""
    before, after = view.experiences.before.copy(), view.experiences.after.copy()
    earlier, later = view.experience_of[pairs[:, 0]], view.experience_of[pairs[:, 1]]
    after[earlier[after[earlier] == later]] = -1
    before[later[before[later] == earlier]] = -1
    return replace(view.experiences, before=before, after=after)


def _left(experiences: Experiences, stays: Mask) -> Experiences:
    """Return the experiences whose nodes stay, with the new numbers of nodes and rows."""
    node, row = np.cumsum(stays) - 1, stays[experiences.node]
    number = np.cumsum(row) - 1
    columns = {f.name: getattr(experiences, f.name)[row] for f in fields(experiences)}
    columns["node"] = node[columns["node"]]
    for name in ("before", "after"):
        there = (columns[name] >= 0) & row[columns[name]]
        columns[name] = np.where(there, number[columns[name]], -1)
    return Experiences(**columns)


def _has(layer: SparseRows, source: int, target: int) -> bool:
    if source >= len(layer.starts) - 1:
        return False
    return target in layer.targets[layer.starts[source] : layer.starts[source + 1]]


def _thinned(links: EdgeLayers, dead: Ints, cut: Ints | None, back: bool) -> EdgeLayers:
    """Return the edges without those of nodes that go, ascending, and those that are cut."""
    pairs = () if cut is None else cut[:, ::-1].tolist() if back else cut.tolist()
    layers = []
    for layer in links.layers:
        rows, goes = len(layer.starts) - 1, dead[dead < len(layer.starts) - 1]
        inside = [pair for pair in pairs if _has(layer, *pair)]
        if not inside and not len(goes) and layer.targets.max(initial=-1) < dead.min(initial=rows):
            layers.append(layer)  # what goes is newer than all of it
            continue
        stays = ~np.isin(layer.targets, dead)
        for source in goes.tolist():
            stays[layer.starts[source] : layer.starts[source + 1]] = False
        for source, target in inside:
            first, last = layer.starts[source], layer.starts[source + 1]
            stays[first:last] &= layer.targets[first:last] != target
        degrees, places = np.diff(layer.starts), np.flatnonzero(~stays)
        np.subtract.at(degrees, np.searchsorted(layer.starts, places, "right") - 1, 1)
        degrees = np.delete(degrees, goes)
        starts = np.zeros(max(len(degrees), 1) + 1, np.int64)
        np.cumsum(degrees, out=starts[1 : len(degrees) + 1])
        targets = layer.targets[stays]
        targets -= np.searchsorted(dead, targets).astype(np.int32)
        layers.append(SparseRows(starts, targets, layer.weights[stays]))
    return EdgeLayers(tuple(layers))


#: Runs one read statement and returns its rows.
Run = Callable[[str, Mapping[str, Any]], Table]


class CypherEdges:
    """Edges of a graph store, by the dense indices of a view."""

    def __init__(
        self,
        run: Run,
        ids: Callable[[Ints], list[str]],
        nodes: Callable[[Sequence[str]], Ints],
        until: int,
    ) -> None:
        """Ask by `run`; `ids` and `nodes` translate indices, -1 for an id the view lacks."""
        self._run, self.ids, self.nodes, self._until = run, ids, nodes, until

    def hop(self, ways: Sequence[Way], nodes: Ints, fan_out_max: int) -> Hop:
        """Return the edges that lead away from `nodes`, but for those of larger hubs."""
        number = {way: place for place, way in enumerate(ways)}
        ids = self.ids(nodes)
        place = {id: position for position, id in enumerate(ids)}
        values = {
            "ids": ids,
            "along": [type for type, along in ways if along],
            "against": [type for type, along in ways if not along],
            "until": self._until,
            "fan_out_max": fan_out_max,
        }
        rows = self._run(cypher("traversal/hop"), values).rows if ids and ways else []
        fan_out = np.zeros(len(nodes), np.int64)
        edge_rows: list[tuple[int, int, str, float]] = []
        for id, degree, edges in rows:
            position = place[str(id)]
            fan_out[position] = degree
            for type, along, other, weight in edges:
                edge_rows.append((number[str(type), bool(along)], position, str(other), weight))
        return self._ordered(fan_out, edge_rows)

    def _ordered(self, fan_out: Ints, edge_rows: Sequence[tuple[int, int, str, float]]) -> Hop:
        target = self.nodes([other for *_, other, _ in edge_rows])
        way = np.array([number for number, *_ in edge_rows], np.int64)
        position = np.array([position for _, position, *_ in edge_rows], np.int64)
        weight = np.array([weight for *_, weight in edge_rows], np.float32).astype(np.float64)
        order = np.lexsort((target, position, way))
        order = order[target[order] >= 0]
        return Hop(fan_out, position[order], way[order], target[order], weight[order])
