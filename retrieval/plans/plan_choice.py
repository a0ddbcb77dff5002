"""Selects the nodes of a plan, from index nodes and the scores of recall only.

A pure function. It has no loader and no file, so it cannot read a document. It states what it
leaves out, and why.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...core.recall_settings import PlanSettings
from ...core.text import Analyser, counted, shorten
from .confidence import band, days_between
from .plan import (
    REASONING_CHARS_MAX,
    Node,
    QueryAnalysis,
    RetrievalPlan,
    SourceType,
    TemporalBounds,
)

#: Half of the relevance of a node that is no turn comes over its link, half from its own words.
_LINKED, _WORDS = 0.5, 0.5
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
    """A plan, the choices it is made of, and what was left out because it is expired."""

    plan: RetrievalPlan
    choices: Sequence[NodeChoice]
    expired: Sequence[NodeChoice]


def select_nodes(
    analysis: QueryAnalysis,
    scores: Mapping[str, float],
    nodes: Sequence[Node],
    analyser: Analyser,
    bounds: TemporalBounds,
    settings: PlanSettings,
) -> PlanSelection:
    """Return the plan for a question.

    `scores` are what recall gave to turns, by node id; `nodes` are these turns and what is linked
    to them. A turn is as relevant as its score, relative to the best. Another node has half of the
    relevance of the best turn it is linked to, and the other half as far as the question's words
    are its own; one that shares no word with the question, or with the hints, is not chosen.
    """
    asked = set(analyser.terms(analysis.question))
    hinted = set(analyser.terms(analysis.hinted)) - asked
    best = max((score for score in scores.values()), default=0.0)
    relevant = {id: score / best if best > 0 else 0.0 for id, score in scores.items()}
    candidates = [
        choice
        for node in nodes
        if (choice := _score_node(node, relevant, scores, asked, hinted, analyser)) is not None
    ]
    candidates.sort(key=lambda c: (-c.relevance, -c.node.confidence, c.node.node_id))
    expired = [c for c in candidates if c.node.confidence < settings.confidence_min]
    sure = [c for c in candidates if c.node.confidence >= settings.confidence_min]
    chosen = [
        choice
        for type in SourceType
        for choice in [c for c in sure if c.node.source_type is type][: settings.limit]
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
    asked: set[str],
    hinted: set[str],
    analyser: Analyser,
) -> NodeChoice | None:
    """Return how relevant a node is; None for one that nothing ties to the question."""
    if node.node_id in scores:
        score = scores[node.node_id]
        return NodeChoice(node, max(relevant[node.node_id], 0.0), f"recalled, scored {score:.2f}")
    by = max((id for id in node.links if id in relevant), key=relevant.__getitem__, default=None)
    words = set(analyser.terms(node.summary))
    shared = sorted(words & (asked | hinted))
    whole = len(asked) + _HINT * len(hinted)
    if not shared or not whole:
        return None
    overlap = (len(words & asked) + _HINT * len(words & hinted)) / whole
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
    """Say whether a node is a turn so old that its summary stands for it."""
    turn = node.source_type is SourceType.TURN_SUMMARY
    return turn and days_between(node.timestamp, bounds.now) > settings.archive_days
