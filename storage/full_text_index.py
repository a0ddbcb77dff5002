"""Full-text search over one space's experiences: a projection with a cursor.

Every space has its own FTS5 table, so that its term statistics are its own and nothing of
another space can move a score. Indexing each event alone would cost as much as all other lists
together, in batches it costs a tenth: capture indexes every so many events, and recall the few
that are left. `experience_list` removes terms with their text.
"""

from __future__ import annotations

import json
import sqlite3
import struct
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from ..core.codec import stored_event
from ..core.events import texts_of
from ..core.ports import Journal
from ..core.text import Analyser
from ..core.types import Space
from .space_scope import SpaceScope
from .statement_loader import sql

#: Its name and version among the cursors.
PROJECTION = "search", 2
#: Experiences indexed in one transaction.
_BATCH = 500
_SINGLE = struct.Struct("f")


@lru_cache(maxsize=1024)
def _statement(name: str, space: int) -> str:
    return sql(f"search/{name}").replace("{search}", f"search_{space:d}")


def index(connection: sqlite3.Connection, space: int, seq: int, terms: Sequence[str]) -> None:
    """Add one experience's terms to its space's table, creating the table first if need be."""
    row = (seq, " ".join(terms))
    try:
        connection.execute(_statement("add", space), row)
    except sqlite3.OperationalError as error:
        if "no such table" not in str(error):
            raise
        connection.execute(_statement("create", space))
        connection.execute(_statement("create_vocabulary", space))
        connection.execute(_statement("add", space), row)


def replace(
    connection: sqlite3.Connection,
    space: int,
    seq: int,
    before: Sequence[str],
    after: Sequence[str],
) -> None:
    """Index other terms for one experience; `before` are exactly those it is indexed by."""
    remove(connection, space, seq, before)
    index(connection, space, seq, after)


def remove(connection: sqlite3.Connection, space: int, seq: int, before: Sequence[str]) -> None:
    """Take one experience out of the index; `before` are exactly the terms it is indexed by."""
    connection.execute(_statement("remove", space), (seq, " ".join(before)))


def until(connection: sqlite3.Connection, space: int) -> int:
    """Return the last journal sequence whose experiences are indexed."""
    row = connection.execute(sql("journal/cursor"), (space, PROJECTION[0])).fetchone()
    return row[0] if row and row[1] == PROJECTION[1] else 0


def move(connection: sqlite3.Connection, space: int, seq: int) -> None:
    """Say that experiences up to a sequence are indexed, in the transaction that indexed them."""
    connection.execute(sql("journal/move_cursor"), (space, *PROJECTION, seq))


def optimise(connection: sqlite3.Connection, space: int) -> None:
    """Leave nothing in a space's index of the terms that were taken out of it."""
    name = (f"search_{space:d}",)
    if connection.execute(sql("search/exists"), name).fetchone() is not None:
        connection.execute(_statement("optimise", space))


class FullText:
    """Full-text search over one space."""

    def __init__(self, space: SpaceScope) -> None:
        self._space = space

    def until(self) -> int:
        """Return the last journal sequence whose experiences are indexed."""
        with self._space.database.reading() as connection:
            return until(connection, self._space.number)

    def match(
        self, terms: Sequence[str], limit: int, among: Sequence[int] | None = None
    ) -> list[tuple[int, float]]:
        """Return (sequence, BM25 ≥ 0) of the best matches for any of `terms`, best first.

        In single precision, so that a kept answer holds half of each.
        """
        if not terms:
            return []
        wanted = " OR ".join(f'"{term}"' for term in terms)
        if among is None:
            rows = self._query(_statement("match", self._space.number), (wanted, limit))
        else:
            values = (wanted, json.dumps(list(among)), limit)
            rows = self._query(_statement("match_among", self._space.number), values)
        return [(seq, _SINGLE.unpack(_SINGLE.pack(score))[0]) for seq, score in rows]

    def frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        """Return in how many experiences each term occurs; absent ones are left out."""
        statement = _statement("frequency", self._space.number)
        return dict(self._query(statement, (json.dumps(list(terms)),)))

    def vocabulary(self) -> list[tuple[Any, ...]]:
        """Return every term, in how many experiences it occurs, and how often, in order."""
        return self._query(_statement("vocabulary", self._space.number), ())

    def having(self, term: str, after: int) -> list[int]:
        """Return the sequences after one in which a term occurs."""
        values = (f'"{term}"', after)
        return [seq for (seq,) in self._query(_statement("having", self._space.number), values)]

    def phrase(self, terms: Sequence[str]) -> list[int]:
        """Return the sequences in which `terms` stand next to each other, stop words aside."""
        wanted = '"' + " ".join(terms) + '"'
        statement = _statement("phrase", self._space.number)
        return [seq for (seq,) in self._query(statement, (wanted,))]

    def _query(self, statement: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        """Return what a statement finds; nothing where the space has no table yet."""
        with self._space.database.reading() as connection:
            try:
                return connection.execute(statement, values).fetchall()
            except sqlite3.OperationalError as error:
                if "no such table" in str(error):
                    return []
                raise


def clear(connection: sqlite3.Connection, space: int) -> None:
    """Drop a space's full text, inside the caller's transaction."""
    connection.execute(sql("journal/forget_cursor"), (space, PROJECTION[0]))
    connection.execute(_statement("drop_vocabulary", space))
    connection.execute(_statement("drop", space))


def catch_up(
    scope: SpaceScope,
    journal: Journal,
    space: Space,
    analyser: Analyser,
    should_continue: Callable[[], bool] = lambda: True,
) -> None:
    """Index the experiences that are missing, in batches, each with its cursor: at least one."""
    full_text = FullText(scope)
    while full_text.until() < journal.head(space).seq:
        with scope.writing() as connection:
            _index_some(connection, scope, journal.head(space).seq, analyser)
        if not should_continue():
            return


def _index_some(
    connection: sqlite3.Connection, scope: SpaceScope, head: int, analyser: Analyser
) -> None:
    """Index the next experiences; `head` is the journal's as long as nobody else writes."""
    after, space = FullText(scope).until(), scope.number
    if not after:  # whatever is there is another version's
        clear(connection, space)
    rows = scope.rows("search/missing", (space, after, _BATCH))
    for seq, expires_at, body in rows:
        if body is not None:
            terms = terms_of(texts_of(stored_event(body)), analyser)
            index(connection, space, seq, terms)
            if expires_at is not None:
                scope.run("provisional/index", (" ".join(terms), seq))
    move(connection, space, rows[-1][0] if len(rows) == _BATCH else head)


def terms_of(texts: Sequence[str], analyser: Analyser) -> list[str]:
    """Return the terms that texts are found by."""
    return analyser.terms(" ".join(texts))
