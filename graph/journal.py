"""The journal in SQLite: the truth, append-only, idempotent, hash-chained within each space.

An acknowledgement is given after the commit and never before. A header is chained to the one
before it by BLAKE2b; a payload stands apart under a salted hash, so that it can be erased while
the chain stays verifiable. Projections that must never lag (the list of experiences, full-text
search) are handed in and run inside the same transaction.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from ..core.errors import Conflict, NotFound
from ..core.events import encode
from ..core.ids import RandomBytes, uuid7
from ..core.ports import Finding, Head
from ..core.time import Clock, from_text, to_text
from ..core.types import Acknowledgement, Draft, Entry, EntryKind, Outcome, Seq, Space
from .database import Database
from .statements import sql

#: Runs inside the appending transaction: (connection, number of the space, entry).
InlineProjection = Callable[[sqlite3.Connection, int, Entry], None]
_GENESIS = bytes(32)


class SqliteJournal:
    """A journal over one `Database`; see `core.ports.Journal` for the contract."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        random_bytes: RandomBytes,
        inline: Sequence[InlineProjection] = (),
    ) -> None:
        self._database = database
        self._clock = clock
        self._random_bytes = random_bytes
        self._inline = inline
        self._numbers: dict[str, int] = {}

    def append(self, space: Space, drafts: Sequence[Draft]) -> list[Acknowledgement]:
        """Append all or none; see `core.ports.Journal.append`."""
        bodies = [encode(draft.payload) for draft in drafts]
        with self._database.writing() as connection:
            number = self._create_space(connection, space)
            return [
                self._append_one(connection, space, number, draft, body)
                for draft, body in zip(drafts, bodies, strict=True)
            ]

    def read(
        self, space: Space, after: int = 0, limit: int = 1000, kinds: Sequence[EntryKind] = ()
    ) -> list[Entry]:
        """Return entries in order; with `kinds`, only those of the `limit` entries read."""
        with self._database.reading() as connection:
            rows = connection.execute(
                sql("journal/read"), (self.number(space), after, limit)
            ).fetchall()
        return [_entry(space, row) for row in rows if not kinds or row[1] in kinds]

    def of_kind(self, space: Space, kind: EntryKind, after: int = 0) -> list[Entry]:
        """Return all entries of one kind, for kinds of which there are few."""
        with self._database.reading() as connection:
            rows = connection.execute(
                sql("journal/of_kind"), (self.number(space), kind, after)
            ).fetchall()
        return [_entry(space, row) for row in rows]

    def head(self, space: Space) -> Head:
        """Return the end of the space's journal."""
        with self._database.reading() as connection:
            row = connection.execute(sql("journal/head"), (self.number(space),)).fetchone()
        return Head(Seq(row[0]), row[1]) if row else Head(Seq(0), _GENESIS)

    def count(self, space: Space) -> dict[str, int]:
        """Return how many entries of each kind the space holds."""
        with self._database.reading() as connection:
            return dict(connection.execute(sql("journal/count"), (self.number(space),)).fetchall())

    def spaces(self) -> list[Space]:
        """Return the names of all spaces, sorted."""
        with self._database.reading() as connection:
            return [Space(row[0]) for row in connection.execute(sql("journal/list_spaces"))]

    def number(self, space: Space) -> int:
        """Return the number of a space in this file; `NotFound` when nothing was written to it."""
        if space not in self._numbers:
            with self._database.reading() as connection:
                row = connection.execute(sql("journal/find_space"), (space,)).fetchone()
            if row is None:
                raise NotFound(f"space {space!r} does not exist: `meridia spaces` lists them")
            self._numbers[space] = row[0]
        return self._numbers[space]

    def verify(self, space: Space) -> Iterator[Finding]:
        """Check every header against its predecessor and every payload against its hash."""
        number, after, previous = self.number(space), 0, _GENESIS
        while True:
            with self._database.reading() as connection:
                rows = connection.execute(sql("journal/chain"), (number, after, 1000)).fetchall()
            if not rows:
                return
            for seq, *header, payload_hash, stored, salt, body in rows:
                if _chain(previous, space, header, payload_hash) != stored:
                    yield Finding(space, Seq(seq), "its header does not fit the chain")
                if body is not None and _payload_hash(salt, body) != payload_hash:
                    yield Finding(space, Seq(seq), "its payload is not what was written")
                previous, after = stored, seq

    def _create_space(self, connection: sqlite3.Connection, space: Space) -> int:
        if space not in self._numbers:
            row = connection.execute(sql("journal/find_space"), (space,)).fetchone()
            if row is None:
                created = connection.execute(
                    sql("journal/create_space"), (space, to_text(self._clock()))
                )
                # Not remembered before the commit: the transaction may still be rolled back.
                return int(created.lastrowid or 0)
            self._numbers[space] = row[0]
        return self._numbers[space]

    def _append_one(
        self, connection: sqlite3.Connection, space: Space, number: int, draft: Draft, body: str
    ) -> Acknowledgement:
        if draft.key:
            known = connection.execute(
                sql("journal/find_key"), (number, draft.kind, draft.key)
            ).fetchone()
            if known:
                return _redelivered(known, space, draft, body)
        now = self._clock()
        id = uuid7(now, self._random_bytes)
        previous = None
        if draft.stream is not None:
            row = connection.execute(
                sql("journal/last_of_stream"), (number, draft.stream)
            ).fetchone()
            previous = row[0] if row else None
        key = draft.key or id
        header = [draft.kind, id, key, draft.stream, previous, to_text(draft.at or now)]
        header.append(to_text(now))
        salt = self._random_bytes(16)
        payload_hash = _payload_hash(salt, body)
        last = connection.execute(sql("journal/head"), (number,)).fetchone()
        chained = _chain(last[1] if last else _GENESIS, space, header, payload_hash)
        written = connection.execute(
            sql("journal/append_entry"), (number, *header, payload_hash, chained)
        )
        seq = Seq(written.lastrowid or 0)
        connection.execute(sql("journal/append_payload"), (seq, number, salt, body))
        entry = _entry(space, (seq, *header, None, chained))
        for project in self._inline:
            project(connection, number, replace(entry, payload=draft.payload))
        return Acknowledgement(seq, id, key, Outcome.CAPTURED)


