"""Entries that were replaced when the rules read a message again.

The journal keeps every version. Projections read the newest in the place of the first, and nothing
in the place of the newest: so the past appears as the rules of today read it. The list is rebuilt
from the journal.
"""

from __future__ import annotations

from ..database import Connection
from ..space_scope import SpaceScope
from ..statement_loader import sql


def rebuild(connection: Connection, space: int) -> None:
    """Rebuild the list of a space's replaced entries."""
    connection.execute(sql("readings/clear"), (space,))
    connection.execute(sql("readings/note"), (space, 0))


class Readings:
    """What is read otherwise in one space."""

    def __init__(self, space: SpaceScope) -> None:
        self._space = space

    def count(self, after: int) -> int:
        """Return how many memories are read otherwise by entries after a sequence."""
        (count,) = self._space.only_row("readings/count", (self._space.number, after))
        return int(count)

    def newest(self) -> int:
        """Return the last sequence by which anything is read otherwise, 0 for none."""
        (seq,) = self._space.only_row("readings/newest", (self._space.number,))
        return int(seq)
