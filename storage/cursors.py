"""How far each projection kept in the SQLite file has come, by space.

A cursor of another version reads as 0: the projection has to be rebuilt.
"""

from __future__ import annotations

import sqlite3

from ..core.types import Seq
from .statement_loader import sql


def position(connection: sqlite3.Connection, space: int, projection: str, version: int) -> Seq:
    """Return the last sequence that a projection of this version has applied."""
    row = connection.execute(sql("journal/cursor"), (space, projection)).fetchone()
    return Seq(row[0]) if row and row[1] == version else Seq(0)


def move(
    connection: sqlite3.Connection, space: int, projection: str, version: int, seq: int
) -> None:
    """Move a cursor forward, inside the transaction that did the work."""
    connection.execute(sql("journal/move_cursor"), (space, projection, version, seq))
