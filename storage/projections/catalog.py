"""Reads the list of experiences, and finds a memory by any of its names.

`experience_list` writes the list; texts stay in the journal's payloads. `@12` is a journal sequence
and `meridia://ID` an address: each names one version of a memory. Meridia's id and the caller's own
name the current version, and `last 3` the third memory of the newest recall.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from itertools import chain
from typing import Any

from ...core.calls.cleaning import clean_id
from ...core.codec import stored_event
from ...core.errors import InvalidInput, NotFound
from ...core.events import EventKind
from ...core.ids import session_id
from ...core.people import YOU
from ...core.ports import VectorFilters
from ...core.results import Line
from ...core.text import counted, shorten
from ...core.time import from_text, to_text
from ...core.types import Artifact, Filters, MemoryRecord, Page, Payload, Seq, Space
from ...core.vocabulary import CORRECTS
from ...language.runs.tool_result import shown_text
from ..database import Database
from ..journal import Journal
from ..people import Identities
from ..space_scope import Row
from ..statement_loader import sql
from ..trace import TraceStream

#: Names the newest recall of a space.
LAST = "last"
SCHEME = "meridia://"
_LAST_HIT = re.compile(rf"{LAST}\s+(\d{{1,9}})")
#: SQLite's integers end before this many digits and the sign before them.
_DIGITS_MAX = 19


@dataclass(frozen=True, slots=True)
class ActivitySummary:
    """How many experiences a person or a session has, and from when to when."""

    id: str
    experiences: int
    sessions: int
    first: datetime
    last: datetime
    last_seq: Seq

    @property
    def line(self) -> Line:
        """What a list shows of it."""
        return Line(self.id, f"{self.first:%Y-%m-%d}", counted(self.experiences, "event"))

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        return asdict(self) | {"first": to_text(self.first), "last": to_text(self.last)}


@dataclass(frozen=True, slots=True)
class ReferencedArtifact:
    """One artifact: what is known of it, how many memories refer to it, and when last."""

    artifact: Payload
    memories: int
    last: datetime


class Catalog:
    """Reads the list of experiences of any space in one file.

    Restricted memories (`core.events.is_restricted`) are left out unless `restricted`; `find` and
    `at` return them always, to those who know their address.
    """

    def __init__(self, database: Database, journal: Journal, *, restricted: bool = False) -> None:
        self._database = database
        self._journal = journal
        self.restricted = restricted

    def find(self, space: Space, id: str) -> MemoryRecord:
        """Return the experience with an id or at a sequence; `NotFound` if there is none.

        The id is Meridia's or the caller's, also as `meridia://ID`, a sequence is written `@SEQ`.
        It is the very version that has the id: see `addresses`.
        """
        id = clean_id(id.removeprefix(SCHEME).strip("/"))
        if id[:1] == "@" and id[1:].isascii() and id[1:].isdecimal() and len(id) <= _DIGITS_MAX:
            memory = self.at(space, int(id[1:]))
            if memory is not None:
                return memory
        scope = self._journal.scope(space)
        row = scope.row("catalog/find", id=id)
        if row is None and scope.row("forgetting/is_forgotten", id=id):
            raise NotFound(f"memory {id!r} of space {space!r} was forgotten")
        if row is None:
            raise NotFound(f"there is no memory {shorten(id, 80)!r} in space {space!r}")
        return _memory(row)

    def space_of(self, id: str) -> Space | None:
        """Return the space that holds Meridia's own id, wherever it is."""
        with self._database.reading() as connection:
            row = connection.execute(sql("catalog/space_of_id"), (id,)).fetchone()
        return Space(row[0]) if row else None

    def fetch(self, space: Space, seqs: Iterable[int]) -> dict[int, MemoryRecord]:
        """Return the experiences of some sequences, by sequence."""
        return self._fetch(space, seqs, self.restricted)

    def at(self, space: Space, seq: int) -> MemoryRecord | None:
        """Return the experience of a sequence, restricted or not; None if there is none."""
        return self._fetch(space, [seq], True).get(seq)

    def versions(self, space: Space, seq: int) -> list[MemoryRecord]:
        """Return every version of the memory at a sequence, restricted or not, oldest first."""
        rows = self._journal.scope(space).rows("forgetting/versions", seqs=[seq])
        fetched = self._fetch(space, (row[0] for row in rows), True)
        return [fetched[each] for each in sorted(fetched)]

    def _fetch(
        self, space: Space, seqs: Iterable[int], restricted: bool
    ) -> dict[int, MemoryRecord]:
        chosen = [int(seq) for seq in seqs]
        rows = self._journal.scope(space).rows("catalog/fetch", seqs=chosen, restricted=restricted)
        return {row[0]: _memory(row) for row in rows}

    def page(self, space: Space, filters: Filters, after: int, limit: int) -> Page:
        """Return a page of experiences in journal order, after a sequence."""
        values = self._values(space, filters) | {"after": after, "limit": limit + 1}
        driven = "catalog/page" if filters.session is None else "catalog/page_of_session"
        members = [None]
        if filters.person is not None and filters.session is None:
            driven, members = "catalog/page_of_person", values["people"]
        parts = [
            self._journal.scope(space).rows(driven, **values, member=member) for member in members
        ]
        rows = parts[0] if len(parts) == 1 else sorted(chain(*parts))[: limit + 1]
        memories = [_memory(row) for row in rows[:limit]]
        more = len(rows) > limit
        last = memories[-1].seq if memories else Seq(after)
        return Page(memories, last if more else None)

    def newest(self, space: Space, filters: Filters, limit: int) -> list[MemoryRecord]:
        """Return the newest experiences by the time they happened, newest first."""
        values = self._values(space, filters)
        rows = self._journal.scope(space).rows("catalog/newest", **values, limit=limit)
        return [_memory(row) for row in rows]

    def in_sessions(
        self, space: Space, sessions: Sequence[str], bounds: Filters, limit: int
    ) -> list[MemoryRecord]:
        """Return the newest experiences of some sessions, by id, as far as `bounds` has an end."""
        values = self._values(space, bounds) | {"sessions": sessions, "limit": limit}
        rows = self._journal.scope(space).rows("catalog/in_sessions", **values)
        return [_memory(row) for row in rows]

    def superseded(
        self, space: Space, until: datetime | None = None, seq_max: int | None = None
    ) -> list[tuple[int, str, int]]:
        """Return (sequence, id, sequence of the next version) of all that had been corrected.

        Corrected before `until` and at a sequence up to `seq_max`; None: by now.
        """
        return self._journal.scope(space).rows("catalog/superseded", until=until, seq_max=seq_max)

    def matching(self, space: Space, filters: Filters) -> list[int]:
        """Return the sequences of all experiences that the filters leave, ascending."""
        rows = self._journal.scope(space).rows("catalog/matching", **self._values(space, filters))
        seqs = [row[0] for row in rows]
        return self.having(seqs, filters) if filters.where else seqs

    def having(self, seqs: Sequence[int], filters: Filters) -> list[int]:
        """Return those of some sequences whose metadata say what the filters want, ascending."""
        values = {"seqs": json.dumps(list(seqs)), "conditions": filters.conditions()}
        with self._database.reading() as connection:
            return [row[0] for row in connection.execute(sql("catalog/having"), values)]

    def members(self, space: Space, name: str) -> list[str]:
        """Return the ids of all who are one with the person of a name."""
        return Identities(space, self._journal.scope(space)).members(name)

    def sequence(self, space: Space, known_at: datetime | int | None) -> int | None:
        """Return the last journal sequence written down by a time (0: none); others stay."""
        if not isinstance(known_at, datetime):
            return known_at
        row = self._journal.scope(space).row("catalog/last_recorded_until", known_at)
        return row[0] if row else 0

    def like(self, space: Space, filters: VectorFilters) -> list[int]:
        """Return the sequences of the experiences that the filters of a vector source leave."""
        session = filters.session and session_id(space, filters.session)
        values = asdict(filters) | {"session": session}
        return [row[0] for row in self._journal.scope(space).rows("catalog/like", **values)]

    def has_captures(self, space: Space, after: int, until: int, count: int) -> bool:
        """Return whether a run of the journal has so many experiences, or more."""
        found = self._journal.scope(space).only_row("catalog/captures", after, until, count)
        return bool(found[0] >= count)

    def features(self, space: Space, after: int, until: int) -> list[tuple[Any, ...]]:
        """Return (seq, time in seconds, person, session, words, traits) of a run of experiences."""
        return self._journal.scope(space).rows("catalog/features", after, until)

    def count_after(self, space: Space, seq: int) -> int:
        """Return how many experiences of a space came after a sequence."""
        return int(self._journal.scope(space).only_row("catalog/count_after", seq)[0])

    def ids(self, space: Space, seqs: Sequence[int]) -> list[str]:
        """Return the ids of some experiences, by ascending sequences."""
        return [row[0] for row in self._journal.scope(space).rows("catalog/ids", seqs)]

    def association_features(
        self, space: Space, after: int, until: int
    ) -> list[tuple[int, str, int]]:
        """Return (seq, kind, traits) of a run of experiences."""
        return self._journal.scope(space).rows("catalog/association_features", after, until)

    def of_session(self, space: Space, session: str) -> dict[str, tuple[str, float | None]]:
        """Return status and significance of a session's experiences, by id."""
        rows = self._journal.scope(space).rows("catalog/of_session", session)
        return {id: (status, significance) for id, status, significance in rows}

    def significances(self, space: Space, seqs: Sequence[int]) -> dict[int, float]:
        """Return how significant some experiences were held to be, by sequence; 0 to 1."""
        return dict(self._journal.scope(space).rows("catalog/significances", seqs))

    def artifacts(self, space: Space, limit: int) -> list[ReferencedArtifact]:
        """Return the artifacts that experiences refer to, the latest first."""
        rows = self._journal.scope(space).rows("artifacts/latest", limit)
        return [
            ReferencedArtifact(json.loads(body), count, from_text(last))
            for body, count, last in rows
        ]

    def speakers(self, space: Space) -> list[ActivitySummary]:
        """Return who spoke, most first, by person id."""
        return _summaries(self._journal.scope(space).rows("catalog/speakers"))

    def sessions(self, space: Space) -> list[ActivitySummary]:
        """Return the sessions in the order they began, by the caller's key."""
        return _summaries(self._journal.scope(space).rows("catalog/sessions"))

    def kinds(self, space: Space) -> dict[str, int]:
        """Return how many experiences of each kind there are."""
        return dict(self._journal.scope(space).rows("catalog/kinds"))

    def _values(self, space: Space, filters: Filters) -> dict[str, Any]:
        return {
            "people": filters.person and self.members(space, filters.person),
            "session": filters.session and session_id(space, filters.session),
            "kind": filters.kind,
            "emotion": filters.emotion,
            "engagement": filters.engagement,
            "since": filters.since,
            "until": filters.until,
            "seq_max": filters.seq_max,
            "conditions": filters.conditions(),
            "restricted": self.restricted,
        }


