"""The vector index in Neo4j as a source; it is filled from the recorded vectors when it is asked.

The index is shared by all spaces of a database, so more is fetched until enough rows are of this
space. Its scores are rounded; they are computed again for the nodes that it names.
"""

from __future__ import annotations

from collections.abc import Callable

from ...core.calls.arguments import checked
from ...core.errors import MeridiaError, Unavailable
from ...core.ports import GraphStore, VectorFilters, VectorQuery
from ...core.types import Space
from ...graph.schema import cypher
from ...storage.store import Store

#: Fetched for each that is asked for; four times as many as long as that leaves too few.
_FETCH_FACTOR, _GROWTH, _FETCH_MAX = 2, 4, 50_000


@checked
class Neo4jSource:
    """Searches the graph of a space, where that is in Neo4j.

    `fill` brings graph and vectors of a space up to date and returns how far they have come.
    """

    name = "neo4j"

    def __init__(
        self, file: Store, graph: Callable[[Space], GraphStore], fill: Callable[[Space], int]
    ) -> None:
        self._file = file
        self._graph = graph
        self._fill = fill

    def is_available(self, space: Space) -> bool:
        """Say whether Neo4j is the graph's engine, and answers."""
        try:
            return self._opened(space).shared
        except MeridiaError:
            return False

    def until(self, space: Space) -> int:
        """Return how far the vectors have come, after bringing them up to date."""
        self._opened(space)
        return self._fill(space)

    def search(self, query: VectorQuery) -> list[tuple[int, float]]:
        """Return the nearest experiences; see `VectorSource.search`."""
        graph, among = self._opened(query.space), query.among
        if query.filters != VectorFilters():
            like = self._file.catalog.like(query.space, query.filters)
            among = like if among is None else sorted(set(among) & set(like))
        if among is None:
            return self._near(graph, query)
        named = [int(seq) for seq in among if seq <= query.until]
        values = {"vector": query.vector.tolist(), "among": named, "limit": query.limit}
        rows = graph.run(cypher("neo4j/compare_vectors"), values).rows
        return [(int(seq), _cosine(score)) for seq, score in rows]

    def _near(self, graph: GraphStore, query: VectorQuery) -> list[tuple[int, float]]:
        fetch, vector = query.limit * _FETCH_FACTOR, query.vector.tolist()
        while True:
            values = {"vector": vector, "fetch": fetch}
            rows = graph.run(cypher("neo4j/near_vectors"), values).rows
            own = [(int(seq), _cosine(score)) for seq, score, own in rows if own]
            near = sorted((-score, seq) for seq, score in own if seq <= query.until)[: query.limit]
            if len(near) == query.limit or len(rows) < fetch or fetch >= _FETCH_MAX:
                return [(seq, -score) for score, seq in near]
            fetch = min(fetch * _GROWTH, _FETCH_MAX)

    def _opened(self, space: Space) -> GraphStore:
        graph = self._graph(space)
        if not graph.shared:
            raise Unavailable("the graph is not in Neo4j: graph.engine says embedded")
        return graph


def _cosine(score: float) -> float:
    """Return the cosine that Neo4j's score, 0 to 1, stands for."""
    return 2 * score - 1
