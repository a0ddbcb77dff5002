"""Answers questions over spaces whose views are kept in memory, and keeps each answer.

Holds per space the newest graph view, vector index and statistics, all immutable; a question
sees one consistent set. Keeping an answer happens behind it, never before it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import datetime
from threading import Lock

import numpy as np

from ..core.errors import InvalidInput, MeridiaError
from ..core.people import Gazetteer
from ..core.ports import Embedder, TokenEmbedder
from ..core.settings import RecallSettings
from ..core.types import Filters
from ..core.types import Space as SpaceName
from ..graph.adjacency import Adjacency
from ..graph.journal_file import JournalFile
from ..graph.vectors import Matrix, VectorIndex, VectorIndexes
from ..graph.view import Floats, GraphView, Ints
from .context import extended
from .late import Asked, asked_of
from .pool import Space
from .question import Question, analyse
from .ranking import information_high, session_lengths
from .recall import Ranked, Recall, Recaller, as_json
from .voice import in_own_voice


@dataclass(frozen=True, slots=True)
class Request:
    """A question with its limits; `as_of` is a time or a journal sequence."""

    question: str
    limit: int
    filters: Filters
    as_of: datetime | int | None = None


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a space besides its views: people, how far it is enriched, and notes."""

    people: Gazetteer
    enriched: int
    notes: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class State:
    """What is held in memory of one space; `index` is None until vectors were asked for."""

    view: GraphView
    index: VectorIndex | None
    norms: Floats
    vector_rows: Ints
    session_words: Floats
    information: float


