"""Opens the journal's file with all that lives inside it: the truth and its instant projections.

Loads neither numpy nor an engine, so that capturing stays quick.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from operator import attrgetter
from pathlib import Path
from typing import Any

from ..core.ids import RandomBytes
from ..core.ports import Journal
from ..core.settings import JournalSettings, Settings
from ..core.time import Clock, system_clock
from ..core.types import Space
from ..language.analyser import Analyser
from . import trace
from .access.api_keys import ApiKeys
from .database import Database
from .held.open_files import open_files_max
from .held.space_caches import SpaceCache, SpaceCaches
from .journal import InlineProjection, SqliteJournal
from .projections import (
    catalog,
    entity_list,
    experience_list,
    fact_index,
    feedback_table,
    identities,
    person_list,
    references,
)
from .space_scope import SpaceScope
from .space_store import SpaceStore
from .statement_loader import sql

#: Objects of so many spaces are kept for their next use.
_SPACES_MAX = 1024


@dataclass(frozen=True, slots=True)
class Store:
    """One open journal file. `database` and `number` are for the modules of storage alone.

    `open_space` lets a space be read before anything is written to it; it holds nothing then.
    """

    database: Database
    journal: Journal
    catalog: catalog.Catalog
    trace: trace.TraceStream
    analyser: Analyser
    clock: Clock
    number: Callable[[Space], int]
    open_space: Callable[[Space], None]
    settings: JournalSettings
    api_keys: ApiKeys
    caches: SpaceCaches
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
        number = self.number(name)
        space = self._spaces.get((name, number))
        if space is None:
            if len(self._spaces) >= _SPACES_MAX:
                self._spaces.clear()  # they hold no state
            scope = SpaceScope(self.database, number)
            space = SpaceStore(name, scope, self.analyser, self.clock, self._terms)
            self._spaces[name, number] = space
        return space

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the write lock: all that the thread writes inside is kept, or on an error nothing.

        Inside another `writing` of the same thread it joins that, as a part that can be undone.
        """
        with self.database.writing():
            yield

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Let all that the thread reads inside be of one moment."""
        with self.database.snapshot():
            yield

    def largest_lag(self, projection: str, version: int) -> int:
        """Return the largest lag of a projection over all spaces, in journal sequences."""
        with self.database.reading() as connection:
            row = connection.execute(sql("work/largest_lag"), (projection, version)).fetchone()
        return int(row[0] or 0)

    @contextmanager
    def waiting_at_most(self, wait_s: float) -> Iterator[None]:
        """Let the thread wait no longer than that for another writer's lock; then `Unavailable`."""
        usual = self.settings.busy_timeout_s
        with self.database.reading() as connection:
            connection.execute(f"PRAGMA busy_timeout = {round(1000 * min(wait_s, usual)):d}")
            try:
                yield
            finally:
                connection.execute(f"PRAGMA busy_timeout = {round(1000 * usual):d}")

    def prune_trace(self, space: Space) -> None:
        """Delete what the settings do not keep of a space's trace stream."""
        age = timedelta(days=self.settings.trace_days)
        self.trace.prune(space, self.settings.trace_max, age)

    def close(self) -> None:
        """Close every connection."""
        self.database.close()


def inline_projections(analyser: Analyser) -> list[InlineProjection]:
    """Return what is written in the transaction that appends an entry, in order."""
    return [
        experience_list.projection(analyser),
        person_list.projection,
        identities.projection,
        entity_list.projection,
        fact_index.projection,
        feedback_table.projection,
        references.projection,
    ]


def open_store(
    path: Path | None,
    settings: Settings,
    clock: Clock = system_clock,
    random_bytes: RandomBytes = os.urandom,
) -> Store:
    """Open or create the journal at `path` (None: a private one that disappears on close)."""
    analyser = Analyser(settings.analysis.language)
    database = Database(path, settings.journal, clock)
    journal = SqliteJournal(database, clock, random_bytes, inline_projections(analyser))
    return Store(
        database,
        journal,
        catalog.Catalog(database, journal, restricted=settings.access.restricted),
        trace.TraceStream(database, journal, clock),
        analyser,
        clock,
        journal.number,
        journal.open_space,
        settings.journal,
        ApiKeys(database, clock, random_bytes),
        SpaceCaches(settings.journal.cache_mb * 1_000_000, open_files_max() // 4),
    )
