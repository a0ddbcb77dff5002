"""Loads what a plan names: by rule, node by node, in the plan's order.

The one part of planning that reads documents. It selects nothing, and a plan that names what is not
in the index is refused before anything is read. Loading changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from ...core.errors import NotFound
from ...core.recall_settings import PlanSettings
from ...core.time import to_text
from ...core.types import Json, MemoryRecord
from ...language.analyser import Analyser
from ..sentence_excerpts import excerpt
from .memory_index import graph_id, sequence_of
from .plan import SUMMARY_CHARS_MAX, Node, RetrievalPlan, SourceType
from .plan_choice import is_archived
from .plan_sources import PlanSources

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
        """Read from `sources`; of what is archived, the sentences about `question` are loaded."""
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
