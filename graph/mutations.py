"""What an entry of the journal means to the graph: nodes and edges to create or update.

A pure function, so that a graph projected entry by entry, in batches or anew is the same graph.
It sees one entry at a time: what it must know of the past, the entry records. It deletes nothing,
and an entry whose payload was erased means nothing to it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..core.events import text_of
from ..core.ids import artifact_id, concept_id, person_id
from ..core.types import EdgeUpsert, Entry, EntryKind, Json, Mutation, NodeUpsert, Payload
from .schema import EDGES


def mutations(entry: Entry) -> list[Mutation]:
    """Return what `entry` adds to the graph: nodes before the edges that need them.

    A node or edge may be named by many entries; the later one's properties replace the earlier's.
    """
    return [] if entry.payload is None else _OF_KIND[entry.kind](entry, entry.payload)


def _captured(entry: Entry, payload: Payload) -> list[Mutation]:
    event = payload["event"]
    nodes: list[Mutation] = [_experience(entry, event)]
    edges: list[Mutation] = []
    if entry.stream is not None:
        key = (event.get("session") or {}).get("key")
        nodes.append(_node(entry, "Session", entry.stream, key=key))
        edges.append(_edge(entry, "IN_SESSION", entry.id, entry.stream))
    if entry.previous is not None:
        edges.append(_edge(entry, "NEXT", entry.previous, entry.id))
    if name := event.get("person"):
        id = person_id(entry.space, name)
        nodes.append(_node(entry, "Person", id, name=name))
        edges.append(_edge(entry, "SPOKEN_BY", entry.id, id))
    for artifact in event.get("artifacts") or ():
        node = _artifact(entry, artifact)
        nodes.append(node)
        edges.append(_edge(entry, "REFERENCES", entry.id, node.id))
    return nodes + edges


def _experience(entry: Entry, event: Mapping[str, Any]) -> NodeUpsert:
    return _node(
        entry,
        "Experience",
        entry.id,
        event_id=entry.key,
        kind=event["kind"],
        text=text_of(event),
        at=entry.at,
        seq=entry.seq,
        tool=(event.get("tool") or {}).get("name"),
    )


def _artifact(entry: Entry, artifact: Mapping[str, Any]) -> NodeUpsert:
    return _node(
        entry,
        "Artifact",
        artifact_id(entry.space, artifact["uri"], artifact.get("sha256")),
        uri=artifact["uri"],
        media=artifact.get("kind", "file"),
        description=artifact.get("description") or None,
    )


def _enriched(entry: Entry, payload: Payload) -> list[Mutation]:
    experience = payload["experience"]
    nodes: list[Mutation] = []
    edges: list[Mutation] = []
    for lemma, word in payload["concepts"].items():
        id = concept_id(entry.space, lemma)
        nodes.append(_node(entry, "Concept", id, lemma=lemma, word=word))
        edges.append(_edge(entry, "ABOUT", experience, id))
    for person in payload["people"]:
        nodes.append(_node(entry, "Person", person["id"], name=person["name"]))
        edges.append(_edge(entry, "INVOLVES", experience, person["id"]))
    return nodes + edges


def _met(entry: Entry, payload: Payload) -> list[Mutation]:
    aliases: Sequence[str] = payload.get("aliases") or []
    return [
        _node(
            entry,
            "Person",
            payload["person"],
            name=payload["name"],
            aliases=list(aliases),
            since=entry.at,
        )
    ]


def _node(entry: Entry, label: str, id: str, **properties: Json) -> NodeUpsert:
    """Return a node in the entry's space; what is not known is left out."""
    known = {name: value for name, value in properties.items() if value is not None}
    return NodeUpsert(label, id, known | {"space": entry.space})


def _edge(entry: Entry, type: str, source: str, target: str) -> EdgeUpsert:
    ends = EDGES[type]
    properties = {
        "weight": 1.0,
        "since": entry.at,
        "source_seq": entry.seq,
        "space": entry.space,
    }
    return EdgeUpsert(type, ends.source, source, ends.target, target, properties)


_OF_KIND: Mapping[EntryKind, Callable[[Entry, Payload], list[Mutation]]] = {
    EntryKind.EXPERIENCE_CAPTURED: _captured,
    EntryKind.EXPERIENCE_ENRICHED: _enriched,
    EntryKind.PERSON_MET: _met,
}