class Recollection:
    """Recall over the spaces of one journal file."""

    def __init__(
        self,
        file: JournalFile,
        adjacency: Adjacency,
        indexes: VectorIndexes,
        settings: RecallSettings,
        clean: Callable[[str], str] = str,
    ) -> None:
        """Answer from a file; `clean` takes out of a question what may not be kept with it."""
        self._file = file
        self._indexes = indexes
        self._adjacency = adjacency
        self._settings = settings
        self._clean = clean
        self._recaller = Recaller(file.database, file.catalog, adjacency, settings)
        self._states: dict[SpaceName, State] = {}
        self._lock = Lock()
        self._keeper = ThreadPoolExecutor(1, thread_name_prefix="meridia-keeper")
        self._kept: Future[None] | None = None

    def settle(self) -> None:
        """Wait until every answer so far is kept."""
        if self._kept is not None:
            self._kept.result()

    def close(self) -> None:
        """Wait until every answer is kept, and take no more."""
        self._keeper.shutdown(wait=True)

    def answer(
        self,
        name: SpaceName,
        id: str,
        request: Request,
        embedder: Embedder | None,
        known: Known,
    ) -> Recall:
        """Answer a question from what is enriched, and keep the answer under `id`."""
        started = time.perf_counter()
        question = analyse(request.question, self._file.analyser, known.people)
        simple = self._settings.profile == "simple"
        embedder = None if simple or not request.question.strip() else embedder
        vector, asked = self._encoded(request.question, embedder, known.people)
        embedded = time.perf_counter()
        state = self.state(name, embedder, known.enriched)
        ready = time.perf_counter()
        ranked = self.rank(name, state, request, question, vector, asked)
        done = time.perf_counter()
        hits = self._recaller.hits(ranked)
        timings = {
            "embed": embedded - started,
            "views": ready - embedded,
            "core": done - ready,
            "texts": time.perf_counter() - done,
        }
        told = list(known.notes)
        if embedder is None and not simple and question.text.strip():
            told.append("embedding is off: answered from words and the graph alone")
        recall = Recall(
            id=id,
            question=request.question,
            hits=hits,
            profile=self._settings.profile,
            seq=state.view.until,
            notes=told,
            timings_ms={part: seconds * 1000 for part, seconds in timings.items()},
        )
        if self._settings.keep:
            self._kept = self._keeper.submit(self._keep, name, recall)
        return recall

    def rank(
        self,
        name: SpaceName,
        state: State,
        request: Request,
        question: Question,
        vector: Matrix | None,
        asked: Asked | None = None,
    ) -> Ranked:
        """Run the recall core: candidates, spreading and scores, without loading any text."""
        space = self._space(name, state, request)
        return self._recaller.rank(space, question, vector, request.limit, asked)

    def _encoded(
        self, text: str, embedder: Embedder | None, people: Gazetteer
    ) -> tuple[Matrix | None, Asked | None]:
        """Return a question's vector, in the voice of whom it asks about, and its own words'."""
        if embedder is None:
            return None, None
        voiced = in_own_voice(text, people)
        if not isinstance(embedder, TokenEmbedder) or not self._settings.closely:
            return embedder.embed([voiced])[0], None
        encoded = embedder.encode(text)
        asked = asked_of(text, encoded, embedder.model, self._file.analyser, people.words)
        return (encoded.vector if voiced == text else embedder.embed([voiced])[0]), asked

    def _space(self, name: SpaceName, state: State, request: Request) -> Space:
        experiences = state.view.experiences
        visible = np.ones(len(experiences.seqs), bool)
        if isinstance(request.as_of, datetime):
            if request.as_of.tzinfo is None:
                raise InvalidInput("as_of has no timezone: add one, such as +00:00")
            visible &= experiences.at <= request.as_of.timestamp()
        elif request.as_of is not None:
            visible &= experiences.seqs <= request.as_of
        allowed = visible
        if request.filters.narrows():
            rows = experiences.index_of(
                np.array(self._file.catalog.matching(name, request.filters), np.int64)
            )
            allowed = np.zeros(len(visible), bool)
            allowed[rows[rows >= 0]] = True
            allowed &= visible
        return Space(
            name=name,
            number=self._file.journal.number(name),
            information=state.information,
            norms=state.norms,
            vector_rows=state.vector_rows,
            session_words=state.session_words,
            view=state.view,
            index=state.index,
            visible=visible,
            allowed=allowed,
        )

    def state(self, name: SpaceName, embedder: Embedder | None, enriched: int) -> State:
        """Return the newest view, vectors and statistics of a space; only what is new is read."""
        with self._lock:
            before = self._states.get(name)
            view = self._adjacency.view(name, before.view if before else None)
            index = before.index if before else None
            if embedder is not None:
                number = self._file.journal.number(name)
                until = min(view.until, enriched)
                index = self._indexes.index(number, embedder.model, embedder.dimension, until)
            if before is not None and view is before.view and index is before.index:
                return before
            state = _prepared(view, index, before)
            self._states[name] = state
            return state

    def _keep(self, name: SpaceName, recall: Recall) -> None:
        """Write down an answer; a journal that takes no writes loses the trace, not the answer."""
        try:
            kept = replace(recall, question=self._clean(recall.question))
            self._file.trace.keep_recall(name, recall.id, as_json(kept))
            detail: Mapping[str, object] = {"hits": len(recall.hits), "profile": recall.profile}
            self._file.trace.write(name, "recall", "recall", recall.id, dict(detail))
        except MeridiaError:
            return


def _prepared(view: GraphView, index: VectorIndex | None, before: State | None) -> State:
    """Work out what questions need of a view and its vectors, from what was known before."""
    rows, norms = np.zeros(0, np.int64), np.zeros(0)
    if index is not None:
        rows = view.experiences.index_of(index.seqs)
        settled = _settled(view, before)
        known = before.norms[:settled] if before else norms
        norms = extended(known, view, index, settled)
    return State(view, index, norms, rows, session_lengths(view), max(information_high(view), 1e-9))


def _settled(view: GraphView, before: State | None) -> int:
    """Return how many first rows are the same as before, and had their vectors then."""
    if before is None or before.index is None:
        return 0
    seqs, old = view.experiences.seqs, before.view.experiences.seqs
    covered = int(np.searchsorted(old, before.index.until, side="right"))
    return covered if np.array_equal(seqs[:covered], old[:covered]) else 0
