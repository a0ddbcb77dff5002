"""One space of one file for the components of a `SpaceStore`: a database and a space number.

Runs statements by name and turns SQLite's errors into Meridia's. Used inside `storage` only.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter
from typing import Any, TypeAlias

from ..core.time import to_text
from .database import Connection, Cursor, Database
from .statement_loader import sql

Row: TypeAlias = tuple[Any, ...]
Values: TypeAlias = Sequence[Any] | Mapping[str, Any]
_ROWCOUNT = attrgetter("rowcount")
#: Types that SQLite takes as they are.
_PLAIN = frozenset({type(None), bool, int, float, str, bytes})


@dataclass(frozen=True, slots=True)
class SpaceScope:
    """A database and the number that a space has in it.

    A statement runs in the thread's open transaction, or else in one of its own. Its first value is
    the space's number, or `:space` where values have names. Times are stored as text, and
    collections as JSON.
    """

    database: Database
    number: int

    def rows(self, statement: str, *values: Any, **named: Any) -> list[Row]:
        """Return all rows of a statement."""
        return self.database.ask(*self._bound(statement, values, named), Cursor.fetchall)

    def row(self, statement: str, *values: Any, **named: Any) -> Row | None:
        """Return the first row of a statement; None where there is none."""
        row: Row | None = self.database.ask(*self._bound(statement, values, named), Cursor.fetchone)
        return row

    def only_row(self, statement: str, *values: Any, **named: Any) -> Row:
        """Return the row of a statement that always has one."""
        row = self.row(statement, *values, **named)
        assert row is not None, statement
        return row

    def run(self, statement: str, *values: Any, **named: Any) -> int:
        """Run a statement that writes; return how many rows it changed."""
        return int(self.database.ask(*self._bound(statement, values, named), _ROWCOUNT))

    def run_many(self, statement: str, values: Iterable[Values]) -> None:
        """Run a statement that writes once for each values, inside the caller's transaction."""
        bound = [
            {"space": self.number, **each} if isinstance(each, Mapping) else (self.number, *each)
            for each in values
        ]
        with self.database.reading() as connection:
            connection.executemany(sql(statement), bound)

    def row_parts(
        self, statement: str, size: int, *values: Any, **named: Any
    ) -> Iterator[list[Row]]:
        """Yield the rows of a statement in parts of at most `size`."""
        with self.database.reading() as connection:
            cursor = connection.execute(*self._bound(statement, values, named))
        while True:
            with self.database.reading():
                rows = cursor.fetchmany(size)
            if not rows:
                return
            yield rows

    def _bound(
        self, statement: str, values: Sequence[Any], named: Mapping[str, Any]
    ) -> tuple[str, Values]:
        """Return the text of a statement and what is bound to it."""
        text = sql(statement)
        if "?" in text:
            return text, [self.number, *(v if type(v) in _PLAIN else _stored(v) for v in values)]
        bound = {name: v if type(v) in _PLAIN else _stored(v) for name, v in named.items()}
        bound["space"] = self.number
        return text, bound

    def writing(self) -> AbstractContextManager[Connection]:
        """Hold the write lock for several statements; see `Database.writing`."""
        return self.database.writing()


class OfSpace:
    """A part of a `SpaceStore`: reads and writes one subject of a space."""

    def __init__(self, space: SpaceScope) -> None:
        self._space = space


def _stored(value: Any) -> Any:
    """Return a value as SQLite stores it."""
    if isinstance(value, str | int):
        return value
    if isinstance(value, datetime):
        return to_text(value)
    if isinstance(value, Mapping):
        return json.dumps(dict(value))
    return json.dumps(list(value), default=int) if isinstance(value, Collection) else value
