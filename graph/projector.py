"""Brings a graph up to date with its journal, in batches, each with its cursor.

A batch and its cursor are one transaction, so a crash between two batches needs no repair, and two
processes that project one space do each batch once. The journal is never changed. Vectors go into
Neo4j's index only when a statement asks for them; they are no part of the digest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Protocol, TypeVar, runtime_checkable

from ..core.entries import Forgotten
from ..core.errors import Refused, Unavailable
from ..core.ports import START, GraphStore, Head
from ..core.types import Entry, EntryKind, Seq, Space
from ..storage.journal import Journal
from ..storage.vectors import VectorTable
from .batch_writer import Run
from .erasure_filter import changes, ids_in_graph
from .schema import BOOKKEEPING, cypher, for_label

#: Called as (done, total), in journal sequences.
Progress = Callable[[int, int], None]


def project(
    journal: Journal,
    store: GraphStore,
    space: Space,
    batch: int,
    progress: Progress | None = None,
    should_continue: Callable[[], bool] = lambda: True,
) -> int:
    """Apply what is missing in transactions of `batch` entries; return how many were applied.

    What is missing when `should_continue()` ends stays so; one batch is applied in any case. Where
    the store does not know what a forgetting changes, the graph is made anew.

    A graph that was made from another journal (one that was replaced or restored) is dropped
    first; in a database that others share, `Refused` is raised instead, for it may be theirs.
    Raises what the store raises; what was committed before stays.
    """
    _drop_foreign(journal, store, space)
    head, start = journal.head(space).seq, store.cursor().seq
    forgotten = _held_forgotten(journal, store, space, start)
    if not _can_follow(journal, store, space, start, forgotten):
        store.drop()
        forgotten, start = {}, START.seq
    store.ensure_schema()
    done = start
    applied = 0
    while done < head and (not applied or should_continue()):
        until = Seq(min((seq - 1 for seq in forgotten if seq > done), default=head))
        try:
            if until == done:
                count, done = 1, _remove(journal, store, space, forgotten[Seq(done + 1)])
            else:
                count, done = _apply_batch(journal, store, space, batch, until)
        except Unavailable:
            count, before, done = 0, done, store.cursor().seq
            if done == before:
                raise
            # Another process was faster: go on from where it stands.
        applied += count
        if progress:
            progress(min(done, head) - start, head - start)
    return applied


def rebuild(
    journal: Journal,
    store: GraphStore,
    space: Space,
    batch: int,
    progress: Progress | None = None,
) -> int:
    """Drop the space's graph and project the whole journal again; return how many entries."""
    store.drop()
    return project(journal, store, space, batch, progress)


def _apply_batch(
    journal: Journal, store: GraphStore, space: Space, batch: int, head: Seq
) -> tuple[int, Seq]:
    """Apply the next entries up to `head`: what was forgotten after that is looked at first.

    Return how many there were, and how far the graph has come.
    """
    with store.transaction() as writer:
        after = store.cursor().seq
        begun = None if after else journal.head(space).seq
        entries = [e for e in journal.read(space, after, batch) if e.seq <= head]
        if not entries:
            return 0, head
        existing_ids = partial(ids_in_graph, store) if after else _no_ids
        by_entry = changes(entries, existing_ids, directory=journal.directory(space))
        writer.apply([change for _, mine in by_entry for change in mine])
        writer.move_cursor(Head(entries[-1].seq, entries[-1].hash), begun)
    return len(entries), entries[-1].seq


def is_followable(journal: Journal, store: GraphStore, space: Space) -> bool:
    """Return whether a graph can follow its journal without being rebuilt."""
    until = store.cursor().seq
    return _can_follow(journal, store, space, until, _held_forgotten(journal, store, space, until))


def _can_follow(
    journal: Journal, store: GraphStore, space: Space, until: int, forgotten: dict[Seq, Entry]
) -> bool:
    known = all(entry.id in store.removals for entry in forgotten.values())
    return known and not (
        # Asked for where it is wanted: a server takes its time.
        journal.is_outdated(space, until) and journal.is_outdated(space, until, store.begun())
    )


