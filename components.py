"""The components of one open journal file, shared by all its spaces.

Only the file is opened at once. Every other component is imported and opened on first use, so that
capturing loads no ranking, and listing loads no model.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial, wraps
from inspect import getattr_static
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any, TypeVar

from .core.errors import MeridiaError, NotFound, Unavailable
from .core.ids import RandomBytes
from .core.lazy import LazyComponents, component, extra
from .core.time import Clock
from .graph import adjacency, engines, maintenance, projector
from .graph.graphiti import client as graphiti_client
from .ingest import background_enrichment, curation, enrichment_state
from .ingest import ideas as ideas_of
from .ingest.capture import commit, service
from .ingest.enrichment import model_pass, worker
from .ingest.enrichment import model_pass as model_access
from .ingest.fanout import delivery, dispatcher, graphiti_sink, postgres_sink
from .ingest.feedback import service as feedback_service
from .ingest.forgetting import forgetting_service
from .ingest.redaction import sanitise
from .models import encoders
from .resume import space_history
from .retrieval import recall_service
from .retrieval.explain import recall_explainer
from .retrieval.plans import plan_model, plan_service
from .retrieval.vector_sources import sources
from .storage import upkeep, vectors
from .storage.postgres import following as replicas
from .storage.sinks import pgvector_table, sink_state

if TYPE_CHECKING:
    from .core.ports import GraphStore, VectorSource
    from .core.settings import Settings
    from .core.types import Space
    from .ingest.enrichment.passes import Progress
    from .ingest.fanout.sink import Sink
    from .ingest.forgetting.forgetting_service import ForgettingService
    from .models.model_types import Model
    from .models.tokens import Embedder
    from .retrieval.recall_result import Recall
    from .storage.sinks.sink_state import SinkStatus


#: Public names that need nothing of other replicas, or ask for it themselves as they write.
_OWN = (
    *("adjacency", "background", "capture", "capture_many", "close", "enrichment", "in_space"),
    *("release", "remember", "remember_many"),
)
C = TypeVar("C", bound=type)


def following(of: C) -> C:
    """Have what a class offers begin with what other replicas wrote, where the journal is shared.

    A call within another one does not ask again. Its objects have `_components`.
    """
    for name in dir(of):
        member = getattr_static(of, name)
        if name.startswith("_") or name in _OWN:
            continue
        if isinstance(member, property) and member.fget:
            setattr(of, name, property(_following(member.fget), doc=member.__doc__))
        elif isinstance(member, FunctionType):
            setattr(of, name, _following(member))
    return of


def _following(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def call(self: Any, *given: Any, **named: Any) -> Any:
        inside = self._components.inside
        if getattr(inside, "call", False):
            return method(self, *given, **named)
        inside.call = True
        try:
            self._components.follow()
            return method(self, *given, **named)
        finally:
            inside.call = False

    return call


class MemoryComponents(LazyComponents):
    """Opens the components of a memory in the right order; contains no rules."""

    def __init__(
        self,
        path: Path | None,
        settings: Settings,
        clock: Clock,
        random_bytes: RandomBytes,
        encoder: Embedder | None,
    ) -> None:
        """Open the file; `encoder` replaces the sentence encoder of the settings."""
        super().__init__()
        self.settings = settings
        self.file = replicas.open_journal(path, settings, clock, random_bytes)
        self._encoder = encoder
        #: Whether nothing is enriched in the background.
        self.manual = True
        self._random_bytes = random_bytes
        #: By space, the newest forgetting that the caches know of.
        self._forgettings: dict[Space, int] = {}
        self._sources: dict[str, VectorSource] = {}
        #: Whether the calling thread is within a public call, which has followed.
        self.inside = threading.local()
        #: Spaces whose arrays are to be in files again, without what was forgotten.
        self._carried: set[Space] = set()

    def close(self) -> None:
        """Finish writing and close every open component."""
        if "background" in vars(self):
            self.background.stop()
        while self._carried:
            self._hold_arrays(self._carried.pop())
        for name in "fanout graphiti postgres_reader graphs recalls model_enrichment file".split():
            if name in vars(self):
                getattr(self, name).close()

    def follow(self) -> None:
        """Take in what other replicas wrote, and finish here what they have forgotten."""
        for space in self.file.follow():
            self.background.notify(space)
            if upkeep.unfinished(self.file):
                self.forgetting(space).resume()
                self.file.tell_replicas()

    @component
    def rules(self) -> commit.CaptureRules:
        """Return the rules of capture."""
        return commit.capture_rules_of(self.settings)

    @component
    def capture(self) -> service.CaptureService:
        """Open the capture service."""
        return service.CaptureService(self.file, self.rules, self.background.notify)

    @component
    def graphs(self) -> engines.Graphs:
        """Open the graph stores of all spaces."""
        return engines.Graphs(self.settings.graph, self.file)

    @component
    def edges(self) -> adjacency.Adjacency:
        """Open the edges of all spaces."""
        return adjacency.Adjacency(self.file)

    @component
    def indexes(self) -> vectors.VectorIndexes:
        """Open the vectors of all spaces."""
        return vectors.VectorIndexes(self.file)

    @component
    def people(self) -> curation.PeopleCache:
        """Open the people of all spaces."""
        return curation.PeopleCache(self.file)

    @component
    def enrichment_state(self) -> enrichment_state.EnrichmentState:
        """Open the state of enrichment."""
        return enrichment_state.EnrichmentState(self.file, self.embedder)

    @component
    def enrichment(self) -> worker.EnrichmentWorker:
        """Open the enrichment worker."""
        return worker.EnrichmentWorker(
            self.file, self.embedder, self.indexes, self.settings, self.background.pause
        )

    @component
    def background(self) -> background_enrichment.BackgroundEnrichment:
        """Open enrichment in the background; its thread starts when it is notified."""
        return background_enrichment.BackgroundEnrichment(
            lambda: self.enrichment,
            lambda *to: self.graphs.project_open(*to) if to[2] or "graphs" in vars(self) else None,
            manual=self.manual,
        )

    def enrich(self, space: Space, progress: Progress) -> None:
        """Run the passes and ask the model until neither leaves work to the other."""
        if self.settings.model.dialect != "none" or not self.enrichment_state.is_current(space):
            model_pass.enrich(self.enrichment, self.model_enrichment, space, progress)

    def catch_up(self, space: Space, wait_s: float | None = None) -> Sequence[str]:
        """Index missing entries, wait for enrichment if asked to, and return notes on the rest."""
        self.notice_forgetting(space)
        state, background = self.enrichment_state, self.background
        longest = self.settings.recall.wait_s
        if wait_s is None and longest == 0:
            background.read_few(space, state.unread, self.embedder)
        notes = state.catch_up_within(
            space,
            longest if wait_s is None else wait_s,
            lambda *given: self.enrichment.catch_up(*given),  # noqa: PLW0108 - opened late
            self.edges,
        )
        return background.noted(space, notes) if notes else notes

    @component
    def model_enrichment(self) -> model_pass.ModelPass:
        """Open the model pass."""
        scoring, until = self.rules.scoring, self.enrichment_state.rule_position
        return model_pass.ModelPass(
            self.file, self.model, self.settings.model, scoring, until, self.settings.transitions
        )

    @component
    def fanout(self) -> dispatcher.FanoutDispatcher:
        """Open the dispatcher of deliveries to sinks."""
        context = delivery.DeliveryContext(
            self.file,
            self.settings.sinks,
            self.settings.sanitise,
            self._enriched_until,
        )
        return dispatcher.FanoutDispatcher(context, self._sinks())

    def _enriched_until(self, space: Space) -> int:
        return self.enrichment_state.cursor(space)

    def _sinks(self) -> list[Sink]:
        """Return the sinks that the settings name; each opens its connection when it delivers."""
        sinks: list[Sink] = [self.vector_sink] if self.settings.postgres.url else []
        if self.settings.graphiti.uri:
            chosen = self.settings.graphiti
            sinks.append(
                graphiti_sink.GraphitiSink(
                    lambda: self.graphiti, self.file.journal, f"{chosen.uri} {chosen.database_name}"
                )
            )
        return sinks

    @component
    def vector_sink(self) -> postgres_sink.PostgresSink:
        """Open the sink that fills the vectors in PostgreSQL."""
        return postgres_sink.PostgresSink(
            self.file,
            lambda: self.postgres,
            self.settings.postgres,
            self.embedder,
            self.settings.embedding.chunk_words,
            self.outward,
        )

    @component
    def graphiti(self) -> graphiti_client.GraphitiClient:
        """Open the Neo4j that Graphiti works on; it connects on first use."""
        return graphiti_client.client_of(self.settings, self.embedder)

    @component
    def postgres(self) -> pgvector_table.PgVectorTable:
        """Open the vectors in PostgreSQL for writing."""
        return self._vector_table()

    @component
    def postgres_reader(self) -> pgvector_table.PgVectorTable:
        """Open the vectors in PostgreSQL for questions, on a connection apart from deliveries."""
        return self._vector_table()

    def _vector_table(self) -> pgvector_table.PgVectorTable:
        """Open the vectors in the PostgreSQL that the settings name; it connects on first use."""
        if not self.settings.postgres.url:
            raise Unavailable("postgres.url is empty: set the address of a PostgreSQL server")
        with extra("postgres", "postgres.url is set, but "):
            return pgvector_table.PgVectorTable(self.settings.postgres)

    def sinks(self, space: Space) -> dispatcher.SpaceSinks:
        """Return the sinks of a space."""
        return dispatcher.SpaceSinks(self.fanout, space)

    def sink_status(self, space: Space) -> list[SinkStatus]:
        """Return the state of each sink of a space; without any in the settings, open nothing."""
        if self.settings.postgres.url or self.settings.graphiti.uri:
            return self.fanout.status(space)
        return sink_state.left_sinks(self.file.space(space), (), self.file.journal.head(space).seq)

    def status(self, space: Space, *, graph: bool = False) -> maintenance.Status:
        """Return the status of a space; with `graph`, the graph's cursor too."""
        opened = partial(self.graphs.of, space) if graph else None
        return maintenance.status(
            self.file,
            space,
            self.edges,
            self.enrichment_state.cursor(space),
            opened,
            self.sink_status(space),
        )

    @component
    def recalls(self) -> recall_service.RecallService:
        """Open the recall service."""
        chunk_words, settings = self.settings.embedding.chunk_words, self.settings.recall
        opens = recall_service.Opens(self.projected, self.vector_source, chunk_words)
        return recall_service.RecallService(
            self.file, self.edges, self.indexes, settings, self.clean, opens
        )

    def vector_source(self, name: str) -> VectorSource:
        """Return the vector source of a name; it connects on first use."""
        if name not in self._sources:
            self._sources[name] = sources.PausedSource(self._open_source(name))
        return self._sources[name]

    def _open_source(self, name: str) -> VectorSource:
        if name == "pgvector":
            version = self.vector_sink.version
            return sources.PgVectorSource(self.file, self.postgres_reader, version)
        if name == "graphiti":
            return sources.GraphitiSource(self.graphiti, self.file.journal)
        if name == "neo4j":
            return sources.Neo4jSource(self.file, self.projected, self._fill_graph)
        return sources.BuiltInSource(self.file, self.indexes)

    def _fill_graph(self, space: Space) -> int:
        """Bring the vectors in the space's graph up to date; return how far they are."""
        graph, embedder = self.graphs.of(space), self.embedder()
        if embedder is None or not isinstance(graph, projector.VectorGraph):
            return 0
        until = min(self.enrichment_state.cursor(space), graph.cursor().seq)
        table = vectors.VectorTable(self.file.space(space))
        projector.project_vectors(table, graph, embedder.model, until)
        return until

    def open_space(self, space: Space) -> None:
        """Let a space be read before anything is written to it."""
        try:
            self.file.space(space)
        except NotFound:
            service.check_new_space(self.file, space)
            self.file.journal.open_space(space)

    def chronicle(self, space: Space) -> space_history.SpaceHistory:
        """Return the history of a space."""
        return space_history.SpaceHistory(self.file, space)

    def reasons(self, space: Space) -> recall_explainer.RecallExplainer:
        """Return the explainer of earlier answers."""
        return recall_explainer.RecallExplainer(
            self.file, self.edges, self.indexes, space, self.embedder, self.flush
        )

    def curated(self, space: Space) -> curation.CurationService:
        """Return the curation service."""
        return curation.CurationService(self.file, space)

    def feedback(self, space: Space) -> feedback_service.FeedbackService:
        """Return the feedback service."""
        return feedback_service.FeedbackService(self.file, space, self.clean, self.flush)

    def ideas(self, space: Space) -> ideas_of.IdeaService:
        """Return the idea service of a space."""
        return ideas_of.IdeaService(
            self.file, space, self.edges, self.indexes, self.embedder, self.settings.daydream
        )

    def planning(self, space: Space, recall: Callable[..., Recall]) -> plan_service.PlanService:
        """Return the planner; `recall` is that of the space."""
        model = plan_model.PlanModel(self.model, self.outward, self.settings.model.prose_s)
        return plan_service.PlanService(self.file, space, self.settings.plan, recall, model)

    def projected(self, space: Space) -> GraphStore:
        """Return the graph store of a space, brought up to date."""
        return self.graphs.projected(space)

    def project_vectors(self, space: Space, statement: str) -> None:
        """Bring the vectors in the space's graph up to date, if a statement may look at them."""
        if self.graphs.of(space).shared and projector.asks_for_vectors(statement):
            self._fill_graph(space)

    def embedder(self) -> Embedder | None:
        """Return the sentence encoder; None where the settings turn it off."""
        return self._opened_encoder if self._encoder is None else self._encoder

    @component
    def _opened_encoder(self) -> Embedder | None:
        chosen = self.settings.embedding
        return encoders.encoder_of(chosen.model, chosen.threads) if chosen.enabled else None

    def forgetting(self, space: Space) -> ForgettingService:
        """Return the forgetting service of a space."""
        needed = forgetting_service.ForgettingDependencies(
            partial(self.people.of, space),
            self.graphs.note,
            self.graphs.forget,
            self.fanout.forget,
            self.flush,
            partial(self.drop_caches, space),
            self.settings.transitions,
            self._random_bytes,
        )
        return forgetting_service.ForgettingService(self.file, space, needed)

    def flush(self) -> None:
        """Wait until every answer so far is kept."""
        if "recalls" in vars(self):
            self.recalls.flush()

    def drop_caches(self, space: Space) -> None:
        """Drop caches that may hold forgotten content of a space; arrays stay, and are updated."""
        self.flush()
        with self.opening:
            for name in ("capture", "enrichment", "people"):
                vars(self).pop(name, None)
        if "recalls" in vars(self):
            self.recalls.forget()
        self.file.caches.forget(space)

    def carry_arrays(self, space: Space) -> None:
        """Have what a forgetting leaves of a space's arrays in files again, at the latest on close.

        Called before it, while there are files: to make all of them anew takes much longer.
        """
        if self.file.space(space).arrays.has_files:
            self._hold_arrays(space)
            self._carried.add(space)

    def _hold_arrays(self, space: Space) -> None:
        with suppress(MeridiaError):  # who asks for them is told
            self.file.space(space).full_text.index()
            enriched = self.enrichment_state.cursor(space)
            self.recalls.snapshot(space, self.embedder(), enriched)

    def notice_forgetting(self, space: Space) -> None:
        """Drop caches where another process has forgotten something of a space."""
        newest = upkeep.newest_forgetting(self.file, space)
        if self._forgettings.setdefault(space, newest) != newest:
            self._forgettings[space] = newest
            self.drop_caches(space)

    def model(self) -> Model | None:
        """Open the language model of the settings; None where they name none."""
        return model_access.model_of(self.settings.model, self.file)

    def clean(self, text: str) -> str:
        """Return a text redacted for storage."""
        return sanitise.clean_text(text, self.settings.sanitise)

    def outward(self, text: str) -> str:
        """Return a text redacted for models and sinks."""
        return sanitise.clean_for_sink(text, self.settings.sanitise)
