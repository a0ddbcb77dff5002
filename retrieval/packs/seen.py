"""What a pack sees of a space: the memories that had happened and were known by then.

Read from the journal's own entries up to one sequence, so that a pack asked for again sees the
same. Nothing is ranked here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from ...core.events import recorded
from ...core.experience import Phenomenology
from ...core.facts import Fact, fold_facts
from ...core.types import Entry, EntryKind, Filters, Memory, Seq, Space
from ...graph.journal_file import JournalFile

#: Sessions with a person that are looked at, the newest.
_SESSIONS_MAX = 400
_INSTANT = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Moment:
    """One memory as a pack sees it: what was decided of it, and how it was lived."""

    memory: Memory
    significance: float = 0.0
    tool: str | None = None
    error: bool = False
    lived: Phenomenology | None = None
    relevance: float = 0.0

    @property
    def feeling(self) -> float:
        """How strongly it was felt, 0 to 1: intensity times the distance of valence from none."""
        felt = None if self.lived is None else self.lived.signature
        return 0.0 if felt is None else felt.intensity * abs(felt.valence or 0.0)

    @property
    def spoken(self) -> bool:
        """Whether somebody said it."""
        return self.memory.kind in ("user_message", "assistant_message")


@dataclass(frozen=True, slots=True)
class Seen:
    """Memories oldest first and facts as they were known, as of a moment and a sequence.

    `all` counts the memories that could be seen before any limit was kept.
    """

    moments: Sequence[Moment]
    facts: Sequence[Fact]
    at: datetime
    seq: int
    names: dict[str, str] = field(default_factory=dict)

    def recency(self, moment: Moment, half_life_h: float) -> float:
        """Return exp(-age / half-life), 1 for what happens now or later."""
        age_h = max((self.at - moment.memory.at).total_seconds(), 0.0) / 3600
        return math.exp(-age_h / half_life_h)


class Sight:
    """Reads one space as of a moment (what had happened) and a sequence (what was known)."""

    def __init__(self, file: JournalFile, space: Space, at: datetime, seq: int) -> None:
        self._file = file
        self._space = space
        self.at = at
        self.seq = seq

    def newest(self, limit: int, *, person: str | None = None) -> list[Memory]:
        """Return the newest visible memories, newest first; `person` leaves only what they said."""
        return self._file.catalog.newest(self._space, self._filters(person=person), limit)

    def since(self, lookback_h: float | None, least: int, limit: int) -> list[Memory]:
        """Return the newest memories no older than the last by a lookback, at least `least`."""
        found = self.newest(limit)
        if lookback_h is None or not found:
            return found
        bound = found[0].at - timedelta(hours=lookback_h)
        near = [memory for memory in found if memory.at >= bound]
        return near if len(near) >= least else found[: max(least * 5, 50)]

    def shared_with(self, person: str, limit: int) -> list[Memory]:
        """Return what was said in the sessions that a person spoke in, newest first."""
        spoken = self.newest(limit, person=person)
        sessions = list(dict.fromkeys(one.session for one in spoken if one.session is not None))
        found = {one.seq: one for one in spoken}
        for session in sessions[:_SESSIONS_MAX]:
            filters = self._filters(session=session)
            for one in self._file.catalog.newest(self._space, filters, limit):
                found.setdefault(one.seq, one)
        return sorted(found.values(), key=lambda one: (one.at, one.seq), reverse=True)[:limit]

    def of(self, seqs: Iterable[int]) -> list[Memory]:
        """Return the memories of some sequences, newest first."""
        found = self._file.catalog.fetch(self._space, seqs).values()
        return sorted(found, key=lambda one: (one.at, one.seq), reverse=True)

    def seen(self, memories: Sequence[Memory], relevance: dict[int, float] | None = None) -> Seen:
        """Return some memories with all that was known of them by the sequence."""
        ids = [memory.id for memory in memories]
        entries = {one.id: one for one in self._file.journal.by_ids(self._space, ids)}
        lived = self._lived(ids)
        moments = [
            _moment(one, entries.get(one.id), lived.get(one.id), (relevance or {}).get(one.seq, 0))
            for one in sorted(memories, key=lambda one: (one.at, one.seq))
        ]
        return Seen(moments, self._facts(), self.at, self.seq)

    def _filters(self, person: str | None = None, session: str | None = None) -> Filters:
        try:
            until = self.at + _INSTANT
        except OverflowError:
            until = self.at
        return Filters(person=person, session=session, until=until, seq_max=Seq(self.seq))

    def _lived(self, ids: Sequence[str]) -> dict[str, Phenomenology]:
        """Return how memories were lived: what a model said of it after what a rule did."""
        kind = EntryKind.EXPERIENCE_ENRICHED
        keys = [key for id in ids for key in (id, f"{id}#model")]
        found: dict[str, Phenomenology] = {}
        for entry in self._file.journal.by_keys(self._space, kind, keys):
            told = (entry.payload or {}).get("phenomenology")
            if entry.seq <= self.seq and entry.payload is not None and told is not None:
                found[entry.payload["experience"]] = Phenomenology.from_json(told)
        return found

    def _facts(self) -> list[Fact]:
        """Return the facts that held at the moment, as they were known by the sequence."""
        kinds = (EntryKind.FACT_ASSERTED, EntryKind.FACT_SUPERSEDED)
        entries = [e for kind in kinds for e in self._file.journal.of_kind(self._space, kind)]
        told = sorted((e for e in entries if e.seq <= self.seq), key=lambda entry: entry.seq)
        folded = fold_facts((e.kind.value, e.payload, e.recorded_at) for e in told)
        held = [f for f in folded.values() if f.held_at(self.at) and not f.records_end]
        return sorted(held, key=lambda fact: (fact.t_valid, fact.id))


def _moment(
    memory: Memory, entry: Entry | None, lived: Phenomenology | None, relevance: float
) -> Moment:
    payload = (entry.payload if entry else None) or {}
    event = recorded(payload) if payload else {}
    tool = event.get("tool") or {}
    decided = (payload.get("decision") or {}).get("significance")
    return Moment(
        memory=memory,
        significance=decided or 0.0,
        tool=tool.get("name"),
        error=bool(tool.get("isError")),
        lived=lived,
        relevance=relevance,
    )
