"""The journal in SQLite: the truth, append-only, idempotent, hash-chained within each space.

An acknowledgement is given after the commit and never before. A header is chained to the one
before it by BLAKE2b; a payload stands apart under a salted hash, so that it can be erased while
the chain stays verifiable. Projections that must never lag (the list of experiences) are handed
in and run inside the same transaction.

An event that was forgotten leaves a salted fingerprint: sent again, the same event stays out, and
other content under its id makes a new memory (docs/forgetting.md).
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from ..core.codec import check_same_content, decode_entry, encode_text, is_export_of, pack, unpack
from ..core.entries import EntryPayload, ExperienceCaptured, Forgotten, ForgottenEvents
from ..core.errors import Damaged, InvalidInput, NotFound
from ..core.events import encode_as_given, event_hash
from ..core.ids import REUSED, RandomBytes, event_id_of, uuid7
from ..core.people import Directory
from ..core.ports import Finding, Head
from ..core.time import Clock, from_text, to_text
from ..core.types import Acknowledgement, Entry, EntryDraft, EntryKind, Outcome, Seq, Space
from ..core.vocabulary import ANEW
from .database import Database
from .people import Identities
from .space_scope import SpaceScope
from .statement_loader import sql

_BYTES = 16
#: One hash takes 2 to the power of this, in kilobytes: less where there are many.
_COST_MAX, _COST_MIN, _MANY = 10, 4, 100


def fingerprints(hashes: Mapping[int, str], salt: bytes) -> ForgottenEvents | None:
    """Return fingerprints by which events are recognised, from their hashes by sequence."""
    if not hashes:
        return None
    cost = max(_COST_MIN, _COST_MAX - (len(hashes) // _MANY).bit_length())
    by_seq = {str(seq): _fingerprint(hash, salt, cost) for seq, hash in hashes.items()}
    return ForgottenEvents(salt.hex(), cost, by_seq)


def matching(forgotten: Iterable[ForgottenEvents], seq: int, hash: str) -> bool | None:
    """Return whether the event forgotten at `seq` had this hash; None where it is not known."""
    for events in forgotten:
        fingerprint = events.fingerprints.get(str(seq))
        if fingerprint is not None:
            return fingerprint == _fingerprint(hash, bytes.fromhex(events.salt), events.cost)
    return None


def _fingerprint(hash: str, salt: bytes, cost: int) -> str:
    return hashlib.scrypt(hash.encode(), salt=salt, n=2**cost, r=8, p=1, dklen=_BYTES).hex()


#: Runs inside the appending transaction.
InlineProjection = Callable[[SpaceScope, Entry], None]
_GENESIS = bytes(32)
#: What is wrong with a file, and what to do, where it does not fit the journal that it follows.
MISFIT = "the shared journal: `meridia follow --again` writes the file again from there"
#: What is derived from every message takes more room than the message: packed, a third.
_PACKED = frozenset({EntryKind.EXPERIENCE_ENRICHED, EntryKind.MEMORIES_ASSOCIATED})
#: Writes what a chain links; making an encoder takes longer than writing one header.
_HEADER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


@dataclass(slots=True)
class Appender:
    """The end of a space's chain while entries are appended to it in one transaction."""

    space: Space
    scope: SpaceScope
    next_seq: int
    hash: bytes
    append_to: Callable[[Appender, EntryDraft], Acknowledgement]
    has_erased: bool = False
    forgotten: list[ForgottenEvents] | None = None

    def append(self, draft: EntryDraft) -> Acknowledgement:
        """Append one entry; see `Journal.append`."""
        return self.append_to(self, draft)


