"""The shape of the graph: every label and edge type, and the properties that this version writes.

The lists are closed. Nothing but these names is ever put into the text of a statement; every
other value travels as a parameter. A digest reads exactly the properties that stand here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from .cypher_loader import cypher

#: Another version means another graph for the same journal: stores drop theirs and rebuild.
PROJECTION_VERSION = 9
#: The second label of nodes that can be recalled.
MEMORY = "Memory"
#: The one node of ours that is not of the graph: how far the projection of a space has come.
BOOKKEEPING = "MeridiaProjection"
#: Every edge carries these; KNOWS also has its kind.
EDGE_PROPERTIES = ("since", "source_seq", "space", "weight")

#: From an experience to each of its content words: in the adjacency alone, for ranking.
HAS_WORD = "HAS_WORD"

#: Says what kind of acquaintance it is.
KNOWS = "KNOWS"
#: What everybody is to the agent at first.
NEWCOMER = "user"
#: The embedded engine gives a node without one a name of its own.
NO_NAME: Mapping[str, str | None] = {"name": None}

_PLACEHOLDER = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class NodeLabel:
    """A label: its properties besides `id`, and whether its nodes can be recalled.

    Every node has a `name`, which graph browsers show. `defaults` are what a new node begins with.
    """

    name: str
    properties: tuple[str, ...] = ("space",)
    recalled: bool = False
    defaults: Mapping[str, str | None] = field(default_factory=lambda: dict(NO_NAME), hash=False)


@dataclass(frozen=True, slots=True)
class EdgeType:
    """An edge type and the labels of its two ends; one type may join several pairs."""

    name: str
    source: str
    target: str

    @property
    def properties(self) -> tuple[str, ...]:
        """What its edges carry."""
        return tuple(sorted((*EDGE_PROPERTIES, "kind"))) if self.name == KNOWS else EDGE_PROPERTIES


LABELS: Mapping[str, NodeLabel] = {
    label.name: label
    for label in (
        NodeLabel(
            "Experience",
            (
                *("at", "canonical", "emotions", "engagement", "event_id", "intensity", "kind"),
                *(
                    "name",
                    "questions",
                    "restricted",
                    "seq",
                    "significance",
                    "space",
                    "speaker",
                    "status",
                ),
                *("text", "tool", "valence"),
            ),
            recalled=True,
        ),
        NodeLabel(
            "Episode",
            ("at", "emotions", "name", "significance", "space", "text", "tools", "topic", "until"),
            recalled=True,
        ),
        NodeLabel(
            "Fact",
            (
                *("confidence", "contradicted_by", "name", "object", "predicate", "space"),
                *("stability", "subject", "t_created", "t_expired", "t_invalid", "t_valid", "text"),
            ),
            recalled=True,
        ),
        NodeLabel(
            "Transition",
            (
                *("after", "after_intensity", "after_valence", "at"),
                *("before", "before_intensity", "before_valence", "field", "name", "space"),
            ),
        ),
        NodeLabel(
            "Relationship",
            ("changed", "kind", "name", "since", "space", "threshold"),
            defaults={"kind": NEWCOMER, "name": NEWCOMER},
        ),
        NodeLabel("Entity", ("canonical", "kind", "name", "space")),
        NodeLabel("Concept", ("lemma", "name", "space", "word")),
        NodeLabel("Person", ("aliases", "name", "space")),
        NodeLabel("Session", ("key", "name", "space")),
        NodeLabel("Artifact", ("description", "media", "name", "space", "uri")),
    )
}

_EDGE_TYPES = (
    EdgeType("IN_SESSION", "Experience", "Session"),
    EdgeType("NEXT", "Experience", "Experience"),
    EdgeType("INVOLVES", "Experience", "Person"),
    EdgeType("SPOKEN_BY", "Experience", "Person"),
    EdgeType("MENTIONS", "Experience", "Entity"),
    EdgeType("ABOUT", "Experience", "Concept"),
    EdgeType("ABOUT", "Fact", "Person"),
    EdgeType("ABOUT", "Fact", "Entity"),
    EdgeType("RELATED", "Experience", "Experience"),
    EdgeType("REFERENCES", "Experience", "Artifact"),
    EdgeType("IN_RELATIONSHIP", "Person", "Relationship"),
    EdgeType("UNDERWENT", "Session", "Transition"),
    EdgeType("UNDERWENT", "Relationship", "Transition"),
    EdgeType("TRIGGERED_BY", "Transition", "Experience"),
    EdgeType("SUMMARIZES", "Episode", "Experience"),
    EdgeType("SUPERSEDES", "Fact", "Fact"),
    EdgeType("STATED_IN", "Fact", "Experience"),
    EdgeType(KNOWS, "Person", "Person"),
    EdgeType(KNOWS, "Person", "Entity"),
)
#: The pairs that each edge type joins, by its name.
EDGES: Mapping[str, tuple[EdgeType, ...]] = {
    name: tuple(edge for edge in _EDGE_TYPES if edge.name == name)
    for name in dict.fromkeys(edge.name for edge in _EDGE_TYPES)
}

#: Properties looked up by people, by label: each gets an index.
INDEXED_PROPERTIES: Mapping[str, tuple[str, ...]] = {
    "Experience": ("at", "event_id"),
    "Concept": ("lemma", "word"),
    "Person": ("name",),
    "Entity": ("name",),
    "Fact": ("predicate",),
    "Session": ("key",),
}


@cache
def for_label(name: str, label: str) -> str:
    """Return the statement `name` with its placeholders filled for one label of ours."""
    properties = () if label == BOOKKEEPING else LABELS[label].properties
    return _fill(name, {"label": label, "properties": _returned(properties)})


@cache
def for_edge(name: str, edge: EdgeType) -> str:
    """Return the statement `name` with its placeholders filled for one edge type of ours."""
    if edge not in EDGES[edge.name]:
        raise KeyError(f"{edge} is none of ours")
    names = {"type": edge.name, "source": edge.source, "target": edge.target}
    return _fill(name, names | {"properties": _returned(edge.properties)})


@cache
def for_property(name: str, label: str, property: str) -> str:
    """Return the statement `name` with its placeholders filled for one indexed property."""
    if property not in INDEXED_PROPERTIES[label]:
        raise KeyError(f"{label}.{property} is not looked up")
    return _fill(name, {"label": label, "property": property})


def for_index(name: str, index: str) -> str:
    """Return the statement `name` with its placeholder filled for one index."""
    return _fill(name, {"index": index})


def _returned(properties: tuple[str, ...]) -> str:
    """Write out what a statement returns of `x`: explicit names, since `RETURN x` differs."""
    return ", ".join(f"x.{name} AS {name}" for name in properties)


def _fill(name: str, names: Mapping[str, str]) -> str:
    # What depends on the store stands open: its partition fills it.
    return _PLACEHOLDER.sub(lambda match: names.get(match.group(1), match.group()), cypher(name))
