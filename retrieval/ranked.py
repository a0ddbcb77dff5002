"""The ranked memories of one question, before texts are loaded, their traces, and their passages.

A passage is the part of a long memory that was compared with the question, known by its number.
Without vectors, or with vectors of other sizes, it is the part most like the question's words. A
short text is one passage.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np

from ..core.facts import Fact, fold_facts
from ..core.text import shorten
from ..core.types import MemoryRecord
from ..graph.adjacency import Adjacency
from ..graph.view import Floats, Ints
from ..language.questions.question import ParsedQuestion
from ..models.tokens import Embedder, chunk_spans, product
from ..storage.sorted_arrays import distinct
from ..storage.store import Store
from ..storage.vectors import Matrix
from ..traversal.walk import ActivationPath
from .candidates.pool import Pool, passages
from .ranking import optional_terms
from .ranking.contributions import Contribution, Evidence, TraceNode, best_first, total
from .ranking.late_interaction import MaxSimilarities
from .ranking.order_terms import Repeats
from .ranking.score_trace import explain, strongest_paths
from .recall_result import MAYBE_MIN, Passage

#: How an earlier version split texts, words.
_EARLIER_WORDS = 160
#: So much must words count, for the passage that they match to be the one that is shown.
_WORDS_DECIDE = 0.5


#: Which passage of a text was compared, from 0, and of how many; or the passage.
Compared: TypeAlias = tuple[int, int] | str


def compared_passages(
    pool: Pool, matched: MaxSimilarities | None, vector: Matrix | None, lexical_confidence: float
) -> dict[int, Compared]:
    """Return by row which passage of a long memory was compared: by words, or else by meaning."""
    index = pool.space.index
    if index is None or matched is None or matched.rows is None or matched.passages is None:
        return {}
    places = index.places(pool.space.view.experiences.seqs[matched.rows])
    starts = np.append(index.starts, len(index.rows))
    compared = dict[int, Compared]()
    for row, by_words, place in zip(matched.rows, matched.passages, places, strict=True):
        start, end = (starts[place], starts[place + 1]) if place >= 0 else (0, 0)
        if end - start > 1:
            nth = int(by_words)
            if vector is not None and lexical_confidence < _WORDS_DECIDE:
                nth = int(np.argmax(product(index.rows[start:end], vector)))
            compared[int(row)] = nth, int(end - start)
    fresh = pool.space.fresh
    if fresh is not None and vector is not None:
        nearest = np.argsort(product(fresh.vectors, vector), kind="stable").tolist()
        compared |= {int(fresh.rows[place]): fresh.texts[place] for place in nearest}
    return compared


def passage_of(
    asked: Mapping[str, str],
    text: str,
    compared: Compared | None,
    chunk_words: int,
    encoder: Embedder | None,
) -> Passage | None:
    """Return the part of a text that was compared with a question; None where it is short.

    Where it is not known which was `compared`, it is the one most like the words `asked` for, which
    are given by their stems. `chunk_words` and `encoder` those that split the text.
    """
    for size in (chunk_words, _EARLIER_WORDS):
        spans = chunk_spans(text, size, encoder)
        if len(spans) == 1 and size == chunk_words:
            return None
        if isinstance(compared, tuple) and len(spans) == compared[1] > compared[0] >= 0:
            return _cut(text, *spans[compared[0]])
    best = compared if isinstance(compared, str) else passages(text, asked)[0][1]
    start = text.find(best)
    return _cut(text, start, start + len(best))


def _cut(text: str, start: int, end: int) -> Passage:
    return Passage(text[start:end], start, end)


#: What a trace tells counts at least so much.
_TOLD = 1e-6
#: How much of a message a reason quotes, characters.
_BEGINNING = 40


@dataclass(frozen=True, slots=True)
class Ranked:
    """The core's answer before texts are loaded: rows best first, their scores and contributions.

    `confidence` (0 to 1) that something in the space answers; `notes` are for the reader.
    `repeats` are left out, by the row of the one that says the same.
    `max_score` is the best base score, 0 to 1, where facets and profile were counted.
    `compared` says which passage of each row of the pool was compared; empty: of none.
    `lateral` is the memory that lateral thinking added, with a score of its own.
    """

    pool: Pool
    order: Ints
    scores: Floats
    contributions: Sequence[Contribution]
    confidence: float = 0.0
    notes: Sequence[str] = ()
    repeats: Repeats = field(default_factory=dict)
    max_score: float | None = None
    lateral: Ranked | None = None
    compared: Mapping[int, Compared] = field(default_factory=dict)


def with_lateral(ranked: Ranked, probability: float) -> Ranked:
    """Return an answer with what lateral thinking finds beside it, if anything."""
    recalled = ranked.pool.rows[ranked.order]
    memory = optional_terms.find_laterally(ranked.pool.space, recalled, probability)
    if memory is None:
        return ranked
    row, share = memory
    pool = replace(ranked.pool, rows=np.array([row], np.int64), beside={})
    return replace(ranked, lateral=Ranked(pool, np.zeros(1, np.int64), share.values, [share]))


def ordered(
    pool: Pool,
    contributions: Sequence[Contribution],
    limit: int,
    confidence: float,
    notes: Sequence[str] = (),
    again: Repeats | None = None,
) -> Ranked:
    """Return the best of a pool, without the repeats in `again`, which rank behind all others."""
    scores, again = total(contributions, len(pool.rows)), again or {}
    count = len(pool.rows) - sum(map(len, again.values()))
    order = best_first(pool.rows, scores)[: min(limit, count)]
    return Ranked(pool, order, scores, contributions, confidence, notes, again)


def of_parts(parts: Sequence[tuple[str, Ranked]], limit: int) -> Ranked:
    """Return the answers to several questions as one: the best of each first, then the second ones.

    A memory counts for the question that it answers best, and as much there as the best of the same
    rank for any. The confidence is the average; a note names a question that nothing answers.
    """
    answers = [ranked for _, ranked in parts]
    if len(answers) == 1:
        return answers[0]
    rows = distinct(np.concatenate([ranked.pool.rows for ranked in answers]))
    ranks, level = np.full((len(parts), len(rows)), len(rows)), np.full(len(rows), -np.inf)
    for number, ranked in enumerate(answers):
        order, count = best_first(ranked.pool.rows, ranked.scores), len(ranked.pool.rows)
        ranks[number, np.searchsorted(rows, ranked.pool.rows[order])] = np.arange(count)
        level[:count] = np.maximum(level[:count], ranked.scores[order])
    contributions: list[Contribution] = []
    for number, (text, ranked) in enumerate(parts):
        mine = np.flatnonzero(ranks.argmin(axis=0) == number)
        there = np.searchsorted(ranked.pool.rows, rows[mine])
        given = [c.of(there, mine, len(rows)) for c in ranked.contributions]
        up = np.zeros(len(rows))
        up[mine] = level[ranks[number, mine]] - ranked.scores[there] + _TOLD
        label = f"for “{shorten(text, _BEGINNING)}”"
        contributions += [*given, Contribution("part", Evidence.HISTORY, label, up)]
    pools, first = [ranked.pool for ranked in answers], answers[0]
    similarity = np.maximum.reduce([pool.similarity[:] for pool in pools])
    words, mass = (np.maximum.reduce([getattr(p, of) for p in pools]) for of in ("words", "mass"))
    pool = Pool(first.pool.space, rows, similarity, words, mass)
    again = {best: seqs for ranked in answers for best, seqs in ranked.repeats.items()}
    scores, repeated = total(contributions, len(rows)), [s for seqs in again.values() for s in seqs]
    order = best_first(rows, scores)
    shown = ~np.isin(pool.space.view.experiences.seqs[rows[order]], repeated)
    unanswered = [
        f"probably nothing answers “{text}”" for text, r in parts if r.confidence < MAYBE_MIN
    ]
    return Ranked(
        pool,
        order[shown][:limit],
        scores,
        contributions,
        float(np.mean([ranked.confidence for ranked in answers])),
        list(dict.fromkeys([*(n for r in answers for n in r.notes), *unanswered])),
        again,
        max((r.max_score for r in answers if r.max_score is not None), default=None),
        next((ranked.lateral for ranked in answers if ranked.lateral), None),
        {row: how for ranked in answers for row, how in ranked.compared.items()},
    )


class Traces:
    """The traces of one answer; the texts they name are read once, with the first trace."""

    def __init__(
        self, ranked: Ranked, question: ParsedQuestion, file: Store, adjacency: Adjacency
    ) -> None:
        """Explain `ranked`; the numbers for it are in its contributions."""
        self._ranked = ranked
        self._question = question
        self._file = file
        self._catalog = file.catalog
        self._facts = file.space(ranked.pool.space.name).facts
        self._analyser = file.analyser
        self._adjacency = adjacency
        self._spellings: dict[int, Mapping[str, str]] = {}

    def of(self, position: int) -> TraceNode:
        """Return the trace of the memory at a position of the answer, from 0."""
        place = int(self._ranked.order[position])
        row = int(self._ranked.pool.rows[place])
        return explain(self._ranked.contributions, place, row, self._paths.get(row, ()), self)

    def facts_of(self, memory: str) -> list[str]:
        """Return the facts that a memory states, as sentences.

        One that is over is marked, where nothing is asked as of an earlier time.
        """
        space = self._ranked.pool.space
        as_of = space.moment is not None or space.last_seq is not None
        return [
            f"{fact.text} (no longer)" if fact.t_invalid and not as_of else fact.text
            for fact in self._all_facts
            if fact.experience == memory and not fact.is_end_record
        ]

    @cached_property
    def _all_facts(self) -> Sequence[Fact]:
        return list(fold_facts(self._facts.list_all()).values())

    @cached_property
    def _paths(self) -> Mapping[int, Sequence[ActivationPath]]:
        rows = self._ranked.pool.rows[self._ranked.order]
        return strongest_paths(self._ranked.contributions, self._ranked.order, rows)

    @cached_property
    def _named(self) -> tuple[Mapping[int, MemoryRecord], Mapping[int, tuple[str, str]]]:
        """The memories that traces name by sequence, and the other nodes by number."""
        space = self._ranked.pool.space
        nodes = distinct(
            np.array(
                [n for paths in self._paths.values() for p in paths for n in p.nodes], np.int64
            )
        )
        rows = space.view.experience_of[nodes]
        own = self._ranked.pool.rows[self._ranked.order]
        sources = distinct(np.concatenate([own, _sources(self._ranked), rows[rows >= 0]]))
        seqs = space.view.experiences.seqs[sources].tolist()
        numbers = space.view.numbers[nodes[rows < 0]].tolist()
        memories = self._catalog.fetch(space.name, seqs)
        return memories, self._adjacency.identify(space.name, numbers)

    def describe(self, row: int) -> tuple[str, str, int]:
        """Return the address of an experience, how its text begins, and its sequence."""
        sequence = int(self._ranked.pool.space.view.experiences.seqs[row])
        memory = self._memory(row)
        # Erased since the answer was given: the number stands, its text is gone.
        if memory is None:
            return "?", "?", sequence
        return memory.uri, shorten(memory.text, _BEGINNING), sequence

    def name(self, node: int) -> tuple[str, str, int | None]:
        """Return a node's id or address, a word for it, and its sequence if it is a memory."""
        view, (_, others) = self._ranked.pool.space.view, self._named
        row = int(view.experience_of[node])
        if row < 0:
            return *others.get(int(view.numbers[node]), ("?", "?")), None
        uri, beginning, sequence = self.describe(row)
        return uri, f"@{sequence} “{beginning}”", sequence

    def spell(self, row: int, stem: str) -> tuple[str, bool]:
        """Return a word as the text of a row has it, and True; else as the question has it."""
        if row not in self._spellings:
            memory = self._memory(row)
            self._spellings[row] = self._analyser.spellings("" if memory is None else memory.text)
        word = self._spellings[row].get(stem)
        return (self._question.spell(stem), False) if word is None else (word, True)

    def _memory(self, row: int) -> MemoryRecord | None:
        memories, _ = self._named
        return memories.get(int(self._ranked.pool.space.view.experiences.seqs[row]))


def _sources(ranked: Ranked) -> Ints:
    """Return every row that a reason of the ranked rows names."""
    sources = [
        contribution.source[ranked.order]
        for contribution in ranked.contributions
        if contribution.source is not None
    ]
    rows = distinct(np.concatenate(sources)) if sources else np.zeros(0, np.int64)
    return rows[rows >= 0]
