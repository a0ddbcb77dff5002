"""Brings a graph up to date with its journal: what is missing, in batches, each with its cursor.

A batch and the cursor behind it are one transaction, so a crash between two of them needs no
repair, and two processes that project one space do each batch once. The journal is never changed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..core.errors import Unavailable
from ..core.ports import GraphStore, Journal
from ..core.types import EdgeUpsert, Entry, EntryKind, Mutation, Space
from .mutations import mutations
from .statements import cypher

#: Called as (done, total), in journal sequences.
Progress = Callable[[int, int], None]

#: How many sequences before the cursor are looked at to tell whose projection a graph is.
_LOOK_BACK = 200


def project(
    journal: Journal,
    store: GraphStore,
    space: Space,
    batch: int,
    progress: Progress | None = None,
) -> int:
    """Apply what is missing in transactions of `batch` entries; return how many were applied.

    A graph that was made from another journal (one that was replaced or restored) is dropped
    first. Raises what the store raises; what was committed before stays.
    """
    if not _is_of(journal, store, space):
        store.drop()
    store.ensure_schema()
    start, head = store.cursor(), journal.head(space).seq
    applied, done = 0, start
    while done < head:
        try:
            count = _apply_batch(journal, store, space, batch)
        except Unavailable:
            if store.cursor() == done:
                raise
            # Another process was faster: go on from where it stands.
            count = 0
        applied += count
        done = store.cursor()
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
    """Drop the space's graph and project the whole journal anew; return how many entries."""
    store.drop()
    return project(journal, store, space, batch, progress)


def _apply_batch(journal: Journal, store: GraphStore, space: Space, batch: int) -> int:
    with store.transaction() as writer:
        entries = journal.read(space, store.cursor(), batch)
        if entries:
            writer.apply(_changes(store, entries))
            writer.move_cursor(entries[-1].seq)
    return len(entries)


def _changes(store: GraphStore, entries: Sequence[Entry]) -> list[Mutation]:
    """Return the mutations of a batch, without what refers to an experience that was erased.

    An entry names only experiences of entries before it. One that is not in the graph by then
    lost its payload, and what hangs on it goes with it.
    """
    by_entry = [(_subject(entry), mutations(entry)) for entry in entries]
    named: set[str | None] = {subject for subject, _ in by_entry}
    named.update(id for _, changes in by_entry for change in changes for id in _ends(change))
    present = _present(store, entries, named)
    return [
        change
        for subject, changes in by_entry
        if subject in present
        for change in changes
        if all(id in present for id in _ends(change))
    ]


def _present(
    store: GraphStore, entries: Sequence[Entry], named: set[str | None]
) -> set[str | None]:
    """Return those of some experiences that are in the graph, or come with this batch.

    None stands for no experience at all.
    """
    captured = EntryKind.EXPERIENCE_CAPTURED
    fresh = {entry.id for entry in entries if entry.kind is captured and entry.payload is not None}
    asked = sorted(id for id in named - fresh if id is not None)
    if not asked:
        return fresh | {None}
    known = store.run(cypher("read/known_experiences"), {"ids": asked}).rows
    return fresh | {None} | {row[0] for row in known}


def _subject(entry: Entry) -> str | None:
    """Return the experience that an entry speaks about, if it speaks about one."""
    return None if entry.payload is None else entry.payload.get("experience")


def _ends(change: Mutation) -> list[str]:
    """Return the experiences that an edge runs between."""
    if not isinstance(change, EdgeUpsert):
        return []
    ends = ((change.source_label, change.source), (change.target_label, change.target))
    return [id for label, id in ends if label == "Experience"]


def _is_of(journal: Journal, store: GraphStore, space: Space) -> bool:
    """Say whether a graph's last experience before its cursor is the journal's own."""
    cursor = store.cursor()
    if cursor == 0:
        return True
    behind = journal.read(space, max(0, cursor - _LOOK_BACK), _LOOK_BACK)
    if not any(entry.seq == cursor for entry in behind):
        return False
    ids = [
        entry.id
        for entry in behind
        if entry.seq <= cursor
        and entry.kind is EntryKind.EXPERIENCE_CAPTURED
        and entry.payload is not None
    ]
    if not ids:
        return True
    return bool(store.run(cypher("read/known_experiences"), {"ids": ids[-1:]}).rows)
