"""From loaded documents to the context that is handed on: a draft, and its check.

The draft is put together by rule, one section for each source type, each with its sources; a model
may word it (`draft_model`). Only a draft that passes the check is handed on.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from ...core.codec import to_object
from ...core.types import Json
from .confidence import DECAY, EXPIRED_BELOW, ContentType, days_between
from .document_loader import Document
from .plan import BY_RULE, Node, QueryAnalysis, RetrievalPlan, SourceType, TemporalBounds

#: About so long, in tokens: all of it, and one document.
DRAFT_TOKENS_MAX, DOCUMENT_TOKENS_MAX = 5_000, 1_500
CONSTRAINTS = "Constraints"
#: The section of each source type; facts constrain, and stand beside the question itself.
SECTIONS: Mapping[SourceType, str] = {
    SourceType.PREFERENCE: "Session Preferences",
    SourceType.TURN_SUMMARY: "Relevant Prior Turns",
    SourceType.RESEARCH_CACHE: "Cached Research",
    SourceType.VISIT_RECORD: "Visit Data",
    SourceType.FACT: CONSTRAINTS,
}
_QUERY = "user_query"
_GUIDANCE = "draft it again from the plan's own documents, a section for each of its source types"
#: A token of a language model is some four characters of text.
_TOKEN_CHARS = 4
_TOLERANCE = 1e-6


@dataclass(frozen=True, slots=True)
class DraftSection:
    """One part of a draft and what it rests on; the average is of nodes, None without any."""

    title: str
    text: str
    source_types: tuple[str, ...] = ()
    node_ids: tuple[str, ...] = ()
    confidence_avg: float | None = None
    provenance: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Json]:
        """Return plain JSON values."""
        average = self.confidence_avg
        return {
            "title": self.title,
            "text": self.text,
            "_meta": {
                "source_type": list(self.source_types),
                "node_ids": list(self.node_ids),
                "confidence_avg": None if average is None else round(average, 6),
                "provenance": list(self.provenance),
            },
        }


@dataclass(frozen=True, slots=True)
class PlanDraft:
    """Sections that are not handed on yet; `by` is "rule", or the model that worded them."""

    sections: Sequence[DraftSection]
    by: str = BY_RULE
    notes: tuple[str, ...] = ()

    @property
    def markdown(self) -> str:
        """The draft as it would be handed on."""
        return "\n".join(f"## {section.title}\n\n{section.text}\n" for section in self.sections)

    def as_json(self) -> dict[str, Json]:
        """Return plain JSON values."""
        sections: list[Json] = [section.as_json() for section in self.sections]
        return {"sections": sections, "by": self.by, "notes": list(self.notes)}


class DraftVerdict(StrEnum):
    """The result of checking a draft."""

    PASS = "pass"  # noqa: S105 - a word, no secret
    RETRY = "retry"
    CLARIFY = "clarify"


@dataclass(frozen=True, slots=True)
class DraftCheck:
    """A verdict, everything that is wrong, and what to do about it.

    `missing_context` are the titles of missing sections. For a second draft there is
    `retry_guidance`; `clarification_question` is to be put to the user first.
    """

    verdict: DraftVerdict
    issues: tuple[str, ...] = ()
    missing_context: tuple[str, ...] = ()
    retry_guidance: str = ""
    clarification_question: str = ""

    def as_json(self) -> dict[str, Json]:
        """Return plain JSON values."""
        return to_object(self)


def draft(
    analysis: QueryAnalysis,
    documents: Sequence[Document],
    bounds: TemporalBounds,
    *,
    evenly: bool = False,
) -> PlanDraft:
    """Put documents under the sections of their types; without any, the question stands alone.

    What comes first has all the room it needs; `evenly`, each source type has the same.
    """
    sections: list[DraftSection] = []
    left = DRAFT_TOKENS_MAX
    share = left // max(len({document.node.source_type for document in documents}), 1)
    for type, title in SECTIONS.items():
        mine = [d for d in documents if d.node.source_type is type]
        left = share if evenly else left
        used: list[Document] = []
        for document in mine:
            text = _cut(document.text, min(left, DOCUMENT_TOKENS_MAX))
            if text:
                used.append(replace(document, text=text))
                left -= _tokens(text)
        if used and title != CONSTRAINTS:
            sections.append(_section(title, (type.value,), used, bounds))
        elif title == CONSTRAINTS:
            types = (_QUERY, type.value) if used else (_QUERY,)
            section = _section(title, types, used, bounds)
            asked = f"Question: {analysis.question}"
            sections.append(replace(section, text="\n\n".join(filter(None, (asked, section.text)))))
    return PlanDraft(sections)


def check(
    given: PlanDraft,
    plan: RetrievalPlan,
    nodes: Mapping[str, Node],
    bounds: TemporalBounds,
    asks: str | None = None,
) -> DraftCheck:
    """Compare a draft with its plan and the index; every difference is an issue.

    A draft with issues is drafted again; one without waits for an answer where the plan `asks`.
    """
    issues: list[str] = []
    for section in given.sections:
        where = f"section {section.title!r}"
        if not section.source_types:
            issues.append(f"{where} does not say what it rests on")
        if section.title != CONSTRAINTS and len(section.source_types) > 1:
            issues.append(f"{where} mixes source types")
        unknown = [id for id in section.node_ids if id not in nodes or id not in plan.ids]
        issues += [f"{where} names {id!r}, which the plan does not select" for id in unknown]
        indexed = [nodes[id] for id in section.node_ids if id not in unknown]
        issues += [f"{where} uses {n.node_id}, which is expired" for n in indexed if _expired(n)]
        average = mean_confidence(indexed, bounds)
        if not unknown and not _same(average, section.confidence_avg):
            issues.append(f"{where} states a confidence that is not its nodes'")
    titles = {section.title for section in given.sections}
    wanted = {CONSTRAINTS} | {SECTIONS[type] for type, ids in plan.selected.items() if ids}
    missing = tuple(sorted(wanted - titles))
    issues += [f"section {title!r} is missing" for title in missing]
    if issues:
        return DraftCheck(DraftVerdict.RETRY, tuple(issues), missing, _GUIDANCE)
    if asks:
        return DraftCheck(DraftVerdict.CLARIFY, clarification_question=asks)
    return DraftCheck(DraftVerdict.PASS)


def mean_confidence(nodes: Sequence[Node], bounds: TemporalBounds) -> float | None:
    """Return the mean confidence of nodes, the newer weighing more; None without any."""
    if not nodes:
        return None
    rate = DECAY[ContentType.DEFAULT].rate
    ages = [max(days_between(node.timestamp, bounds.now), 0.0) for node in nodes]
    newest = min(ages)
    weights = [math.exp(-rate * (age - newest)) for age in ages]
    total = math.fsum(weights)
    return math.fsum(w * n.confidence for w, n in zip(weights, nodes, strict=True)) / total


def _section(
    title: str, types: tuple[str, ...], documents: Sequence[Document], bounds: TemporalBounds
) -> DraftSection:
    nodes = [document.node for document in documents]
    return DraftSection(
        title=title,
        text="\n\n".join(_below(document.text.strip()) for document in documents),
        source_types=types,
        node_ids=tuple(node.node_id for node in nodes),
        confidence_avg=mean_confidence(nodes, bounds),
        provenance=tuple(dict.fromkeys(node.source_ref for node in nodes)),
    )


def _below(text: str) -> str:
    """Return a document with its heading two levels lower, as part of a section."""
    return f"##{text}" if text.startswith("# ") else text


def _cut(text: str, tokens: int) -> str:
    """Return as much of a text as fits into about so many tokens."""
    room = tokens * _TOKEN_CHARS
    if len(text) <= room:
        return text
    return f"{text[: room - 1].rstrip()}…" if room > 1 else ""


def _tokens(text: str) -> int:
    return math.ceil(len(text) / _TOKEN_CHARS)


def _expired(node: Node) -> bool:
    return node.confidence < EXPIRED_BELOW


def _same(first: float | None, second: float | None) -> bool:
    if first is None or second is None:
        return first is second
    return abs(first - second) <= _TOLERANCE