class Journal:
    """The truth: append and read, in one total order per file; nothing is changed in place.

    Whatever reads a space raises `NotFound` where nothing was written to it.
    """

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
        self._scopes: dict[Space, SpaceScope] = {}

    def append(self, space: Space, drafts: Sequence[EntryDraft]) -> list[Acknowledgement]:
        """Append all or none, durably; return an acknowledgement for each, in order.

        A draft whose key is known with the same payload is acknowledged as redelivered; with
        another payload `Conflict` is raised and nothing is appended. A derived entry (one whose
        key no caller gave) is recorded once: the first wins.
        """
        # What cannot be written is refused before the lock is taken.
        ready = [replace(draft, body=draft.body or encode_text(draft.payload)) for draft in drafts]
        if not ready:
            return []
        with self.appending(space) as appender:
            return [appender.append(draft) for draft in ready]

    @contextmanager
    def appending(self, space: Space) -> Iterator[Appender]:
        """Hold the journal's lock while entries of one space are appended, all or none.

        `Conflict` is raised before anything of that entry is written, so that the others can go
        in. Inside another transaction of the same thread it becomes a part of that.
        """
        with self._database.reading() as used:
            with self._database.writing(shared=True) as connection:
                tail = self._tail(connection, space)
                first = tail.next_seq
                yield tail
                if tail.next_seq > first:
                    number, head = tail.scope.number, tail.next_seq - 1
                    tail.scope.run("journal/move_head", seq=head, hash=tail.hash)
                    self._database.note_head(number, head, tail.hash)
            if not used.in_transaction:  # else the space may still be undone
                self._scopes[space] = tail.scope

    def read(
        self, space: Space, after: int = 0, limit: int = 1000, kinds: Sequence[EntryKind] = ()
    ) -> list[Entry]:
        """Return entries in order; with `kinds`, only those of the `limit` entries read."""
        rows = self.scope(space).rows("journal/read", after, limit)
        return [_entry(space, row) for row in rows if not kinds or row[1] in kinds]

    def newest(self, space: Space, limit: int, before: int | None = None) -> list[Entry]:
        """Return the newest entries, or those before a sequence, newest first."""
        return self._select(space, "journal/newest_entries", before or sys.maxsize, limit)

    def of_kind(
        self, space: Space, kind: EntryKind, after: int = 0, limit: int | None = None
    ) -> list[Entry]:
        """Return the entries of one kind after a sequence, in order: all, or the first `limit`."""
        return self._select(space, "journal/of_kind", kind, after, -1 if limit is None else limit)

    def stream(self, space: Space, stream: str, after: int = 0) -> list[Entry]:
        """Return the entries of one stream after a sequence, in order."""
        return self._select(space, "journal/of_stream", stream, after)

    def of_sessions(self, space: Space, kind: EntryKind, sessions: Sequence[str]) -> list[Entry]:
        """Return the entries of one kind about some sessions, in order.

        About one of their memories, or keyed by the session: `SESSION#…`.
        """
        return self._select(space, "journal/of_sessions", kind, sessions)

    def of_speakers(self, space: Space, kind: EntryKind, people: Sequence[str]) -> list[Entry]:
        """Return the entries of one kind about what some people said, in order."""
        return self._select(space, "journal/of_speakers", kind, people)

    def by_keys(self, space: Space, kind: EntryKind, keys: Sequence[str]) -> list[Entry]:
        """Return the entries of one kind that have some keys, in order."""
        return self._select(space, "journal/by_keys", kind, keys)

    def by_ids(self, space: Space, ids: Sequence[str]) -> list[Entry]:
        """Return the entries with some ids, in order; those that are not there are left out."""
        return self._select(space, "journal/by_ids", ids)

    def _select(self, space: Space, statement: str, *values: Any) -> list[Entry]:
        return [_entry(space, row) for row in self.scope(space).rows(statement, *values)]

    def head(self, space: Space) -> Head:
        """Return the end of the space's journal."""
        seq, hash = self.scope(space).only_row("journal/head")
        return Head(Seq(seq), hash)

    def count(self, space: Space) -> dict[str, int]:
        """Return how many entries of each kind the space holds."""
        return dict(self.scope(space).rows("journal/count"))

    def spaces(self) -> list[Space]:
        """Return the names of all spaces that hold anything, sorted."""
        return list(self.heads())

    def heads(self) -> dict[Space, int]:
        """Return the last sequence of every space that holds anything, by name."""
        with self._database.reading() as connection:
            return {Space(name): seq for name, seq in connection.execute(sql("journal/heads"))}

    def holds(self, space: Space) -> bool:
        """Return whether a space holds anything."""
        try:
            return self.head(space).seq > 0
        except NotFound:
            return False

    def scope(self, space: Space) -> SpaceScope:
        """Return what runs statements in a space; `NotFound` for one that was never opened."""
        if known := self._scopes.get(space):
            return known
        with self._database.reading() as connection:
            row = connection.execute(sql("journal/find_space"), (space,)).fetchone()
            if row is None:
                raise NotFound(f"space {space!r} does not exist: `meridia spaces` lists them")
            scope = SpaceScope(self._database, int(row[0]))
            if not connection.in_transaction:  # else the space may still be undone
                self._scopes[space] = scope
        return scope

    def open_space(self, space: Space) -> None:
        """Create an empty space, so that it can be read before anything is written to it."""
        try:
            self.scope(space)
        except NotFound:
            with self._database.writing() as connection:
                self._tail(connection, space)

    def is_outdated(self, space: Space, until: int, begun: int = 0) -> bool:
        """Return whether entries up to `until` were read again after something was derived of them.

        It was derived when the journal ended at `begun`, and so has the readings up to there.
        """
        since = max(until, begun)
        row = self.scope(space).row("readings/is_outdated", until=until, since=since)
        return row is not None

    def directory(self, space: Space) -> Directory:
        """Return who is who among the people of the space, as its journal says now."""
        return Identities(space, self.scope(space)).directory()

    def verify(self, space: Space) -> Iterator[Finding]:
        """Check every header against its predecessor, every payload against its hash, the end."""
        scope, after, previous = self.scope(space), 0, _GENESIS
        # Where the chain ends now; what others append meanwhile is checked, but need not end there.
        head = self.head(space)
        while rows := scope.rows("journal/chain", after, 1000):
            for seq, *header, payload_hash, stored, salt, body, payload_space in rows:
                if seq <= after:
                    yield Finding(space, Seq(seq), "the index of entries is out of order")
                    return
                if _chain(previous, space, [seq, *header], payload_hash) != stored:
                    yield Finding(space, Seq(seq), "its header does not fit the chain")
                if body is not None and not _is_written(salt, body, payload_hash):
                    yield Finding(space, Seq(seq), "its payload is not what was written")
                if body is not None and payload_space != scope.number:
                    yield Finding(space, Seq(seq), "its payload lies in another space")
                if seq == head.seq and stored != head.hash:
                    yield Finding(space, head.seq, "the chain does not end as it was left")
                previous, after = stored, seq
        if after < head.seq:
            yield Finding(space, head.seq, "the chain ends before it was left")
        for (seq,) in scope.rows("journal/lost_payloads"):
            yield Finding(space, Seq(seq), "its payload has lost its entry")

    def _tail(self, connection: sqlite3.Connection, space: Space) -> Appender:
        """Find the end of a space's chain, or begin one."""
        row = connection.execute(sql("journal/tail"), (space,)).fetchone()
        seq, number, chained, has_erased = row
        if number is None:
            values = (space, to_text(self._clock()))
            created = connection.execute(sql("journal/create_space"), values)
            begun = SpaceScope(self._database, int(created.lastrowid or 0))
            return Appender(space, begun, seq, _GENESIS, self._append_draft)
        scope = self._scopes.get(space)
        if scope is None or scope.number != number:
            scope = SpaceScope(self._database, number)
        return Appender(space, scope, seq, chained, self._append_draft, bool(has_erased))

    def _append_draft(self, tail: Appender, draft: EntryDraft) -> Acknowledgement:
        scope = tail.scope
        if _is_about_erased(tail, draft.payload):
            return Acknowledgement(Seq(0), "", draft.key, Outcome.REDELIVERED, forgotten=True)
        body = draft.body or encode_text(draft.payload)
        now = self._clock()
        id = uuid7(now, self._random_bytes)
        previous = _predecessor(scope, draft.stream)
        own_key, recorded_at = _key(tail, draft), to_text(now)
        if own_key is None:
            return _redelivered(scope, tail.space, draft, draft.key)
        key = own_key or id
        at = recorded_at if draft.at is None else to_text(draft.at)
        header = (draft.kind.value, id, key, draft.stream, previous, at, recorded_at)
        salt = self._random_bytes(16)
        payload_hash = _payload_hash(salt, body)
        seq = Seq(tail.next_seq)
        chained = _chain(tail.hash, tail.space, (seq, *header), payload_hash)
        if not scope.run("journal/append_entry", seq, *header, payload_hash, chained):
            return _redelivered(scope, tail.space, draft, key)
        tail.hash = chained
        tail.next_seq += 1
        scope.run("journal/append_payload", seq, salt, stored_body(draft.kind, body))
        if draft.provisional is not None:
            held = encode_as_given({"event": draft.provisional})
            scope.run("provisional/hold", seq, draft.provisional_until, held)
        entry = Entry(
            seq=seq,
            space=tail.space,
            kind=draft.kind,
            id=id,
            key=key,
            stream=draft.stream,
            previous=previous,
            at=draft.at or now,
            recorded_at=now,
            payload=draft.payload,
            hash=chained,
            provisional=draft.provisional,
        )
        self._list(scope, entry)
        return Acknowledgement(seq, id, event_id_of(key), draft.outcome)

    def take_in(self, row: Sequence[Any]) -> Entry:
        """Write an entry that another replica appended, as it is, inside of a `writing`.

        `row` is as `archive/after` reads it. Raises `Damaged` where it does not fit the chain.
        """
        seq, name, *header, payload_hash, chained, salt, body, until, held = row
        space = Space(name)
        tail = self._tail(self._database.connection, space)
        scope = tail.scope
        fits = _chain(tail.hash, space, (seq, *header), payload_hash) == chained
        if not fits or (body is not None and _payload_hash(salt, body) != payload_hash):
            raise Damaged(f"entry {seq} of space {space!r} does not fit the chain of {MISFIT}")
        if not scope.run("journal/append_entry", seq, *header, payload_hash, chained):
            raise Damaged(f"entry {seq} of space {space!r} is there twice: {MISFIT}")
        if body is not None:
            scope.run("journal/append_payload", seq, salt, stored_body(EntryKind(header[0]), body))
        if held is not None:
            scope.run("provisional/hold", seq, until, held)
        scope.run("journal/move_head", seq=seq, hash=chained)
        self._database.note_head(scope.number, seq, chained)
        entry = _entry(space, (seq, *header, body, chained, held))
        self._list(scope, entry)
        return entry

    def _list(self, scope: SpaceScope, entry: Entry) -> None:
        """Update the lists that must not lag behind an entry, in its transaction."""
        if getattr(entry.payload, "replaces", ()):
            scope.run("readings/note", entry.seq - 1)
        for project in self._inline:
            project(scope, entry)