def _drop_foreign(journal: Journal, store: GraphStore, space: Space) -> None:
    """Drop a graph that was made from another journal; `Refused` where others share it."""
    cursor = store.cursor()
    if _is_projection_of(journal, cursor, space):
        return
    if store.shared:
        raise Refused(
            f"the graph of space {space!r} was projected from another copy of this journal, "
            f"up to sequence {cursor.seq}, which is not in this one: if the other copy "
            "is no longer used, `meridia rebuild` replaces its graph with this one's"
        )
    store.drop()


def _held_forgotten(
    journal: Journal, store: GraphStore, space: Space, until: int
) -> dict[Seq, Entry]:
    """Return the forgettings, by sequence, that erased any of what a graph was made of so far."""
    erased = {
        entry.seq: entry
        for entry in (journal.of_kind(space, EntryKind.FORGOTTEN, until) if until else ())
        if isinstance(entry.payload, Forgotten) and entry.payload.first <= until
    }
    # What was erased before a graph was begun was never in it.
    begun = store.begun() if erased else 0
    return {seq: entry for seq, entry in erased.items() if seq > begun}


def _remove(journal: Journal, store: GraphStore, space: Space, entry: Entry) -> Seq:
    """Take out what was forgotten, as a batch of one entry; return how far the graph has come."""
    with store.transaction() as writer:
        at = store.cursor().seq
        # Sequences between the two may be those of other spaces.
        if [following.seq for following in journal.read(space, at, 1)] != [entry.seq]:
            return at  # another process was faster
        store.removals[entry.id](store, space, writer)
        writer.move_cursor(Head(entry.seq, entry.hash))
    return entry.seq


def _is_projection_of(journal: Journal, cursor: Head, space: Space) -> bool:
    """Return whether what a graph was made from, up to its cursor, is this journal."""
    if cursor == START:
        return True
    behind = journal.read(space, cursor.seq - 1, 1)
    return [(entry.seq, entry.hash) for entry in behind] == [(cursor.seq, cursor.hash)]


def _no_ids(label: str, ids: Sequence[str]) -> set[str]:  # noqa: ARG001 - stands for the other
    """Return that none of some nodes is in a graph that is empty."""
    return set()


_Answer = TypeVar("_Answer")

#: Sequences of one transaction: about 10 MB of memory on the server.
_BATCH = 1_000


@runtime_checkable
class VectorGraph(GraphStore, Protocol):
    """A graph whose engine has an index of vectors."""

    def write(self, work: Callable[[Run], _Answer]) -> _Answer:
        """Run statements of ours in a write transaction, which may be tried again."""
        ...


def asks_for_vectors(statement: str) -> bool:
    """Return whether a statement may look at vectors."""
    text = statement.lower()
    return "embedding" in text or "vector" in text


def project_vectors(table: VectorTable, store: VectorGraph, model: str, until: int) -> int:
    """Write the vectors of `model` up to a sequence that the graph holds; return how many.

    Of a long text, the vector of its first part. Vectors of another model are removed first.
    """
    store.write(lambda run: run(cypher("schema/index_vectors"), {}))
    after = store.write(partial(_start, model=model))
    written = 0
    while after < until:
        end = min(after + _BATCH, until)
        seqs, rows = table.between(model, after, end)
        # Parts stand in order: the last that is put in is the first of its text.
        vectors = dict(zip(map(str, seqs[::-1]), rows[::-1].tolist(), strict=True))
        values = {"after": after, "until": end, "vectors": vectors}
        written += store.write(partial(_write, model=model, values=values))
        after = end
    store.run(cypher("schema/await_indexes"), {})
    return written


def _start(run: Run, model: str) -> int:
    """Return how far the vectors of a model have come; those of another are removed."""
    (position,) = run(for_label("neo4j/vectors_position", BOOKKEEPING), {})
    if position["model"] == model:
        return int(position["seq"])
    run(cypher("neo4j/remove_vectors"), {})
    run(for_label("neo4j/move_vectors", BOOKKEEPING), {"seq": 0, "model": model})
    return 0


def _write(run: Run, model: str, values: Mapping[str, Any]) -> int:
    (answer,) = run(cypher("neo4j/set_vectors"), values) if values["vectors"] else ({"written": 0},)
    run(for_label("neo4j/move_vectors", BOOKKEEPING), {"seq": values["until"], "model": model})
    return int(answer["written"])
