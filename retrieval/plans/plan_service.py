"""Planning: from a question to a plan of the sources to load, and statistics of all plans.

Combines index, selection, model, schema, loader, draft and trace. The selection comes from recall
and the links of the index; a model may reorder or narrow it, but never widen it. Results are lines
of the trace stream without content; after pruning the trace, fewer plans are counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ...core.calls.arguments import checked
from ...core.codec import JsonObject
from ...core.errors import InvalidInput, MeridiaError, NotFound
from ...core.settings import PlanSettings
from ...core.text import shorten
from ...core.time import When, read_point, to_text
from ...core.types import Json, Space
from ...storage.store import Store
from ...storage.trace import TraceEntry, TraceStream
from ..recall_result import Recall
from .context_draft import (
    Document,
    DocumentLoader,
    DraftCheck,
    DraftVerdict,
    PlanDraft,
    check,
    draft,
)
from .memory_index import MemoryIndex, PlanSources, fact_node, temporal_bounds, turn_id
from .plan import (
    BY_RULE,
    REASONING_CHARS_MAX,
    Action,
    Handoff,
    Node,
    QueryAnalysis,
    RetrievalPlan,
    SourceType,
    TemporalBounds,
    band,
    lowered,
    read_handoff,
    reordered,
)
from .plan_choice import (
    Clarification,
    NodeChoice,
    NodeContext,
    clarification_of,
    select_nodes,
    words_behind,
)
from .plan_model import PlanModel

KIND = "plan"
PLANNED, HALTED, PASSED, FAILED, ASKED = "planned", "halted", "passed", "failed", "asked"
_ENDS = {DraftVerdict.PASS: PASSED, DraftVerdict.RETRY: FAILED, DraftVerdict.CLARIFY: ASKED}


@dataclass(frozen=True, slots=True)
class PlanStatistics(JsonObject):
    """Sums over the kept plans of a space.

    `asked` counts plans that asked back. `failures` counts plans whose draft did not pass for what
    was wrong with it; `failure_rate` is of those that were checked, None while none was.
    `mean_nodes_failed` and `mean_nodes_passed` say whether larger or smaller plans fail.
    """

    plans: int
    empty: int
    halted: int
    asked: int
    types: Mapping[SourceType, int]
    mean_nodes: float
    expired: int
    checked: int
    failures: int
    failure_rate: float | None
    mean_nodes_failed: float | None
    mean_nodes_passed: float | None


class PlanTrace:
    """Writes down what became of the plans of one space, and sums it up."""

    def __init__(self, trace: TraceStream, space: Space) -> None:
        self._trace = trace
        self._space = space

    def planned(self, id: str, plan: RetrievalPlan, expired: int, *, asks: bool = False) -> None:
        """Keep how many nodes of which type a plan has, and whether it asks back."""
        counts = {type.value: len(ids) for type, ids in plan.selected.items()}
        detail = {"types": counts, "expired": expired, "asks": asks}
        self._trace.write(self._space, KIND, PLANNED, id, detail)

    def halted(self, id: str | None) -> None:
        """Keep that a plan from elsewhere could not be read."""
        self._trace.write(self._space, KIND, HALTED, id, {})

    def checked(self, id: str, result: DraftCheck) -> None:
        """Store whether the draft of a plan passed, and its number of issues."""
        detail = {"issues": len(result.issues)}
        self._trace.write(self._space, KIND, _ENDS[result.verdict], id, detail)

    def statistics(self) -> PlanStatistics:
        """Return the sums over every plan that is kept."""
        return summarise_plans(self._trace.of_kind(self._space, KIND))


def summarise_plans(lines: Iterable[TraceEntry]) -> PlanStatistics:
    """Sum up what the trace says of plans; of a plan checked twice, the last check counts."""
    types: Counter[SourceType] = Counter()
    sizes: dict[str, int] = {}
    ends: dict[str, str] = {}
    sums: Counter[str] = Counter()
    for line in lines:
        sums[line.decision] += 1
        if line.decision == PLANNED:
            counts = {SourceType(name): n for name, n in line.detail["types"].items()}
            types.update(counts)
            sizes[line.subject or ""] = sum(counts.values())
            sums["expired"] += line.detail["expired"]
            sums["asks"] += bool(line.detail.get("asks"))
        elif line.decision in _ENDS.values():
            ends[line.subject or ""] = line.decision
    failures = sum(end == FAILED for end in ends.values())
    return PlanStatistics(
        plans=len(sizes),
        empty=sum(size == 0 for size in sizes.values()),
        halted=sums[HALTED],
        asked=sums["asks"],
        types={type: types[type] for type in SourceType},
        mean_nodes=sum(sizes.values()) / len(sizes) if sizes else 0.0,
        expired=sums["expired"],
        checked=len(ends),
        failures=failures,
        failure_rate=failures / len(ends) if ends else None,
        mean_nodes_failed=_mean(sizes, ends, FAILED),
        mean_nodes_passed=_mean(sizes, ends, PASSED),
    )


def _mean(sizes: Mapping[str, int], ends: Mapping[str, str], end: str) -> float | None:
    """Return the mean size of the plans that ended so."""
    matching = [sizes[id] for id, ended in ends.items() if ended == end and id in sizes]
    return sum(matching) / len(matching) if matching else None


@dataclass(frozen=True, slots=True)
class PlanResult:
    """A plan with its nodes; `id` is the id of the recall that it is based on.

    `clarification` is a question to the asker, if the question can mean several of the best
    sources. `by` is "rule", or the name of the model that ordered the plan. `stale` are the ids of
    nodes whose confidence was lowered in this plan, because they were proven stale.
    """

    id: str
    analysis: QueryAnalysis
    plan: RetrievalPlan
    choices: Sequence[NodeChoice]
    expired: Sequence[NodeChoice]
    bounds: TemporalBounds
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
            "as_of": self.bounds.happened and to_text(self.bounds.happened),
            "known_at": self.bounds.until,
            "plan": self.plan.as_json(),
            "nodes": [_choice_json(choice) for choice in self.choices],
            "expired": [_choice_json(choice) for choice in self.expired],
            "action": self.action.value,
            "clarification": self.clarification and self.clarification.as_json(),
            "by": self.by,
            "notes": list(self.notes),
        }


@checked
class PlanService:
    """Plans, checks, loads and drafts over one space of one file."""

    def __init__(
        self,
        file: Store,
        space: Space,
        settings: PlanSettings,
        retriever: Callable[..., Recall],
        plan_model: PlanModel | None = None,
    ) -> None:
        """Take the ranking of memories for a question, and the parts for a model."""
        self._file = file
        self._space = space
        self._settings = settings
        self._retriever = retriever
        self._plan_model = plan_model or PlanModel()
        self._plan_trace = PlanTrace(file.trace, space)

    def plan(
        self,
        question: str | QueryAnalysis,
        *,
        limit: int | None = None,
        as_of: When | None = None,
        known_at: When | None = None,
        model: bool | None = None,
    ) -> PlanResult:
        """Select the sources that answer a question, without loading them.

        `limit` (1 to 100) is how many nodes of a source type are selected at most. `as_of` sees
        only what had happened (a time) or was known (a journal sequence) by then; `known_at`, a
        time of recording or a sequence, goes together with a time. `model` says whether the model
        of the settings is asked to reorder or narrow the plan; None: as `plan.model` has it.
        """
        settings = self._limited(limit)
        as_of, known_at = read_point(as_of, "as_of"), read_point(known_at, "known_at")
        analysis = question if isinstance(question, QueryAnalysis) else QueryAnalysis(question)
        recall = self._retriever(
            analysis.question, limit=2 * settings.limit, as_of=as_of, known_at=known_at
        )
        bounds = temporal_bounds(self._file, self._space, as_of, known_at)
        hits = recall.usable
        scores = {turn_id(hit.memory.seq): hit.score for hit in hits}
        sources, analyser = self._sources(bounds), self._file.analyser
        seqs = [hit.memory.seq for hit in hits]
        behind = words_behind(analysis.question)
        nodes = MemoryIndex(sources).around(seqs, f"{analysis.question} {behind}", analyser)
        widened = replace(analysis, names=tuple(recall.reading.get("people", ())))
        if behind:
            widened = replace(widened, hints=f"{analysis.hinted} {behind}")
        chosen = select_nodes(widened, scores, nodes, analyser, bounds, settings)
        asked = clarification_of(analysis.question, chosen.choices, _node_context(sources, seqs))
        plan, choices, expired = chosen.plan, chosen.choices, chosen.expired
        notes = tuple(recall.notes)
        planned = PlanResult(recall.id, analysis, plan, choices, expired, bounds, notes, asked)
        if self._settings.model == "on" if model is None else model:
            planned = self._apply_model(planned, sources)
        plan, left_out, asks = planned.plan, len(planned.expired), asked is not None
        self._keep(lambda: self._plan_trace.planned(planned.id, plan, left_out, asks=asks))
        return planned

    def index(self, as_of: When | None = None) -> MemoryIndex:
        """Return the Unified Memory Index as of a moment; `plan` brings it up to date first."""
        bounds = temporal_bounds(self._file, self._space, read_point(as_of, "as_of"))
        return MemoryIndex(self._sources(bounds))

    def read(self, given: Json, planned: PlanResult | None = None) -> Handoff:
        """Read a plan from elsewhere, as JSON text or plain values; a wrong one halts.

        With `planned`, it may put our own plan into another order or make it smaller; one that
        selects anything else halts too.
        """
        bounds = planned.bounds if planned else temporal_bounds(self._file, self._space, None)
        index = MemoryIndex(self._sources(bounds))
        ours = planned.plan if planned else None
        handoff = read_handoff(given, index.types, None if ours is None else _narrows(ours))
        if handoff.plan is None:
            self._keep(lambda: self._plan_trace.halted(planned.id if planned else None))
        return handoff

    def stale(self, planned: PlanResult, ids: Collection[str]) -> PlanResult:
        """Return a plan with lower confidence in nodes that were proven stale, once for each.

        Each loses .10, and never falls below the floor of its kind; one that is not sure enough
        any more is left out. Only this plan changes: nothing is written. `NotFound` names an id
        that the plan does not select.
        """
        unknown = next((id for id in ids if id not in {*planned.nodes, *planned.stale}), None)
        if unknown is not None:
            raise NotFound(f"{unknown!r} is not selected by this plan: name nodes that are")
        fresh = [id for id in planned.nodes if id in ids and id not in planned.stale]
        floors = MemoryIndex(self._sources(planned.bounds)).floors(fresh)
        return _with_lowered_confidence(planned, floors, self._settings.confidence_min)

    def load(self, planned: PlanResult, *, cold: bool = False) -> list[Document]:
        """Load the documents of a plan, in its order; `cold` loads archived turns in full.

        Raises `InvalidInput` for anything but a result of `plan`; `read` accepts other plans.
        """
        if not isinstance(planned, PlanResult):
            raise InvalidInput(f"{type(planned).__name__} is not a plan: give what `plan` returned")
        sources = self._sources(planned.bounds)
        loader = DocumentLoader(
            sources, self._settings, planned.analysis.question, self._file.analyser
        )
        return loader.load(planned.plan, planned.nodes, cold=cold)

    def draft(
        self,
        planned: PlanResult,
        documents: Sequence[Document],
        *,
        model: bool | None = None,
    ) -> tuple[PlanDraft, DraftCheck]:
        """Draft a context from documents and check it; the verdict is stored with the plan.

        `model` says whether the model of the settings words it; None: as in `plan.model`. After
        the verdict `retry`, the draft is made once more by rule, from the plan's own documents
        (archived turns as summaries), with equal room for each source type. The second verdict is
        final.
        """
        made = draft(planned.analysis, documents, planned.bounds)
        if documents and (self._settings.model == "on" if model is None else model):
            made = self._word(planned, made, documents)
        result = self.check(planned, made)
        if result.verdict is DraftVerdict.RETRY:
            own = self.load(planned)
            made = draft(planned.analysis, own, planned.bounds, evenly=True)
            result = self.check(planned, made)
        return made, result

    def _word(
        self, planned: PlanResult, made: PlanDraft, documents: Sequence[Document]
    ) -> PlanDraft:
        worded = self._plan_model.word(
            made, planned.analysis, documents, planned.bounds, self._settings.temperature
        )
        if worded.record:
            outcome = str(worded.record["outcome"])
            self._file.trace.write(self._space, "model", outcome, planned.id, worded.record)
        return worded.draft

    def check(self, planned: PlanResult, given: PlanDraft) -> DraftCheck:
        """Check a draft against its plan, and keep whether it passed."""
        asks = None if planned.clarification is None else planned.clarification.question
        result = check(given, planned.plan, planned.nodes, planned.bounds, asks)
        self._keep(lambda: self._plan_trace.checked(planned.id, result))
        return result

    def statistics(self) -> PlanStatistics:
        """Return the sums over the plans that are kept."""
        return self._plan_trace.statistics()

    def _apply_model(self, planned: PlanResult, sources: PlanSources) -> PlanResult:
        """Let the model reorder or narrow a plan; return a note if it did not."""
        if planned.clarification is not None:
            note = "the plan asks back first, so the model was not asked"
            return replace(planned, notes=(*planned.notes, note))
        types, ours = MemoryIndex(sources).types, _narrows(planned.plan)
        proposal = self._plan_model.propose(
            planned.analysis,
            planned.choices,
            self._settings.temperature,
            lambda given: read_handoff(given, types, ours),
        )
        if proposal.record is not None:
            outcome = str(proposal.record["outcome"])
            self._file.trace.write(self._space, "model", outcome, planned.id, proposal.record)
        notes = (*planned.notes, *filter(None, [proposal.note]))
        if proposal.plan is None:
            return replace(planned, notes=notes)
        chosen = {choice.node.node_id: choice for choice in planned.choices}
        choices = tuple(chosen[id] for id in proposal.plan.ids)
        return replace(planned, plan=proposal.plan, choices=choices, notes=notes, by=proposal.by)

    def _limited(self, limit: int | None) -> PlanSettings:
        if limit is None:
            return self._settings
        if not 1 <= limit <= 100:
            raise InvalidInput(f"limit {limit} is out of range: give 1 to 100")
        return self._settings.model_copy(update={"limit": limit})

    def _sources(self, bounds: TemporalBounds) -> PlanSources:
        return PlanSources(self._file, self._space, bounds)

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


def _with_lowered_confidence(
    planned: PlanResult, floors: Mapping[str, float], least: float
) -> PlanResult:
    """Return a plan whose nodes with a floor are less sure, without those that are so no more."""
    choices = [_lowered(choice, floors) for choice in planned.choices]
    gone = [c for c in choices if c.node.node_id in floors and c.node.confidence < least]
    out = {choice.node.node_id for choice in gone}
    plan, rationale = planned.plan, planned.plan.reasoning
    left = {type: tuple(id for id in ids if id not in out) for type, ids in plan.selected.items()}
    reasons = {type: why if left.get(type) else "" for type, why in plan.reasons.items()}
    if out:
        rationale = f"Left out, proven stale: {', '.join(sorted(out))}. {rationale}"
    return replace(
        planned,
        plan=RetrievalPlan(left, reasons, shorten(rationale, REASONING_CHARS_MAX)),
        choices=tuple(choice for choice in choices if choice.node.node_id not in out),
        expired=(*planned.expired, *gone),
        clarification=planned.clarification and planned.clarification.without(out),
        stale=planned.stale | frozenset(floors),
    )


def _lowered(choice: NodeChoice, floors: Mapping[str, float]) -> NodeChoice:
    node = choice.node
    if node.node_id not in floors:
        return choice
    return replace(
        choice, node=replace(node, confidence=lowered(node.confidence, floors[node.node_id]))
    )


def _node_context(sources: PlanSources, seqs: Sequence[int]) -> NodeContext:
    """Return who said each turn, whom each fact is about, and the facts that contradict it."""
    speakers = {turn_id(m.seq): m.person for m in sources.memories(seqs).values() if m.person}
    facts = {fact_node(id): stated.fact for id, stated in sources.facts.items()}
    subjects = {id: fact.subject for id, fact in facts.items()}
    contradictions = {id: frozenset(map(fact_node, fact.contradicts)) for id, fact in facts.items()}
    return NodeContext(speakers | subjects, contradictions)


def _choice_json(choice: NodeChoice) -> Mapping[str, Json]:
    return {
        **choice.node.as_json(),
        "relevance": round(choice.relevance, 6),
        "band": band(choice.node.confidence),
        "reason": choice.reason,
    }
