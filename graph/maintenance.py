"""Upkeep of one space: where its projections stand, whether everything is as written, rebuilding.

Dropping and rebuilding asks no model: embeddings are recorded outputs and stay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..core.errors import NotFound, Unavailable
from ..core.ports import Finding, GraphStore
from ..core.types import Seq, Space
from ..storage import full_text_index, full_text_indexer
from ..storage.ingest_counts import IngestCounts, tally
from ..storage.journal_file import JournalFile, inline_projections
from ..storage.projections import (
    entity_list,
    experience_list,
    fact_index,
    feedback_table,
    person_list,
    session_states,
)
from ..storage.statement_loader import sql
from .adjacency import Adjacency
from .digest import Digest, digest
from .projector import project, rebuild

_PAGE = 1000
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
    file: JournalFile,
    space: Space,
    adjacency: Adjacency,
    enriched: int,
    open_graph: Callable[[], GraphStore] | None,
) -> Status:
    """Read where a space stands; a graph that cannot be opened is a note, not a failure."""
    head = file.journal.head(space).seq
    indexed = full_text_indexer.until(file.database, file.journal.number(space))
    cursors = {"search": indexed, "enrichment": enriched, "adjacency": adjacency.cursor(space)}
    notes = []
    if open_graph is not None:
        try:
            cursors["graph"] = int(open_graph().cursor().seq)
        except Unavailable as error:
            notes.append(f"graph: {error}")
    counts, kinds = file.journal.count(space), file.catalog.kinds(space)
    with file.database.reading() as connection:
        tallied = tally(connection, file.journal.number(space))
    return Status(space, head, counts, kinds, cursors, tallied, notes)


def verify(file: JournalFile, space: Space) -> Iterator[Finding]:
    """Check the file, every hash of the space's chain, and that the list has what was captured."""
    with file.database.reading() as connection:
        for (problem,) in connection.execute("PRAGMA integrity_check"):
            if problem != "ok":
                yield Finding(space, None, f"the database file: {problem}")
    yield from file.journal.verify(space)
    number = file.journal.number(space)
    with file.database.reading() as connection:
        for seq, held, body in connection.execute(sql("provisional/all"), (number,)).fetchall():
            if not experience_list.matches_hash(held, body):
                yield Finding(space, Seq(seq), "its held event is not what was captured")
    with file.database.reading() as connection:
        counts = connection.execute(sql("catalog/counts"), {"space": number}).fetchone()
    captured, listed = counts
    if captured != listed:
        problem = (
            f"{captured} experiences in the journal, {listed} in the list: run `meridia rebuild`"
        )
        yield Finding(space, None, problem)


def rebuild_lists(file: JournalFile, space: Space) -> None:
    """Drop and rebuild all lists and full-text search, in one transaction."""
    number = file.journal.number(space)
    inline = inline_projections(file.analyser)
    with file.database.writing() as connection:
        connection.execute(sql("catalog/clear"), (number,))
        full_text_index.clear(connection, number)
        for projection in (person_list, session_states, entity_list, fact_index, feedback_table):
            projection.clear(connection, number)
        after = 0
        while entries := file.journal.read(space, after, _PAGE):
            for entry in entries:
                for apply_inline in inline:
                    apply_inline(connection, number, entry)
            after = entries[-1].seq
        session_states.rebuild_sessions(connection, number)
        file.index(space)


def rebuild_space(
    file: JournalFile,
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


def current_digest(file: JournalFile, space: Space, store: GraphStore, batch: int) -> Digest:
    """Return the digest of a space's graph, brought up to date first."""
    project(file.journal, store, space, batch)
    return digest(store)


def chosen_spaces(file: JournalFile, space: Space | None) -> list[Space]:
    """Return one space, which must exist, or all of them."""
    spaces = file.journal.spaces()
    if space is None:
        return spaces
    if space not in spaces:
        raise NotFound(f"space {space!r} does not exist: `meridia spaces` lists them")
    return [space]
