"""What an entry of the journal means to the graph: nodes and edges to create or update.

A pure function, so that a graph projected entry by entry, in batches or anew is the same graph.
It sees one entry at a time: what it must know of the past, the entry records. It deletes nothing,
and an entry whose payload was erased means nothing to it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..core.events import encode, recorded_event, text_of
from ..core.ids import artifact_id, concept_id, person_id
from ..core.time import to_text
from ..core.types import EdgeUpsert, Entry, EntryKind, Json, Mutation, NodeUpsert, Payload
from .schema import EDGES


def mutations(entry: Entry) -> list[Mutation]:
    """Return what `entry` adds to the graph: nodes before the edges that need them.

    A node or edge may be named by many entries; the later one's properties replace the earlier's.
    """
    return [] if entry.payload is None else _BY_KIND[entry.kind](entry, entry.payload)


def _captured(entry: Entry, payload: Payload) -> list[Mutation]:
    event = recorded_event(payload)
    nodes: list[Mutation] = [_experience(entry, event, payload.get("decision") or {})]
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


def _experience(entry: Entry, event: Payload, decision: Payload) -> NodeUpsert:
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
        status=decision.get("status"),
        significance=decision.get("significance"),
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
    if phenomenology := payload.get("phenomenology"):
        signature = phenomenology.get("emotionalSignature") or {}
        nodes.append(
            _node(
                entry,
                "Experience",
                experience,
                emotions=list(signature.get("primary") or ()) or None,
                intensity=signature.get("intensity"),
                valence=signature.get("valence"),
                engagement=phenomenology.get("engagementQuality"),
            )
        )
    for lemma, word in (payload.get("concepts") or {}).items():
        id = concept_id(entry.space, lemma)
        nodes.append(_node(entry, "Concept", id, lemma=lemma, word=word))
        edges.append(_edge(entry, "ABOUT", experience, id))
    for person in payload.get("people") or ():
        nodes.append(_node(entry, "Person", person["id"], name=person["name"]))
        edges.append(_edge(entry, "INVOLVES", experience, person["id"]))
    for artifact in payload.get("artifacts") or ():
        node = _artifact(entry, artifact)
        nodes.append(node)
        edges.append(_edge(entry, "REFERENCES", experience, node.id))
    return nodes + edges


def _reevaluated(entry: Entry, payload: Payload) -> list[Mutation]:
    event = payload.get("event")
    return [
        _node(
            entry,
            "Experience",
            payload["experience"],
            status=payload["status"],
            significance=payload.get("significance"),
            text=text_of(event) if event else None,
        )
    ]


def _transitioned(entry: Entry, payload: Payload) -> list[Mutation]:
    id, experience = payload["transition"], payload["experience"]
    return [
        _node(
            entry,
            "Transition",
            id,
            field=payload["field"],
            before=_property_text(payload.get("from")),
            after=_property_text(payload.get("to")),
            at=entry.at,
        ),
        _edge(entry, "UNDERWENT", payload["session"], id),
        _edge(entry, "TRIGGERED_BY", id, experience),
    ]


def _related(entry: Entry, payload: Payload) -> list[Mutation]:
    return [
        _edge(entry, "RELATED", payload["experience"], other, cosine)
        for other, cosine in payload["related"]
    ]


def _reinforced(entry: Entry, payload: Payload) -> list[Mutation]:
    canonical = payload["canonical"]
    return [_node(entry, "Experience", payload["experience"], canonical=canonical)]


def _relationship(entry: Entry, payload: Payload) -> list[Mutation]:
    # A threshold that was taken away is written as null, which removes it.
    values = {"relationship": payload["type"], "threshold": payload.get("threshold")}
    return [NodeUpsert("Person", payload["person"], values | {"space": entry.space})]


def _mentioned(entry: Entry, payload: Payload) -> list[Mutation]:
    nodes: list[Mutation] = []
    edges: list[Mutation] = []
    for entity in payload["entities"]:
        id = entity["id"]
        nodes.append(_node(entry, "Entity", id, kind=entity["type"], name=entity["name"]))
        edges.append(_edge(entry, "MENTIONS", payload["experience"], id, entity["confidence"]))
    return nodes + edges


def _merged(entry: Entry, payload: Payload) -> list[Mutation]:
    return [_node(entry, "Entity", payload["entity"], canonical=payload["into"])]


def _unmerged(entry: Entry, payload: Payload) -> list[Mutation]:
    return [_node(entry, "Entity", payload["entity"], canonical=payload["entity"])]


def _asserted(entry: Entry, payload: Payload) -> list[Mutation]:
    fields = ("subject", "predicate", "object", "text", "stability", "t_valid", "confidence")
    values = {name: payload.get(name) for name in (*fields, "t_invalid")}
    fact = payload["fact"]
    return [
        _node(entry, "Fact", fact, t_created=to_text(entry.recorded_at), **values),
        _edge(entry, "STATED_IN", fact, payload["experience"]),
    ]


def _superseded(entry: Entry, payload: Payload) -> list[Mutation]:
    old, new = payload["fact"], payload.get("by_fact")
    if payload["relation"] == "contradicts":
        return [_node(entry, "Fact", old, contradicted_by=new)]
    expired = to_text(entry.recorded_at)
    node = _node(entry, "Fact", old, t_invalid=payload.get("t_invalid"), t_expired=expired)
    return [node, _edge(entry, "SUPERSEDES", new, old)] if new else [node]


def _anticipated(entry: Entry, payload: Payload) -> list[Mutation]:
    questions = list(payload["questions"])
    return [_node(entry, "Experience", payload["experience"], questions=questions)]


def _episode(entry: Entry, payload: Payload) -> list[Mutation]:
    id = payload["episode"]
    node = _node(
        entry,
        "Episode",
        id,
        topic=payload["topic"],
        text=payload["summary"],
        at=payload.get("from"),
        until=payload.get("until"),
        significance=payload.get("significance"),
        tools=list(payload.get("tools") or ()) or None,
        emotions=list(payload.get("emotions") or ()) or None,
    )
    return [node, *(_edge(entry, "SUMMARIZES", id, source) for source in payload["sources"])]


def _feedback(_entry: Entry, _payload: Payload) -> list[Mutation]:
    # It is about answers, and counts in their ranking (`feedback`); the graph is about what was.
    return []


def _property_text(value: Json) -> str | None:
    """Return a value as the text that a property can hold."""
    return value if value is None or isinstance(value, str) else encode(value)


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
    not_none = {name: value for name, value in properties.items() if value is not None}
    return NodeUpsert(label, id, not_none | {"space": entry.space})


def _edge(entry: Entry, type: str, source: str, target: str, weight: float = 1.0) -> EdgeUpsert:
    ends = EDGES[type]
    properties = {
        "weight": float(weight),
        "since": entry.at,
        "source_seq": entry.seq,
        "space": entry.space,
    }
    return EdgeUpsert(type, ends.source, source, ends.target, target, properties)


_BY_KIND: Mapping[EntryKind, Callable[[Entry, Payload], list[Mutation]]] = {
    EntryKind.EXPERIENCE_CAPTURED: _captured,
    EntryKind.EXPERIENCE_ENRICHED: _enriched,
    EntryKind.EXPERIENCE_REEVALUATED: _reevaluated,
    EntryKind.STATE_TRANSITIONED: _transitioned,
    EntryKind.PERSON_MET: _met,
    EntryKind.RELATIONSHIP_CHANGED: _relationship,
    EntryKind.ENTITIES_MENTIONED: _mentioned,
    EntryKind.ENTITIES_MERGED: _merged,
    EntryKind.ENTITIES_UNMERGED: _unmerged,
    EntryKind.MEMORIES_ASSOCIATED: _related,
    EntryKind.MEMORY_REINFORCED: _reinforced,
    EntryKind.FACT_ASSERTED: _asserted,
    EntryKind.FACT_SUPERSEDED: _superseded,
    EntryKind.QUESTIONS_ANTICIPATED: _anticipated,
    EntryKind.EPISODE_SYNTHESISED: _episode,
    EntryKind.FEEDBACK_GIVEN: _feedback,
}