def _predecessor(space: SpaceScope, stream: str | None) -> str | None:
    if stream is None:
        return None
    row = space.row("journal/last_of_stream", stream)
    return row[0] if row else None


def _key(tail: Appender, draft: EntryDraft) -> str | None:
    """Return the key under which a draft is appended; None for an event that was forgotten.

    Where the entry that had the key was erased, other content gets another key, and so does what
    is derived from memories that stay.
    """
    key, captured = draft.key, draft.payload
    while key and tail.has_erased:
        row = tail.scope.row("journal/find_key", draft.kind.value, key)
        if row is None or row[2] is not None:
            break
        if not isinstance(captured, ExperienceCaptured):
            key += "+"
            continue
        is_same = matching(_forgotten_events(tail), row[0], event_hash(captured))
        if is_same or (is_same is None and ANEW not in (captured.event or {})):
            return None
        key += REUSED
    return key


def _forgotten_events(tail: Appender) -> list[ForgottenEvents]:
    """Return the fingerprints of forgotten events; a batch reads them once."""
    if tail.forgotten is None:
        rows = tail.scope.rows("journal/of_kind", EntryKind.FORGOTTEN.value, 0, -1)
        payloads = [_entry(tail.space, row).payload for row in rows]
        events = [each.events for each in payloads if isinstance(each, Forgotten)]
        tail.forgotten = [each for each in events if each is not None]
    return tail.forgotten


