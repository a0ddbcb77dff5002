"""The activator: where activation finds its edges, in arrays in memory or in a graph engine.

Where a graph engine does not answer, a note is added: the arrays hold the same edges. How
activation moves is decided in `ranking/spreading`, and for the walk in `activation`.
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
from ...graph.view import CypherEdges, GraphView, Ints
from ...storage.store import Store
from ...traversal.tracerank import unranked
from ..query.question import ParsedQuestion
from .activation import ActivationResult, activate
from .engine_edges import over_engine
from .pool import Pool, SpaceView
from .postings import Postings
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

    def tied(
        self, pool: Pool, postings: Postings, question: ParsedQuestion
    ) -> tuple[Pool, list[str]]:
        """Return a pool with the edges that words and people spread over, and notes."""
        if (open_graph := self._opens) is None:
            return pool, []
        try:
            edges = self._edges(pool.space, open_graph)
            return over_engine(pool, postings, question, edges), []
        except MeridiaError as error:
            return pool, [_in_memory(error)]

    def activate(self, pool: Pool) -> ActivationResult:
        """Walk from a pool's start nodes."""
        space = pool.space
        history = self._histories.ranks(space) if self._settings.tracerank else unranked
        if (open_graph := self._opens) is None:
            return activate(pool, space.view, history)
        try:
            return activate(pool, self._edges(space, open_graph), history)
        except MeridiaError as error:
            return replace(activate(pool, space.view, history), notes=(_in_memory(error),))

    @property
    def _opens(self) -> OpenGraph | None:
        return self._graph if self._settings.traverse == "cypher" else None

    def _edges(self, space: SpaceView, open_graph: OpenGraph) -> CypherEdges:
        store = open_graph(space.name)
        return CypherEdges(store.run, *self._translation(space), space.view.until)

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


def _in_memory(error: MeridiaError) -> str:
    return f"activation moved over the edges in memory: the graph did not answer ({error})"
