"""One space of one file for the components of a `SpaceStore`: a database and a space number.

Runs statements by name and turns SQLite's errors into Meridia's. Not used outside of `storage`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, TypeAlias

from .database import Connection, Database, translated
from .statement_loader import sql

Row: TypeAlias = tuple[Any, ...]
Values: TypeAlias = Sequence[Any] | Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SpaceScope:
    """A database and the number that a space has in it.

    A statement runs in the thread's open transaction, or else in one of its own.
    """

    database: Database
    number: int

    def rows(self, statement: str, values: Values) -> list[Row]:
        """Return all rows of a statement."""
        with translated(self.database.path):
            return self._execute(statement, values).fetchall()

    def row(self, statement: str, values: Values) -> Row | None:
        """Return the first row of a statement; None where there is none."""
        with translated(self.database.path):
            row: Row | None = self._execute(statement, values).fetchone()
            return row

    def only_row(self, statement: str, values: Values) -> Row:
        """Return the row of a statement that always has one."""
        row = self.row(statement, values)
        assert row is not None, statement
        return row

    def run(self, statement: str, values: Values) -> int:
        """Run a statement that writes; return how many rows it changed."""
        with translated(self.database.path):
            return self._execute(statement, values).rowcount

    def run_many(self, statement: str, values: Iterable[Values]) -> None:
        """Run a statement that writes once for each values, inside the caller's transaction."""
        with translated(self.database.path):
            self.database.connection.executemany(sql(statement, self.database.dialect), values)

    def row_parts(self, statement: str, values: Values, size: int) -> Iterator[list[Row]]:
        """Yield the rows of a statement in parts of at most `size`."""
        with translated(self.database.path):
            cursor = self._execute(statement, values)
            while rows := cursor.fetchmany(size):
                yield rows

    def _execute(self, statement: str, values: Values) -> sqlite3.Cursor:
        return self.database.connection.execute(sql(statement, self.database.dialect), values)

    def writing(self) -> AbstractContextManager[Connection]:
        """Hold the write lock for several statements; see `Database.writing`."""
        return self.database.writing()
