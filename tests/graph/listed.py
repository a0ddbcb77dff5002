"""What tests see of the lists: every row of every list of a space, and the bytes of its file."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from meridia.core.codec import stored_event
from meridia.core.events import captions_of, text_of
from meridia.core.settings import JournalSettings
from meridia.core.text import Analyser
from meridia.core.types import Space
from meridia.storage import full_text_index
from meridia.storage.access.api_keys import ApiKeys
from meridia.storage.database import Connection
from meridia.storage.held.space_caches import SpaceCaches
from meridia.storage.projections.catalog import Catalog
from meridia.storage.store import Store, inline_projections
from meridia.storage.trace import TraceStream
from tests.histories import TestJournal

HOME, AWAY = Space("home"), Space("away")
#: The lists, as a rebuild must give them again.
TABLES = ("experience", "relationship", "entity", "fact_entry", "provisional")
#: The number of a space that no test has.
_UNUSED = 999


@contextmanager
def journal_with_lists() -> Iterator[tuple[TestJournal, Store]]:
    """Open a journal that histories can be played on, with all its lists."""
    analyser = Analyser()
    with TestJournal(inline=inline_projections(analyser)) as journal:
        database = journal.file
        yield (
            journal,
            Store(
                database,
                journal,
                Catalog(database, journal),
                TraceStream(database, journal, journal.clock),
                analyser,
                journal.clock,
                journal.number,
                journal.open_space,
                JournalSettings(),
                ApiKeys(database, journal.clock, os.urandom),
                SpaceCaches(100_000_000, 64),
            ),
        )


def rows(file: Store) -> dict[str, list[tuple[Any, ...]]]:
    """Return every row of every list of the first space, and every indexed term by its place."""
    connection = file.database.connection
    for space in file.journal.spaces():
        file.index(space)
    by_list = {name: sorted_rows(connection, f"SELECT * FROM {name}") for name in TABLES}
    return by_list | {"search": indexed(connection)}


def indexed(connection: Connection, space: int = 1) -> list[tuple[Any, ...]]:
    """Return (sequence, offset, term) of everything that a space's full text knows."""
    exists = "SELECT 1 FROM sqlite_master WHERE name = ?"
    if connection.execute(exists, (f"search_{space}",)).fetchone() is None:
        return []
    connection.execute("DROP TABLE IF EXISTS temp.instances")
    connection.execute(
        f"CREATE VIRTUAL TABLE temp.instances USING fts5vocab (main, search_{space}, instance)"
    )
    instances = sorted_rows(connection, "SELECT doc, offset, term FROM temp.instances")
    connection.execute("DROP TABLE temp.instances")
    return instances


def expected_terms(file: Store) -> list[tuple[Any, ...]]:
    """Return what `indexed` would, had what the experiences say by now been indexed only now."""
    statement = (
        "SELECT x.seq, coalesce(h.body, p.body) FROM experience x JOIN payload p ON p.seq = x.seq "
        "LEFT JOIN provisional h ON h.seq = x.seq WHERE x.space = 1 ORDER BY x.seq"
    )
    with file.database.writing() as connection:
        for seq, body in connection.execute(statement).fetchall():
            event = stored_event(body)
            terms = file.analyser.terms(" ".join([text_of(event), *captions_of(event)]))
            full_text_index.index(connection, _UNUSED, seq, terms)
        instances = indexed(connection, _UNUSED)
        full_text_index.clear(connection, _UNUSED)
    return instances


def sorted_rows(connection: Connection, statement: str) -> list[tuple[Any, ...]]:
    return sorted(connection.execute(statement).fetchall(), key=repr)


def of_seqs(
    listed_rows: Sequence[tuple[Any, ...]], seqs: set[int], place: int
) -> list[tuple[Any, ...]]:
    """Return the rows about some sequences; `place` is the column that names one."""
    return [row for row in listed_rows if row[place] in seqs]


def bytes_of(file: Store) -> bytes:
    """Return every byte of the file, without pages that are free or wait to be written."""
    connection = file.database.connection
    connection.execute("VACUUM")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return file.database.path.read_bytes()
