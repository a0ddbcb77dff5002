"""Profile `reference`: the formulas of the source to the letter, beside the default ones.

    start nodes = the three best by the hybrid score (see `reference_scores`)
    walk        = from each, over RELATED (policy `walk`): at most five memories
    score       = semantic · TraceRank · signal on arrival; the signal of a start node is 1

The product is shown as a sum: what meaning gives, and what each further factor adds or takes. It
takes no candidates, looks at no neighbours, and gives nothing for anything else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from ...core.entities.entity_gazetteer import (
    EntityGazetteer,
    EntityType,
    GazetteerEntity,
    entity_id,
)
from ...core.ids import fold, word_id
from ...core.recall_settings import RecallSettings
from ...core.text import counted
from ...graph.adjacency import Adjacency
from ...graph.view import Floats, Ints
from ...storage.store import Store
from ...storage.vectors import Matrix
from ...traversal.tracerank import NodeFactors, TraceRanks
from ...traversal.walk import Visit, WalkRules, start_nodes, walk
from ..candidates.activation import path_of
from ..candidates.pool import Pool, SpaceView
from ..candidates.tracerank_history import TraceRankHistory
from ..query.question import ParsedQuestion
from ..ranking.contributions import Contribution, Evidence
from .anticipated_questions import NO_MATCHES, AnticipatedMatches, AnticipatedQuestions
from .reference_scores import ANTICIPATED, CONTENT, NamedNodes, Scores, score

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
        """Return what was recalled, what each score is made of, and notes for the reader."""
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
        explainer = _ScoreExplainer(scores, expected, factors(nodes), rows, alpha)
        order = np.argsort(rows)
        count = len(scores.content)
        pool = Pool(
            space, rows[order], scores.content.astype(np.float32), np.zeros(count), np.zeros(count)
        )
        contributions = [
            replace(contribution, values=contribution.values[order])
            for place, visit in enumerate(visits)
            for contribution in explainer.contributions(place, visit, vector is not None)
        ]
        notes = [_RANDOM_WALK_NOTE] if self._settings.walk else []
        return (
            pool,
            contributions,
            tuple(notes if vector is not None else [*notes, _NO_VECTORS_NOTE]),
        )

    def _visits(
        self, space: SpaceView, question: ParsedQuestion, scores: Scores, factors: NodeFactors
    ) -> list[Visit]:
        """Return the visits to what may be returned; nothing for a question that says nothing."""
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
            for name, type in product(sorted(names), EntityType)
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


class _ScoreExplainer:
    """Explains each recalled memory's score as a sum; every contribution is to one memory."""

    def __init__(
        self,
        scores: Scores,
        expected: AnticipatedMatches,
        ranks: TraceRanks,
        rows: Ints,
        alpha: float,
    ) -> None:
        self._scores, self._ranks, self._rows, self._alpha = scores, ranks, rows, alpha
        self._questions = dict(zip(expected.rows.tolist(), expected.questions, strict=True))

    def contributions(self, place: int, visit: Visit, has_vectors: bool) -> list[Contribution]:
        """Return the contributions to one memory."""
        row, ranks = int(self._rows[place]), self._ranks
        value = float(self._scores.semantic[row])
        result = self._meaning(place, row, self._method(visit, row), has_vectors)
        for label, factor in (
            ("it was said again: R", float(ranks.reinforcement[place])),
            ("edges lead to it: G", float(ranks.connection[place])),
            ("it may have changed since: T", float(ranks.permanence[place])),
        ):
            result.append(
                self._contribution(
                    place,
                    "history",
                    Evidence.HISTORY,
                    f"{label} = {factor:.3f}",
                    value * factor - value,
                )
            )
            value *= factor
        if visit.steps:
            change = value * visit.signal - value
            path = replace(path_of(visit), amount=change)
            label = f"it was reached by a walk: signal {visit.signal:.2f}"
            contribution = self._contribution(place, "activation", Evidence.TOPIC, label, change)
            result.append(replace(contribution, paths=lambda _row: iter([path])))
        return result

    def _method(self, visit: Visit, row: int) -> str:
        if visit.steps:
            return f"by graph traversal, {counted(visit.hops, 'hop')}"
        scores, alpha = self._scores, self._alpha
        when = "time" if scores.timed else "recency"
        return (
            f"by direct match, hybrid {scores.hybrid[row]:.3f} = {alpha:.3g} · "
            f"(.5 · {scores.keyword[row]:.3f} keywords + .3 · {scores.temporal[row]:.3f} {when} + "
            f".2 · {scores.entity[row]:.3f} entities) + "
            f"{1 - alpha:.3g} · {scores.semantic[row]:.3f}"
        )

    def _meaning(self, place: int, row: int, method: str, has_vectors: bool) -> list[Contribution]:
        scores = self._scores
        if not has_vectors:
            return [
                self._contribution(
                    place,
                    "meaning",
                    Evidence.OWN_WORDS,
                    f"metadata, {method}",
                    float(scores.semantic[row]),
                )
            ]
        content, asked = float(scores.content[row]), float(scores.anticipated[row])
        if np.isnan(asked):
            return [
                self._contribution(
                    place, "meaning", Evidence.MEANING, f"close in meaning, {method}", content
                )
            ]
        near = f"close in meaning (.4 · {content:.3f}), {method}"
        answers = f"it answers “{self._questions[row]}” (.6 · {asked:.3f})"
        return [
            self._contribution(place, "meaning", Evidence.MEANING, near, CONTENT * content),
            self._contribution(place, "meaning", Evidence.MEANING, answers, ANTICIPATED * asked),
        ]

    def _contribution(
        self, place: int, term: str, evidence: Evidence, label: str, value: float
    ) -> Contribution:
        values = np.zeros(len(self._rows))
        values[place] = value
        return Contribution(term, evidence, label, values)
