"""Records of packs: how each was requested, what it cited and its hash, never its text.

Stored beside the journal like the trace: they can be pruned. A pack's text is made again from the
journal, so that erased memories are in no pack either.
"""

from __future__ import annotations

import json

from ..core.time import Clock, to_text
from ..core.types import Payload
from .space_scope import SpaceScope
from .trace import add


class PackRecords:
    """The packs that were given in one space."""

    def __init__(self, space: SpaceScope, clock: Clock) -> None:
        self._space = space
        self._clock = clock

    def add(self, body: Payload) -> None:
        """Keep one pack, and trace that it was given: `body` has its `pack`, `mode`, `cited`.

        A file that can only be read keeps none.
        """
        if self._space.database.read_only:
            return
        text = json.dumps(dict(body), ensure_ascii=False)
        detail = {"mode": body["mode"], "cited": len(body["cited"]), "hash": body["hash"]}
        with self._space.writing():
            now = self._clock()
            values = (body["pack"], self._space.number, to_text(now), body["mode"], text)
            self._space.run("packs/add", values)
            add(self._space, now, ("pack", "pack", body["pack"]), detail)

    def find(self, id: str) -> Payload | None:
        """Return a kept pack."""
        row = self._space.row("packs/find", (self._space.number, id))
        return json.loads(row[0]) if row else None

    def latest(self, limit: int) -> list[Payload]:
        """Return the latest packs, newest first."""
        rows = self._space.rows("packs/latest", (self._space.number, limit))
        return [json.loads(row[0]) for row in rows]