def _summaries(rows: Iterable[Row]) -> list[ActivitySummary]:
    return [
        ActivitySummary(id, count, sessions, from_text(first), from_text(last), Seq(seq))
        for id, count, sessions, first, last, seq in rows
    ]


def _memory(row: Row) -> MemoryRecord:
    seq, id, event_id, kind, at, body, status, shown, *later = row
    event = stored_event(body)
    unnamed = YOU if kind == EventKind.USER_MESSAGE else None
    metadata = dict(event.get("metadata") or {})
    return MemoryRecord(
        seq=Seq(seq),
        id=id,
        event_id=event_id,
        kind=kind,
        text=shown_text(event),
        at=from_text(at),
        person=shown or event.get("person") or unnamed,
        given_person=event.get("person"),
        session=(event.get("session") or {}).get("key"),
        artifacts=tuple(
            Artifact(a.get("kind", "file"), a["uri"], a.get("description", ""), a.get("sha256"))
            for a in event.get("artifacts", ())
        ),
        corrects=metadata.pop(CORRECTS, None),
        metadata=metadata,
        status=status,
        tool=(event.get("tool") or {}).get("name"),
        superseded_by=later[0] if later else None,
    )


def find_memory(
    catalog: Catalog,
    trace: TraceStream,
    space: Space,
    address: str,
    flush: Callable[[], None] = lambda: None,
) -> MemoryRecord:
    """Return the memory that an address names; `NotFound` if there is none.

    `flush` waits until every recall so far is kept. A memory that is found by the caller's id has
    that id, whichever version stands.
    """
    name = address.strip()
    if name == LAST:
        raise InvalidInput(f"`{LAST}` is a recall: write `{LAST} 1` for its first memory")
    try:
        memory = catalog.find(space, name)
    except NotFound:
        rank = _LAST_HIT.fullmatch(name)
        if rank is None:
            raise
        flush()
        return catalog.find(space, last_hit(trace, space, int(rank[1])))
    if memory.superseded_by is None or name.startswith((SCHEME, "@")):
        return memory
    current = catalog.versions(space, memory.seq)[-1]
    return current if name == memory.id else replace(current, event_id=memory.event_id)


def is_address(name: str) -> bool:
    """Return whether a name can only be an address, and no id of a caller's own."""
    return name.startswith((SCHEME, "@")) or name == LAST or bool(_LAST_HIT.fullmatch(name))


def last_hit(trace: TraceStream, space: Space, rank: int) -> str:
    """Return the id of the memory at a rank of the newest kept recall, from 1; or `NotFound`."""
    id = trace.last_recall(space)
    record = trace.find_recall(space, id) if id else None
    if record is None:
        raise NotFound(f"no recall is stored in space {space!r}: ask with `meridia recall` first")
    hits = record["hits"]
    if not 1 <= rank <= len(hits):
        raise NotFound(f"the last recall has {len(hits)} memories: there is no number {rank}")
    return f"{SCHEME}{hits[rank - 1]['id']}"
