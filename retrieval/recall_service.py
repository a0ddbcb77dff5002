"""Answers questions over spaces whose views are cached in memory, and stores each answer.

The cache has the newest graph view, vector index and statistics of each space, all immutable; a
question reads one consistent set. An answer is stored after it is returned, never before.
"""

from __future__ import annotations

import copy
import itertools
import json
import logging
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from threading import Semaphore

from ..core.errors import MeridiaError, Stranger, closed
from ..core.people import Gazetteer, near_names
from ..core.ports import VectorSource
from ..core.settings import CHUNK_WORDS, RecallSettings
from ..core.time import to_text
from ..core.types import Filters
from ..core.types import Space as SpaceName
from ..graph.adjacency import Adjacency
from ..language.questions.question import ParsedQuestion, parse_question, questions_in
from ..models.tokens import Embedder
from ..storage.connections import begins_anew
from ..storage.sorted_arrays import distinct
from ..storage.space_caches import SpaceCache, weigh
from ..storage.store import Store
from ..storage.upkeep import newest_forgetting
from ..storage.vectors import Matrix, VectorIndexes
from .candidates.activation import OpenGraph
from .candidates.pool import SpaceSnapshot, SpaceView
from .ranked import Ranked, of_parts
from .ranking.late_interaction import QuestionTokens, encode_question, question_texts
from .recall import Recaller
from .recall_record import (
    RecallInputs,
    RecallRequest,
    SnapshotRef,
    debug_record,
    matches_of,
    seed_of,
)
from .recall_result import Recall, record_of
from .space_snapshot import (
    build_snapshot,
    snapshot_ref_of,
    space_view,
)
from .vector_sources.sources import BUILT_IN, GRAPHITI, graphiti_finds, named_candidates

__all__ = ["RecallRequest", "RecallService", "SpaceInfo", "SpaceSnapshot"]
#: What the times of an answer are spent on, one after the other.
_STAGES = ("embed", "views", "core", "texts")
#: So many answers later, old ones are looked for again.
_PRUNE_EVERY = 50
#: Answers that may wait to be written down: each holds its whole pool in memory.
_UNSTORED_MAX = 32
#: Says how each answer came about, one line of JSON without content, where `recall.debug` is on.
_log = logging.getLogger("meridia.recall")


@dataclass(frozen=True, slots=True)
class SpaceInfo:
    """The state of a space besides its views: people, progress of enrichment, and notes.

    `read` is the sequence up to which the rules have read, with the journal's end then; None: all.
    `unread` counts the memories that are not enriched yet.
    """

    people: Gazetteer
    enriched: int
    notes: Sequence[str] = ()
    read: tuple[int, int] | None = None
    unread: int = 0


@dataclass(frozen=True, slots=True)
class Opens:
    """Components that are opened when a question needs them.

    `graph` is a space's graph engine, for activation that moves over it; `source` the vector source
    of a name, without which candidates come from the built-in one. Texts of more than
    `chunk_words` were split.
    """

    graph: OpenGraph | None = None
    source: Callable[[str], VectorSource] | None = None
    chunk_words: int = CHUNK_WORDS


class _Keeper:
    """The thread that writes down answers, and room for those that wait for it."""

    def __init__(self) -> None:
        self.leave_to_parent()
        begins_anew(self)

    def leave_to_parent(self) -> None:
        """Begin with nothing to write: in the child of a fork, the thread is its parent's."""
        self.writer = ThreadPoolExecutor(1, thread_name_prefix="meridia-recalls")
        self.room = Semaphore(_UNSTORED_MAX)


