"""The activator: runs the walk over arrays in memory or over a graph engine.

Where a graph engine does not answer, a note is added: the arrays hold the same edges. How
activation moves is decided in `activation`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from ...core.errors import MeridiaError
from ...core.ports import GraphStore
from ...core.recall_settings import RecallSettings
from ...core.types import Space as SpaceName
from ...graph.adjacency import Adjacency
from ...graph.cypher_edges import CypherEdges
from ...graph.view import GraphView, Ints
from ...storage.store import Store
from ...traversal.tracerank import unranked
from .activation import ActivationResult, activate
from .pool import Pool, SpaceView
from .tracerank_history import TraceRankHistory

#: Opens the graph of a space, brought up to date.
OpenGraph = Callable[[SpaceName], GraphStore]


class Activator:
    """Moves activation as the settings say, over whichever source of edges answers."""

    def __init__(
        self,
        file: Store,
        adjacency: Adjacency,
        settings: RecallSettings,
        graph: OpenGraph | None,
    ) -> None:
        self._adjacency = adjacency
        self._settings = settings
        self._graph = graph
        self._histories = TraceRankHistory(file, adjacency)

    def activate(self, pool: Pool) -> ActivationResult:
        """Move activation from a pool's start nodes."""
        space = pool.space
        history = self._histories.ranks(space) if self._settings.tracerank else unranked
        if self._settings.traverse == "arrays" or self._graph is None:
            return activate(pool, space.view, history)
        try:
            store = self._graph(space.name)
            edges = CypherEdges(store.run, *self._translation(space), space.view.until)
            return activate(pool, edges, history)
        except MeridiaError as error:
            note = f"activation moved over the edges in memory: the graph did not answer ({error})"
            return replace(activate(pool, space.view, history), notes=(note,))

    def _translation(
        self, space: SpaceView
    ) -> tuple[Callable[[Ints], list[str]], Callable[[Sequence[str]], Ints]]:
        """Return how dense indices become ids, and ids become dense indices."""
        view: GraphView = space.view

        def ids(nodes: Ints) -> list[str]:
            numbers = view.numbers[nodes].tolist()
            names = self._adjacency.identify(space.name, numbers)
            return [names[number][0] for number in numbers]

        def nodes(ids: Sequence[str]) -> Ints:
            numbers = self._adjacency.numbers(space.name, ids)
            return view.nodes_of(np.array([numbers.get(id, -1) for id in ids], np.int64))

        return ids, nodes
