"""How every pass of enrichment works: what follows the acknowledgement, batch by batch.

A pass reads the journal behind a cursor of its own. Each batch is worked out first, which may be
slow, and then written in one transaction with its cursor. A crash repeats at most one batch; a
worker that finds the cursor moved throws its copy away.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from ..core.types import Draft, Entry, EntryKind, Space
from ..graph import cursors
from ..graph.database import Connection
from ..graph.journal_file import JournalFile

#: Called as (done, total), in journal sequences.
Progress = Callable[[int, int], None]
GoOn = Callable[[], bool]
#: Entries read at once, for each one that a batch has room for; most may need no work.
_READ = 8


def _nothing(_connection: Connection, _space: int) -> None:
    return None


@dataclass(frozen=True, slots=True)
class Work:
    """What one batch of entries led to: entries to append, and what else is to be written."""

    drafts: Sequence[Draft] = ()
    write: Callable[[Connection, int], None] = _nothing


class Pass(Protocol):
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
        """Say whether an entry needs work."""
        ...

    def work(self, space: Space, entries: Sequence[Entry]) -> Work:
        """Work out what some entries lead to; write nothing."""
        ...


def position(file: JournalFile, space: Space, of: Pass) -> int:
    """Return the last sequence that a pass has worked on."""
    with file.database.reading() as connection:
        number = file.journal.number(space)
        return cursors.position(connection, number, of.name, of.version)


def run(
    file: JournalFile,
    space: Space,
    of: Pass,
    go_on: GoOn = lambda: True,
    progress: Progress = lambda done, total: None,
) -> bool:
    """Work on what is missing while `go_on()`; return whether nothing is left."""
    start = done = position(file, space, of)
    while done < (end := of.until(space)):
        progress(done - start, end - start)
        if not go_on():
            return False
        entries = _next(file, space, of, done, end)
        concerned = [entry for entry in entries if of.concerns(entry)]
        work = of.work(space, concerned) if concerned else Work()
        _write(file, space, of, (done, entries[-1].seq if entries else end), work)
        done = position(file, space, of)
    progress(done - start, done - start)
    return True


def is_captured(entry: Entry) -> bool:
    """Say whether an entry is a captured experience that was not erased."""
    return entry.kind is EntryKind.EXPERIENCE_CAPTURED and entry.payload is not None


def _next(file: JournalFile, space: Space, of: Pass, after: int, until: int) -> Sequence[Entry]:
    """Return the next entries, up to and including as many that need work as a batch has."""
    entries = [
        entry for entry in file.journal.read(space, after, _READ * of.batch) if entry.seq <= until
    ]
    places = [place for place, entry in enumerate(entries) if of.concerns(entry)]
    return entries[: places[of.batch - 1] + 1] if len(places) >= of.batch else entries


def _write(file: JournalFile, space: Space, of: Pass, span: tuple[int, int], work: Work) -> None:
    first, last = span
    number = file.journal.number(space)
    with file.database.writing() as connection:
        if cursors.position(connection, number, of.name, of.version) != first:
            return
        work.write(connection, number)
        if work.drafts:
            file.journal.append(space, work.drafts)
        cursors.move(connection, number, of.name, of.version, last)
