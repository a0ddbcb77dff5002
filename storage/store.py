"""Opens the journal's file with all that lives in it: the truth and its instant projections.

`Store` is the file, `SpaceStore` one space of it. Loads neither numpy nor an engine, so that
capturing stays quick.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from operator import attrgetter
from pathlib import Path
from typing import Any

from ..core.ids import RandomBytes
from ..core.settings import JournalSettings, Settings
from ..core.time import Clock, system_clock
from ..core.types import Payload, Space
from ..language.analyser import Analyser
from . import mapped_arrays, people, trace
from .api_keys import ApiKeys
from .connections import open_files_max
from .database import Database, Replica
from .edge_table import EdgeTable, NodeLinks
from .journal import InlineProjection, Journal
from .people import Identities, PersonList
from .projections import catalog, entry_indexes, experience_list, feedback_table
from .projections.entry_indexes import EntityList, FactIndex, Readings
from .projections.experience_list import HeldEvents
from .projections.feedback_table import FeedbackTable
from .projections.session_states import SessionStates
from .search.full_text import FullText
from .space_caches import SpaceCache, SpaceCaches
from .space_scope import SpaceScope
from .statement_loader import sql
from .trace import PackRecords
from .work import Cursors, Leases, Tasks


@dataclass(frozen=True, slots=True)
class IngestCounts:
    """Numbers of one space.

    `outcomes` has one for every event that ever came, `statuses` one for every experience.
    `outlines` are those whose journal has an outline, of `outline_bytes` on average; `held` are
    those whose whole event is still there. `redacted` counts by kind, `nodes` by label.
    """

    outcomes: Mapping[str, int]
    statuses: Mapping[str, int]
    outlines: int
    outline_bytes: float
    held: int
    redacted: Mapping[str, int]
    nodes: Mapping[str, int]
    dead: int
    waiting: int


class SpaceStore:
    """One space of one file. `space_scope` is for the modules of storage alone."""

    def __init__(
        self,
        name: Space,
        scope: SpaceScope,
        analyser: Analyser,
        clock: Clock,
        terms: SpaceCache[Any],
        files: mapped_arrays.ArrayFiles,
    ) -> None:
        """Open it; `terms` are those of all spaces that are held in memory."""
        self.name = name
        self.space_scope = scope
        self.arrays = mapped_arrays.SpaceArrays(scope, files)
        self.cursors = Cursors(scope)
        self.edges = EdgeTable(scope)
        self.entities = EntityList(scope)
        self.facts = FactIndex(scope)
        self.feedback = FeedbackTable(scope)
        self.full_text = FullText(name, scope, analyser, terms, self.arrays)
        self.identities = Identities(name, scope)
        self.held_events = HeldEvents(scope, analyser)
        self.leases = Leases(scope)
        self.links = NodeLinks(scope)
        self.packs = PackRecords(scope, clock)
        self.people = PersonList(scope)
        self.readings = Readings(scope)
        self.sessions = SessionStates(scope)
        self.tasks = Tasks(scope)

    def entries_about(self, label: str, id: str) -> list[int]:
        """Return the sequences of all entries about an experience or a fact, its own included."""
        statement = "facts/entries_of" if label == "Fact" else "references/entries_of"
        return [seq for (seq,) in self.space_scope.rows(statement, id)]

    def first_with_text(self, text_hash: str, kind: str, person: str | None) -> str | None:
        """Return the id of the first experience of a kind with these words by the same speaker."""
        values = {"text_hash": text_hash, "kind": kind, "person": person}
        row = self.space_scope.row("catalog/first_with_text", **values)
        return row[0] if row else None

    def trace(self, at: datetime, line: tuple[str, str, str | None], detail: Payload) -> None:
        """Add one decision to the trace; `line` is kind, decision and subject."""
        trace.add(self.space_scope, at, line, detail)

    def tally(self) -> IngestCounts:
        """Count what ingest made of the space."""
        scope = self.space_scope
        outlines, size, held = scope.only_row("status/outlines")
        work = self.tasks.counts()
        return IngestCounts(
            outcomes=dict(scope.rows("status/outcomes")),
            statuses=dict(scope.rows("status/statuses")),
            outlines=outlines,
            outline_bytes=size or 0.0,
            held=held,
            redacted=dict(scope.rows("status/redactions")),
            nodes=dict(scope.rows("status/nodes")),
            dead=work["dead"],
            waiting=work["waiting"],
        )


#: Objects of so many spaces are kept for their next use.
_SPACES_MAX = 1024


@dataclass(frozen=True, slots=True)
class Store:
    """One open journal file. `database` is for the modules of storage alone."""

    database: Database
    journal: Journal
    catalog: catalog.Catalog
    trace: trace.TraceStream
    analyser: Analyser
    clock: Clock
    settings: JournalSettings
    api_keys: ApiKeys
    caches: SpaceCaches
    arrays: mapped_arrays.ArrayFiles = field(default_factory=mapped_arrays.ArrayFiles)
    _spaces: dict[tuple[Space, int], SpaceStore] = field(default_factory=dict)
    _terms: SpaceCache[Any] = field(init=False)

    def __post_init__(self) -> None:
        """Hold the terms of spaces among what is held of them."""
        object.__setattr__(
            self, "_terms", SpaceCache(self.caches, attrgetter("nbytes"), follows=True)
        )

    @property
    def path(self) -> Path:
        """Where the file is."""
        return self.database.path

    def space(self, name: Space) -> SpaceStore:
        """Return what is kept of a space; `NotFound` when nothing was written to it."""
        # A space that was undone may come back under another number.
        scope = self.journal.scope(name)
        space = self._spaces.get((name, scope.number))
        if space is None:
            if len(self._spaces) >= _SPACES_MAX:
                self._spaces.clear()  # they hold no state
            space = SpaceStore(name, scope, self.analyser, self.clock, self._terms, self.arrays)
            self._spaces[name, scope.number] = space
        return space

    @contextmanager
    def writing(self, *, appends: bool = True) -> Iterator[None]:
        """Hold the write lock: all that the thread writes inside is kept, or on an error nothing.

        Inside another `writing` of the same thread it joins that, as a part that can be undone.
        One that appends nothing does not hold the journal that replicas share.
        """
        with self.database.writing(shared=appends):
            yield

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Read a consistent snapshot: all reads of the thread inside see one moment."""
        with self.database.snapshot():
            yield

    def follow(self) -> set[Space]:
        """Take in what other replicas wrote; return the spaces that have more now.

        Nothing where no journal is shared. Raises `Unavailable` where that does not answer.
        """
        sharing = self.database.sharing
        return sharing.follow() if sharing else set()

    def tell_replicas(self) -> None:
        """Tell other replicas how far this file is, and which forgettings it has finished."""
        if self.database.sharing:
            self.database.sharing.note()

    def replicas(self, *, others: bool = False) -> list[Replica]:
        """Return all that follow the shared journal, or the others; none where there is none."""
        sharing = self.database.sharing
        return sharing.replicas(others=others) if sharing else []

    def shared_head(self) -> int:
        """Return the last sequence of the shared journal; 0 where there is none."""
        return self.database.sharing.head() if self.database.sharing else 0

    def forget_replica(self, name: str) -> None:
        """Wait no more for a replica; raise `NotFound` where none is called so."""
        if self.database.sharing:
            self.database.sharing.forget_replica(name)

    def largest_lag(self, projection: str, version: int) -> int:
        """Return the largest lag of a projection over all spaces, in journal sequences."""
        with self.database.reading() as connection:
            row = connection.execute(sql("work/largest_lag"), (projection, version)).fetchone()
        return int(row[0] or 0)

    @contextmanager
    def waiting_at_most(self, wait_s: float) -> Iterator[None]:
        """Limit how long the thread waits for another writer's lock; then raise `Unavailable`."""
        usual = self.settings.busy_timeout_s
        with self.database.reading() as connection:
            connection.execute(f"PRAGMA busy_timeout = {round(1000 * min(wait_s, usual)):d}")
            try:
                yield
            finally:
                connection.execute(f"PRAGMA busy_timeout = {round(1000 * usual):d}")

    def prune_trace(self, space: Space) -> None:
        """Delete what the settings do not keep of a space's trace stream."""
        self.trace.prune(space, self.settings.trace_max, self.settings.trace_days)

    def close(self) -> None:
        """Close every connection, when what is written behind answers is written."""
        self.arrays.close()
        self.database.close()


def inline_projections(analyser: Analyser) -> list[InlineProjection]:
    """Return what is written in the transaction that appends an entry, in order."""
    return [
        experience_list.projection(analyser),
        people.project_people,
        people.project_identities,
        entry_indexes.project_entities,
        entry_indexes.project_facts,
        feedback_table.projection,
        entry_indexes.project_references,
    ]


def open_store(
    path: Path | None,
    settings: Settings,
    clock: Clock = system_clock,
    random_bytes: RandomBytes = os.urandom,
) -> Store:
    """Open or create the journal at `path` (None: a private one that disappears on close)."""
    analyser = Analyser(settings.analysis.language)
    database = Database(path, settings.journal)
    journal = Journal(database, clock, random_bytes, inline_projections(analyser))
    return Store(
        database,
        journal,
        catalog.Catalog(database, journal, restricted=settings.access.restricted),
        trace.TraceStream(database, journal, clock),
        analyser,
        clock,
        settings.journal,
        ApiKeys(database, clock, random_bytes),
        SpaceCaches(settings.journal.cache_mb * 1_000_000, open_files_max() // 4),
    )