def _redelivered(
    known: tuple[int, str, str | None], space: Space, draft: Draft, body: str
) -> Acknowledgement:
    seq, id, stored = known
    captured = draft.kind is EntryKind.EXPERIENCE_CAPTURED
    if captured and stored is not None and stored != body:
        raise Conflict(
            f"event id {draft.key!r} is already taken in space {space!r} by other content: "
            "give a new id, or send the same event again"
        )
    return Acknowledgement(Seq(seq), id, draft.key, Outcome.REDELIVERED)


def _entry(space: Space, row: tuple[Any, ...]) -> Entry:
    seq, kind, id, key, stream, previous, at, recorded_at, body, chained = row
    return Entry(
        seq=Seq(seq),
        space=space,
        kind=EntryKind(kind),
        id=id,
        key=key,
        stream=stream,
        previous=previous,
        at=from_text(at),
        recorded_at=from_text(recorded_at),
        payload=None if body is None else json.loads(body),
        hash=chained,
    )


def _payload_hash(salt: bytes, body: str) -> bytes:
    return hashlib.blake2b(body.encode("utf-8"), digest_size=32, salt=salt).digest()


def _chain(previous: bytes, space: str, header: Sequence[str | None], payload: bytes) -> bytes:
    fields = json.dumps([space, *header], ensure_ascii=False, separators=(",", ":"))
    return hashlib.blake2b(previous + payload + fields.encode("utf-8"), digest_size=32).digest()
