"""The source's walk from a pool's start nodes, and the paths by which it came to memories.

It judges nothing: the signal on arrival is one contribution to a score.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...graph.view import Floats, Ints
from ...storage.sorted_arrays import lookup_values
from ...traversal.paths import ActivationPath, PathsTo
from ...traversal.tracerank import NodeRanks
from ...traversal.walk import EdgeSource, Visit, start_nodes, walk
from .pool import Pool


@dataclass(frozen=True, slots=True)
class ActivationResult:
    """What a walk recalled: rows ascending, the signal on arrival, and by which paths.

    `notes` are for whoever reads the answer.
    """

    rows: Ints
    amount: Floats
    paths: PathsTo
    notes: tuple[str, ...] = ()

    def at(self, rows: Ints) -> Floats:
        """Return the signal at each of `rows`, 0 where the walk did not come."""
        return lookup_values(self.rows, self.amount, rows)


def activate(pool: Pool, edges: EdgeSource, history: NodeRanks) -> ActivationResult:
    """Walk from the three best candidates of a pool; each walk is drawn by its random seed."""
    space, view = pool.space, pool.space.view

    def rank(nodes: Ints) -> Floats:
        row, values = view.experience_of[nodes], history(nodes)
        values[(row >= 0) & ~space.visible[row]] = 0.0
        return values

    active = np.ones(len(pool.rows), bool)
    best = start_nodes(pool.rows, pool.mass[pool.rows], active & (pool.mass[pool.rows] > 0))
    random = np.random.default_rng(space.random_seed)
    visits = walk(edges, view.experiences.node[best], random, rank)
    by_row: dict[int, list[Visit]] = defaultdict(list)
    for visit in visits:
        row = int(view.experience_of[visit.node])
        if visit.steps and row >= 0 and space.allowed[row]:
            by_row[row].append(visit)
    rows = np.array(sorted(by_row), np.int64)
    amount = np.array([sum(v.signal for v in by_row[row]) for row in rows.tolist()], np.float64)

    def paths(row: int) -> Iterator[ActivationPath]:
        return iter([path_of(visit) for visit in by_row[row]])

    return ActivationResult(rows, amount, paths)


def path_of(visit: Visit) -> ActivationPath:
    """Return the way of one visit of a walk; its amount is the signal on arrival."""
    capped = sum(step.capped for step in visit.steps)
    note = f"signal {visit.signal:.2f}"
    if capped:
        note += f", the probability of {capped} capped at 1"
    return ActivationPath(
        (visit.start, *(step.node for step in visit.steps)),
        tuple(step.type for step in visit.steps),
        tuple(step.along for step in visit.steps),
        visit.signal,
        note,
    )
