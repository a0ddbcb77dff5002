"""Turns a plan into context: loads its documents, drafts sections from them, and checks the draft.

Loading goes node by node in the plan's order, and is the only part of planning that reads
documents; a plan that names an unknown node is refused before. The draft has one section for each
source type with its sources; a model may word it (`plan_model`). Only a draft that passes the check
is returned. Loading changes nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial

from ...core.codec import JsonObject
from ...core.errors import NotFound
from ...core.settings import PlanSettings
from ...core.time import to_text
from ...core.types import Json, MemoryRecord
from ...language.analyser import Analyser
from ..sentence_excerpts import excerpt
from .memory_index import PlanSources, graph_id, preference_seq, sequence_of
from .plan import (
    BY_RULE,
    DECAY,
    EXPIRED_BELOW,
    SUMMARY_CHARS_MAX,
    ContentType,
    Node,
    QueryAnalysis,
    RetrievalPlan,
    SourceType,
    TemporalBounds,
    days_between,
)
from .plan_choice import is_archived

#: The name that each source type's document has (feature 74).
DOCUMENT: Mapping[SourceType, str] = {
    SourceType.TURN_SUMMARY: "context.md",
    SourceType.PREFERENCE: "memory.md",
    SourceType.FACT: "memory.md",
    SourceType.RESEARCH_CACHE: "research.md",
    SourceType.VISIT_RECORD: "visit.md",
}


@dataclass(frozen=True, slots=True)
class Document:
    """One loaded document in Markdown; of an archived turn only the summary was loaded."""

    node: Node
    name: str
    text: str
    archived: bool = False

    def as_json(self) -> dict[str, Json]:
        """Return plain JSON values."""
        return {
            "node_id": self.node.node_id,
            "document": self.name,
            "source_ref": self.node.source_ref,
            "archived": self.archived,
            "text": self.text,
        }


class DocumentLoader:
    """Reads the documents of one space, as they are seen from the moment of `sources`."""

    def __init__(
        self, sources: PlanSources, settings: PlanSettings, question: str, analyser: Analyser
    ) -> None:
        """Read from `sources`; of archived turns, load the sentences about `question`."""
        self._sources = sources
        self._settings = settings
        self._excerpt = partial(
            excerpt, question=question, analyser=analyser, room=SUMMARY_CHARS_MAX, measure=len
        )

    def load(
        self, plan: RetrievalPlan, nodes: Mapping[str, Node], *, cold: bool = False
    ) -> list[Document]:
        """Return the documents of a plan, group by group.

        An archived turn is represented by those of its sentences that the question is about, in
        the room of a summary; with `cold` its whole text is loaded too.
        `nodes` are the index's nodes of the plan's ids; `NotFound` names one that is missing.
        """
        for id in plan.ids:
            if id not in nodes:
                raise NotFound(f"{id!r} is not in the memory index: plan again")
        return [self._load(nodes[id], cold) for id in plan.ids]

    def _load(self, node: Node, cold: bool) -> Document:
        name = DOCUMENT[node.source_type]
        old = is_archived(node, self._sources.bounds, self._settings)
        if old and not cold:
            head = f"# {node.node_id} (archived)\n\nWhole text: {node.source_ref}\n"
            return Document(node, name, f"{head}\n{self._summary(node)}\n", archived=True)
        return Document(node, name, self._text(node), archived=old)

    def _summary(self, node: Node) -> str:
        seq = sequence_of(node.node_id)
        if seq is None:
            return node.summary
        memory = self._sources.memories([seq])[seq]
        return f"{memory.who}: {self._excerpt(memory.text)}"

    def _text(self, node: Node) -> str:
        id, seq = graph_id(node.node_id), sequence_of(node.node_id)
        if seq is not None:
            return _turn(node, self._sources.memories([seq])[seq])
        if id in self._sources.episodes:
            episode = self._sources.episodes[id].episode
            period = f"From {episode.since or '?'} to {episode.until or '?'}"
            count = len(episode.sources)
            lines = [f"# {episode.topic}", "", f"{period}, {count} experiences.", ""]
            return "\n".join([*lines, episode.summary, ""])
        if id in self._sources.facts:
            return self._fact(node, id)
        for memory in self._sources.memories([preference_seq(id)]).values():
            return _turn(node, memory)
        references = self._sources.artifacts([id])[id]
        artifact = references.artifact
        lines = [f"# {artifact['uri']}", ""]
        lines += [
            f"{name}: {artifact[name]}"
            for name in ("kind", "title", "description", "mimeType", "sizeBytes", "sha256")
            if artifact.get(name)
        ]
        return "\n".join([*lines, "", "Named by:", "", *map(_quoted, references.memories), ""])

    def _fact(self, node: Node, id: str) -> str:
        stated = self._sources.facts[id]
        fact = stated.fact
        until = "still" if fact.t_invalid is None else f"until {to_text(fact.t_invalid)}"
        lines = [f"# {fact.text}", "", f"Holds since {to_text(fact.t_valid)}, {until}."]
        lines.append(f"Learned {to_text(fact.t_created)}; confidence {node.confidence:.2f}.")
        if fact.contradicts:
            lines.append(f"Contradicted by: {', '.join(fact.contradicts)}.")
        return "\n".join([*lines, "", "Stated in:", "", _quoted(stated.memory), ""])


def _turn(node: Node, memory: MemoryRecord) -> str:
    """Return an experience as a document: who, when, where, and every word."""
    where = f", session {memory.session}" if memory.session else ""
    lines = [
        f"# {node.node_id}",
        "",
        f"{memory.who}, {to_text(memory.at)}{where} ({memory.uri})",
        "",
    ]
    lines.append(memory.text)
    lines += [f"\n[{a.kind}] {a.uri} {a.description}".rstrip() for a in memory.artifacts]
    return "\n".join([*lines, ""])


def _quoted(memory: MemoryRecord) -> str:
    return f"- {memory.who}, {to_text(memory.at)}, {memory.uri}: {memory.text}"


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
    """One section of a draft with its sources; the average is over nodes, None without any."""

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
class DraftCheck(JsonObject):
    """A verdict, everything that is wrong, and what to do about it.

    `missing_context` are the titles of missing sections. For a second draft there is
    `retry_guidance`; `clarification_question` is to be put to the user first.
    """

    verdict: DraftVerdict
    issues: tuple[str, ...] = ()
    missing_context: tuple[str, ...] = ()
    retry_guidance: str = ""
    clarification_question: str = ""


def draft(
    analysis: QueryAnalysis,
    documents: Sequence[Document],
    bounds: TemporalBounds,
    *,
    evenly: bool = False,
) -> PlanDraft:
    """Draft a section for each type of documents; without documents, only the question.

    The first sections get all the room they need; with `evenly`, each source type gets the same.
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
    """Return the beginning of a text that fits into about a number of tokens."""
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
