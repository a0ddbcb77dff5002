"""Upkeep of one space: where its projections stand, rebuilding all of them, the graph's digest.

Dropping and rebuilding asks no model: embeddings are recorded outputs and stay.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ..core.errors import Refused, Unavailable
from ..core.ports import GraphStore
from ..core.types import Seq, Space
from ..storage.ingest_counts import IngestCounts
from ..storage.store import Store
from ..storage.upkeep import rebuild_lists
from .adjacency import Adjacency
from .digest import Digest, digest
from .projector import project, rebuild

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Status:
    """Where a space stands: the journal's end, what is in it, and each projection's cursor."""

    space: Space
    seq: Seq
    entries: Mapping[str, int]
    experiences: Mapping[str, int]
    cursors: Mapping[str, int]
    tally: IngestCounts
    notes: Sequence[str] = ()

    def lag(self, projection: str) -> int:
        """Return how many journal sequences a projection is behind."""
        return self.seq - self.cursors[projection]


def status(
    file: Store,
    space: Space,
    adjacency: Adjacency,
    enriched: int,
    open_graph: Callable[[], GraphStore] | None,
) -> Status:
    """Read where a space stands; a graph that cannot be opened is a note, not a failure."""
    head = file.journal.head(space).seq
    space_store = file.space(space)
    indexed = space_store.full_text.until()
    cursors = {"search": indexed, "enrichment": enriched, "adjacency": adjacency.cursor(space)}
    notes = []
    if open_graph is not None:
        try:
            cursors["graph"] = int(open_graph().cursor().seq)
        except Unavailable as error:
            notes.append(f"graph: {error}")
    counts, kinds = file.journal.count(space), file.catalog.kinds(space)
    return Status(space, head, counts, kinds, cursors, space_store.tally(), notes)


def rebuild_space(
    file: Store,
    space: Space,
    adjacency: Adjacency,
    store: GraphStore,
    batch: int,
    progress: Progress = lambda done, total: None,
) -> None:
    """Drop and rebuild every projection of a space: lists, search, adjacency, graph."""
    rebuild_lists(file, space)
    adjacency.clear(space)
    adjacency.catch_up(space)
    rebuild(file.journal, store, space, batch, progress)


def unchanged(store: GraphStore, space: Space) -> GraphStore:
    """Return a store; raise `Refused` where others added to its nodes what would go with them."""
    if added := store.additions():
        raise Refused(
            f"others added to the nodes of space {space!r} what a rebuild would remove: {added}. "
            "Nothing was changed; `meridia rebuild --yes` removes it"
        )
    return store


def current_digest(file: Store, space: Space, store: GraphStore, batch: int) -> Digest:
    """Return the digest of a space's graph, brought up to date first."""
    project(file.journal, store, space, batch)
    return digest(store)
