"""The trace stream, a log of decisions, and the recalls and packs that were given.

They stand beside the journal and can be pruned; the journal cannot. Each component traces its own
decisions. A trace holds no content, and the record of a pack holds no text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pydantic_core import to_json

from ..core.codec import JsonObject, pack
from ..core.time import Clock, ago, from_text, to_text
from ..core.types import Payload, Space
from .database import Database
from .journal import Journal
from .space_scope import Row, SpaceScope
from .statement_loader import sql

_PAGE = 1000


@dataclass(frozen=True, slots=True)
class TraceEntry(JsonObject):
    """One line of the trace stream."""

    number: int
    at: str
    kind: str
    decision: str
    subject: str | None
    detail: Payload


@dataclass(frozen=True, slots=True)
class RecallSummary:
    """A kept recall: when it was asked, what, and how many memories it brought back."""

    id: str
    at: str
    question: str
    memories: int


def add(
    space: SpaceScope, at: datetime, line: tuple[str, str, str | None], detail: Payload
) -> None:
    """Add one decision to a space's trace; `line` is kind, decision and subject."""
    body = pack(to_json(dict(detail)).decode())
    space.run("trace/add", at, *line, body)


class TraceStream:
    """Writes and reads the decisions of any space in one file."""

    def __init__(self, database: Database, journal: Journal, clock: Clock) -> None:
        self._database = database
        self._journal = journal
        self._clock = clock

    def write(
        self, space: Space, kind: str, decision: str, subject: str | None, detail: Payload
    ) -> None:
        """Add one decision; `detail` is plain JSON without content."""
        add(self._journal.scope(space), self._clock(), (kind, decision, subject), detail)

    def read(self, space: Space, after: int = 0) -> Iterator[TraceEntry]:
        """Yield the decisions of a space in order."""
        scope = self._journal.scope(space)
        while rows := scope.rows("trace/read", after, _PAGE):
            yield from map(_line, rows)
            after = rows[-1][0]

    def of_kind(self, space: Space, kind: str) -> list[TraceEntry]:
        """Return the decisions of one kind in a space, in order."""
        return list(map(_line, self._journal.scope(space).rows("trace/of_kind", kind)))

    def since(self, kind: str, at: datetime) -> list[tuple[datetime, Payload]]:
        """Return time and detail of every decision of one kind since a time, in any space."""
        with self._database.reading() as connection:
            rows = connection.execute(sql("trace/since"), (kind, to_text(at))).fetchall()
        return [(from_text(when), json.loads(detail)) for when, detail in rows]

    def keep_recall(self, space: Space, id: str, body: Payload) -> None:
        """Keep what one recall was asked with and answered, under its id.

        Its `hits` are the sequences of its memories: a tenth of their ids. `inputs` may be bytes.
        """
        packed = {name: value for name, value in body.items() if isinstance(value, bytes)}
        readable = {name: value for name, value in body.items() if name not in packed}
        text = json.dumps(readable, ensure_ascii=False, separators=(",", ":"))
        with self._database.writing():
            self._journal.scope(space).run(
                "trace/add_recall", id, self._clock(), text, packed.get("inputs")
            )

    def prune_recalls(self, space: Space, keep: int, days: float) -> int:
        """Delete all but the newest `keep` recalls, and those older than `days`; count them."""
        return self._prune("trace/prune_recalls", space, keep, days)

    def prune(self, space: Space, keep: int, days: float) -> int:
        """Delete all but the newest `keep` lines, and those older than `days`; count them."""
        return self._prune("trace/prune_lines", space, keep, days)

    def _prune(self, statement: str, space: Space, keep: int, days: float) -> int:
        before = ago(self._clock(), days)
        with self._database.writing():
            return self._journal.scope(space).run(statement, before=before, keep=keep)

    def find_recall(self, space: Space, id: str) -> Payload | None:
        """Return a kept recall; its hits have their ids."""
        row = self._journal.scope(space).row("trace/find_recall", id)
        if row is None:
            return None
        body: dict[str, Any] = json.loads(row[0])
        hits = {"hits": [{"id": id} for id in json.loads(row[1])]} if "hits" in body else {}
        return {**body, **hits} | ({} if row[2] is None else {"inputs": row[2]})

    def recalls(self, space: Space, limit: int, before: str | None = None) -> list[RecallSummary]:
        """Return the newest kept recalls, or those before one of them by its id; newest first."""
        rows = self._journal.scope(space).rows("trace/recalls", before=before, limit=limit)
        return [RecallSummary(*row) for row in rows]

    def last_recall(self, space: Space) -> str | None:
        """Return the id of the newest kept recall."""
        row = self._journal.scope(space).row("trace/last_recall")
        return row[0] if row else None

    def recalled(self, space: Space) -> dict[str, int]:
        """Return how many kept recalls brought back each memory, by Meridia's id."""
        return dict(self._journal.scope(space).rows("trace/recalled"))


def _line(row: Row) -> TraceEntry:
    number, at, kind, decision, subject, detail = row
    return TraceEntry(number, at, kind, decision, subject, json.loads(detail))


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
            self._space.run("packs/add", body["pack"], now, body["mode"], text)
            add(self._space, now, ("pack", "pack", body["pack"]), detail)

    def find(self, id: str) -> Payload | None:
        """Return a kept pack."""
        row = self._space.row("packs/find", id)
        return json.loads(row[0]) if row else None

    def latest(self, limit: int) -> list[Payload]:
        """Return the latest packs, newest first."""
        rows = self._space.rows("packs/latest", limit)
        return [json.loads(row[0]) for row in rows]
