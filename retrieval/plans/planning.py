"""Planning: a question becomes a plan of what to load, by the same recall that answers questions.

Ties the parts together: index, choice, mind, schema, loader, draft, record. What it selects comes
from recall and the index's links; a model may reorder or narrow a plan where that is wanted, and
never widen it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

from ...core.errors import InvalidInput, MeridiaError, NotFound
from ...core.json_validation import optional
from ...core.settings import PlanSettings
from ...core.text import shorten
from ...core.time import to_text
from ...core.types import Json, Space
from ...storage.journal_file import JournalFile
from ..recall import Recall
from .clarify import Behind, Clarification, clarification_of
from .confidence import band, lowered
from .context_draft import Check, Draft, Verdict, check, draft
from .index import MemoryIndex, fact_node, turn_id
from .loader import Document, Loader
from .plan import REASONING_CHARS_MAX, Moment, Node, QueryAnalysis, RetrievalPlan
from .plan_choice import Choice, Chosen, Limits, choose
from .plan_model import Mind
from .plan_schema import Action, Handoff, hand_over, reordered
from .plan_trace import Observed, Record
from .sources import Sources, moment_of

#: Who made a plan that no model touched.
BY_RULE = "rule"


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

    `clarification` is what to ask back first, where the question can mean several of its best. `by`
    is "rule", or the name of the model that put the plan into its order. `stale` are the ids of
    nodes whose confidence was lowered in this plan, because they were proven stale.
    """

    id: str
    analysis: QueryAnalysis
    plan: RetrievalPlan
    choices: Sequence[Choice]
    expired: Sequence[Choice]
    moment: Moment
    notes: Sequence[str] = ()
    clarification: Clarification | None = None
    by: str = BY_RULE
    stale: frozenset[str] = frozenset()

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
            "by": self.by,
            "notes": list(self.notes),
        }


