"""What tests see of the lists: every row of every list of a space, and the bytes of its file."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from meridia.core.codec import stored_event
from meridia.core.settings import JournalSettings
from meridia.core.types import Space
from meridia.language.analyser import Analyser
from meridia.storage.api_keys import ApiKeys
from meridia.storage.database import Connection
from meridia.storage.projections.catalog import Catalog
from meridia.storage.search import full_text
from meridia.storage.space_caches import SpaceCaches
from meridia.storage.store import Store, inline_projections
from meridia.storage.trace import TraceStream
from tests.histories import TestJournal

HOME, AWAY = Space("home"), Space("away")
#: The lists, as a rebuild must give them again.
TABLES = ("experience", "relationship", "entity", "fact_entry", "provisional")


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
                JournalSettings(),
                ApiKeys(database, journal.clock, os.urandom),
                SpaceCaches(100_000_000, 64),
            ),
        )


def rows(file: Store) -> dict[str, list[tuple[Any, ...]]]:
    """Return every row of every list of the first space, and every indexed term by its place."""
    connection = file.database.connection
    by_list = {name: sorted_rows(connection, f"SELECT * FROM {name}") for name in TABLES}
    return by_list | {"search": indexed(connection)}


def indexed(connection: Connection, space: int = 1) -> list[tuple[Any, ...]]:
    """Return (sequence, terms) of everything that a space's full text knows."""
    statement = "SELECT seq, terms FROM full_text WHERE space = ? AND terms <> '' ORDER BY seq"
    return connection.execute(statement, (space,)).fetchall()


def expected_terms(file: Store) -> list[tuple[Any, ...]]:
    """Return what `indexed` would, had what the experiences say by now been indexed only now."""
    statement = (
        "SELECT x.seq, coalesce(h.body, p.body) FROM experience x JOIN payload p ON p.seq = x.seq "
        "LEFT JOIN provisional h ON h.seq = x.seq WHERE x.space = 1 ORDER BY x.seq"
    )
    rows = file.database.connection.execute(statement).fetchall()
    events = [(seq, stored_event(body)) for seq, body in rows]
    terms = [(seq, full_text.terms_of(event, file.analyser)) for seq, event in events]
    return [each for each in terms if each[1]]


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
