"""Full-text search over one space's experiences; `full_text` brings it up to date.

Every space has its own FTS5 table, so that its term statistics are its own and nothing of
another space can move a score. Terms come in analysed; this module knows no language.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from . import cursors
from .database import Database
from .statement_loader import sql

_PROJECTION, _VERSION = "search", 1


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
    connection.execute(_statement("remove", space), (seq, " ".join(before)))
    index(connection, space, seq, after)


def until(connection: sqlite3.Connection, space: int) -> int:
    """Return the last journal sequence whose experiences are indexed."""
    return cursors.position(connection, space, _PROJECTION, _VERSION)


def move(connection: sqlite3.Connection, space: int, seq: int) -> None:
    """Say that experiences up to a sequence are indexed, in the transaction that indexed them."""
    cursors.move(connection, space, _PROJECTION, _VERSION, seq)


def optimise(connection: sqlite3.Connection, space: int) -> None:
    """Leave nothing in a space's index of the terms that were taken out of it."""
    name = (f"search_{space:d}",)
    if connection.execute(sql("search/exists"), name).fetchone() is not None:
        connection.execute(_statement("optimise", space))


def match(
    database: Database,
    space: int,
    terms: Sequence[str],
    limit: int,
    among: Sequence[int] | None = None,
) -> list[tuple[int, float]]:
    """Return (sequence, BM25 ≥ 0) of the best matches for any of `terms`, best first."""
    if not terms:
        return []
    wanted = " OR ".join(f'"{term}"' for term in terms)
    if among is None:
        return _query(database, _statement("match", space), (wanted, limit))
    values = (wanted, json.dumps(list(among)), limit)
    return _query(database, _statement("match_among", space), values)


def frequencies(database: Database, space: int, terms: Sequence[str]) -> dict[str, int]:
    """Return in how many experiences of the space each term occurs; absent ones are left out."""
    return dict(_query(database, _statement("frequency", space), (json.dumps(list(terms)),)))


def phrase(database: Database, space: int, terms: Sequence[str]) -> list[int]:
    """Return the sequences in which `terms` stand next to each other, stop words aside."""
    wanted = '"' + " ".join(terms) + '"'
    return [seq for (seq,) in _query(database, _statement("phrase", space), (wanted,))]


def _query(database: Database, statement: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Return what a statement finds; nothing where the space has no table yet."""
    with database.reading() as connection:
        try:
            return connection.execute(statement, values).fetchall()
        except sqlite3.OperationalError as error:
            if "no such table" in str(error):
                return []
            raise


def clear(connection: sqlite3.Connection, space: int) -> None:
    """Drop a space's full text, inside the caller's transaction."""
    connection.execute(sql("journal/forget_cursor"), (space, _PROJECTION))
    connection.execute(_statement("drop_vocabulary", space))
    connection.execute(_statement("drop", space))
