"""Hops over a graph engine: the edges of one step by one Cypher query, instead of from arrays.

Returns what `GraphView.hop` returns for the same journal sequence: newer edges of the engine are
ignored. Weights are rounded as in the arrays, so that both give the same bits. It ranks nothing and
stores nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..core.ports import Table
from .cypher_loader import cypher
from .view import Hop, Ints, Way

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
