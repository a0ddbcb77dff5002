"""Everything that is stored of one space beside its journal, by subject.

Reads and writes run in the thread's open transaction (`Store.writing`), or else in one of their
own. Vectors have a module of their own, which loads numpy.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from ..core.time import Clock
from ..core.types import Payload, Space
from ..language.analyser import Analyser
from . import trace
from .cursors import Cursors
from .edge_table import EdgeTable
from .held.space_caches import SpaceCache
from .ingest_counts import IngestCounts, tally
from .leases import Leases
from .node_links import NodeLinks
from .pack_records import PackRecords
from .people.people_directory import Identities
from .projections import catalog
from .projections.entity_list import EntityList
from .projections.experience_list import HeldEvents
from .projections.fact_index import FactIndex
from .projections.feedback_table import FeedbackTable
from .projections.person_list import PersonList
from .projections.readings import Readings
from .projections.session_states import SessionStates
from .search.full_text import FullText
from .space_scope import SpaceScope
from .tasks import Tasks


class SpaceStore:
    """One space of one file. `space_scope` is for the modules of storage alone."""

    def __init__(
        self,
        name: Space,
        scope: SpaceScope,
        analyser: Analyser,
        clock: Clock,
        terms: SpaceCache[Any],
    ) -> None:
        """Open it; `terms` are those of all spaces that are held in memory."""
        self.name = name
        self.space_scope = scope
        self.cursors = Cursors(scope)
        self.edges = EdgeTable(scope)
        self.entities = EntityList(scope)
        self.facts = FactIndex(scope)
        self.feedback = FeedbackTable(scope)
        self.full_text = FullText(name, scope, analyser, terms)
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
        values = (self.space_scope.number, id)
        return [seq for (seq,) in self.space_scope.rows(statement, values)]

    def first_with_text(self, text_hash: str, kind: str, person: str | None) -> str | None:
        """Return the id of the first experience of a kind with these words by the same speaker."""
        return catalog.first_with_text(self.space_scope, text_hash, kind, person)

    def trace(self, at: datetime, line: tuple[str, str, str | None], detail: Payload) -> None:
        """Add one decision to the trace; `line` is kind, decision and subject."""
        trace.add(self.space_scope, at, line, detail)

    def tally(self) -> IngestCounts:
        """Count what ingest made of the space."""
        return tally(self.space_scope)
