"""Anticipated questions: the memories that were expected to answer a question, by meaning.

The questions were recorded with the experiences that answer them, and have vectors of their own.
Only those count that were recorded and embedded by the moment that the question is asked as of.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ...core.entries import QuestionsAnticipated
from ...core.ids import content_hash
from ...core.types import EntryKind
from ...graph.adjacency import Adjacency
from ...graph.view import Floats, Ints
from ...models.products import product
from ...storage.space_caches import SpaceCache
from ...storage.store import Store
from ...storage.vectors import Matrix, VectorTable
from ..candidates.pool import SpaceView
from ..candidates.tracerank_history import experience_rows


@dataclass(frozen=True, slots=True)
class AnticipatedMatches:
    """The anticipated questions nearest to one that was asked: one a memory.

    `rows` of `view.experiences` ascending, the cosine of each, and the question.
    """

    rows: Ints
    cosines: Floats
    questions: tuple[str, ...]


NO_MATCHES = AnticipatedMatches(np.zeros(0, np.int64), np.zeros(0), ())


@dataclass(slots=True)
class _QuestionCache:
    """What was read of a space: by part of a question its sequence, experience, text, vector."""

    model: str
    until: int = 0
    seqs: list[int] = field(default_factory=list)
    experiences: list[str] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)
    embeddings: list[Matrix] = field(default_factory=list)


class AnticipatedQuestions:
    """Compares questions with those that were anticipated; only what is new is read."""

    def __init__(self, file: Store, adjacency: Adjacency) -> None:
        self._file = file
        self._adjacency = adjacency
        self._caches: SpaceCache[_QuestionCache] = SpaceCache(file.caches)

    def nearest(self, space: SpaceView, vector: Matrix) -> AnticipatedMatches:
        """Return for each memory that can be seen its anticipated question nearest to a vector."""
        if space.index is None:
            return NO_MATCHES
        cache = self._read(space, space.index.model, space.index.until)
        everything = space.visible.all()
        last = int(np.max(space.view.experiences.seqs[space.visible], initial=0))
        until = space.index.until if everything else min(space.index.until, last)
        eligible = [place for place, seq in enumerate(cache.seqs) if seq <= until]
        if not eligible:
            return NO_MATCHES
        cosines = product(
            np.stack([cache.embeddings[place] for place in eligible]).astype(np.float64), vector
        )
        asked_of = [cache.experiences[place] for place in eligible]
        rows = experience_rows(self._adjacency, space, asked_of)
        best: dict[int, int] = {}
        for at in np.lexsort((np.arange(len(eligible)), -cosines)).tolist():
            if rows[at] >= 0 and space.visible[rows[at]]:
                best.setdefault(int(rows[at]), at)
        best_rows = sorted(best)
        return AnticipatedMatches(
            np.array(best_rows, np.int64),
            np.array([cosines[best[row]] for row in best_rows], np.float64),
            tuple(cache.questions[eligible[best[row]]] for row in best_rows),
        )

    def _read(self, space: SpaceView, model: str, until: int) -> _QuestionCache:
        with self._caches.lock(space.name):
            cache = self._caches.get(space.name)
            if cache is None or cache.model != model:
                cache = _QuestionCache(model)
            if cache.until >= until:
                return cache
            kind = EntryKind.QUESTIONS_ANTICIPATED
            asked = [
                (int(entry.seq), payload.experience, question)
                for entry in self._file.journal.of_kind(space.name, kind, cache.until)
                if isinstance(payload := entry.payload, QuestionsAnticipated) and entry.seq <= until
                for question in payload.questions
            ]
            hashes = sorted({content_hash(question) for *_, question in asked})
            stored = VectorTable(self._file.space(space.name)).of_texts(model, hashes)
            asked_before = [*cache.seqs], [*cache.experiences], [*cache.questions]
            fresh = _QuestionCache(model, until, *asked_before)
            fresh.embeddings = [*cache.embeddings]
            for seq, experience, question in asked:
                for embedding in stored.get(content_hash(question), ()):
                    fresh.seqs.append(seq)
                    fresh.experiences.append(experience)
                    fresh.questions.append(question)
                    fresh.embeddings.append(embedding)
            self._caches.put(space.name, fresh)
            return fresh
