"""The graph of one space as arrays: what recall and traversal look at, immutable.

Nodes have dense indices 0…N-1. Edges of each type are kept in both directions as compressed
sparse rows, plus a small sorted overlay of what came since; a new view shares the arrays of the
old one. Experiences are the first-class nodes: their columns stand in `Experiences`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Rows:
    """Edges found for some nodes: position of the node in the asked list, target, weight, seq."""

    position: Ints
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

    def of(self, nodes: Ints) -> Rows:
        """Return all edges of `nodes`, which may repeat and may be newer than these rows."""
        lengths = self.degrees(nodes)
        position = np.repeat(np.arange(len(nodes)), lengths)
        ends = np.cumsum(lengths)
        within = np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(ends - lengths, lengths)
        first = self.starts[np.minimum(nodes, len(self.starts) - 2)]
        index = first[position] + within
        return Rows(
            position,
            self.targets[index].astype(np.int64),
            self.weights[index].astype(np.float64),
        )

    def degrees(self, nodes: Ints) -> Ints:
        """Return how many edges each node has here."""
        inside = nodes < len(self.starts) - 1
        known = np.where(inside, nodes, 0)
        return np.where(inside, self.starts[known + 1] - self.starts[known], 0)


@dataclass(frozen=True, slots=True)
class Links:
    """All edges of one type in one direction: settled rows and the overlay since."""

    layers: tuple[SparseRows, ...]

    def of(self, nodes: Ints) -> Rows:
        """Return all edges of `nodes`, ordered by layer, then by position."""
        found = [layer.of(nodes) for layer in self.layers]
        if len(found) == 1:
            return found[0]
        return Rows(
            np.concatenate([rows.position for rows in found]),
            np.concatenate([rows.target for rows in found]),
            np.concatenate([rows.weight for rows in found]),
        )

    def degrees(self, nodes: Ints) -> Ints:
        """Return how many edges each node has."""
        total = self.layers[0].degrees(nodes)
        for layer in self.layers[1:]:
            total = total + layer.degrees(nodes)
        return total


NO_LINKS = Links(
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
        if not len(self.seqs):
            return np.full(len(seqs), -1, np.int64)
        row = np.minimum(np.searchsorted(self.seqs, seqs), len(self.seqs) - 1)
        return np.where(self.seqs[row] == seqs, row, -1)


@dataclass(frozen=True, slots=True)
class GraphView:
    """An immutable snapshot of a space's graph, up to and including journal sequence `until`.

    `numbers` are the stored node numbers, ascending; a node's dense index is its place there.
    `experience_of` maps a node to its row in `experiences` (-1: another kind of node).
    """

    until: int
    numbers: Ints
    experience_of: Ints
    experiences: Experiences
    people: Sequence[str]
    sessions: Sequence[str]
    outgoing: Mapping[str, Links]
    incoming: Mapping[str, Links]

    def links(self, type: str, outgoing: bool = True) -> Links:
        """Return the edges of a type in one direction."""
        return (self.outgoing if outgoing else self.incoming).get(type, NO_LINKS)

    def nodes_of(self, numbers: Ints) -> Ints:
        """Return the dense index of each stored node number, -1 where it is not here."""
        if not len(self.numbers):
            return np.full(len(numbers), -1, np.int64)
        index = np.minimum(np.searchsorted(self.numbers, numbers), len(self.numbers) - 1)
        return np.where(self.numbers[index] == numbers, index, -1)
