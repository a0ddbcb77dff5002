"""The public face: `Memory` opens the parts of one journal and offers what they do together.

It has no rules of its own. What it caches (views, vectors, graph stores) can be rebuilt.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Self

from .core.errors import InvalidInput, MeridiaError
from .core.events import Event, message_event, parse_event
from .core.ids import RandomBytes, uuid7
from .core.people import Gazetteer
from .core.ports import GraphStore, Table
from .core.settings import Settings, load
from .core.time import Clock, system_clock
from .core.types import Acknowledgement, Artifact, Filters, Space
from .graph.adjacency import Adjacency
from .graph.digest import Digest, count
from .graph.engines import Graphs
from .graph.maintenance import Status, current_digest, rebuild_space, status
from .graph.projector import project
from .ingest.capture.capture_context import CaptureContext, capture_rules_of
from .ingest.capture.service import CaptureService, CaptureSummary, OnAnswer
from .ingest.curation import CurationService
from .ingest.enrichment.model_access import model_of
from .ingest.enrichment.model_pass import ModelPass
from .ingest.enrichment.passes import Progress
from .ingest.enrichment.worker import EnrichmentWorker, catch_up_within, enrichment_config_of
from .ingest.feedback.service import FeedbackService
from .ingest.importers.format_detection import read
from .ingest.importers.import_options import ImportOptions
from .ingest.importers.import_record import ImportLimits, ImportRecord
from .ingest.redaction.sanitise import clean_for_sink, clean_text
from .models.encoder_ports import Embedder
from .models.encoders import encoder_of
from .retrieval.explain.recall_explainer import RecallExplainer
from .retrieval.history.entity_weights import Entity, weigh
from .retrieval.history.history_reader import HistoryReader
from .retrieval.history.space_history import SpaceHistory
from .retrieval.packs.builder import PackBuilder, PackDependencies
from .retrieval.plans.plan_model import PlanModel
from .retrieval.plans.plan_service import PlanService
from .retrieval.reader import Reader
from .retrieval.recall_result import Recall
from .retrieval.recall_service import RecallRequest, RecallService, SpaceInfo
from .retrieval.rerank.rerank_stage import validate_hints
from .storage.store import Store, open_store
from .storage.tasks import Task
from .storage.vectors import VectorIndexes


class Memory(Reader, HistoryReader):
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
        self._file = open_store(path, settings, clock, random_bytes)
        rules = capture_rules_of(settings)
        self._capture = CaptureService(self._file, rules)
        self._encoder = embedder
        self._graphs = Graphs(settings.graph, self._file.journal, self._file.path)
        self._adjacency = Adjacency(self._file)
        indexes = self._indexes = VectorIndexes(self._file)
        config = enrichment_config_of(settings)
        self._enrichment = EnrichmentWorker(self._file, self._embedder, indexes, config)
        self._model = partial(model_of, settings.model, self._file)
        asked, until = settings.model, self._enrichment.rule_position
        self._model_pass = ModelPass(self._file, self._model, asked, config.scoring, until)
        self._outward = partial(clean_for_sink, policy=rules.policy)
        self._clean = clean = partial(clean_text, policy=rules.policy)
        self._recall_service = RecallService(
            self._file, self._adjacency, indexes, settings.recall, clean, self._graphs.projected
        )

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str] | None = None,
        space: str = "default",
        settings: Settings | None = None,
    ) -> Memory:
        """Open or create the memory whose journal is the file `path`; without one, in memory.

        Companion files' names start with the journal's; all are readable by their owner only.
        `settings` default to those of the file and environment (`meridia config` shows them).
        """
        return cls(None if path is None else Path(path), space, settings or load().settings)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Finish writing and release every file and connection."""
        self._graphs.close()
        self._recall_service.close()
        self._model_pass.close()
        self._file.close()

    # Capture

    def remember(
        self,
        text: str,
        *,
        person: str | None = None,
        session: str | None = None,
        at: datetime | None = None,
        id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        artifacts: Sequence[Artifact | Mapping[str, Any]] = (),
    ) -> Acknowledgement:
        """Remember what `person` said; returns after the commit.

        `at` is a timezone-aware time (default: now); `id` is the caller's own: the same id with
        the same content is one memory, with other content a `Conflict`. `artifacts` are files,
        links and images by `uri` and `description`.
        """
        return self.capture(message_event(text, person, session, at, id, metadata, artifacts))

    def remember_many(self, messages: Iterable[Mapping[str, Any]]) -> list[Acknowledgement]:
        """Remember messages, each a mapping of `remember`'s arguments; all or none go in.

        Raises `InvalidInput` or `Conflict`, naming the first message that is wrong.
        """
        drafts = []
        for place, message in enumerate(messages):
            try:
                drafts.append(parse_event(message_event(**message)))
            except (TypeError, MeridiaError) as error:
                raise InvalidInput(f"message {place}: {error}") from None
        return self._capture.capture_atomically(self.space, drafts)

    def capture(self, event: Event | Mapping[str, Any]) -> Acknowledgement:
        """Capture one event in the native form: `kind` and `payload` are required."""
        parsed = event if isinstance(event, Event) else parse_event(event)
        return self._capture.capture_event(self.space, parsed)

    def import_file(
        self,
        source: Path | BinaryIO,
        format: str | None = None,
        space: str | None = None,
        options: ImportOptions | None = None,
    ) -> CaptureSummary:
        """Capture every event of a file (or binary stream); its format is told by content.

        Events go to `space`, else to the one that the format suggests, else to this memory's own.
        What cannot go in is counted and does not keep the rest out.
        """
        limits = ImportLimits(self.settings.journal.event_bytes_max)
        with read(source, format, limits, options) as records:
            return self.import_records(records, space)

    def import_records(
        self,
        records: Iterable[ImportRecord],
        space: str | None = None,
        on_answer: OnAnswer | None = None,
    ) -> CaptureSummary:
        """Capture records of an importer; see `import_file`."""
        return self._capture.stream(
            records, lambda r: Space(space or r.space or self.space), on_answer=on_answer
        )

    # Enrichment and projections

    def explain(self, event: Event | Mapping[str, Any]) -> CaptureContext:
        """Return what would become of an event now, and why; keep nothing."""
        parsed = event if isinstance(event, Event) else parse_event(event)
        return self._capture.explain(self.space, parsed)

    def enrich(
        self, progress: Progress = lambda done, total: None, *, reembed: bool = False
    ) -> None:
        """Bring enrichment, full text and adjacency of the space up to date.

        Skeletons get a second look, and a model, where the settings name one, is asked for what it
        does better than a rule. What goes wrong with a model stands in `failures`. Only `reembed`
        makes vectors of the encoder in use beside those of another; else: `ModelMismatch`.
        """
        if reembed:
            self._enrichment.reembed(self.space)
        journal, done = self._file.journal, -1
        self._enrichment.catch_up(self.space, progress=progress)
        self._enrichment.reevaluate_open_sessions(self.space)
        while done != (done := journal.head(self.space).seq):  # each may leave work to the other
            self._model_pass.catch_up(self.space, progress=progress)
            self._enrichment.catch_up(self.space, progress=progress)
        self._file.index(self.space)
        self._adjacency.catch_up(self.space)

    def failures(self) -> list[Task]:
        """Return what enrichment could not do yet: what will be tried again, and dead letters."""
        return self._model_pass.failures(self.space)

    def retry(self) -> int:
        """Have the next `enrich` try everything again that failed, dead letters too; count them."""
        return self._model_pass.retry(self.space)

    def project(self, progress: Progress = lambda done, total: None) -> int:
        """Bring the graph of the space up to date; return how many entries were applied."""
        batch = self.settings.graph.batch
        return project(self._file.journal, self.graph(), self.space, batch, progress)

    def in_space(self, space: str) -> Memory:
        """Return this memory looking at another space; both share all parts, and one close."""
        other = copy.copy(self)
        other.space = Space(space)
        return other

    def graph(self, all_spaces: bool = False) -> GraphStore:
        """Return the graph store of the space, opened on first use."""
        return self._graphs.of(self.space, all_spaces)

    def release_graph(self) -> None:
        """Close the space's graph, so that another process may own it."""
        self._graphs.release(self.space)

    # Reading

    def recall(
        self,
        question: str,
        *,
        limit: int | None = None,
        person: str | None = None,
        session: str | None = None,
        kind: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        metadata: Mapping[str, Any] | None = None,
        as_of: datetime | int | None = None,
        known_at: datetime | int | None = None,
        hints: Mapping[str, Any] | None = None,
    ) -> Recall:
        """Return the memories that answer `question`, best first, each with its reasons.

        `limit` is 1 to 1,000. The filters narrow what may come back. `as_of` asks as if it were
        then: a time (what had happened) or a journal sequence (what was known); `known_at`, when
        it must have been known, goes together with a time, and may be one of recording itself.
        `hints` say what else is asked for, where `recall.rerank` is on (docs/rerank.md).
        Enrichment is brought up to date first, within `recall.wait_s`; notes say what was not.
        """
        count = self.settings.recall.limit if limit is None else limit
        if not 1 <= count <= 1000:
            raise InvalidInput(f"limit {count} is out of range: 1 to 1000")
        filters = Filters(person, session, kind, since, until, metadata=metadata)
        notes = self._catch_up()
        known_at = self._file.catalog.sequence(self.space, known_at)
        asked = RecallRequest(
            question, count, filters, as_of, known_at, hints=validate_hints(hints)
        )
        enriched = self._enrichment.cursor(self.space)
        recall_context = SpaceInfo(self._enrichment.gazetteer(self.space), enriched, notes)
        return self._recall_service.answer(
            self.space, self._new_id(), asked, self._embedder(), recall_context
        )

    def people(self) -> Gazetteer:
        """Return the people the space knows."""
        return self._enrichment.gazetteer(self.space)

    def entities(self, limit: int = 50) -> Sequence[Entity]:
        """Return what memories are about, most shared first; see `entity_weights`."""
        rows = self._adjacency.most_shared(self.space, limit)
        count = sum(self._file.catalog.kinds(self.space).values())
        return weigh(rows, count, self.settings.recall.concept_share_max)

    def query(
        self,
        statement: str,
        parameters: Mapping[str, Any] | None = None,
        all_spaces: bool = False,
    ) -> Table:
        """Run a read-only Cypher statement over the space's graph, brought up to date first.

        Raises `Refused` before anything runs when the statement could do more than read, and when
        it takes longer than `graph.query_timeout_s`; `InvalidInput` when it is no Cypher.
        """
        self._catch_up()
        store = self.graph(all_spaces)
        self.project()
        limits = self.settings.graph
        return store.query(
            statement, parameters or {}, limits.query_timeout_s, limits.query_rows_max
        )

    # Upkeep

    def status(self, graph: bool = False) -> Status:
        """Return where the space stands; with `graph`, the graph's cursor too."""
        enriched = self._enrichment.cursor(self.space)
        opened = self.graph if graph else None
        return status(self._file, self.space, self._adjacency, enriched, opened)

    def digest(self) -> Digest:
        """Return the digest of the space's graph, brought up to date and read back."""
        batch = self.settings.graph.batch
        return current_digest(self._file, self.space, self.graph(), batch)

    def graph_counts(self) -> dict[str, int]:
        """Return how many nodes of each label and edges of each type the space's graph has."""
        self._catch_up()
        self.project()
        counts = count(self.graph())
        return {**counts.nodes, **counts.edges}

    def rebuild(self, progress: Progress = lambda done, total: None) -> None:
        """Drop every projection of the space and build it again; no model is asked."""
        batch = self.settings.graph.batch
        rebuild_space(self._file, self.space, self._adjacency, self.graph(), batch, progress)

    @property
    def chronicle(self) -> SpaceHistory:
        """What the space tells of itself: arcs, facts, episodes, entities, relations, kits."""
        return SpaceHistory(self._file, self.space)

    @property
    def reasons(self) -> RecallExplainer:
        """What is asked after an answer: replay, counterfactuals, why not."""
        flush = self._recall_service.flush
        return RecallExplainer(self._file, self._adjacency, self._indexes, self.space, flush)

    @property
    def packs(self) -> PackBuilder:
        """What an agent is told when it comes back: `resume` and `reconstitute` make them."""
        keep, prose_s = self.settings.recall.keep, self.settings.model.prose_s
        asked = (self.people, self._catch_up, self._recall_as_of, self._new_id, self._clean)
        return PackBuilder(
            self._file, self.space, PackDependencies(*asked, keep, self._model, prose_s)
        )

    @property
    def planning(self) -> PlanService:
        """What selects sources for a question, and loads them when asked: see its `plan`."""
        plan_model = PlanModel(self._model, self._outward, self.settings.model.prose_s)
        return PlanService(self._file, self.space, self.settings.plan, self.recall, plan_model)

    @property
    def curation(self) -> CurationService:
        """What a person decides about the space: merges of entities, relationships."""
        return CurationService(self._file, self.space)

    @property
    def feedback(self) -> FeedbackService:
        """Whether what was shown was of use: calling it says so; see its `undo` and `rates`."""
        return FeedbackService(self._file, self.space, self._clean, self._recall_service.flush)

    @property
    def parts(self) -> Store:
        """The open journal file, for upkeep: verification, rebuilding, status."""
        return self._file

    @property
    def adjacency(self) -> Adjacency:
        """The adjacency projection, for upkeep."""
        return self._adjacency

    @property
    def enrichment(self) -> EnrichmentWorker:
        """The enrichment worker, for upkeep."""
        return self._enrichment

    def _new_id(self) -> str:
        return uuid7(self._clock(), self._random_bytes)

    def _recall_as_of(self, question: str, limit: int, as_of: datetime, known_at: int) -> Recall:
        return self.recall(question, limit=limit, as_of=as_of, known_at=known_at)

    def _embedder(self) -> Embedder | None:
        if self._encoder is None and self.settings.embedding.enabled:
            chosen = self.settings.embedding
            self._encoder = encoder_of(chosen.model, chosen.threads)
        return self._encoder

    def _catch_up(self) -> Sequence[str]:
        """Enrich what is missing within the stated wait; return what a reader should know."""
        parts, wait_s = (self._file, self._enrichment, self._adjacency), self.settings.recall.wait_s
        return catch_up_within(*parts, self.space, wait_s)
