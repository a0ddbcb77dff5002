"""The public class `Memory`: opens the components of one journal and calls them.

It contains no rules. What it caches (views, vectors, graph stores) can be rebuilt.
"""

from __future__ import annotations

import copy
import dataclasses
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from .components import MemoryComponents
from .core import events, settings_loader
from .core.calls.arguments import checked
from .core.errors import InvalidInput
from .core.ids import RandomBytes, uuid7
from .core.results.results import Listing
from .core.time import Clock, When, read_point, read_time, system_clock
from .core.types import Filters, Space
from .graph import maintenance
from .graph.memory_upkeep import MemoryUpkeep
from .ingest.forgetting import retention
from .ingest.writer import Writer
from .resume import builder, entity_weights
from .resume.reader import Reader
from .retrieval import recall_service
from .retrieval.rerank import rerank_stage
from .storage import upkeep

if TYPE_CHECKING:
    from .core.people import Directory, Gazetteer
    from .core.ports import GraphStore, Table, VectorSource
    from .core.settings import Settings
    from .graph.adjacency import Adjacency
    from .ingest.background_enrichment import BackgroundEnrichment
    from .ingest.capture.service import CaptureService
    from .ingest.curation import CurationService
    from .ingest.enrichment.passes import Progress
    from .ingest.enrichment.worker import EnrichmentWorker
    from .ingest.fanout.dispatcher import SpaceSinks
    from .ingest.feedback.service import FeedbackService
    from .ingest.forgetting.forgetting_service import ForgettingService
    from .ingest.ideas.idea_service import IdeaService
    from .models.encoder_ports import Embedder
    from .resume.builder import PackBuilder
    from .resume.space_history import SpaceHistory
    from .retrieval.explain.recall_explainer import RecallExplainer
    from .retrieval.plans.plan_service import PlanResult, PlanService
    from .retrieval.recall_result import Recall
    from .storage.store import Store
    from .storage.work import Task


