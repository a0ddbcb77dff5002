"""Recall: a question becomes ranked memories, each with the reasons for its score.

Reads only. What is missing (vectors, a graph view that lags) is said in the notes, never hidden.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ..core.ids import concept_id
from ..core.ordered import distinct
from ..core.settings import RecallSettings
from ..core.text import shorten
from ..core.types import Memory
from ..graph import search, token_vectors
from ..graph.adjacency import Adjacency
from ..graph.journal_file import JournalFile
from ..graph.vectors import Matrix
from ..graph.view import Floats, GraphView, Ints
from . import about, boosts, feedback, late, learned, optional, phrasing, ranking
from .activation import Reached
from .activator import Activator, OpenGraph
from .late import Asked, Nearest
from .periods import Period
from .pool import Mask, Pool, Space, gather
from .postings import Postings, postings
from .profile import Weights
from .question import Question
from .reasons import explain, paths_told
from .reference import Reference
from .shares import Reason, Share, best_first, total

#: How much of a message a reason quotes, characters.
_BEGINNING = 40


@dataclass(frozen=True, slots=True)
class Hit:
    """One recalled memory: what it says, its score, and the trace that sums to it."""

    memory: Memory
    rank: int
    score: float
    trace: Reason

    @property
    def id(self) -> str:
        """Meridia's own id."""
        return self.memory.id

    @property
    def event_id(self) -> str:
        """The caller's id."""
        return self.memory.event_id

    @property
    def base(self) -> float:
        """The score without what facets and profile add."""
        added = [b.value for b in self.trace.children if b.label in {boosts.FACETS, boosts.PROFILE}]
        return self.score - sum(added) if added else self.score

    @property
    def text(self) -> str:
        """What was said, or a tool's name, arguments and result."""
        return self.memory.text


