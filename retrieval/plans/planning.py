"""Planning: a question becomes a plan of what to load, by the same recall that answers questions.

Ties the parts together: index, choice, schema, loader, draft, record. What it selects comes from
recall and the index's links; a model may be asked elsewhere to reorder a plan, never to widen it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from ...core.errors import InvalidInput, MeridiaError
from ...core.plain import optional
from ...core.settings import PlanSettings
from ...core.time import to_text
from ...core.types import Json, Space
from ...graph.journal_file import JournalFile
from ..recall import Recall
from .choice import Choice, Limits, choose
from .clarify import Behind, Clarification, clarification_of
from .confidence import band
from .draft import Check, Draft, check, draft
from .index import MemoryIndex, fact_node, turn_id
from .loader import Document, Loader
from .plan import Moment, Node, QueryAnalysis, RetrievalPlan
from .record import Observed, Record
from .schema import Action, Handoff, hand_over, reordered
from .sources import Sources, moment_of


class Retriever(Protocol):
    """Ranks memories for a question, as `Memory.recall` does."""

    def __call__(
        self,
        question: str,
        *,
        limit: int,
        as_of: datetime | int | None,
        known_at: datetime | int | None,
    ) -> Recall:
        """Return the best `limit` memories, as of a moment on either clock."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan and what it was made from; `id` is that of the recall that it rests on.

    `clarification` is what to ask back first, where the question can mean several of its best.
    """

    id: str
    analysis: QueryAnalysis
    plan: RetrievalPlan
    choices: Sequence[Choice]
    expired: Sequence[Choice]
    moment: Moment
    notes: Sequence[str] = ()
    clarification: Clarification | None = None

    @property
    def action(self) -> Action:
        """Go on with the plan, or ask back first."""
        return Action.PROCEED if self.clarification is None else Action.CLARIFY

    @property
    def nodes(self) -> dict[str, Node]:
        """The nodes that the plan selects, by id."""
        return {choice.node.node_id: choice.node for choice in self.choices}

    def as_json(self) -> dict[str, Json]:
        """Return the documented shape of `plan --json`."""
        return {
            "id": self.id,
            "question": self.analysis.resolved_query,
            "as_of": optional(self.moment.happened, to_text),
            "known_at": self.moment.until,
            "plan": self.plan.as_json(),
            "nodes": [_choice_json(choice) for choice in self.choices],
            "expired": [_choice_json(choice) for choice in self.expired],
            "action": self.action.value,
            "clarification": optional(self.clarification, Clarification.as_json),
            "notes": list(self.notes),
        }


class Planning:
    """Plans, checks, loads and drafts over one space of one file."""

    def __init__(
        self, file: JournalFile, space: Space, settings: PlanSettings, retriever: Retriever
    ) -> None:
        """Take what ranks memories for a question; every other part reads the file."""
        self._file = file
        self._space = space
        self._settings = settings
        self._retriever = retriever
        self._record = Record(file.trace, space)

    def plan(
        self,
        question: str | QueryAnalysis,
        *,
        limit: int | None = None,
        as_of: datetime | int | None = None,
        known_at: datetime | int | None = None,
    ) -> Planned:
        """Select what answers a question, without loading any of it.

        `limit` (1 to 100) is how many nodes of a source type are selected at most. `as_of` sees
        only what had happened (a time) or was known (a journal sequence) by then; `known_at`, a
        time of recording or a sequence, goes together with a time.
        """
        limits = self._limits(limit)
        analysis = question if isinstance(question, QueryAnalysis) else QueryAnalysis(question)
        found = self._retriever(
            analysis.question, limit=2 * limits.nodes, as_of=as_of, known_at=known_at
        )
        moment = moment_of(self._file, self._space, as_of, known_at)
        scores = {turn_id(hit.memory.seq): hit.score for hit in found.hits}
        sources, analyser = Sources(self._file, self._space, moment), self._file.analyser
        seqs = [hit.memory.seq for hit in found.hits]
        nodes = MemoryIndex(sources).around(seqs, analysis.question, analyser)
        chosen = choose(analysis, scores, nodes, analyser, moment, limits)
        asked = clarification_of(analysis.question, chosen.choices, _behind(sources, seqs))
        self._keep(lambda: self._record.planned(found.id, chosen, asks=asked is not None))
        plan, choices, expired = chosen.plan, chosen.choices, chosen.expired
        notes = tuple(found.notes)
        return Planned(found.id, analysis, plan, choices, expired, moment, notes, asked)

    def index(self, as_of: datetime | int | None = None) -> MemoryIndex:
        """Return the Unified Memory Index as of a moment; `plan` brings it up to date first."""
        return MemoryIndex(self._sources(as_of))

    def read(self, given: Json, planned: Planned | None = None) -> Handoff:
        """Read a plan from elsewhere, as JSON text or plain values; a wrong one halts.

        With `planned`, it may put our own plan into another order or make it smaller; one that
        selects anything else halts too.
        """
        moment = planned.moment if planned else moment_of(self._file, self._space, None)
        index = MemoryIndex(Sources(self._file, self._space, moment))
        ours = planned.plan if planned else None
        found = hand_over(given, index.types, None if ours is None else _narrows(ours))
        if found.plan is None:
            self._keep(lambda: self._record.halted(planned.id if planned else None))
        return found

    def load(self, planned: Planned, *, cold: bool = False) -> list[Document]:
        """Load what a plan selects, in its order; `cold` loads archived turns whole."""
        sources = Sources(self._file, self._space, planned.moment)
        return Loader(sources, self._limits(None)).load(planned.plan, planned.nodes, cold=cold)

    def draft(self, planned: Planned, documents: Sequence[Document]) -> tuple[Draft, Check]:
        """Put documents together and check the draft; whether it passed is kept with the plan."""
        made = draft(planned.analysis, documents, planned.moment)
        return made, self.check(planned, made)

    def check(self, planned: Planned, given: Draft) -> Check:
        """Check a draft against its plan, and keep whether it passed."""
        asks = optional(planned.clarification, lambda asked: asked.question)
        found = check(given, planned.plan, planned.nodes, planned.moment, asks)
        self._keep(lambda: self._record.checked(planned.id, found))
        return found

    def observed(self) -> Observed:
        """Return the sums over the plans that are kept."""
        return self._record.observed()

    def _limits(self, limit: int | None) -> Limits:
        nodes = self._settings.limit if limit is None else limit
        if not 1 <= nodes <= 100:
            raise InvalidInput(f"limit {nodes} is out of range: 1 to 100")
        return Limits(nodes, self._settings.confidence_min, self._settings.archive_days)

    def _sources(self, as_of: datetime | int | None) -> Sources:
        return Sources(self._file, self._space, moment_of(self._file, self._space, as_of))

    def _keep(self, write: Callable[[], None]) -> None:
        """Write a line of the trace; a file that takes no writes loses the line, not the plan."""
        if not self._settings.keep:
            return
        try:
            write()
        except MeridiaError:
            return


def _narrows(ours: RetrievalPlan) -> Callable[[RetrievalPlan], RetrievalPlan]:
    return lambda theirs: reordered(ours, theirs)


def _behind(sources: Sources, seqs: Sequence[int]) -> Behind:
    """Return who said each turn, whom each fact is about, and the facts that contradict it."""
    said = {turn_id(m.seq): m.person for m in sources.memories(seqs).values() if m.person}
    facts = {fact_node(id): stated.fact for id, stated in sources.facts.items()}
    about = {id: fact.subject for id, fact in facts.items()}
    against = {id: frozenset(map(fact_node, fact.contradicts)) for id, fact in facts.items()}
    return Behind(said | about, against)


def _choice_json(choice: Choice) -> Mapping[str, Json]:
    return {
        **choice.node.as_json(),
        "relevance": round(choice.relevance, 6),
        "band": band(choice.node.confidence),
        "reason": choice.reason,
    }
