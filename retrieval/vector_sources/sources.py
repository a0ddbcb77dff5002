"""The vector sources of a question's candidates: in memory, Graphiti's search, Neo4j, PostgreSQL.

The built-in source compares exactly. Graphiti finds facts: the score of a memory is the cosine of
its fact with the question; a fact that Graphiti's model read from a whole session counts half for
each of its memories. Neo4j's index is filled when it is asked; it is shared by all spaces of a
database, so more rows are fetched until enough are of this space, and scores are computed again
because the index rounds them. The sink `postgres` fills PostgreSQL. After a failure or a lag a note
says so, and the source is left alone for a while, so that only one answer waits for it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from ...core.calls.arguments import checked
from ...core.entries import EpisodeSynthesised
from ...core.errors import MeridiaError, Unavailable
from ...core.ports import GraphStore, VectorFilters, VectorQuery, VectorSource
from ...core.types import EntryKind, Space
from ...graph.graphiti.client import GraphitiClient
from ...graph.graphiti.mapping import EXPERIENCE, group_of, uuid_of
from ...graph.schema import cypher, partition
from ...storage.journal import Journal
from ...storage.sinks.sink_state import SinkState
from ...storage.sorted_arrays import largest
from ...storage.store import Store
from ...storage.vectors import Matrix, VectorIndexes
from ..candidates.pool import SpaceView, VectorCandidates

if TYPE_CHECKING:
    from ...storage.sinks.pgvector_table import PgVectorTable


BUILT_IN = "built-in"


@checked
class BuiltInSource:
    """Searches the vectors recorded beside the journal."""

    name = BUILT_IN

    def __init__(self, file: Store, indexes: VectorIndexes) -> None:
        self._file = file
        self._indexes = indexes

    def is_available(self, space: Space) -> bool:  # noqa: ARG002 - there wherever the file is
        """Return True: it is always there."""
        return True

    def until(self, space: Space) -> int:
        """Return the end of the journal: this source has no lag."""
        return self._file.journal.head(space).seq

    def search(self, query: VectorQuery) -> list[tuple[int, float]]:
        """Return the nearest experiences; see `VectorSource.search`."""
        dimension = len(query.vector)
        index = self._indexes.index(query.space, query.model, dimension, query.until)
        similarities = index.similarities(query.vector)
        allowed = np.ones(len(index.seqs), bool)
        if query.among is not None:
            allowed &= np.isin(index.seqs, np.array(query.among, np.int64))
        if query.filters != VectorFilters():
            like = self._file.catalog.like(query.space, query.filters)
            allowed &= np.isin(index.seqs, np.array(like, np.int64))
        rows = np.flatnonzero(allowed)
        order = rows[np.lexsort((rows, -similarities[rows]))][: query.limit]
        return list(zip(index.seqs[order].tolist(), similarities[order].tolist(), strict=True))


#: An answer waits so long for it, seconds.
_TIMEOUT_S = 3.0
_OF_EPISODE = 0.5


@checked
class GraphitiSource:
    """A `VectorSource` over the group that the sink fills."""

    name = "graphiti"

    def __init__(self, client: GraphitiClient, journal: Journal) -> None:
        self._client = client
        self._journal = journal

    def is_available(self, space: Space) -> bool:
        """Return whether its search answers now, without raising."""
        try:
            self._client.search(group_of(space), "?", 1, _TIMEOUT_S)
        except MeridiaError:
            return False
        return True

    def until(self, space: Space) -> int:
        """Return the end of the journal: memories that the source lacks are not found."""
        return int(self._journal.head(space).seq)

    def search(self, query: VectorQuery) -> Sequence[tuple[int, float]]:
        """Return journal sequences of experiences and their scores, best first, each once."""
        group = group_of(query.space)
        facts = self._client.search(group, query.text, query.limit, _TIMEOUT_S)
        by_id: dict[str, float] = {}
        for fact, cosine in facts:
            own = fact.attributes.get(EXPERIENCE)
            share = cosine if own else _OF_EPISODE * cosine
            for id in [own] if own else self._sources(query.space, fact.episodes):
                by_id[id] = max(share, by_id.get(id, -1.0))
        entries = self._journal.by_ids(query.space, sorted(by_id))
        scored = [(int(e.seq), by_id[e.id]) for e in entries if e.seq <= query.until]
        if query.among is not None:
            scored = [(seq, score) for seq, score in scored if seq in query.among]
        return sorted(scored, key=lambda each: (-each[1], each[0]))

    def _sources(self, space: Space, episodes: Sequence[str]) -> list[str]:
        """Return the memories of the sessions that some episodes are."""
        mine, kind = partition(self._journal, space), EntryKind.EPISODE_SYNTHESISED
        return [
            source
            for entry in self._journal.of_kind(space, kind)
            if isinstance(entry.payload, EpisodeSynthesised)
            and uuid_of(mine, entry.payload.episode) in episodes
            for source in entry.payload.sources
        ]


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
        """Return whether Neo4j is the graph's engine, and answers."""
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
            raise Unavailable("the graph is not in Neo4j: set graph.engine to neo4j")
        return graph


