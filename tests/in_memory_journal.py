"""A journal in memory: the port's second implementation, for tests that need no file.

Plain lists and dictionaries, nothing kept when it goes. Slow for long journals: every look-up walks
through a space.
"""

from __future__ import annotations

import copy
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from threading import RLock
from typing import Any

from meridia.core.codec import check_same_content, decode_entry, encode_text
from meridia.core.errors import NotFound
from meridia.core.events import encode, event_of, speaker_id
from meridia.core.ids import RandomBytes, owner_id, uuid7
from meridia.core.people import Directory
from meridia.core.ports import Finding, Head
from meridia.core.time import Clock, from_text, to_text
from meridia.core.types import Acknowledgement, Entry, EntryDraft, EntryKind, Outcome, Seq, Space
from meridia.storage.journal import Appender

#: What a header's hash covers, in order; `seq` goes before and the payload's hash apart.
HEADER = ("kind", "id", "key", "stream", "previous", "at", "recorded_at")
_GENESIS = bytes(32)


@dataclass
class Rows:
    """The rows of one file: headers and payloads by sequence, and each space's head."""

    entry: dict[int, dict[str, Any]] = field(default_factory=dict)
    payload: dict[int, dict[str, Any]] = field(default_factory=dict)
    held: dict[int, str] = field(default_factory=dict)
    heads: dict[Space, Head] = field(default_factory=dict)
    last: int = 0


@dataclass
class _Appender:
    journal: InMemoryJournal
    space: Space

    @property
    def next_seq(self) -> int:
        return self.journal.rows.last + 1

    def append(self, draft: EntryDraft) -> Acknowledgement:
        return self.journal._append(self.space, draft)