@dataclass(frozen=True, slots=True)
class Recall:
    """An answered question. `notes` say what it was answered without.

    `reading` says how the question was read: words, people and times found in it.
    """

    id: str
    question: str
    hits: Sequence[Hit]
    profile: str
    seq: int
    notes: Sequence[str] = ()
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    reading: Mapping[str, Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Ranked:
    """The core's answer before texts are loaded: rows best first, their scores and shares.

    `notes` are for whoever reads the answer.
    """

    pool: Pool
    order: Ints
    scores: Floats
    shares: Sequence[Share]
    notes: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Looked:
    """What was looked up for a question, whatever is scored; `reached` by activation."""

    question: Question
    found: Postings
    periods: Sequence[Period]
    trust: float
    reached: Reached | None
    together: Sequence[Ints]


class Recaller:
    """Ranks the experiences of a space for a question."""

    def __init__(
        self,
        file: JournalFile,
        adjacency: Adjacency,
        settings: RecallSettings,
        weights: tuple[Weights, Weights] | None = None,
        graph: OpenGraph | None = None,
    ) -> None:
        """Rank with `weights`: of everything in the pool, and of what is looked at closely.

        Without any, those of the file that `recall.ranker` names, read when they are first needed,
        or the built-in ones.
        With `graph`, activation may move over a graph engine instead of the arrays of a view.
        """
        self._database = file.database
        self._given = weights
        self._catalog = file.catalog
        self._adjacency = adjacency
        self._settings = settings
        self._activator = Activator(file.journal, adjacency, settings, graph)
        self._reference = Reference(file, adjacency, settings)

    @cached_property
    def weights(self) -> tuple[Weights, Weights]:
        """What every mechanism counts for: of all candidates, and of what is looked at closely."""
        return self._given or learned.read(self._settings.ranker)

    def rank(
        self,
        space: Space,
        question: Question,
        vector: Matrix | None,
        limit: int,
        asked: Asked | None = None,
    ) -> Ranked:
        """Score the pool of a question and return its best `limit` rows.

        With `asked`, the words of the question as token vectors, the best of them are looked at
        word by word. With `recall.rerank`, facets and profile change the order of the best.
        """
        if not self._settings.rerank:
            return self._scored(space, question, vector, limit, asked)
        wide = boosts.widened(self._settings, limit)
        found = self._scored(space, question, vector, wide, asked)
        best = boosts.reordered(
            found.pool, found.order, list(found.shares), self._catalog, self._settings
        )
        notes = (*found.notes, *best.notes)
        return Ranked(best.pool, best.order[:limit], best.scores, best.shares, notes)

    def _scored(
        self,
        space: Space,
        question: Question,
        vector: Matrix | None,
        limit: int,
        asked: Asked | None,
    ) -> Ranked:
        """Return the best `limit` rows without facets and profile."""
        wanted = max(self._settings.candidates, limit)
        if self._settings.profile == "simple":
            return self._simple(space, question, wanted, limit)
        if self._settings.profile == "reference":
            pool, shares, notes = self._reference.shares(space, question, vector)
            return _ordered(pool, shares, limit, notes)
        found = self._postings(space, question.terms)
        periods = about.periods_of(space, question, found)
        favoured = about.favoured(space, question, periods)
        matches = self._matches(space, question.terms, wanted, favoured)
        pool = gather(space, matches, vector, wanted, favoured)
        reached = self._activator.activate(pool) if self._settings.spread else None
        if reached is not None:
            pool = ranking.joined(pool, reached)
        trust = ranking.gate(pool, question, found)
        together = [
            self._rows(space.view, search.phrase(self._database, space.number, pair))
            for pair in question.pairs
        ]
        known = Looked(question, found, periods, trust, reached, together)
        shares = self._default(pool, known, asked)
        if self._settings.feedback:
            shares += feedback.shares(self._database, pool, self._settings.feedback_max)
        shares += optional.shares(pool, shares, self._catalog, self._settings)
        return _ordered(pool, shares, limit, () if reached is None else reached.notes)

    def _simple(self, space: Space, question: Question, wanted: int, limit: int) -> Ranked:
        """Rank by words alone."""
        pool = gather(space, self._matches(space, question.terms, wanted, ()), None, wanted)
        kept = pool.rows[pool.words[pool.rows] > 0]
        pool = Pool(space, kept, pool.similarity, pool.words, pool.mass)
        shares = [Share("words", "words in common (BM25)", pool.words[pool.rows])]
        return _ordered(pool, shares, limit)

    def _default(self, pool: Pool, known: Looked, asked: Asked | None) -> list[Share]:
        """Return the shares of a pool; the best of it are looked at closely, word by word."""
        weights, close_up = self.weights
        shares = self._shares(pool, known, weights)
        if asked is None or not len(asked.stems) or not self._settings.closely:
            return shares
        scores = total(shares, len(pool.rows))
        near = np.sort(best_first(pool.rows, scores)[: self._settings.closely])
        closer = Pool(pool.space, pool.rows[near], pool.similarity, pool.words, pool.mass)
        nearest = self._nearest(closer, asked, known)
        if nearest is None:
            return shares
        close = self._closer(closer, known, nearest, close_up)
        return ranking.placed(shares, close, near, len(pool.rows))

    def _closer(
        self, pool: Pool, known: Looked, nearest: tuple[Nearest, Nearest], weights: Weights
    ) -> list[Share]:
        """Return the shares of memories that are looked at closely."""
        words, voiced = nearest
        return [
            *self._shares(pool, known, weights),
            *ranking.said(pool, words, weights, known.trust),
            *phrasing.phrased(pool, voiced, weights, known.trust),
        ]

    def _matches(
        self, space: Space, terms: Sequence[str], wanted: int, favoured: Sequence[Mask]
    ) -> list[tuple[int, float]]:
        """Return the best full-text matches, and half as many again of each of the favoured."""
        if space.matches is not None:
            return list(space.matches)
        seqs = space.view.experiences.seqs
        among = None if space.allowed.all() else seqs[space.allowed].tolist()
        limit = 3 * wanted if favoured else wanted
        found = search.match(self._database, space.number, terms, limit, among)
        best, rest = found[:wanted], found[wanted:]
        rows = space.view.experiences.index_of(np.array([seq for seq, _ in rest], np.int64))
        for mask in favoured:
            mine = np.flatnonzero((rows >= 0) & mask[rows])[: wanted // 2]
            best += [rest[place] for place in mine]
        return best

    def _shares(self, pool: Pool, known: Looked, weights: Weights) -> list[Share]:
        """Return what every mechanism gives to the memories of a pool."""
        question, found, trust = known.question, known.found, known.trust
        says = ranking.information(pool.space.view, pool.rows) / pool.space.information
        shares = [
            *ranking.meaning(pool, weights, trust),
            *ranking.words(pool, found, weights, trust),
            *ranking.pairs(pool, known.together, weights, trust),
            *ranking.matches(pool, weights, trust),
            *ranking.session(pool, found, weights, trust),
            *ranking.speaker(pool, question, weights),
            *ranking.present(pool, question, weights),
            *ranking.times(pool, question, known.periods, weights),
            *ranking.priors(pool, np.minimum(says, 1.0), weights, trust),
        ]
        if self._settings.spread:
            shares += ranking.spread(pool, known.reached, weights)
        return shares

    def _nearest(self, pool: Pool, asked: Asked, known: Looked) -> tuple[Nearest, Nearest] | None:
        """Look up each word's nearest in a pool and beside it; None where no words are recorded.

        Of the content words, and of every piece of the question in its own voice.
        """
        beside = [0, -1, 1, -2, 2]
        rows = np.stack([pool.neighbours(offset) if offset else pool.rows for offset in beside])
        wanted = distinct(rows.ravel())
        seqs, index = pool.space.view.experiences.seqs, pool.space.index
        # Words of what has no vector yet would count or not by who enriched it, and when.
        until = 0 if index is None else index.until
        wanted = wanted[(wanted >= 0) & (seqs[wanted] <= until)]
        loaded = token_vectors.load(
            self._database, pool.space.number, asked.model, seqs[wanted].tolist()
        )
        if not loaded:
            return None
        stored = {int(row): loaded[int(seqs[row])] for row in wanted if int(seqs[row]) in loaded}
        rarity = dict(zip(known.found.terms, known.found.rarity.tolist(), strict=True))
        unseen = float(np.log(1 + len(seqs) / 0.5))
        found = late.nearest(asked.everything(), stored, rows).swapaxes(0, 1)
        words, pieces = len(asked.stems), len(asked.kinds)
        counts = late.weights(asked.stems, rarity, unseen)
        return (
            Nearest(asked.stems, counts, dict(zip(beside, found[:, :words], strict=True))),
            Nearest(
                asked.kinds,
                np.full(pieces, 1 / max(pieces, 1)),
                dict(zip(beside, found[:, words:], strict=True)),
            ),
        )

    def _postings(self, space: Space, terms: Sequence[str]) -> Postings:
        ids = [concept_id(space.name, term) for term in terms]
        numbers = self._adjacency.numbers(space.name, ids)
        nodes = space.view.nodes_of(np.array([numbers.get(id, -1) for id in ids], np.int64))
        return postings(space.view, terms, nodes.tolist())

    def _rows(self, view: GraphView, seqs: Sequence[int]) -> Ints:
        rows = view.experiences.index_of(np.array(seqs, np.int64))
        return rows[rows >= 0]

    def hits(self, ranked: Ranked) -> list[Hit]:
        """Load the texts of the ranked rows and explain each score."""
        space = ranked.pool.space
        rows = ranked.pool.rows[ranked.order]
        told = paths_told(ranked.shares, ranked.order, rows)
        passed_by = [node for paths in told.values() for path in paths for node in path.nodes]
        nodes = np.unique(np.array(passed_by, np.int64))
        passed = space.view.experience_of[nodes]
        sources = np.concatenate([_sources(ranked), passed[passed >= 0]])
        seqs = space.view.experiences.seqs[np.union1d(rows, sources).astype(np.int64)]
        memories = self._catalog.fetch(space.name, seqs.tolist())
        numbers = space.view.numbers[nodes[passed < 0]]
        known = self._adjacency.identify(space.name, numbers.tolist())

        def describe(row: int) -> tuple[str, str]:
            memory = memories[int(space.view.experiences.seqs[row])]
            return memory.uri, shorten(memory.text, _BEGINNING)

        def name(node: int) -> tuple[str, str]:
            row = int(space.view.experience_of[node])
            if row < 0:
                return known.get(int(space.view.numbers[node]), ("?", "?"))
            uri, beginning = describe(row)
            return uri, f"“{beginning}”"

        return [
            Hit(
                memory=memories[int(space.view.experiences.seqs[row])],
                rank=rank,
                score=float(ranked.scores[place]),
                trace=explain(ranked.shares, int(place), told.get(int(row), ()), describe, name),
            )
            for rank, (place, row) in enumerate(zip(ranked.order, rows, strict=True), start=1)
            if int(space.view.experiences.seqs[row]) in memories
        ]


def _ordered(pool: Pool, shares: Sequence[Share], limit: int, notes: Sequence[str] = ()) -> Ranked:
    scores = total(shares, len(pool.rows))
    return Ranked(pool, best_first(pool.rows, scores)[:limit], scores, shares, notes)


def _sources(ranked: Ranked) -> Ints:
    """Return every row that a reason of the ranked rows names."""
    found = [share.source[ranked.order] for share in ranked.shares if share.source is not None]
    rows = distinct(np.concatenate(found)) if found else np.zeros(0, np.int64)
    return rows[rows >= 0]


def as_json(recall: Recall) -> dict[str, Any]:
    """Return a recall as plain JSON values: the documented shape of `recall --json`."""
    return {
        "recall": recall.id,
        "question": recall.question,
        "profile": recall.profile,
        "seq": recall.seq,
        "notes": list(recall.notes),
        "reading": {kind: list(parts) for kind, parts in recall.reading.items()},
        "hits": [
            {
                "rank": hit.rank,
                "score": hit.score,
                "base": hit.base,
                "id": hit.id,
                "event_id": hit.event_id,
                "uri": hit.memory.uri,
                "kind": hit.memory.kind,
                "at": hit.memory.at.isoformat(),
                "person": hit.memory.person,
                "session": hit.memory.session,
                "text": hit.text,
                "artifacts": [
                    {"kind": a.kind, "uri": a.uri, "description": a.description}
                    for a in hit.memory.artifacts
                ],
                "trace": hit.trace.as_json(),
            }
            for hit in recall.hits
        ],
    }
