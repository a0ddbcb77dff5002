"""Answers questions over spaces whose views are kept in memory, and keeps each answer.

Holds per space the newest graph view, vector index and statistics, all immutable; a question
sees one consistent set. Keeping an answer happens behind it, never before it.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from threading import Lock

from ..core.errors import MeridiaError
from ..core.people import Gazetteer
from ..core.ports import Embedder, TokenEmbedder
from ..core.settings import RecallSettings
from ..core.time import to_text
from ..core.types import Space as SpaceName
from ..graph.adjacency import Adjacency
from ..graph.journal_file import JournalFile
from ..graph.vectors import Matrix, VectorIndexes
from .activator import OpenGraph
from .breakdown import debug_record
from .kept import Inputs, Request, Sight, matches_of, seed_of
from .late import Asked, asked_of, in_voice
from .pool import Pool, Space
from .question import Question, analyse
from .recall import Ranked, Recall, Recaller, as_json
from .state import State, prepared, sight_of, space_of
from .voice import in_own_voice

__all__ = ["Known", "Recollection", "Request", "State"]
#: Says how each answer came about, one line of JSON without content, where `recall.debug` is on.
_log = logging.getLogger("meridia.recall")


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a space besides its views: people, how far it is enriched, and notes."""

    people: Gazetteer
    enriched: int
    notes: Sequence[str] = ()


class Recollection:
    """Recall over the spaces of one journal file."""

    def __init__(
        self,
        file: JournalFile,
        adjacency: Adjacency,
        indexes: VectorIndexes,
        settings: RecallSettings,
        clean: Callable[[str], str] = str,
        graph: OpenGraph | None = None,
    ) -> None:
        """Answer from a file; `clean` takes out of a question what may not be kept with it.

        `graph` opens a space's graph engine, for activation that moves over it.
        """
        self._file = file
        self._indexes = indexes
        self._adjacency = adjacency
        self._settings = settings
        self._clean = clean
        self._recaller = Recaller(file, adjacency, settings, graph=graph)
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
        request = replace(request, seed=seed_of(id), asked_at=self._file.clock())
        question = analyse(request.question, self._file.analyser, known.people, request.now)
        simple = self._settings.profile == "simple"
        embedder = None if simple or not request.question.strip() else embedder
        encoded = self._encoded(request.question, embedder, known.people)
        embedded = time.perf_counter()
        state = self.state(name, embedder, known.enriched)
        ready = time.perf_counter()
        ranked = self.rank(name, state, request, question, *encoded)
        done = time.perf_counter()
        hits = self._recaller.hits(ranked)
        timings = {
            "embed": embedded - started,
            "views": ready - embedded,
            "core": done - ready,
            "texts": time.perf_counter() - done,
        }
        told = [*known.notes, *notes_of(ranked.pool.space, request), *ranked.notes]
        if embedder is None and not simple and question.text.strip():
            told.append("embedding is off: answered from words and the graph alone")
        recall = Recall(
            id=id,
            question=request.question,
            hits=hits,
            profile=self._settings.profile,
            seq=state.view.until,
            notes=told,
            reading=question.told(),
            timings_ms={part: seconds * 1000 for part, seconds in timings.items()},
        )
        if self._settings.debug:
            _log.info(json.dumps(debug_record(recall, len(ranked.pool.rows), len(question.terms))))
        if self._settings.keep:
            seen, people = sight_of(state, embedder), known.people
            inputs = partial(self._inputs, request, seen, people, encoded, ranked.pool)
            self._kept = self._keeper.submit(self._keep, name, recall, inputs)
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
        space = space_of(self._file, name, state, request)
        return self._recaller.rank(space, question, vector, request.limit, asked)

    def _encoded(
        self, text: str, embedder: Embedder | None, people: Gazetteer
    ) -> tuple[Matrix | None, Asked | None]:
        """Return a question's vector, in the voice of whom it asks about, and its own words'."""
        if embedder is None:
            return None, None
        if self._settings.profile == "reference":
            return embedder.embed([text])[0], None
        voiced = in_own_voice(text, people)
        if not isinstance(embedder, TokenEmbedder) or not self._settings.closely:
            return embedder.embed([voiced])[0], None
        encoded, analyser = embedder.encode(text), self._file.analyser
        turned = encoded if voiced == text else embedder.encode(voiced)
        asked = asked_of(text, encoded, embedder.model, analyser, people.words)
        return turned.vector, in_voice(asked, voiced, turned, analyser)

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
            state = prepared(view, index, before)
            self._states[name] = state
            return state

    def _inputs(
        self,
        request: Request,
        seen: Sight,
        people: Gazetteer,
        encoded: tuple[Matrix | None, Asked | None],
        pool: Pool,
    ) -> Inputs:
        """Return what a question was asked with; called behind the answer."""
        touched, matches = people.touching(request.question), matches_of(pool)
        named = self._settings.ranker and self._settings.profile == "default"
        weights = self._recaller.weights if named else None
        return Inputs(request, seen, self._settings, touched, *encoded, matches, weights)

    def _keep(self, name: SpaceName, recall: Recall, inputs: Callable[[], Inputs]) -> None:
        """Write down an answer; a journal that takes no writes loses the trace, not the answer.

        What a question may not be kept with is not kept in another form either.
        """
        try:
            kept = replace(recall, question=self._clean(recall.question))
            body = as_json(kept)
            given = inputs()
            hints = json.dumps(given.request.hints, ensure_ascii=False)
            if kept.question == recall.question and self._clean(hints) == hints:
                body["inputs"] = given.as_json()
            self._file.trace.keep_recall(name, recall.id, body)
            detail: Mapping[str, object] = {"hits": len(recall.hits), "profile": recall.profile}
            self._file.trace.write(name, "recall", "recall", recall.id, dict(detail))
        except MeridiaError:
            return


def notes_of(space: Space, request: Request) -> list[str]:
    """Return what a reader of an answer as of then, or of none, should know."""
    notes = []
    experiences = space.view.experiences
    if not len(experiences.seqs):
        notes.append("there are no memories in this space yet")
    elif not space.visible.any():
        first = datetime.fromtimestamp(int(experiences.at.min()), UTC)
        notes.append(
            f"nothing had happened or was known by then: the first memory is of {to_text(first)}, "
            f"journal {int(experiences.seqs[0])}"
        )
    elif not space.visible.all():
        notes.append("what was not known then is left out; how rare a word is counts as of today")
    if not request.question.strip():
        notes.append("the question is empty: nothing to look for")
    return notes