class Planning:
    """Plans, checks, loads and drafts over one space of one file."""

    def __init__(
        self,
        file: JournalFile,
        space: Space,
        settings: PlanSettings,
        retriever: Retriever,
        mind: Mind | None = None,
    ) -> None:
        """Take what ranks memories for a question, and what a model needs; the rest is read."""
        self._file = file
        self._space = space
        self._settings = settings
        self._retriever = retriever
        self._mind = mind or Mind()
        self._record = Record(file.trace, space)

    def plan(
        self,
        question: str | QueryAnalysis,
        *,
        limit: int | None = None,
        as_of: datetime | int | None = None,
        known_at: datetime | int | None = None,
        model: bool | None = None,
    ) -> Planned:
        """Select what answers a question, without loading any of it.

        `limit` (1 to 100) is how many nodes of a source type are selected at most. `as_of` sees
        only what had happened (a time) or was known (a journal sequence) by then; `known_at`, a
        time of recording or a sequence, goes together with a time. `model` says whether the model
        of the settings is asked to reorder or narrow the plan; None: as `plan.model` has it.
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
        plan, choices, expired = chosen.plan, chosen.choices, chosen.expired
        notes = tuple(found.notes)
        planned = Planned(found.id, analysis, plan, choices, expired, moment, notes, asked)
        if self._settings.model == "on" if model is None else model:
            planned = self._thought_over(planned, sources)
        self._keep(
            lambda: self._record.planned(planned.id, _chosen(planned), asks=asked is not None)
        )
        return planned

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

    def stale(self, planned: Planned, ids: Collection[str]) -> Planned:
        """Return a plan in which nodes that were proven stale are less sure, each of them once.

        Each loses .10, and never falls below the floor of its kind; one that is not sure enough
        any more is left out. Only this plan changes: nothing is written. `NotFound` names an id
        that the plan does not select.
        """
        unknown = next((id for id in ids if id not in {*planned.nodes, *planned.stale}), None)
        if unknown is not None:
            raise NotFound(f"{unknown!r} is not selected by this plan: name nodes that are")
        fresh = [id for id in planned.nodes if id in ids and id not in planned.stale]
        sources = Sources(self._file, self._space, planned.moment)
        floors = MemoryIndex(sources).floors(fresh)
        return _less_sure(planned, floors, self._settings.confidence_min)

    def load(self, planned: Planned, *, cold: bool = False) -> list[Document]:
        """Load what a plan selects, in its order; `cold` loads archived turns whole."""
        sources = Sources(self._file, self._space, planned.moment)
        return Loader(sources, self._limits(None)).load(planned.plan, planned.nodes, cold=cold)

    def draft(self, planned: Planned, documents: Sequence[Document]) -> tuple[Draft, Check]:
        """Put documents together and check the draft; whether it passed is kept with the plan.

        A draft that is to be made again is, once: of the plan's own documents (archived turns as
        summaries), each source type with the same room. The second check stands.
        """
        made = draft(planned.analysis, documents, planned.moment)
        found = self.check(planned, made)
        if found.verdict is Verdict.RETRY:
            own = self.load(planned)
            made = draft(planned.analysis, own, planned.moment, evenly=True)
            found = self.check(planned, made)
        return made, found

    def check(self, planned: Planned, given: Draft) -> Check:
        """Check a draft against its plan, and keep whether it passed."""
        asks = optional(planned.clarification, lambda asked: asked.question)
        found = check(given, planned.plan, planned.nodes, planned.moment, asks)
        self._keep(lambda: self._record.checked(planned.id, found))
        return found

    def observed(self) -> Observed:
        """Return the sums over the plans that are kept."""
        return self._record.observed()

    def _thought_over(self, planned: Planned, sources: Sources) -> Planned:
        """Have the model put a plan into another order, or narrow it; else say why it did not."""
        if planned.clarification is not None:
            note = "the plan asks back first, so the model was not asked"
            return replace(planned, notes=(*planned.notes, note))
        types, ours = MemoryIndex(sources).types, _narrows(planned.plan)
        thought = self._mind.think(
            planned.analysis,
            planned.choices,
            self._settings.temperature,
            lambda given: hand_over(given, types, ours),
        )
        if thought.record is not None:
            outcome = str(thought.record["outcome"])
            self._file.trace.write(self._space, "model", outcome, planned.id, thought.record)
        notes = (*planned.notes, *filter(None, [thought.note]))
        if thought.plan is None:
            return replace(planned, notes=notes)
        chosen = {choice.node.node_id: choice for choice in planned.choices}
        choices = tuple(chosen[id] for id in thought.plan.ids)
        return replace(planned, plan=thought.plan, choices=choices, notes=notes, by=thought.by)

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


def _chosen(planned: Planned) -> Chosen:
    return Chosen(planned.plan, planned.choices, planned.expired)


def _less_sure(planned: Planned, floors: Mapping[str, float], least: float) -> Planned:
    """Return a plan whose nodes with a floor are less sure, without those that are so no more."""
    choices = [_lowered(choice, floors) for choice in planned.choices]
    gone = [c for c in choices if c.node.node_id in floors and c.node.confidence < least]
    out = {choice.node.node_id for choice in gone}
    plan, told = planned.plan, planned.plan.reasoning
    left = {type: tuple(id for id in ids if id not in out) for type, ids in plan.selected.items()}
    reasons = {type: why if left.get(type) else "" for type, why in plan.reasons.items()}
    if out:
        told = f"Left out, proven stale: {', '.join(sorted(out))}. {told}"
    return replace(
        planned,
        plan=RetrievalPlan(left, reasons, shorten(told, REASONING_CHARS_MAX)),
        choices=tuple(choice for choice in choices if choice.node.node_id not in out),
        expired=(*planned.expired, *gone),
        clarification=optional(planned.clarification, lambda asked: asked.without(out)),
        stale=planned.stale | frozenset(floors),
    )


def _lowered(choice: Choice, floors: Mapping[str, float]) -> Choice:
    node = choice.node
    if node.node_id not in floors:
        return choice
    return replace(
        choice, node=replace(node, confidence=lowered(node.confidence, floors[node.node_id]))
    )


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
