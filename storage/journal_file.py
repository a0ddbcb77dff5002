"""Opens the journal's file with all that lives inside it: the truth and its instant projections.

Loads neither numpy nor an engine, so that capturing stays quick.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from ..core.ids import RandomBytes
from ..core.settings import Settings
from ..core.text import Analyser
from ..core.time import Clock, system_clock
from ..core.types import Space
from . import full_text_indexer, trace
from .database import Database
from .journal import InlineProjection, SqliteJournal
from .projections import (
    catalog,
    entity_list,
    experience_list,
    fact_index,
    feedback_table,
    person_list,
)


@dataclass(frozen=True, slots=True)
class JournalFile:
    """One open journal file."""

    database: Database
    journal: SqliteJournal
    catalog: catalog.Catalog
    trace: trace.TraceStream
    analyser: Analyser
    clock: Clock

    def index(self, space: Space) -> None:
        """Bring the full text of a space up to date."""
        full_text_indexer.catch_up(self.database, self.journal, space, self.analyser)

    def close(self) -> None:
        """Close every connection."""
        self.database.close()


def inline_projections(analyser: Analyser) -> list[InlineProjection]:
    """Return what is written in the transaction that appends an entry, in order."""
    return [
        experience_list.projection(analyser),
        person_list.projection,
        entity_list.projection,
        fact_index.projection,
        feedback_table.projection,
    ]


def open_journal(
    path: Path | None,
    settings: Settings,
    clock: Clock = system_clock,
    random_bytes: RandomBytes = os.urandom,
) -> JournalFile:
    """Open or create the journal at `path` (None: a private one that disappears on close)."""
    analyser = Analyser(settings.analysis.language)
    database = Database(path, settings.journal, clock)
    journal = SqliteJournal(database, clock, random_bytes, inline_projections(analyser))
    return JournalFile(
        database,
        journal,
        catalog.Catalog(database, journal),
        trace.TraceStream(database, journal, clock),
        analyser,
        clock,
    )
