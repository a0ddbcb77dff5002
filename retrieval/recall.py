"""Recall: from a question to ranked memories, each with its contributions.

It only reads. Notes say what was missing, such as vectors or an up-to-date graph view.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain

import numpy as np

from ..core.settings import CHUNK_WORDS, RecallSettings
from ..graph.adjacency import Adjacency
from ..graph.view import Floats, Ints
from ..language.questions.periods import Period
from ..language.questions.question import ParsedQuestion
from ..storage.store import Store
from ..storage.vectors import Matrix, TokenVectorCache
from .candidates import query_targets
from .candidates.activation import ActivationResult, Activator, OpenGraph
from .candidates.pool import FreshEncoder, Mask, Pool, SpaceView, asked_words, gather
from .candidates.postings import Postings, WordLookup, rows_of, searched_terms
from .ranked import Ranked, Traces, compared_passages, ordered, passage_of, with_lateral
from .ranking import formula, optional_terms, order_terms, people_terms, ranking_weights, spreading
from .ranking.confidence import Answer, Basis, confidence_of, with_time
from .ranking.contributions import Contribution, Evidence, best_first, standard_errors, total
from .ranking.late_interaction import MaxSimilarities, QuestionTokens, nearest_words
from .ranking.ranking_weights import RankingWeights
from .recall_result import Hit
from .rerank import reranker
from .source_profile import reference_profile


@dataclass(frozen=True, slots=True)
class QueryContext:
    """Data looked up once for a question, for every part of the pool.

    `informativeness` has a value for every experience of the space, 0 outside the pool.
    `competence`, 0 to 1, is how well the encoder can read the question.
    """

    pool: Pool
    question: ParsedQuestion
    postings: Postings
    periods: Sequence[Period]
    lexical_confidence: float
    competence: float
    activation: ActivationResult | None
    together: Sequence[Ints]
    joined: Sequence[Ints]
    informativeness: Floats


class Recaller:
    """Ranks the experiences of a space for a question."""

    def __init__(
        self,
        file: Store,
        adjacency: Adjacency,
        settings: RecallSettings,
        weights: tuple[RankingWeights, RankingWeights] | None = None,
        graph: OpenGraph | None = None,
        chunk_words: int = CHUNK_WORDS,
    ) -> None:
        """Rank with `weights`: one for the whole pool, one for reranked memories.

        If they are None, the file that `recall.ranker` names is read, or the built-in weights are
        used. With `graph`, activation may use a graph engine instead of the arrays of a view.
        Texts of more than `chunk_words` words are compared by passages.
        """
        self._file = file
        self._chunk_words = chunk_words
        self._given = weights
        self._catalog = file.catalog
        self._token_vectors = TokenVectorCache()
        self._adjacency = adjacency
        self._settings = settings
        self._draws = settings.walks if settings.policy == "sample" else 0
        self._fresh = FreshEncoder(file)
        self._words = WordLookup(file, adjacency)
        self._activator = Activator(file, adjacency, settings, graph)

    @cached_property
    def weights(self) -> tuple[RankingWeights, RankingWeights]:
        """The weight of every mechanism: for all candidates, and for reranked ones."""
        return self._given or ranking_weights.read(self._settings.ranker)

    @cached_property
    def _reference(self) -> reference_profile.ReferenceProfile:
        return reference_profile.ReferenceProfile(self._file, self._adjacency, self._settings)

    def rank(
        self,
        space: SpaceView,
        question: ParsedQuestion,
        vector: Matrix | None,
        limit: int,
        asked: QuestionTokens | None = None,
    ) -> Ranked:
        """Score the pool of a question and return its best `limit` rows.

        With `asked`, the question's token vectors, the best rows are compared word by word.
        With `recall.rerank`, facets and profile change the order of the best rows.
        """
        if not self._settings.rerank:
            ranked = self._rank_base(space, question, vector, limit, asked)
            return with_lateral(ranked, self._settings.lateral)
        wide = reranker.candidate_count(self._settings, limit)
        # Restricted memories must not displace others before they are filtered out.
        fetched = max(wide, self._settings.candidates)
        ranked = self._rank_base(space, question, vector, fetched, asked)
        best = reranker.rerank_pool(ranked, self._catalog, self._settings, wide)
        best = replace(best, order=best.order[:limit])
        return with_lateral(best, self._settings.lateral)

    def _rank_base(
        self,
        space: SpaceView,
        question: ParsedQuestion,
        vector: Matrix | None,
        limit: int,
        asked: QuestionTokens | None,
    ) -> Ranked:
        """Return the best `limit` rows without facets and profile."""
        wanted = max(self._settings.candidates, limit)
        if self._settings.profile == "simple":
            return self._simple(space, question, wanted, limit)
        if self._settings.profile == "reference":
            return self._by_reference(space, question, vector, limit)
        space, postings = self._words.look_up(space, question)
        periods = query_targets.resolve_periods(space, question, postings, self._catalog)
        look_up = partial(self._words.postings, space)
        then = query_targets.happened_then(space, question, periods, self._file.analyser, look_up)
        target_masks = query_targets.target_masks(space, question, periods)
        terms = searched_terms(space, question)
        matches = self._matches(space, terms, wanted, target_masks)
        if vector is not None:
            space = self._fresh.with_fresh(space, question.text, terms, matches, then)
        # Where no word of the question is found, there is nothing else to go by.
        readable = 1.0 if asked is None else asked.competence
        competence = readable if matches else 1.0
        pool = gather(space, matches, vector, wanted, target_masks, competence)
        without_prior = pool = optional_terms.with_finds(pool)
        pool, notes = optional_terms.with_prior(self._file, pool, self._settings.working_set)
        walks = self._settings.spread and self._settings.policy == "walk"
        activation = self._activator.activate(pool) if walks else None
        if activation is not None:
            pool, notes = pool.with_rows(activation.rows), [*notes, *activation.notes]
        beside = query_targets.beside_events(space, question, postings, self._catalog)
        pool = pool.with_rows(np.append(beside, order_terms.newest(space, question)))
        tied, more_notes = self._activator.tied(pool, postings, question)
        context = self._context(tied, question, postings, periods, activation, competence)
        contributions, matched = self._mechanism_contributions(tied, context, asked)
        contributions += formula.only_then(pool, question, then)
        contributions += self._of_settings(pool, without_prior, contributions)
        in_order, again = self._reordered(pool, contributions, context, matched, limit)
        noted = list(dict.fromkeys([*notes, *more_notes]))
        best = ordered(pool, [*contributions, *in_order], limit, 0.0, noted, again)
        basis = Basis(postings, vector, matched, self._first(best))
        sure = confidence_of(question, pool, basis, readable)
        if question.happened_around:
            for given in in_order:
                then[pool.rows[given.values > 0]] |= given.evidence is Evidence.TIME
        sure = with_time(sure, question, pool, basis, then)
        passages = compared_passages(pool, matched, vector, context.lexical_confidence)
        return replace(best, confidence=sure, compared=passages)

    def _first(self, ranked: Ranked) -> Answer | None:
        """Return the first memory of an answer; None if it is empty."""
        if not len(ranked.order):
            return None
        space, row = ranked.pool.space, int(ranked.pool.rows[ranked.order[0]])
        memory = self._catalog.at(space.name, int(space.view.experiences.seqs[row]))
        return None if memory is None else (row, memory.text)

    def _reordered(
        self,
        pool: Pool,
        given: Sequence[Contribution],
        context: QueryContext,
        matched: MaxSimilarities | None,
        limit: int,
    ) -> tuple[list[Contribution], order_terms.Repeats]:
        """Return what reorders a pool, by time and by repetition; and the repetitions."""
        added, again = list[Contribution](), dict[int, list[int]]()
        if self._settings.order:
            words, weights = (context.postings, matched), self.weights[1]
            added += order_terms.contributions(
                self._file, pool, given, context.question, words, weights
            )
        if self._settings.fold:
            given = [*given, *added]
            again, behind = order_terms.fold(
                pool, given, context.informativeness, self._catalog, limit
            )
            added += behind
        return added, again

    def _of_settings(
        self, pool: Pool, without_prior: Pool, contributions: Sequence[Contribution]
    ) -> list[Contribution]:
        """Return the contributions of mechanisms that settings switch on."""
        settings = self._settings
        added = optional_terms.working_set(pool, without_prior, contributions)
        added = [*added, *optional_terms.graphiti_finds(pool, settings.graphiti)]
        if settings.feedback:
            added += optional_terms.feedback(self._file, pool, settings.feedback_max)
        before = [*contributions, *added]
        return added + list(optional_terms.contributions(pool, before, self._catalog, settings))

    def _context(
        self,
        pool: Pool,
        question: ParsedQuestion,
        postings: Postings,
        periods: Sequence[Period],
        activation: ActivationResult | None,
        competence: float,
    ) -> QueryContext:
        """Gather what every part of the pool is scored with."""
        space = pool.space
        informativeness = np.zeros(len(pool.similarity))
        informativeness[pool.rows] = formula.information(space.view, pool.rows) / space.information
        return QueryContext(
            pool,
            question,
            postings,
            periods,
            formula.estimate_lexical_confidence(pool, question, postings, competence),
            competence,
            activation,
            [rows_of(space.view, space.full_text.phrase(pair)) for pair in question.pairs],
            [rows_of(space.view, space.full_text.phrase(parts)) for parts in question.joined],
            informativeness,
        )

    def _by_reference(
        self, space: SpaceView, question: ParsedQuestion, vector: Matrix | None, limit: int
    ) -> Ranked:
        """Rank by the formulas of the source."""
        pool, contributions, missing = self._reference.contributions(space, question, vector)
        basis = Basis(self._words.postings(space, question.terms), vector)
        return ordered(pool, contributions, limit, confidence_of(question, pool, basis), missing)

    def _simple(
        self, space: SpaceView, question: ParsedQuestion, wanted: int, limit: int
    ) -> Ranked:
        """Rank by words alone."""
        space, postings = self._words.look_up(space, question)
        terms = searched_terms(space, question)
        pool = gather(space, self._matches(space, terms, wanted, ()), None, wanted)
        matching = pool.rows[pool.words[pool.rows] > 0]
        pool = Pool(space, matching, pool.similarity, pool.words, pool.mass)
        sure = confidence_of(question, pool, Basis(postings))
        return ordered(pool, formula.bm25_by_word(pool, postings), limit, sure)

    def _mechanism_contributions(
        self, pool: Pool, context: QueryContext, asked: QuestionTokens | None
    ) -> tuple[list[Contribution], MaxSimilarities | None]:
        """Return the contributions to a pool, whose best memories are reranked word by word.

        Return also how well these match the question's words; None if nothing was reranked.
        """
        weights, rerank_weights = self.weights
        contributions = self._contributions(pool, context, weights)
        if asked is None or not len(asked.stems) or not self._settings.rerank_depth:
            return contributions, None
        scores = total(contributions, len(pool.rows))
        near = np.sort(best_first(pool.rows, scores)[: self._settings.rerank_depth])
        closer = Pool(pool.space, pool.rows[near], pool.similarity, pool.words, pool.mass)
        max_similarities = self._max_similarities(closer, asked, context.postings)
        if max_similarities is None:
            return contributions, None
        close = self._rerank_contributions(closer, context, max_similarities, rerank_weights)
        merged = formula.merge_reranked(contributions, close, near, len(pool.rows))
        return merged, max_similarities[0]

    def _rerank_contributions(
        self,
        pool: Pool,
        context: QueryContext,
        max_similarities: tuple[MaxSimilarities, MaxSimilarities],
        weights: RankingWeights,
    ) -> list[Contribution]:
        """Return the contributions to reranked memories."""
        words, rewritten = max_similarities
        sure, nearer = context.lexical_confidence, words.sentences
        own = list[Contribution]()
        if nearer is not None and nearer.any():
            own.append(formula.nearest_sentence(nearer, weights, sure, context.competence))
        return self._contributions(
            pool,
            context,
            weights,
            lambda chains: [
                *own,
                *spreading.token_match(chains, words, weights, sure),
                *spreading.phrased(chains, rewritten, weights, sure),
            ],
        )

    def _matches(
        self, space: SpaceView, terms: Sequence[str], wanted: int, target_masks: Sequence[Mask]
    ) -> list[tuple[int, float]]:
        """Return the best full-text matches, and half as many again within each target mask."""
        if space.matches is not None:
            return list(space.matches)
        seqs = space.view.experiences.seqs
        among = None if space.allowed.all() else seqs[space.allowed]
        limit = 3 * wanted if target_masks else wanted
        matches = space.full_text.match(terms, limit, among)
        best, rest = matches[:wanted], matches[wanted:]
        rows = space.view.experiences.index_of(np.array([seq for seq, _ in rest], np.int64))
        there = np.flatnonzero(rows >= 0)
        for mask in target_masks:
            within = [rest[place] for place in there[mask[rows[there]]][: wanted // 2]]
            if len(within) < wanted // 2 and len(matches) == limit:
                within = space.full_text.match(terms, wanted // 2, seqs[space.allowed & mask])
            best += within
        return best

    def _chains(self, pool: Pool) -> spreading.Chains:
        """Return the chains of messages that words spread along; closed if spreading is off."""
        chains = spreading.chains(pool, self._draws)
        return chains if self._settings.spread else chains.closed()

    def _contributions(
        self,
        pool: Pool,
        context: QueryContext,
        weights: RankingWeights,
        near: Callable[[spreading.Chains], Sequence[Contribution]] | None = None,
    ) -> list[Contribution]:
        """Return every mechanism's contributions; `near`, if given, replaces exact word matches."""
        question, postings = context.question, context.postings
        sure, competence = context.lexical_confidence, context.competence

        def words(chains: spreading.Chains) -> Sequence[Contribution]:
            return near(chains) if near else spreading.words(chains, postings, weights, sure)

        def alone() -> list[Contribution]:
            own = formula.own_meaning(pool, weights, sure, competence)
            return [own, *words(chains.closed())]

        told = query_targets.told_of(pool, question, self._file.analyser, self._catalog)
        chains = self._chains(pool)
        beside = [*formula.meaning(pool, weights, sure, competence), *words(chains)]
        session = formula.session(pool, postings, weights, sure, self._draws)
        return [
            *beside,
            *formula.pairs(pool, context.together, weights, sure),
            *formula.joined(pool, context.joined),
            *formula.matches(pool, weights, sure, competence),
            *session,
            *spreading.missing(pool, [*beside, *session], alone),
            *people_terms.speaker(pool, question, weights, context.pool),
            *people_terms.told_of(pool, question, weights, told),
            *people_terms.asker(pool, question, weights),
            *people_terms.participant(pool, question, weights, context.pool),
            *formula.times(pool, question, context.periods, weights),
            *formula.priors(
                pool, np.minimum(context.informativeness[pool.rows], 1.0), weights, sure
            ),
            *formula.walk(pool, context.activation, weights),
        ]

    def _max_similarities(
        self, pool: Pool, asked: QuestionTokens, postings: Postings
    ) -> tuple[MaxSimilarities, MaxSimilarities] | None:
        store = self._file.space(pool.space.name)
        load = partial(self._token_vectors.load, store, asked.model)
        return nearest_words(pool, asked, postings, load)

    def lateral_hits(self, ranked: Ranked, question: ParsedQuestion) -> list[Hit]:
        """Load the memory that lateral thinking added to an answer."""
        return [] if ranked.lateral is None else self.hits(ranked.lateral, question)

    def hits(self, ranked: Ranked, question: ParsedQuestion) -> list[Hit]:
        """Load the texts of the ranked rows; a trace is built when it is first read."""
        space = ranked.pool.space
        rows = ranked.pool.rows[ranked.order]
        seqs = space.view.experiences.seqs[rows].tolist()
        again = {seq: ranked.repeats.get(seq, ()) for seq in seqs}
        memories = self._catalog.fetch(space.name, [*seqs, *chain.from_iterable(again.values())])
        traces = Traces(ranked, question, self._file, self._adjacency)
        errors = standard_errors(ranked.contributions, len(ranked.pool.rows))
        words = asked_words(question.text, question.terms, self._file.analyser)
        passage, split = partial(passage_of, words), (self._chunk_words, space.encoder)
        return [
            Hit(
                memories[seq],
                rank,
                float(ranked.scores[place]),
                partial(traces.of, rank - 1),
                partial(traces.facts_of, memories[seq].id),
                [memories[same] for same in again[seq] if same in memories],
                None if errors is None else float(errors[place]),
                float(ranked.pool.similarity[row]) if space.has_vectors else None,
                partial(passage, memories[seq].text, ranked.compared.get(row), *split),
            )
            for rank, (place, row, seq) in enumerate(zip(ranked.order, rows, seqs, strict=True), 1)
            if seq in memories
        ]
