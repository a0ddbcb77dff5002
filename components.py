"""The components of one open journal file, which all its spaces share.

Only the file itself is opened at once. Each other is imported and opened when it is first
used: who captures loads no ranking, and who reads a list loads no model.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from .core.ids import RandomBytes
from .core.lazy import LazyComponents, component, lazy_module
from .core.time import Clock

if TYPE_CHECKING:
    from .core.people import Gazetteer
    from .core.ports import GraphStore
    from .core.settings import Settings
    from .core.types import Space
    from .graph import adjacency, engines, vector_projector
    from .ingest import curation
    from .ingest.capture import capture_context, service
    from .ingest.enrichment import model_access, model_pass, worker
    from .ingest.feedback import service as feedback_service
    from .ingest.forgetting import forgetting_service
    from .ingest.forgetting.forgetting_service import ForgettingService
    from .ingest.redaction import sanitise
    from .models import encoders
    from .models.encoder_ports import Embedder
    from .models.model_types import Model
    from .retrieval import recall_service
    from .retrieval.explain import recall_explainer
    from .retrieval.history import space_history
    from .retrieval.plans import plan_model, plan_service
    from .retrieval.recall_result import Recall
    from .storage import store, vectors
    from .storage.forgetting import completion
else:
    adjacency = lazy_module(__package__, "graph.adjacency")
    engines = lazy_module(__package__, "graph.engines")
    vector_projector = lazy_module(__package__, "graph.vector_projector")
    curation = lazy_module(__package__, "ingest.curation")
    capture_context = lazy_module(__package__, "ingest.capture.capture_context")
    service = lazy_module(__package__, "ingest.capture.service")
    model_access = lazy_module(__package__, "ingest.enrichment.model_access")
    model_pass = lazy_module(__package__, "ingest.enrichment.model_pass")
    worker = lazy_module(__package__, "ingest.enrichment.worker")
    feedback_service = lazy_module(__package__, "ingest.feedback.service")
    forgetting_service = lazy_module(__package__, "ingest.forgetting.forgetting_service")
    sanitise = lazy_module(__package__, "ingest.redaction.sanitise")
    encoders = lazy_module(__package__, "models.encoders")
    recall_service = lazy_module(__package__, "retrieval.recall_service")
    recall_explainer = lazy_module(__package__, "retrieval.explain.recall_explainer")
    space_history = lazy_module(__package__, "retrieval.history.space_history")
    plan_model = lazy_module(__package__, "retrieval.plans.plan_model")
    plan_service = lazy_module(__package__, "retrieval.plans.plan_service")
    completion = lazy_module(__package__, "storage.forgetting.completion")
    store = lazy_module(__package__, "storage.store")
    vectors = lazy_module(__package__, "storage.vectors")


#: Components that hold in memory what memories say.
_CACHING = frozenset({"capture", "enrichment", "indexes", "recalls"})


class MemoryComponents(LazyComponents):
    """Opens what a memory consists of; knows the order in which, and no rules."""

    def __init__(
        self,
        path: Path | None,
        settings: Settings,
        clock: Clock,
        random_bytes: RandomBytes,
        encoder: Embedder | None,
    ) -> None:
        """Open the file; `encoder` stands in for the sentence encoder of the settings."""
        super().__init__()
        self.settings = settings
        self.file = store.open_store(path, settings, clock, random_bytes)
        self._encoder = encoder
        self._random_bytes = random_bytes
        #: By space, the newest forgetting that the caches know of.
        self._forgettings: dict[Space, int] = {}

    def close(self) -> None:
        """Finish writing and close what was opened."""
        for name in ("graphs", "recalls", "model_enrichment", "file"):
            if name in vars(self):
                getattr(self, name).close()

    @component
    def rules(self) -> capture_context.CaptureRules:
        """Return what capture goes by."""
        return capture_context.capture_rules_of(self.settings)

    @component
    def capture(self) -> service.CaptureService:
        """Open what takes events in."""
        return service.CaptureService(self.file, self.rules)

    @component
    def graphs(self) -> engines.Graphs:
        """Open the graph stores of all spaces."""
        return engines.Graphs(self.settings.graph, self.file.journal, self.file.path)

    @component
    def edges(self) -> adjacency.Adjacency:
        """Open the edges of all spaces."""
        return adjacency.Adjacency(self.file)

    @component
    def indexes(self) -> vectors.VectorIndexes:
        """Open the vectors of all spaces."""
        return vectors.VectorIndexes(self.file)

    @component
    def enrichment(self) -> worker.EnrichmentWorker:
        """Open what follows the acknowledgement."""
        return worker.EnrichmentWorker(self.file, self.embedder, self.indexes, self.settings)

    @component
    def model_enrichment(self) -> model_pass.ModelPass:
        """Open what asks a language model."""
        scoring, until = self.rules.scoring, self.enrichment.rule_position
        return model_pass.ModelPass(
            self.file, self.model, self.settings.model, scoring, until, self.settings.transitions
        )

    @component
    def recalls(self) -> recall_service.RecallService:
        """Open what answers questions."""
        return recall_service.RecallService(
            self.file,
            self.edges,
            self.indexes,
            self.settings.recall,
            self.clean,
            self.projected,
        )

    def chronicle(self, space: Space) -> space_history.SpaceHistory:
        """Return what a space tells of itself."""
        return space_history.SpaceHistory(self.file, space)

    def reasons(self, space: Space) -> recall_explainer.RecallExplainer:
        """Return what explains earlier answers."""
        return recall_explainer.RecallExplainer(
            self.file, self.edges, self.indexes, space, self.embedder, self.recalls.flush
        )

    def curated(self, space: Space) -> curation.CurationService:
        """Return what records the decisions of a person."""
        return curation.CurationService(self.file, space)

    def feedback(self, space: Space) -> feedback_service.FeedbackService:
        """Return what takes feedback."""
        return feedback_service.FeedbackService(self.file, space, self.clean, self.recalls.flush)

    def planning(self, space: Space, recall: Callable[..., Recall]) -> plan_service.PlanService:
        """Return what selects sources for a question; `recall` is that of the space."""
        model = plan_model.PlanModel(self.model, self.outward, self.settings.model.prose_s)
        return plan_service.PlanService(self.file, space, self.settings.plan, recall, model)

    def projected(self, space: Space) -> GraphStore:
        """Return the graph store of a space, brought up to date."""
        return self.graphs.projected(space)

    def project_vectors(self, space: Space, statement: str) -> None:
        """Bring the vectors in the space's graph up to date, if a statement may look at them."""
        graph = self.graphs.of(space)
        if graph.shared and vector_projector.asks_for_vectors(statement):
            embedder = self.embedder()
            if embedder is not None and isinstance(graph, vector_projector.VectorGraph):
                until = min(self.enrichment.cursor(space), graph.cursor().seq)
                table = vectors.VectorTable(self.file.space(space))
                vector_projector.project_vectors(table, graph, embedder.model, until)

    def embedder(self) -> Embedder | None:
        """Return the sentence encoder; None where the settings turn it off."""
        return self._opened_encoder if self._encoder is None else self._encoder

    @component
    def _opened_encoder(self) -> Embedder | None:
        chosen = self.settings.embedding
        return encoders.encoder_of(chosen.model, chosen.threads) if chosen.enabled else None

    def forgetting(self, space: Space, people: Callable[[], Gazetteer]) -> ForgettingService:
        """Return what forgets; `people` are those that the space knows."""
        needed = forgetting_service.ForgettingDependencies(
            people,
            self.graphs.empty,
            self.drop_caches,
            self.settings.transitions,
            self._random_bytes,
        )
        return forgetting_service.ForgettingService(self.file, space, needed)

    def drop_caches(self) -> None:
        """Open anew, on the next use, whatever may hold in memory what was forgotten."""
        if "recalls" in vars(self):
            self.recalls.flush()
        with self.opening:
            for name in _CACHING & vars(self).keys():
                del vars(self)[name]

    def notice_forgetting(self, space: Space) -> None:
        """Drop caches where another process has forgotten something of a space."""
        newest = completion.newest_forgetting(self.file, space)
        if self._forgettings.setdefault(space, newest) != newest:
            self._forgettings[space] = newest
            self.drop_caches()

    def model(self) -> Model | None:
        """Open the language model of the settings; None where they name none."""
        return model_access.model_of(self.settings.model, self.file)

    def clean(self, text: str) -> str:
        """Return a text without what may not be kept."""
        return sanitise.clean_text(text, policy=self.rules.policy)

    def outward(self, text: str) -> str:
        """Return a text without what may not leave for a model."""
        return sanitise.clean_for_sink(text, policy=self.rules.policy)
