"""Builds the nodes and edges that an entry makes: in its space, with what every one has."""

from __future__ import annotations

from ...core.types import EdgeUpsert, Entry, Json, NodeUpsert
from ..schema import EDGES

#: How much of a text a graph browser shows on a node, characters.
_CAPTION_CHARS_MAX = 60


def put_node(entry: Entry, label: str, id: str, **properties: Json) -> NodeUpsert:
    """Return a node in the entry's space; what is not known is left out."""
    not_none = {name: value for name, value in properties.items() if value is not None}
    return NodeUpsert(label, id, not_none | {"space": entry.space})


def put_edge(
    entry: Entry,
    type: str,
    source: str,
    target: str,
    weight: float = 1.0,
    ends: tuple[str, str] | None = None,
) -> EdgeUpsert:
    """Return an edge; `ends` are the labels that it joins, where its type joins several pairs."""
    source_label, target_label = ends or (EDGES[type][0].source, EDGES[type][0].target)
    properties = {
        "weight": float(weight),
        "since": entry.at,
        "source_seq": entry.seq,
        "space": entry.space,
    }
    return EdgeUpsert(type, source_label, source, target_label, target, properties)


def caption(text: str | None) -> str | None:
    """Return what a graph browser writes on a node: the beginning of its text."""
    line = " ".join((text or "")[: 4 * _CAPTION_CHARS_MAX].split())
    whole = len(line) <= _CAPTION_CHARS_MAX
    return (line if whole else f"{line[: _CAPTION_CHARS_MAX - 1].rstrip()}…") or None