class RecallService:
    """Recall over the spaces of one journal file."""

    def __init__(
        self,
        file: Store,
        adjacency: Adjacency,
        indexes: VectorIndexes,
        settings: RecallSettings,
        clean: Callable[[str], str] = str,
        opens: Opens = Opens(),
    ) -> None:
        """Answer from a file; `clean` removes from a question what must not be stored."""
        self._file = file
        self._indexes = indexes
        self._adjacency = adjacency
        self._settings = settings
        self._clean = clean
        self._opens = opens
        self._recaller = self._recaller_with(settings)
        #: Vectors are counted where they are held for all.
        self._snapshots: SpaceCache[SpaceSnapshot] = SpaceCache(
            file.caches, lambda held: weigh(held, held.index, held.encoder), follows=True
        )
        self._keeper = _Keeper()
        self._stored: dict[SpaceName, int] = {}
        #: Services with other settings, each with the caches of its own ranking.
        self._others: dict[RecallSettings, RecallService] = {}

    def flush(self) -> None:
        """Wait until every answer so far is kept."""
        with suppress(RuntimeError):  # closed: that has waited for all of them
            self._keeper.writer.submit(lambda: None).result()

    def forget(self) -> None:
        """Drop cached texts; cached arrays are updated for what is removed."""
        self._others.clear()
        self._recaller = self._recaller_with(self._settings)

    def _recaller_with(self, settings: RecallSettings) -> Recaller:
        graph, words = self._opens.graph, self._opens.chunk_words
        return Recaller(self._file, self._adjacency, settings, graph=graph, chunk_words=words)

    def with_settings(self, settings: RecallSettings) -> RecallService:
        """Return this service with other settings; all share the caches of the spaces."""
        if settings in self._others:
            return self._others[settings]
        other = copy.copy(self)
        other._settings = settings  # noqa: SLF001 - of the same class
        other._recaller = self._recaller_with(settings)  # noqa: SLF001 - of the same class
        self._others[settings] = other
        return other

    def close(self) -> None:
        """Wait until every answer is kept, and take no more."""
        self._keeper.writer.shutdown(wait=True)

    def answer(
        self,
        name: SpaceName,
        id: str,
        request: RecallRequest,
        embedder: Embedder | None,
        info: SpaceInfo,
    ) -> Recall:
        """Answer a question from the enriched memories, and store the answer under `id`."""
        started = time.perf_counter()
        request = replace(request, seed=seed_of(id, request), asked_at=self._file.clock())
        question = parse_question(request.question, self._file.analyser, info.people, request.now)
        simple = self._settings.profile == "simple"
        embedder = None if simple or not request.question.strip() else embedder
        asked = [*self._questions(request, question, embedder, info.people)]
        embedded = time.perf_counter()
        snapshot = self.snapshot(name, embedder, info.enriched, info.read)
        ready = time.perf_counter()
        answers = [(one, self.rank(name, snapshot, one, *read)) for one, read in asked]
        ranked = of_parts([(one.question, of) for one, of in answers], request.limit)
        done = time.perf_counter()
        hits = self._recaller.hits(ranked, question)
        ends = started, embedded, ready, done, time.perf_counter()
        spent = [later - earlier for earlier, later in itertools.pairwise(ends)]
        missed = [] if hits else self._missed(name, request, info.people)
        stated = notes_of(ranked.pool.space, request, info.notes)
        notes = [*info.notes, *stated, *ranked.notes, *missed]
        if embedder is None and not simple and question.text.strip():
            notes.append("embedding is off: answered from words and the graph alone")
        recall = Recall(
            id=id,
            question=request.question,
            hits=hits,
            profile=self._settings.profile,
            seq=snapshot.view.until,
            unread=info.unread,
            confidence=round(ranked.confidence, 4),
            confident=ranked.confidence >= self._settings.confidence_min,
            max_score=ranked.max_score,
            notes=notes,
            reading=question.describe(),
            lateral=self._recaller.lateral_hits(ranked, question),
            timings_ms={stage: s * 1000 for stage, s in zip(_STAGES, spent, strict=True)},
        )
        if self._settings.debug:
            _log.info(json.dumps(debug_record(recall, len(ranked.pool.rows), len(question.terms))))
        if self._settings.keep:
            reference = snapshot_ref_of(snapshot, embedder)
            inputs = partial(self._inputs, request, reference, embedder, info, answers, ranked)
            self._keep(name, recall, inputs)
        return recall

    def _questions(
        self,
        request: RecallRequest,
        whole: ParsedQuestion,
        embedder: Embedder | None,
        people: Gazetteer,
    ) -> Iterator[
        tuple[RecallRequest, tuple[ParsedQuestion, Matrix | None, QuestionTokens | None]]
    ]:
        """Yield the questions of a request, each by itself, and as it is parsed and encoded."""
        analyser, questions = self._file.analyser, [request.question]
        if self._settings.profile == "default":
            questions = questions_in(request.question, analyser, people)
        for text in questions:
            texts = question_texts(text, people, analyser)
            encoded = encode_question(texts, embedder, self._settings, analyser)
            question = whole
            if text != whole.text:
                question = parse_question(text, analyser, people, request.now)
            yield replace(request, question=text), (question, *encoded)

    def _missed(self, space: SpaceName, request: RecallRequest, people: Gazetteer) -> list[str]:
        """Return what filters name and nothing is remembered of: a person, a session."""
        person, session = request.filters.person, request.filters.session
        notes = []
        if person is not None and people.find(person) is None:
            near = near_names(person, (each.name for each in people))
            notes.append(Stranger(person, near).text)
        if (
            session is not None
            and not self._file.catalog.page(
                space, Filters(session=session), after=0, limit=1
            ).memories
        ):
            notes.append(
                f"nothing is remembered of session {session!r}: `meridia sessions` lists them"
            )
        return notes

    def rank(
        self,
        name: SpaceName,
        snapshot: SpaceSnapshot,
        request: RecallRequest,
        question: ParsedQuestion,
        vector: Matrix | None,
        asked: QuestionTokens | None = None,
    ) -> Ranked:
        """Run the recall core: candidates, spreading and scores, without loading any text."""
        space = space_view(self._file, name, snapshot, request)
        source, notes = self._settings.vector_source, list[str]()
        if source != BUILT_IN and self._opens.source is not None:
            open_source = partial(self._opens.source, source)
            wanted = max(self._settings.candidates, request.limit)
            candidates, notes = named_candidates(
                open_source, source, space, request.question, vector, wanted
            )
            space = replace(space, candidates=candidates)
        if self._settings.graphiti and self._opens.source is not None:
            open_source = partial(self._opens.source, GRAPHITI)
            finds, missing = graphiti_finds(open_source, space, request.question, vector)
            space, notes = replace(space, finds=finds), [*notes, *missing]
        ranked = self._recaller.rank(space, question, vector, request.limit, asked)
        return replace(ranked, notes=(*ranked.notes, *notes)) if notes else ranked

    def snapshot(
        self,
        name: SpaceName,
        embedder: Embedder | None,
        enriched: int,
        read: tuple[int, int] | None = None,
    ) -> SpaceSnapshot:
        """Return the newest view, vectors and statistics of a space; only new entries are read.

        `read` is the sequence up to which the rules had read, and the journal's end then. A view
        that lacks some of their entries counts as read as far as the view before it.
        """
        with self._snapshots.lock(name), self._file.snapshot():
            before = self._snapshots.get(name)
            view = self._adjacency.view(name, before.view if before else None)
            index = before.index if before else None
            if embedder is not None:
                until = min(view.until, enriched)
                index = self._indexes.index(name, embedder.model, embedder.dimension, until)
            until, head = (view.until, 0) if read is None else read
            earlier = before.read if before else 0
            read_to = max(earlier, until) if view.until >= head else earlier
            if before is not None and view is before.view and index is before.index:
                return before if read_to == earlier else replace(before, read=read_to)
            snapshot = build_snapshot(view, index, read_to)
            snapshot = replace(snapshot, encoder=embedder or (before.encoder if before else None))
            self._snapshots.put(name, snapshot)
            return snapshot

    def _inputs(
        self,
        request: RecallRequest,
        snapshot_ref: SnapshotRef,
        embedder: Embedder | None,
        info: SpaceInfo,
        answers: Sequence[tuple[RecallRequest, Ranked]],
        ranked: Ranked,
    ) -> RecallInputs:
        """Return the inputs of a question; called after the answer is returned."""
        named = self._settings.ranker and self._settings.profile == "default"
        people, weights, analyser = info.people, self._recaller.weights, self._file.analyser
        each = [
            RecallInputs(
                replace(asked, finds=of.pool.space.finds),
                snapshot_ref,
                self._settings,
                people.touching(request.question),
                question_texts(asked.question, people, analyser) if embedder else None,
                matches_of(of.pool),
                ranked.scores[ranked.order].tolist(),
                weights if named else None,
                of.pool.space.candidates,
                _encoded_in(of.pool.space),
                of.pool.space.stand_ins or {},
            )
            for asked, of in answers
        ]
        return replace(each[0], request=request, parts=each) if each[1:] else each[0]

    def _keep(self, name: SpaceName, recall: Recall, inputs: Callable[[], RecallInputs]) -> None:
        """Store an answer after it is returned; callers that ask faster wait for room."""
        room = self._keeper.room
        room.acquire()
        try:
            written = self._keeper.writer.submit(self._store, name, recall, inputs)
        except RuntimeError:
            raise closed() from None
        written.add_done_callback(lambda _: room.release())

    def _store(self, name: SpaceName, recall: Recall, inputs: Callable[[], RecallInputs]) -> None:
        """Write down an answer; a journal that takes no writes loses the record, not the answer.

        What a question may not be kept with is not kept in another form either. Where something was
        forgotten after the answer, in another process too, the record might hold it: none is kept.
        """
        try:
            body = record_of(recall, self._clean(recall.question))
            given = inputs()
            hints = given.request.hints and json.dumps(given.request.hints, ensure_ascii=False)
            if body["question"] == recall.question and (not hints or self._clean(hints) == hints):
                body["inputs"] = given.packed()
            detail = {"hits": len(recall.hits), "profile": recall.profile}
            with self._file.writing(appends=False):
                if newest_forgetting(self._file, name) > given.snapshot_ref.seq:
                    return
                self._file.trace.keep_recall(name, recall.id, body)
                self._file.trace.write(name, "recall", "recall", recall.id, detail)
            self._prune(name)
        except MeridiaError:
            return

    def _prune(self, name: SpaceName) -> None:
        """Delete expired answers from time to time: with the first answer, and after some more."""
        count = self._stored[name] = self._stored.get(name, 0) + 1
        if count % _PRUNE_EVERY == 1:
            kept = self._settings
            self._file.trace.prune_recalls(name, kept.keep_max, kept.keep_days)
            self._file.prune_trace(name)


