"""One space of one file for the components of a `SpaceStore`: a database and a space number.

Runs statements by name and turns SQLite's errors into Meridia's. Not used outside of `storage`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, TypeAlias

from .database import Connection, Database
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
        with self.database.reading() as connection:
            return connection.execute(self._sql(statement), values).fetchall()

    def row(self, statement: str, values: Values) -> Row | None:
        """Return the first row of a statement; None where there is none."""
        with self.database.reading() as connection:
            row: Row | None = connection.execute(self._sql(statement), values).fetchone()
            return row

    def only_row(self, statement: str, values: Values) -> Row:
        """Return the row of a statement that always has one."""
        row = self.row(statement, values)
        assert row is not None, statement
        return row

    def run(self, statement: str, values: Values) -> int:
        """Run a statement that writes; return how many rows it changed."""
        with self.database.reading() as connection:
            return connection.execute(self._sql(statement), values).rowcount

    def run_many(self, statement: str, values: Iterable[Values]) -> None:
        """Run a statement that writes once for each values, inside the caller's transaction."""
        with self.database.reading() as connection:
            connection.executemany(self._sql(statement), values)

    def row_parts(self, statement: str, values: Values, size: int) -> Iterator[list[Row]]:
        """Yield the rows of a statement in parts of at most `size`."""
        with self.database.reading() as connection:
            cursor = connection.execute(self._sql(statement), values)
        while True:
            with self.database.reading():
                rows = cursor.fetchmany(size)
            if not rows:
                return
            yield rows

    def _sql(self, statement: str) -> str:
        return sql(statement, self.database.dialect)

    def writing(self) -> AbstractContextManager[Connection]:
        """Hold the write lock for several statements; see `Database.writing`."""
        return self.database.writing()