class InMemoryJournal:
    """A journal over `Rows`; see `storage.journal.Journal` for the contract."""

    def __init__(self, clock: Clock, random_bytes: RandomBytes) -> None:
        self.rows = Rows()
        self._clock = clock
        self._random_bytes = random_bytes
        self._lock = RLock()

    def append(self, space: Space, drafts: Sequence[EntryDraft]) -> list[Acknowledgement]:
        ready = [replace(draft, body=draft.body or encode_text(draft.payload)) for draft in drafts]
        if not ready:
            return []
        with self.appending(space) as appender:
            return [appender.append(draft) for draft in ready]

    @contextmanager
    def appending(self, space: Space) -> Iterator[Appender]:
        with self._lock:
            before = copy.deepcopy(self.rows)
            try:
                self.rows.heads.setdefault(space, Head(Seq(0), _GENESIS))
                yield _Appender(self, space)
            except BaseException:
                self.rows = before
                raise

    def read(
        self, space: Space, after: int = 0, limit: int = 1000, kinds: Sequence[EntryKind] = ()
    ) -> list[Entry]:
        page = self._select(space, lambda seq, _: seq > after)[:limit]
        return [entry for entry in page if not kinds or entry.kind in kinds]

    def newest(self, space: Space, limit: int, before: int | None = None) -> list[Entry]:
        return self._select(space, lambda seq, _: before is None or seq < before)[::-1][:limit]

    def is_outdated(self, space: Space, until: int, begun: int = 0) -> bool:
        return False  # nothing is read anew here

    def directory(self, space: Space) -> Directory:
        return Directory(owner_id(space), {}, {}, [], space)  # nobody is known by two names here

    def of_kind(
        self, space: Space, kind: EntryKind, after: int = 0, limit: int | None = None
    ) -> list[Entry]:
        return self._select(space, lambda seq, row: row["kind"] == kind and seq > after)[:limit]

    def stream(self, space: Space, stream: str, after: int = 0) -> list[Entry]:
        return self._select(space, lambda seq, row: row["stream"] == stream and seq > after)

    def of_sessions(self, space: Space, kind: EntryKind, sessions: Sequence[str]) -> list[Entry]:
        entries = self.of_kind(space, kind)
        return [entry for entry in entries if getattr(entry.payload, "session", None) in sessions]

    def of_speakers(self, space: Space, kind: EntryKind, people: Sequence[str]) -> list[Entry]:
        said = self.of_kind(space, EntryKind.EXPERIENCE_CAPTURED)
        ids = {e.id for e in said if e.payload and speaker_id(event_of(e), space) in people}
        entries = self.of_kind(space, kind)
        return [entry for entry in entries if getattr(entry.payload, "experience", None) in ids]

    def by_keys(self, space: Space, kind: EntryKind, keys: Sequence[str]) -> list[Entry]:
        return self._select(space, lambda _, row: row["kind"] == kind and row["key"] in keys)

    def by_ids(self, space: Space, ids: Sequence[str]) -> list[Entry]:
        return self._select(space, lambda _, row: row["id"] in ids)

    def head(self, space: Space) -> Head:
        if space not in self.rows.heads:
            raise NotFound(f"space {space!r} does not exist: `meridia spaces` lists them")
        return self.rows.heads[space]

    def count(self, space: Space) -> dict[str, int]:
        return dict(Counter(entry.kind.value for entry in self._select(space, lambda *_: True)))

    def spaces(self) -> list[Space]:
        return sorted(self.rows.heads)

    def verify(self, space: Space) -> Iterator[Finding]:
        head, previous, last = self.head(space), _GENESIS, 0
        for seq, row in sorted(self.rows.entry.items()):
            if row["space"] != space:
                continue
            if _chain(previous, seq, row) != row["hash"]:
                yield Finding(space, Seq(seq), "its header does not fit the chain")
            payload = self.rows.payload.get(seq)
            if payload and _payload_hash(payload["salt"], payload["body"]) != row["payload_hash"]:
                yield Finding(space, Seq(seq), "its payload is not what was written")
            previous, last = row["hash"], seq
        if (last, previous) != (head.seq, head.hash):
            yield Finding(space, head.seq, "the chain does not end as it was left")

    def _append(self, space: Space, draft: EntryDraft) -> Acknowledgement:
        for entry in self.by_keys(space, draft.kind, [draft.key] if draft.key else []):
            return _redelivered(entry, draft)
        rows, seq, now = self.rows, self.rows.last + 1, self._clock()
        id, recorded_at = uuid7(now, self._random_bytes), to_text(now)
        stream = [] if draft.stream is None else self.stream(space, draft.stream)
        body, salt = draft.body or encode_text(draft.payload), self._random_bytes(16)
        row = {
            "space": space,
            "kind": draft.kind.value,
            "id": id,
            "key": draft.key or id,
            "stream": draft.stream,
            "previous": stream[-1].id if stream else None,
            "at": recorded_at if draft.at is None else to_text(draft.at),
            "recorded_at": recorded_at,
            "payload_hash": _payload_hash(salt, body),
        }
        row["hash"] = _chain(rows.heads[space].hash, seq, row)
        rows.entry[seq], rows.payload[seq] = row, {"salt": salt, "body": body}
        if draft.provisional is not None:
            rows.held[seq] = encode(draft.provisional)
        rows.heads[space], rows.last = Head(Seq(seq), row["hash"]), seq
        return Acknowledgement(Seq(seq), id, row["key"], draft.outcome)

    def _select(self, space: Space, wanted: Callable[[int, dict[str, Any]], bool]) -> list[Entry]:
        self.head(space)  # it must exist
        rows = sorted(self.rows.entry.items())
        return [
            self._entry(seq, row) for seq, row in rows if row["space"] == space and wanted(seq, row)
        ]

    def _entry(self, seq: int, row: dict[str, Any]) -> Entry:
        payload, held = self.rows.payload.get(seq), self.rows.held.get(seq)
        kind = EntryKind(row["kind"])
        return Entry(
            seq=Seq(seq),
            space=row["space"],
            kind=kind,
            id=row["id"],
            key=row["key"],
            stream=row["stream"],
            previous=row["previous"],
            at=from_text(row["at"]),
            recorded_at=from_text(row["recorded_at"]),
            payload=None if payload is None else decode_entry(kind, payload["body"]),
            hash=row["hash"],
            provisional=None if held is None else json.loads(held),
        )


def _redelivered(entry: Entry, draft: EntryDraft) -> Acknowledgement:
    if draft.is_callers and entry.payload is not None:
        check_same_content(draft.key, entry.payload, draft.payload, entry.space)
    return Acknowledgement(entry.seq, entry.id, draft.key, Outcome.REDELIVERED)


def _payload_hash(salt: bytes, body: str) -> bytes:
    return hashlib.blake2b(salt + body.encode("utf-8"), digest_size=32).digest()


def _chain(previous: bytes, seq: int, row: dict[str, Any]) -> bytes:
    fields = json.dumps([seq, row["space"], *(row[name] for name in HEADER)])
    chained = previous + row["payload_hash"] + fields.encode("utf-8")
    return hashlib.blake2b(chained, digest_size=32).digest()