def _redelivered(scope: SpaceScope, space: Space, draft: EntryDraft, key: str) -> Acknowledgement:
    """Acknowledge what is there under the key of `draft`; `Conflict` when it is something else."""
    seq, id, stored, at = scope.only_row("journal/find_key", draft.kind.value, key)
    forgotten = stored is None and isinstance(draft.payload, ExperienceCaptured)
    body = unpack(stored)
    if body is not None and draft.is_callers:
        there = decode_entry(draft.kind, body)
        if not is_export_of(draft.payload, there, draft.key, at):
            check_same_content(draft.key, there, draft.payload, space)
    return Acknowledgement(Seq(seq), id, draft.key, Outcome.REDELIVERED, forgotten=forgotten)


def _is_about_erased(tail: Appender, payload: EntryPayload) -> bool:
    """Return whether an entry is about memories that were erased after it was computed.

    Such are entries derived from a memory, its episode, and facts that one of its facts ended.
    """
    if not tail.has_erased:
        return False
    named = [getattr(payload, name, None) for name in ("experience", "fact", "by_fact")]
    ids = [id for id in (*named, *getattr(payload, "sources", ())) if id]
    return bool(ids and tail.scope.row("forgetting/is_erased", ids=ids))


def _entry(space: Space, row: tuple[Any, ...]) -> Entry:
    seq, kind, id, key, stream, previous, at, recorded_at, stored, chained, held = row
    try:
        body = unpack(stored)
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
            payload=None if body is None else decode_entry(EntryKind(kind), body),
            hash=chained,
            provisional=None if held is None else json.loads(held)["event"],
        )
    except (ValueError, TypeError, InvalidInput, Damaged) as error:
        raise Damaged(
            f"entry {seq} of space {space!r} cannot be read ({error}): `meridia verify` tells more"
        ) from None


def _payload_hash(salt: bytes, body: str) -> bytes:
    salted = len(salt).to_bytes(4, "big") + salt + body.encode("utf-8")
    return hashlib.blake2b(salted, digest_size=32).digest()


def stored_body(kind: EntryKind, body: str) -> str | bytes:
    """Return the text of a payload as it is stored; statements read it by `unpack`."""
    return pack(body) if kind in _PACKED else body


def _is_written(salt: bytes, stored: str | bytes, payload_hash: bytes) -> bool:
    """Return whether a stored payload is the one that was hashed."""
    try:
        body = unpack(stored)
    except ValueError:
        return False
    return isinstance(body, str) and _payload_hash(salt, body) == payload_hash


def _chain(previous: bytes, space: str, header: Sequence[Any], payload: bytes) -> bytes:
    fields = _HEADER.encode([space, *header])
    return hashlib.blake2b(previous + payload + fields.encode("utf-8"), digest_size=32).digest()
