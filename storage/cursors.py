"""How far each projection kept in the SQLite file has come, by space.

A cursor of another version reads as 0: the projection has to be rebuilt.
"""

from __future__ import annotations

from ..core.types import Seq
from .space_scope import SpaceScope


class Cursors:
    """The cursors of one space."""

    def __init__(self, space: SpaceScope) -> None:
        self._space = space

    def position(self, projection: str, version: int) -> Seq:
        """Return the last sequence that a projection of this version has applied."""
        row = self._space.row("journal/cursor", (self._space.number, projection))
        return Seq(row[0]) if row and row[1] == version else Seq(0)

    def move(self, projection: str, version: int, seq: int) -> None:
        """Move a cursor forward, inside the transaction that did the work."""
        self._space.run("journal/move_cursor", (self._space.number, projection, version, seq))

    def forget(self, projection: str) -> None:
        """Take a projection's cursor back to 0."""
        self._space.run("journal/forget_cursor", (self._space.number, projection))