def _encoded_in(space: SpaceView) -> Sequence[int]:
    """Return the sequences of memories that were encoded while the question was answered."""
    if space.fresh is None:
        return ()
    seqs: list[int] = space.view.experiences.seqs[distinct(space.fresh.rows)].tolist()
    return seqs


def notes_of(space: SpaceView, request: RecallRequest, missing: Sequence[str] = ()) -> list[str]:
    """Return notes for the reader of an answer as of an earlier time, or of an empty answer.

    If something is `missing`, those notes may be all.
    """
    notes = []
    experiences = space.view.experiences
    as_of = request.moment is not None or request.last_seq is not None
    if not len(experiences.seqs) and missing:
        notes.append("no memory of this space can be found yet")
    elif not len(experiences.seqs):
        notes.append("there are no memories in this space yet")
    elif as_of and not space.visible.any():
        first = datetime.fromtimestamp(int(experiences.at.min()), UTC)
        notes.append(
            f"nothing had happened or was known by then: the first memory is of {to_text(first)}, "
            f"journal {int(experiences.seqs[0])}"
        )
    elif as_of and not space.visible.all():
        notes.append("memories not recorded by then are left out; the rarity of words is today's")
    if not request.question.strip():
        notes.append("the question is empty: there is nothing to look for")
    return notes
