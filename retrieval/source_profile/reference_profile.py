"""Profile `reference`: the formulas of the source to the letter, beside the default ones.

    semantic    = .4 · content + .6 · best anticipated question; content alone if there is none
    metadata    = .5 · keyword + .3 · temporal + .2 · entity
    hybrid      = .6 · metadata + .4 · semantic
    start nodes = the three best by hybrid
    walk        = from each, over RELATED (policy `walk`): at most five memories
    score       = semantic · TraceRank · signal on arrival; the signal of a start node is 1

The product is shown as a sum: the part of meaning, and what each further factor adds or takes.
Every memory of a space is scored, as in the source; there are no candidates. Anticipated questions
were recorded with the experiences that answer them and have vectors of their own; only those count
that were recorded and embedded by the moment that the question is asked as of. Where the source
leaves something open, the function says so.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...core.entities.entity_gazetteer import (
    EntityGazetteer,
    EntityType,
    GazetteerEntity,
    entity_id,
)
from ...core.entries import QuestionsAnticipated
from ...core.ids import content_hash, fold, word_id
from ...core.settings import RecallSettings
from ...core.text import counted
from ...core.types import EntryKind
from ...graph.adjacency import Adjacency
from ...graph.schema import HAS_WORD
from ...graph.view import Floats, GraphView, Ints
from ...language.questions.question import ParsedQuestion
from ...models.tokens import product
from ...storage.space_caches import SpaceCache
from ...storage.store import Store
from ...storage.vectors import Matrix, VectorTable
from ...traversal.tracerank import NodeFactors, TraceRanks
from ...traversal.walk import PathsTo, Visit, WalkRules, start_nodes, walk
from ..candidates.activation import TraceRankHistory, experience_rows, path_of
from ..candidates.pool import Pool, SpaceView
from ..candidates.query_targets import day_match, month_match, period_match
from ..ranking.contributions import Contribution, Evidence


@dataclass(frozen=True, slots=True)
class AnticipatedMatches:
    """The anticipated questions nearest to one that was asked: one a memory.

    `rows` of `view.experiences` ascending, the cosine of each, and the question.
    """

    rows: Ints
    cosines: Floats
    questions: tuple[str, ...]


NO_MATCHES = AnticipatedMatches(np.zeros(0, np.int64), np.zeros(0), ())


@dataclass(frozen=True, slots=True)
class _QuestionCache:
    """The anticipated questions of a space: sequence, experience, text and vector of each part."""

    model: str
    until: int = 0
    asked: Sequence[tuple[int, str, str, Matrix]] = ()


class AnticipatedQuestions:
    """Compares questions with anticipated ones; only new entries are read."""

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
        eligible = [asked for asked in cache.asked if asked[0] <= until]
        if not eligible:
            return NO_MATCHES
        _, asked_of, questions, embeddings = zip(*eligible, strict=True)
        cosines = product(np.stack(embeddings).astype(np.float64), vector)
        rows = experience_rows(self._adjacency, space, asked_of)
        best: dict[int, int] = {}
        for at in np.lexsort((np.arange(len(eligible)), -cosines)).tolist():
            if rows[at] >= 0 and space.visible[rows[at]]:
                best.setdefault(int(rows[at]), at)
        best_rows = sorted(best)
        return AnticipatedMatches(
            np.array(best_rows, np.int64),
            np.array([cosines[best[row]] for row in best_rows], np.float64),
            tuple(questions[best[row]] for row in best_rows),
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
            fresh = [(*each, of) for each in asked for of in stored.get(content_hash(each[2]), ())]
            cache = _QuestionCache(model, until, [*cache.asked, *fresh])
            self._caches.put(space.name, cache)
            return cache


CONTENT, ANTICIPATED = 0.4, 0.6
KEYWORD, TEMPORAL, ENTITY = 0.5, 0.3, 0.2
#: What is so old counts 1/e in recency, seconds.
_RECENT_S = 30 * 86_400
#: Edges from a memory to who and what it names.
_NAMES = ("MENTIONS", "INVOLVES", "SPOKEN_BY")


@dataclass(frozen=True, slots=True)
class Scores:
    """Every score of n experiences, an array of n each; `timed` says that a time was named.

    `anticipated` is not a number where no question was. Without vectors `semantic` is `metadata`.
    """

    content: Floats
    anticipated: Floats
    keyword: Floats
    temporal: Floats
    entity: Floats
    metadata: Floats
    semantic: Floats
    hybrid: Floats
    timed: bool


@dataclass(frozen=True, slots=True)
class NamedNodes:
    """The nodes of a view that a question names: its words, and the people and things in it.

    `words` and `things` say how many there are in the question, in the view or not.
    """

    word_nodes: Ints
    entities: Ints
    words: int
    things: int


def score(
    space: SpaceView,
    question: ParsedQuestion,
    vector: Matrix | None,
    expected: AnticipatedMatches,
    named: NamedNodes,
    alpha: float,
) -> Scores:
    """Score every experience of a space; `alpha` is the weight of metadata in the hybrid score."""
    content = space.similarities(vector).astype(np.float64)
    anticipated = np.full(len(content), np.nan)
    anticipated[expected.rows] = expected.cosines
    when, timed = temporal(space, question)
    keyword, who = keywords(space.view, named), entities(space.view, named)
    metadata = KEYWORD * keyword + TEMPORAL * when + ENTITY * who
    semantic = metadata
    if vector is not None:
        both = CONTENT * content + ANTICIPATED * np.nan_to_num(anticipated)
        semantic = np.where(np.isnan(anticipated), content, both)
    hybrid = alpha * metadata + (1 - alpha) * semantic
    return Scores(content, anticipated, keyword, when, who, metadata, semantic, hybrid, timed)


def keywords(view: GraphView, named: NamedNodes) -> Floats:
    """Return the Jaccard similarity of the stems of a question and those of each experience."""
    nodes = view.experiences.node
    shared = _edge_counts(view, (HAS_WORD,), named.word_nodes)
    either = named.words + view.links(HAS_WORD).degrees(nodes) - shared
    return np.where(shared > 0, shared / np.maximum(either, 1), 0.0)


def temporal(space: SpaceView, question: ParsedQuestion) -> tuple[Floats, bool]:
    """Return how well each experience fits the times that a question names, and if it names any.

    The source says neither how times match nor what recency is. A named day, month or period fits
    by 0 to 1 (the best of several); where none is named, recency e^(−age/30 days) stands in, aged
    by the newest memory to be seen.
    """
    at = space.view.experiences.at
    fits = [day_match(d, at) if d.day is not None else month_match(d, at) for d in question.dates]
    fits += [period_match(period, at) for period in question.periods]
    if fits:
        return np.maximum.reduce(fits), True
    now = int(np.max(at[space.visible], initial=0))
    return np.exp(-np.maximum(now - at, 0) / _RECENT_S), False


def entities(view: GraphView, named: NamedNodes) -> Floats:
    """Return the share of a question's people and things that each experience names too.

    Whose words they are counts as named. The source says only that they overlap.
    """
    return _edge_counts(view, _NAMES, named.entities) / max(named.things, 1)


def _edge_counts(view: GraphView, types: Sequence[str], nodes: Ints) -> Floats:
    """Return how many of some nodes each experience has an edge to."""
    count = len(view.experiences.seqs)
    pairs = [np.zeros((0, 2), np.int64)]
    for type in types:
        edges = view.links(type, outgoing=False).of(nodes)
        rows = view.experience_of[edges.target]
        here = rows >= 0
        pairs.append(np.stack([rows[here], edges.position[here]], axis=1))
    each = np.unique(np.concatenate(pairs), axis=0)
    return np.bincount(each[:, 0], minlength=count).astype(np.float64)


#: An entity's name in a question has so many words at most.
_NAME_WORDS = 4
_RANDOM_WALK_NOTE = "the walk is drawn anew for each answer"
_NO_VECTORS_NOTE = "there are no vectors: metadata stands for meaning"


class ReferenceProfile:
    """Ranks the experiences of a space as the source does."""

    def __init__(self, file: Store, adjacency: Adjacency, settings: RecallSettings) -> None:
        self._adjacency = adjacency
        self._settings = settings.reference
        self._histories = TraceRankHistory(file, adjacency)
        self._anticipated = AnticipatedQuestions(file, adjacency)

    def contributions(
        self, space: SpaceView, question: ParsedQuestion, vector: Matrix | None
    ) -> tuple[Pool, list[Contribution], tuple[str, ...]]:
        """Return the recalled memories, the parts of each score, and notes for the reader."""
        if vector is None or space.index is None or not len(space.index.seqs):
            vector = None
        asks = vector is not None and self._settings.anticipated
        expected = self._anticipated.nearest(space, vector) if vector is not None else NO_MATCHES
        expected = expected if asks else NO_MATCHES
        alpha = self._settings.metadata
        scores = score(space, question, vector, expected, self._named(space, question), alpha)
        factors = self._histories.factors(space)
        visits = self._visits(space, question, scores, factors)
        nodes = np.array([visit.node for visit in visits], np.int64)
        rows = space.view.experience_of[nodes]
        ranks, order = factors(nodes), np.argsort(rows)
        asked = dict(zip(expected.rows.tolist(), expected.questions, strict=True))
        count = len(scores.content)
        pool = Pool(
            space, rows[order], scores.content.astype(np.float32), np.zeros(count), np.zeros(count)
        )
        contributions = list[Contribution]()
        for place, (visit, row) in enumerate(zip(visits, rows.tolist(), strict=True)):
            method, words = _method(visit, scores, row, alpha), vector is None
            parts = _meaning(scores, row, method, None if words else asked.get(row), words=words)
            parts += _factors(float(scores.semantic[row]), ranks, place, visit)
            for term, evidence, label, value in parts:
                paths = _path(visit, value) if evidence is Evidence.TOPIC else None
                values = value * (order == place)
                contributions.append(Contribution(term, evidence, label, values, paths=paths))
        notes = [_RANDOM_WALK_NOTE] if self._settings.walk else []
        return (
            pool,
            contributions,
            tuple(notes if vector is not None else [*notes, _NO_VECTORS_NOTE]),
        )

    def _visits(
        self, space: SpaceView, question: ParsedQuestion, scores: Scores, factors: NodeFactors
    ) -> list[Visit]:
        """Return the visits to memories that may be returned; none for a question without words."""
        if not question.text.strip():
            return []
        view, chosen = space.view, self._settings
        rows = np.arange(len(view.experiences.seqs))
        active = space.allowed & ~self._histories.repeats(space)
        starts = start_nodes(rows, scores.hybrid, active, chosen.starts)
        nodes = view.experiences.node[starts]
        if not chosen.walk:
            return [Visit(node, node) for node in nodes.tolist()[: chosen.nodes]]

        def rank(nodes: Ints) -> Floats:
            row, values = view.experience_of[nodes], factors(nodes).total
            values[(row >= 0) & ~space.visible[row]] = 0.0
            return values

        rules = WalkRules(
            max_nodes=chosen.nodes,
            exploration=chosen.exploration,
            both_ways=not chosen.literal,
            equal_shares=not chosen.literal,
        )
        random = np.random.default_rng(space.random_seed)
        visits = walk(view, nodes, random, rank, rules)
        return [v for v in visits if space.allowed[view.experience_of[v.node]]]

    def _named(self, space: SpaceView, question: ParsedQuestion) -> NamedNodes:
        """Look up the words, people and things of a question among the nodes of a view."""
        words = [word_id(space.name, term) for term in question.terms]
        things = [person.id for person in question.people] + self._entity_ids(space, question)
        return NamedNodes(
            self._nodes(space, words), self._nodes(space, things), len(words), len(things)
        )

    def _entity_ids(self, space: SpaceView, question: ParsedQuestion) -> list[str]:
        """Return the entities that a question names as a memory would; a person counts once."""
        words = question.text.split()
        names = {
            " ".join(words[start : start + length]).strip("?!.,;:\"'“”‘’()")
            for length in range(1, _NAME_WORDS + 1)
            for start in range(len(words) - length + 1)
        }
        people = {fold(person.name) for person in question.people}
        made = {
            entity_id(space.name, type, name): GazetteerEntity("", type, name)
            for name, type in itertools.product(sorted(names), EntityType)
            if name and fold(name) not in people
        }
        # A name that came later must not take the place of one that was known then.
        numbers = self._adjacency.numbers(space.name, list(made))
        nodes = space.view.nodes_of(np.array([*numbers.values()], np.int64))
        there = [id for id, node in zip(numbers, nodes.tolist(), strict=True) if node >= 0]
        stored_names = self._adjacency.names_of(space.name, there)
        gazetteer = EntityGazetteer(
            GazetteerEntity(id, made[id].type, name) for id, name in sorted(stored_names.items())
        )
        return [entity.id for entity in gazetteer.named_in(question.text)]

    def _nodes(self, space: SpaceView, ids: Sequence[str]) -> Ints:
        numbers = self._adjacency.numbers(space.name, ids)
        nodes = space.view.nodes_of(np.array([numbers.get(id, -1) for id in ids], np.int64))
        return np.unique(nodes[nodes >= 0])


#: A part of one memory's score: branch, evidence, in words, value.
_Part = tuple[str, Evidence, str, float]


def _method(visit: Visit, scores: Scores, row: int, alpha: float) -> str:
    if visit.steps:
        return f"by graph traversal, {counted(visit.hops, 'hop')}"
    when = "time" if scores.timed else "recency"
    return (
        f"by direct match, hybrid {scores.hybrid[row]:.3f} = {alpha:.3g} · "
        f"(.5 · {scores.keyword[row]:.3f} keywords + .3 · {scores.temporal[row]:.3f} {when} + "
        f".2 · {scores.entity[row]:.3f} entities) + "
        f"{1 - alpha:.3g} · {scores.semantic[row]:.3f}"
    )


def _meaning(
    scores: Scores, row: int, method: str, question: str | None, *, words: bool
) -> list[_Part]:
    """Return what a memory's own text gives, and the `question` that it answers; or its `words`."""
    content, asked = float(scores.content[row]), float(scores.anticipated[row])
    if words:
        return [("meaning", Evidence.OWN_WORDS, f"metadata, {method}", float(scores.semantic[row]))]
    if question is None:
        return [("meaning", Evidence.MEANING, f"close in meaning, {method}", content)]
    near = f"close in meaning (.4 · {content:.3f}), {method}"
    answers = f"it answers “{question}” (.6 · {asked:.3f})"
    return [
        ("meaning", Evidence.MEANING, near, CONTENT * content),
        ("meaning", Evidence.MEANING, answers, ANTICIPATED * asked),
    ]


def _factors(value: float, ranks: TraceRanks, place: int, visit: Visit) -> Iterator[_Part]:
    """Yield what each further factor adds to a score, or takes from it."""
    for label, factor in (
        ("it was said again: R", float(ranks.reinforcement[place])),
        ("edges lead to it: G", float(ranks.connection[place])),
        ("it may have changed since: T", float(ranks.permanence[place])),
    ):
        more = value * factor - value
        yield "history", Evidence.HISTORY, f"{label} = {factor:.3f}", more
        value *= factor
    if visit.steps:
        label = f"it was reached by a walk: signal {visit.signal:.2f}"
        yield "activation", Evidence.TOPIC, label, value * visit.signal - value


def _path(visit: Visit, amount: float) -> PathsTo:
    return lambda _: iter([replace(path_of(visit), amount=amount)])
