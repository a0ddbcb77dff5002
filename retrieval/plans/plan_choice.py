"""Selects the nodes of a plan, and asks back if the question can mean several of the best.

Pure functions of index nodes and the scores of recall: they have no loader and no file, so they
cannot read a document. The choice says what it leaves out, and why. By rule, a pronoun or a shared
name may mean several people, and two facts may contradict each other; then the caller decides, and
the plan does not change. Pronouns, and the table of general words such as "family" (which also asks
for a sister), are English.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from ...core.codec import JsonObject
from ...core.ids import fold
from ...core.settings import PlanSettings
from ...core.text import counted, shorten
from ...language.analyser import Analyser
from ...language.marks import PRONOUN
from .plan import (
    REASONING_CHARS_MAX,
    Node,
    QueryAnalysis,
    RetrievalPlan,
    SourceType,
    TemporalBounds,
    band,
    days_between,
)

#: Half of the relevance of a node that is no turn comes over its link, half from its own words.
_LINKED, _WORDS = 0.5, 0.5
#: A turn with less of the best one's score says something else; so does another node that has
#: less of the question's words, and of whose words less are asked for.
_SCORE_MIN, _WORDS_MIN, _OWN_WORDS_MIN = 0.67, 0.5, 0.6
#: A word of a hint counts so much of a word of the question.
_HINT = 0.5
_QUESTION_CHARS, _WORDS_SHOWN = 120, 4


@dataclass(frozen=True, slots=True)
class NodeChoice:
    """One node that was looked at: how relevant it is (0 to 1), and why it is so."""

    node: Node
    relevance: float
    reason: str


@dataclass(frozen=True, slots=True)
class PlanSelection:
    """A plan, its choices, and the nodes that were left out because they are expired."""

    plan: RetrievalPlan
    choices: Sequence[NodeChoice]
    expired: Sequence[NodeChoice]


@dataclass(frozen=True, slots=True)
class _Wanted:
    """The words of a question, of its hints, and of the names in it, which do not count."""

    asked: frozenset[str]
    hinted: frozenset[str]
    names: frozenset[str]

    @staticmethod
    def of(analysis: QueryAnalysis, analyser: Analyser) -> _Wanted:
        words = frozenset(analyser.terms(analysis.question))
        names = frozenset(analyser.terms(" ".join(analysis.names)))
        names = names if words - names else frozenset()
        asked = words - names
        return _Wanted(asked, frozenset(analyser.terms(analysis.hinted)) - asked - names, names)


def select_nodes(
    analysis: QueryAnalysis,
    scores: Mapping[str, float],
    nodes: Sequence[Node],
    analyser: Analyser,
    bounds: TemporalBounds,
    settings: PlanSettings,
) -> PlanSelection:
    """Return the plan for a question: the nodes that answer it.

    `scores` are the scores of recall for turns, by node id; `nodes` are these turns and the nodes
    linked to them. The relevance of a turn is its score relative to the best. Another node has half
    of the relevance of the best turn it is linked to, and the other half by the share of the
    question's words that it has. A turn far behind the best one is not chosen, nor another node
    that has less than half of the words and says other things too; names do not count, unless the
    question has nothing else.
    """
    wanted = _Wanted.of(analysis, analyser)
    sure = {n.node_id for n in nodes if n.confidence >= settings.confidence_min}
    best = max((score for id, score in scores.items() if id in sure), default=0.0)
    relevant = {id: score / best if best > 0 else 0.0 for id, score in scores.items()}
    candidates = [
        choice
        for node in nodes
        if (choice := _score_node(node, relevant, scores, wanted, analyser)) is not None
    ]
    candidates.sort(key=lambda c: (-c.relevance, -c.node.confidence, c.node.node_id))
    expired = [c for c in candidates if c.node.confidence < settings.confidence_min]
    remaining = [c for c in candidates if c.node.confidence >= settings.confidence_min]
    chosen = [
        choice
        for type in SourceType
        for choice in [c for c in remaining if c.node.source_type is type][: settings.limit]
    ]
    selected = {
        type: tuple(c.node.node_id for c in chosen if c.node.source_type is type)
        for type in SourceType
    }
    reasons = {type: _reason(type, chosen) for type in SourceType}
    rationale = _reasoning(analysis, chosen, len(candidates), expired, bounds, settings)
    return PlanSelection(RetrievalPlan(selected, reasons, rationale), chosen, expired)


def _score_node(
    node: Node,
    relevant: Mapping[str, float],
    scores: Mapping[str, float],
    wanted: _Wanted,
    analyser: Analyser,
) -> NodeChoice | None:
    """Return how relevant a node is; None for one that nothing ties to the question."""
    if node.node_id in scores:
        score, relevance = scores[node.node_id], max(relevant[node.node_id], 0.0)
        if relevance < _SCORE_MIN:
            return None
        return NodeChoice(node, relevance, f"recalled, scored {score:.2f}")
    by = max((id for id in node.links if id in relevant), key=relevant.__getitem__, default=None)
    words, asked, hinted = set(analyser.terms(node.summary)), wanted.asked, wanted.hinted
    words -= wanted.names
    shared = sorted(words & (asked | hinted))
    whole = len(asked) + _HINT * len(hinted)
    if not shared or not whole:
        return None
    overlap = (len(words & asked) + _HINT * len(words & hinted)) / whole
    says_it = len(shared) / len(words) >= _OWN_WORDS_MIN or overlap >= _WORDS_MIN
    if not says_it and not (words & hinted):
        return None
    reason = f"shares {', '.join(shared[:_WORDS_SHOWN])}"
    if by is None or relevant[by] <= 0:
        return NodeChoice(node, _WORDS * overlap, reason)
    return NodeChoice(node, _LINKED * relevant[by] + _WORDS * overlap, f"linked to {by}, {reason}")


def _reason(type: SourceType, chosen: Sequence[NodeChoice]) -> str:
    """Return why a group was selected, in one line; nothing for an empty group."""
    mine = [choice for choice in chosen if choice.node.source_type is type]
    if not mine:
        return ""
    return f"{counted(len(mine), 'node')}; the best is {mine[0].node.node_id}, {mine[0].reason}"


def _reasoning(
    analysis: QueryAnalysis,
    chosen: Sequence[NodeChoice],
    candidate_count: int,
    expired: Sequence[NodeChoice],
    bounds: TemporalBounds,
    settings: PlanSettings,
) -> str:
    question = shorten(analysis.resolved_query, _QUESTION_CHARS)
    if not chosen:
        parts = [f"Nothing is selected for «{question}»: go on with the question alone."]
    else:
        parts = [f"{len(chosen)} of {counted(candidate_count, 'node')} that recall and links reach"]
        parts[0] += f" are selected for «{question}»."
    if expired:
        which = ", ".join(choice.node.node_id for choice in expired[:3])
        more = ", …" if len(expired) > 3 else ""
        parts.append(
            f"{counted(len(expired), 'node')} left out, below confidence "
            f"{settings.confidence_min:.2f}: {which}{more}."
        )
    old = [c for c in chosen if is_archived(c.node, bounds, settings)]
    if old:
        parts.append(
            f"{counted(len(old), 'turn')} older than {settings.archive_days:g} days: the summary "
            "stands for each."
        )
    unsure = [c for c in chosen if band(c.node.confidence) == "low"]
    if unsure:
        parts.append(f"{counted(len(unsure), 'node')} of low confidence.")
    return shorten(" ".join(parts), REASONING_CHARS_MAX)


def is_archived(node: Node, bounds: TemporalBounds, settings: PlanSettings) -> bool:
    """Return whether a node is an archived turn, which its summary represents."""
    turn = node.source_type is SourceType.TURN_SUMMARY
    return turn and days_between(node.timestamp, bounds.now) > settings.archive_days


#: As relevant as the best, for this question: at least such a share of its relevance.
_NEAR = 0.8
#: Readings named at most.
_READINGS_MAX = 5
_WORD = re.compile(r"\w+")
#: A name within a sentence: then a pronoun can mean that person.
_NAMED = re.compile(r"(?<=[\w,;:] )(?!I\b)[A-Z]\w+")


@dataclass(frozen=True, slots=True)
class QuestionReading(JsonObject):
    """One thing that a question can mean, and the selected nodes that it would rest on."""

    text: str
    node_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Clarification(JsonObject):
    """A question for the asker, with at least two readings, the likelier first."""

    question: str
    readings: tuple[QuestionReading, ...]

    def without(self, ids: Collection[str]) -> Clarification | None:
        """Return the clarification without some nodes; None if one reading is left."""
        remaining = [
            tuple(id for id in reading.node_ids if id not in ids) for reading in self.readings
        ]
        readings = tuple(
            replace(reading, node_ids=left)
            for reading, left in zip(self.readings, remaining, strict=True)
            if left
        )
        return replace(self, readings=readings) if len(readings) > 1 else None


@dataclass(frozen=True, slots=True)
class NodeContext:
    """The facts of nodes by node id: the person of each, and the facts that contradict it."""

    owners: Mapping[str, str]
    contradictions: Mapping[str, Collection[str]]


def clarification_of(
    question: str, choices: Sequence[NodeChoice], context: NodeContext
) -> Clarification | None:
    """Return what to ask back before a plan's `choices` are used; None where nothing is open.

    Only sources nearly as relevant as the best are readings. A name said in full, and one that only
    one of them bears, settles whom the question means.
    """
    people = _people(question, choices, context.owners)
    if people is not None:
        return people
    facts = [choice for choice in choices if choice.node.node_id in context.contradictions]
    for place, first in enumerate(near := _near(facts)):
        ids = context.contradictions[first.node.node_id]
        second = next((c for c in near[place + 1 :] if c.node.node_id in ids), None)
        if second is not None:
            both = [QuestionReading(c.node.summary, (c.node.node_id,)) for c in (first, second)]
            return _clarification("Which of these holds", [f"“{c.text}”" for c in both], both)
    return None


def _people(
    question: str, choices: Sequence[NodeChoice], owners: Mapping[str, str]
) -> Clarification | None:
    """Return what to ask where a pronoun, or a name that several share, can mean several."""
    words = {fold(word) for word in _WORD.findall(question)}
    called = {name: {fold(w) for w in _WORD.findall(name)} for name in owners.values()}
    if any(parts and parts <= words for parts in called.values()):
        return None
    meant = {name for name, parts in called.items() if parts & words}
    readings = _readings(choices, owners)
    if meant:
        ambiguous = next(word for word in _WORD.findall(question) if _is_in_name(word, called))
        opened = f"Which {ambiguous} is meant"
        readings = [reading for reading in readings if fold(ambiguous) in called[reading.text]]
    else:
        pronoun = PRONOUN.search(question)
        if pronoun is None or _NAMED.search(question):
            return None
        opened = f"Whom does “{pronoun.group().lower()}” mean"
    if len(readings) < 2:
        return None
    return _clarification(opened, [reading.text for reading in readings], readings)


def _is_in_name(word: str, called: Mapping[str, Collection[str]]) -> bool:
    return any(fold(word) in parts for parts in called.values())


def _readings(choices: Sequence[NodeChoice], owners: Mapping[str, str]) -> list[QuestionReading]:
    """Return whose the best choices are, the most relevant first."""
    ids: dict[str, list[str]] = {}
    for choice in _near([choice for choice in choices if choice.node.node_id in owners]):
        ids.setdefault(owners[choice.node.node_id], []).append(choice.node.node_id)
    return [QuestionReading(name, tuple(node_ids)) for name, node_ids in ids.items()]


def _near(choices: Sequence[NodeChoice]) -> list[NodeChoice]:
    ranked = sorted(choices, key=lambda choice: -choice.relevance)
    return [choice for choice in ranked if choice.relevance >= _NEAR * ranked[0].relevance]


def _clarification(
    opened: str, named: Sequence[str], readings: Sequence[QuestionReading]
) -> Clarification:
    *first, last = named[:_READINGS_MAX]
    more = ", or somebody else" if len(named) > _READINGS_MAX else ""
    return Clarification(f"{opened}: {', '.join(first)} or {last}{more}?", tuple(readings))


_PARENTS = "mother father mum mom dad parents"
_SIBLINGS = "sister brother sisters brothers siblings"
_CHILDREN = "son daughter sons daughters kids children"
_FAMILY = (
    f"{_PARENTS} {_SIBLINGS} {_CHILDREN} partner wife husband cousin grandmother grandfather aunt"
    " uncle niece nephew"
)
_PETS = "pet dog cat dogs cats"
_WORDS_BEHIND = {
    "family": _FAMILY,
    "families": _FAMILY,
    "relatives": _FAMILY,
    "parents": _PARENTS,
    "siblings": _SIBLINGS,
    "children": _CHILDREN,
    "kids": _CHILDREN,
    "pets": _PETS,
    "animals": _PETS,
    "job": "works",
    "profession": "works",
    "hobbies": "hobby likes",
    "illness": "health",
    "allergies": "allergic",
}
_LATIN_WORD = re.compile(r"[a-z]+")


def words_behind(question: str) -> str:
    """Return the words that the general words of a question ask for; "" if it has none."""
    words = _LATIN_WORD.findall(question.lower())
    return " ".join(_WORDS_BEHIND[word] for word in words if word in _WORDS_BEHIND)