@checked
class Memory(Reader, Writer, MemoryUpkeep):
    """A memory over one SQLite journal. Use `Memory.open`; safe to share between threads."""

    def __init__(
        self,
        path: Path | None,
        space: str,
        settings: Settings,
        clock: Clock = system_clock,
        random_bytes: RandomBytes = os.urandom,
        embedder: Embedder | None = None,
    ) -> None:
        """Open the parts; `embedder` stands in for the sentence encoder loaded on first use."""
        self.space = Space(space)
        self.settings = settings
        self._clock, self._random_bytes = clock, random_bytes
        self._components = MemoryComponents(path, settings, clock, random_bytes, embedder)
        self._file = self._components.file
        self._components.open_space(self.space)
        if upkeep.unfinished(self._file):
            self._forgetting.resume()

    @classmethod
    def open(
        cls,
        path: os.PathLike[str] | str | None = None,
        space: str = "default",
        settings: Settings | None = None,
        *,
        enrich: str = "background",
    ) -> Memory:
        """Open or create the memory whose journal is the file `path`; without one, in memory.

        Companion files' names start with the journal's; all are readable by their owner only.
        `settings` default to those of the file and environment (`meridia config` shows them).
        A thread in the background enriches what is captured, until the memory is closed or the
        process ends; with `enrich="manual"` nothing does but `enrich()`, and waiting for it.
        """
        if enrich not in ("background", "manual"):
            raise InvalidInput(f"enrich={enrich!r} means nothing: background or manual")
        chosen = settings or settings_loader.load().settings
        memory = cls(None if path is None else Path(path), space, chosen)
        memory._components.manual = enrich == "manual"
        return memory

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Finish writing and release every file and connection."""
        self._components.close()

    @property
    def _capture(self) -> CaptureService:
        return self._components.capture

    @property
    def _forgetting(self) -> ForgettingService:
        return self._components.forgetting(self.space, self.people)

    # Enrichment and projections

    def enrich(
        self,
        progress: Progress = lambda done, total: None,
        *,
        reembed: bool = False,
        again: bool = False,
    ) -> None:
        """Bring enrichment, full text and adjacency of the space up to date.

        A model, where the settings name one, is asked for what it does better than a rule; what
        goes wrong with it stands in `failures`. Only `reembed` makes vectors of the encoder in use
        beside those of another; else: `ModelMismatch`. With `again`, the rules read every message
        again, with all names that are known by now: facts that they no longer state are withdrawn.
        """
        if again:
            self._components.enrichment.restart(self.space)
        if reembed:
            self._components.enrichment.reembed(self.space)
        self._components.enrich(self.space, progress)
        self._components.edges.catch_up(self.space)
        self._components.background.failures.pop(self.space, None)
        if keep := self.settings.ingest.keep:
            retention.retain(self._file, self.space, keep, self._forgetting.forget)

    def failures(self) -> list[Task]:
        """Return what enrichment could not do yet: what will be tried again, and dead letters."""
        return self._components.model_enrichment.failures(self.space)

    def retry(self) -> int:
        """Have the next `enrich` try everything again that failed, dead letters too; count them."""
        return self._components.model_enrichment.retry(self.space)

    def in_space(self, space: str) -> Memory:
        """Return this memory looking at another space; both share all parts, and one close."""
        other = copy.copy(self)
        other.space = Space(space)
        self._components.open_space(other.space)
        return other

    def graph(self) -> GraphStore:
        """Return the graph store of the space, opened on first use."""
        return self._components.graphs.of(self.space)

    def release_graph(self) -> None:
        """Close the space's graph, so that another process may own it."""
        self._components.graphs.release(self.space)

    # Reading

    def recall(
        self,
        question: str,
        *,
        limit: int | None = None,
        person: str | None = None,
        session: str | None = None,
        kind: str | None = None,
        since: When | None = None,
        until: When | None = None,
        where: Mapping[str, Any] | None = None,
        as_of: When | None = None,
        known_at: When | None = None,
        hints: Mapping[str, Any] | None = None,
        current_session: str | None = None,
        profile: str | None = None,
        policy: str | None = None,
        random_seed: int | None = None,
        keep: bool = True,
        wait_s: float | None = None,
    ) -> Recall:
        """Return the memories that answer `question`, best first, each with its reasons.

        `limit` is 1 to 1,000. The filters narrow what may come back. `as_of` asks as if it were
        then: a time (what had happened) or a journal sequence (what was known); `known_at`, when
        it must have been known, goes together with a time, and may be one of recording itself.
        `hints` say what else is asked for (docs/rerank.md), `current_session` is the session that
        asks (docs/associative.md). `profile` and `policy` stand in for those of the settings; draws
        start from `random_seed`. Without `keep` nothing can be asked after the answer. What is not
        enriched yet is found by its words, `unread` counts it; `wait_s` waits so long for it.
        """
        count = self.settings.recall.usual_limit if limit is None else limit
        if not 1 <= count <= 1000:
            raise InvalidInput(f"limit {count} is out of range: 1 to 1000")
        events.check_kind(kind)
        period = read_time(since, "since"), read_time(until, "until")
        filters = Filters(person, session, kind, *period, where=where)
        filters.conditions()
        notes = self._catch_up(wait_s)
        recorded_seq = self._file.catalog.sequence(self.space, read_point(known_at, "known_at"))
        asked = None if hints is None else rerank_stage.validate_hints(hints)
        about = question, count, filters, read_point(as_of, "as_of"), recorded_seq
        request = recall_service.RecallRequest(
            *about, random_seed, hints=asked, current_session=current_session
        )
        opened = self._components
        recalls, enriched = opened.recalls, opened.enrichment_state.cursor(self.space)
        behind = opened.enrichment_state.behind(self.space)
        info = recall_service.SpaceInfo(self.people(), enriched, notes, *behind)
        if profile or policy or not keep:
            store = keep and self.settings.recall.keep
            given = {"recall.profile": profile, "recall.policy": policy, "recall.keep": store}
            recalls = recalls.with_settings(settings_loader.changed(self.settings, given).recall)
        with opened.background.resting():
            return recalls.answer(self.space, self._new_id(), request, opened.embedder(), info)

    def people(self) -> Gazetteer:
        """Return the people the space knows."""
        return self._components.people.of(self.space)

    def directory(self) -> Directory:
        """Return who is who among the people of the space: who speaks, with all their names."""
        return self._file.space(self.space).identities.directory()

    def entities(self, limit: int = 50) -> Listing[entity_weights.Entity]:
        """Return what memories are about, most shared first; see `entity_weights`."""
        count = sum(self._file.catalog.kinds(self.space).values())
        rows = self._components.edges.most_shared(self.space, limit)
        weighed = entity_weights.weigh(rows, count, self.settings.recall.concept_share_max)
        return Listing(weighed, "entity", lambda each: each.line, asdict)

    def query(
        self,
        statement: str,
        parameters: Mapping[str, Any] | None = None,
        all_spaces: bool = False,
        wait_s: float | None = None,
    ) -> Table:
        """Run a read-only Cypher statement over the space's graph.

        It answers at once: notes say what is not enriched and how far the graph is behind, and
        `wait_s` waits so long for both.
        Raises `Refused` before anything runs when the statement could do more than read, and when
        it takes longer than `graph.query_timeout_s`; `InvalidInput` when it is no Cypher.
        """
        notes, store = list(self._catch_up(wait_s)), self.graph()
        waited = self.settings.recall.wait_s if wait_s is None else wait_s
        if behind := self._project_within(waited):
            notes.append(behind)
            self._components.background.notify(self.space)
        self._components.project_vectors(self.space, statement)
        limits = self.settings.graph
        given = statement, parameters or {}, limits.query_timeout_s, limits.query_rows_max
        table = store.query(*given, all_spaces=all_spaces)
        return dataclasses.replace(table, notes=(*notes, *table.notes)) if notes else table

    def plan(
        self,
        question: str,
        *,
        limit: int | None = None,
        as_of: When | None = None,
        known_at: When | None = None,
    ) -> PlanResult:
        """Select what answers a question, without loading it; `planning` loads and checks."""
        return self.planning.plan(question, limit=limit, as_of=as_of, known_at=known_at)

    # Upkeep

    def status(self, graph: bool = False) -> maintenance.Status:
        """Return where the space stands; with `graph`, the graph's cursor too."""
        parts, opened = self._components, self.graph if graph else None
        stands = parts.edges, parts.enrichment_state.cursor(self.space), opened
        return maintenance.status(self._file, self.space, *stands, parts.sink_status(self.space))

    @property
    def chronicle(self) -> SpaceHistory:
        """The history of the space: arcs, facts, episodes, entities, relations, kits."""
        return self._components.chronicle(self.space)

    @property
    def reasons(self) -> RecallExplainer:
        """Explanations of earlier answers: replay, counterfactuals, why not."""
        return self._components.reasons(self.space)

    @property
    def packs(self) -> PackBuilder:
        """The packs for an agent that comes back: `resume` and `reconstitute` make them."""
        asked = self.people, self._catch_up, self._recall_as_of, self._new_id
        keep, prose_s = self.settings.recall.keep, self.settings.model.prose_s
        opened = self._components
        needed = builder.PackDependencies(*asked, opened.clean, keep, opened.model, prose_s)
        return builder.PackBuilder(self._file, self.space, needed)

    @property
    def planning(self) -> PlanService:
        """The planner: selects sources for a question, and loads them later; see its `plan`."""
        return self._components.planning(self.space, self.recall)

    @property
    def curation(self) -> CurationService:
        """Decisions of a person about the space: merges of entities, relationships."""
        return self._components.curated(self.space)

    @property
    def ideas(self) -> IdeaService:
        """Pairs of memories that daydreaming proposes: list, approve, reject."""
        return self._components.ideas(self.space)

    @property
    def sinks(self) -> SpaceSinks:
        """Other systems that receive copies: see its `status`, `sync` and `rebuild`."""
        return self._components.sinks(self.space)

    @property
    def vector_source(self) -> VectorSource:
        """The index of vectors that names candidates, as `recall.vector_source` says."""
        return self._components.vector_source(self.settings.recall.vector_source)

    @property
    def feedback(self) -> FeedbackService:
        """Feedback on shown memories: call it to give some; see its `undo` and `rates`."""
        return self._components.feedback(self.space)

    @property
    def parts(self) -> Store:
        """The open journal file, for upkeep: verification, rebuilding, status."""
        return self._file

    @property
    def adjacency(self) -> Adjacency:
        """The adjacency projection, for upkeep."""
        return self._components.edges

    @property
    def enrichment(self) -> EnrichmentWorker:
        """The enrichment worker, for upkeep."""
        return self._components.enrichment

    @property
    def background(self) -> BackgroundEnrichment:
        """Enrichment in the background, for upkeep: it rests while somebody waits for an answer."""
        return self._components.background

    def _drop_caches(self) -> None:
        self._components.drop_caches(self.space)

    def _flush(self) -> None:
        self._components.flush()

    def _enrich_soon(self) -> None:
        """Enrich, or have it done in the background."""
        if self._components.background.manual:
            self.enrich()
        self._components.background.notify(self.space)

    def _new_id(self) -> str:
        return uuid7(self._clock(), self._random_bytes)

    def _recall_as_of(self, question: str, limit: int, as_of: datetime, known_at: int) -> Recall:
        return self.recall(question, limit=limit, as_of=as_of, known_at=known_at)

    def _catch_up(self, wait_s: float | None = None) -> Sequence[str]:
        """Index what is missing, and wait for enrichment if asked to; say what is not read yet."""
        self._components.notice_forgetting(self.space)
        parts, longest = self._components, self.settings.recall.wait_s
        if wait_s is None and longest == 0:
            parts.background.read_few(self.space, parts.enrichment_state.unread, parts.embedder)
        notes = parts.enrichment_state.catch_up_within(
            self.space,
            longest if wait_s is None else wait_s,
            lambda *given: parts.enrichment.catch_up(*given),  # noqa: PLW0108 - opened late
            parts.edges,
        )
        return parts.background.noted(self.space, notes) if notes else notes