def _cosine(score: float) -> float:
    """Return the cosine of a Neo4j score, 0 to 1."""
    return 2 * score - 1


SINK = "postgres"


@checked
class PgVectorSource:
    """Searches the table of one server; each space has its rows there."""

    name = "pgvector"

    def __init__(self, file: Store, table: PgVectorTable, version: int) -> None:
        """Search `table` as the sink of a version filled it."""
        self._file = file
        self._table = table
        self._version = version

    def is_available(self, space: Space) -> bool:
        """Return whether the server answers."""
        try:
            self._table.count(partition(self._file.journal, space).id)
        except MeridiaError:
            return False
        return True

    def until(self, space: Space) -> int:
        """Return how far the sink has come."""
        return SinkState(self._file.space(space), SINK).position(self._version)

    def search(self, query: VectorQuery) -> list[tuple[int, float]]:
        """Return the nearest experiences; see `VectorSource.search`."""
        return self._table.search(partition(self._file.journal, query.space).id, query)


#: What did not answer is asked again so much later, seconds.
_PAUSE_S = 30.0


@checked
class PausedSource:
    """A `VectorSource` over another one."""

    def __init__(self, source: VectorSource) -> None:
        self._source = source
        self._asked_again_at = 0.0

    @property
    def name(self) -> str:
        """The name of the source itself."""
        return self._source.name

    def is_available(self, space: Space) -> bool:
        """Ask the source itself, pause or not."""
        return self._source.is_available(space)

    def until(self, space: Space) -> int:
        """Return what the source says; raises what `search` does."""
        with self._pausing():
            return self._source.until(space)

    def search(self, query: VectorQuery) -> Sequence[tuple[int, float]]:
        """Return what the source finds; `Unavailable` too for a while after it raised that."""
        with self._pausing():
            return self._source.search(query)

    @contextmanager
    def _pausing(self) -> Iterator[None]:
        if time.monotonic() < self._asked_again_at:
            raise Unavailable("it failed a moment ago and is not asked again yet")
        try:
            yield
        except Unavailable:
            self._asked_again_at = time.monotonic() + _PAUSE_S
            raise


#: The name of Graphiti's search, and how many facts it is asked for.
GRAPHITI, _FINDS_MAX = "graphiti", 20
#: Below this share of memories that may come back, they are named to the source.
_SHARE_MIN = 0.5


def named_candidates(
    open_source: Callable[[], VectorSource],
    name: str,
    space: SpaceView,
    text: str,
    vector: Matrix | None,
    limit: int,
) -> tuple[VectorCandidates | None, list[str]]:
    """Return the candidates that a source names, and notes; None: take the nearest at hand.

    What is newer than the source's last delivery is looked for in the vectors at hand.
    """
    index = space.index
    if vector is None or index is None or not len(index.seqs) or not space.allowed.any():
        return None, []
    try:
        source = open_source()
        until = min(source.until(space.name), index.until)
        near = source.search(_query(space, text, vector, limit, until)) if until else ()
    except MeridiaError as error:
        return None, [f"candidates come from the built-in vectors: {name} did not answer ({error})"]
    if not until:
        note = f"candidates come from the built-in vectors: {name} has none of this space yet"
        return None, [note]
    newer = np.flatnonzero(index.seqs > until)
    if len(newer):
        newer = newer[largest(index.cosines(vector, newer), limit)]
    seqs = [*(int(seq) for seq, _ in near), *index.seqs[newer].tolist()]
    note = f"{name} lacks the newest memories: they came from the built-in vectors"
    return VectorCandidates(name, seqs), [note] if len(newer) else []


def graphiti_finds(
    open_source: Callable[[], VectorSource], space: SpaceView, text: str, vector: Matrix | None
) -> tuple[Sequence[tuple[int, float]], list[str]]:
    """Return what Graphiti's search finds, by sequence, and a note where it did not answer."""
    if vector is None or space.index is None:
        return (), []
    until, model = space.view.until, space.index.model
    try:
        query = VectorQuery(space.name, text, vector, model, _FINDS_MAX, until)
        return open_source().search(query), []
    except MeridiaError as error:
        return (), [f"answered without Graphiti: {error}"]


def _query(space: SpaceView, text: str, vector: Matrix, limit: int, until: int) -> VectorQuery:
    """Return a query with enough results to remain after the filters."""
    assert space.index is not None
    allowed, model = space.allowed, space.index.model
    share = float(allowed.mean())
    if share >= _SHARE_MIN:
        wanted = math.ceil(limit / share)
        return VectorQuery(space.name, text, vector, model, wanted, until)
    among = space.view.experiences.seqs[allowed].tolist()
    return VectorQuery(space.name, text, vector, model, limit, until, among)
