"""The common part of every enrichment pass: batches after the acknowledgement, behind a cursor.

Each batch is computed first, which may be slow, and then written in one transaction with its
cursor. A crash repeats at most one batch. A worker that finds the cursor moved discards its batch,
and so does one that was held up for longer than its lease while something was forgotten.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

from ...core.types import Entry, EntryDraft, EntryKind, Space
from ...storage.store import SpaceStore, Store
from ...storage.upkeep import newest_forgetting

#: Called as (done, total), in journal sequences.
Progress = Callable[[int, int], None]
ShouldContinue = Callable[[], bool]
#: Entries read at once, for each one that a batch has room for; most may need no work.
_READ_FACTOR = 8
#: What one batch of entries led to: entries to append, and what else is to be written.
PassResult: TypeAlias = "tuple[Sequence[EntryDraft], Callable[[SpaceStore], None] | None]"
NOTHING: PassResult = (), None


class EnrichmentPass(Protocol):
    """One pass over the journal. Another version begins again."""

    @property
    def name(self) -> str:
        """The projection whose cursor says how far it has come."""
        ...

    @property
    def version(self) -> int:
        """Which edition of the pass this is."""
        ...

    @property
    def batch(self) -> int:
        """How many entries that need work are worked on at once."""
        ...

    def until(self, space: Space) -> int:
        """Return the last sequence that can be worked on now."""
        ...

    def concerns(self, entry: Entry) -> bool:
        """Return whether an entry needs work."""
        ...

    def work(self, space: Space, entries: Sequence[Entry]) -> PassResult:
        """Work out what some entries lead to; write nothing."""
        ...


def position(file: Store, space: Space, enrichment_pass: EnrichmentPass) -> int:
    """Return the last sequence that a pass has worked on."""
    cursors = file.space(space).cursors
    return cursors.position(enrichment_pass.name, enrichment_pass.version)


def run_pass(
    file: Store,
    space: Space,
    enrichment_pass: EnrichmentPass,
    should_continue: ShouldContinue = lambda: True,
    progress: Progress = lambda done, total: None,
    until: int | None = None,
) -> bool:
    """Work on what is missing while `should_continue()`; return whether nothing is left.

    With `until`, what comes after that sequence is left to a later run.
    """
    start = done = position(file, space, enrichment_pass)
    while done < (end := _end(enrichment_pass.until(space), until)):
        progress(done - start, end - start)
        if not should_continue():
            return False
        forgotten = newest_forgetting(file, space)
        entries = _next(file, space, enrichment_pass, done, end)
        concerned = [entry for entry in entries if enrichment_pass.concerns(entry)]
        work = enrichment_pass.work(space, concerned) if concerned else NOTHING
        with file.writing():
            is_new = position(file, space, enrichment_pass) == done
            if is_new and newest_forgetting(file, space) == forgotten:
                _write(file, space, enrichment_pass, entries[-1].seq if entries else end, work)
        done = position(file, space, enrichment_pass)
    progress(done - start, done - start)
    return True


def run_batch(file: Store, space: Space, enrichment_pass: EnrichmentPass) -> int:
    """Work on the next batch, where one is missing; return the last sequence worked on."""
    turns = iter([True])
    run_pass(file, space, enrichment_pass, lambda: next(turns, False))
    return position(file, space, enrichment_pass)


def is_captured(entry: Entry) -> bool:
    """Return whether an entry is a captured experience that was not erased."""
    return entry.kind is EntryKind.EXPERIENCE_CAPTURED and entry.payload is not None


def _end(head: int, until: int | None) -> int:
    return head if until is None else min(head, until)


def _next(
    file: Store, space: Space, enrichment_pass: EnrichmentPass, after: int, until: int
) -> Sequence[Entry]:
    """Return the next entries, up to and including as many that need work as a batch has.

    They are read a batch at a time, since what is behind the last one is read again next time.
    """
    entries: list[Entry] = []
    missing, limit = enrichment_pass.batch, _READ_FACTOR * enrichment_pass.batch
    while missing and len(entries) < limit and after < until:
        read = file.journal.read(space, after, enrichment_pass.batch)
        if not read:
            break
        after = read[-1].seq
        for entry in read:
            if not missing or entry.seq > until:
                break
            entries.append(entry)
            missing -= enrichment_pass.concerns(entry)
    return entries


def _write(
    file: Store, space: Space, enrichment_pass: EnrichmentPass, last: int, result: PassResult
) -> None:
    (drafts, write), space_store = result, file.space(space)
    if write is not None:
        write(space_store)
    if drafts:
        file.journal.append(space, drafts)
    space_store.cursors.move(enrichment_pass.name, enrichment_pass.version, last)
