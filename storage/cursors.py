"""How far each projection stored in the SQLite file is, by space.

A cursor of another version reads as 0: the projection has to be rebuilt.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from ..core.ports import Head
from ..core.time import to_text
from ..core.types import Seq
from .space_scope import SpaceScope


@dataclass(frozen=True, slots=True)
class SpaceState:
    """Where a space stands at one moment.

    `positions` has (version, sequence) of every projection; `due` says that a task, the end of a
    session or of a held event may be due.
    """

    head: Head
    positions: Mapping[str, tuple[int, int]]
    due: bool

    def is_current(self, projection: str, version: int) -> bool:
        """Say whether a projection of this version has applied the whole journal."""
        applied_version, seq = self.positions.get(projection, (version, 0))
        return applied_version == version and seq >= self.head.seq


class Cursors:
    """The cursors of one space."""

    def __init__(self, space: SpaceScope) -> None:
        self._space = space

    def position(self, projection: str, version: int) -> Seq:
        """Return the last sequence that a projection of this version has applied."""
        row = self._space.row("journal/cursor", (self._space.number, projection))
        return Seq(row[0]) if row and row[1] == version else Seq(0)

    def names(self) -> list[str]:
        """Return the projections that have a cursor."""
        return [row[0] for row in self._space.rows("journal/cursor_names", (self._space.number,))]

    def state(self, silence: timedelta, now: datetime) -> SpaceState:
        """Return where the space stands; see `SessionStates.due` for `silence`."""
        values = {
            "space": self._space.number,
            "now": to_text(now),
            "heard_before": to_text(now - silence),
            "silence_days": silence / timedelta(days=1),
        }
        seq, hash, positions, due = self._space.only_row("work/state", values)
        return SpaceState(Head(Seq(seq), hash), json.loads(positions), bool(due))

    def move(self, projection: str, version: int, seq: int) -> None:
        """Move a cursor forward, inside the transaction that did the work."""
        self._space.run("journal/move_cursor", (self._space.number, projection, version, seq))

    def take_back(self, projection: str, seq: int) -> None:
        """Take a projection's cursor back to a sequence, where it is farther."""
        self._space.run("journal/take_cursor_back", (seq, self._space.number, projection, seq))

    def forget(self, projection: str) -> None:
        """Take a projection's cursor back to 0."""
        self._space.run("journal/forget_cursor", (self._space.number, projection))
