"""What somebody is to the agent, and transitions: of that, and of a session's register.

A relationship is a node between the agent and a person. It begins when they meet, and what it
underwent are changes of its kind, and of how the person felt.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ...core.entries import PersonMet, RelationshipChanged, StateTransitioned
from ...core.events import encode
from ...core.ids import derived, relationship_id
from ...core.types import Entry, Json, Mutation, NodeUpsert
from .elements import caption, put_edge, put_node


def met(entry: Entry, payload: PersonMet) -> list[Mutation]:
    """Return somebody who was met, and the relationship that begins so."""
    aliases = list(payload.aliases)
    return [
        put_node(entry, "Person", payload.person, name=payload.name, aliases=aliases),
        *_related_to(entry, payload.person, None, since=entry.at),
    ]


def transitioned(entry: Entry, payload: StateTransitioned) -> list[Mutation]:
    """Return a transition of a session, and of the relationship with whom it is about."""
    id, field = payload.transition, payload.field.value
    sides = _columns("before", payload.before) | _columns("after", payload.after)
    return [
        _transition(entry, id, field, sides),
        put_edge(entry, "UNDERWENT", payload.session, id),
        put_edge(entry, "TRIGGERED_BY", id, payload.experience),
        *(_related_to(entry, payload.person, id) if payload.person else ()),
    ]


def changed(entry: Entry, payload: RelationshipChanged) -> list[Mutation]:
    """Return a relationship as it has become, with the transition; the person comes first."""
    kind, transition = payload.type.value, derived("transition", entry.space, entry.id)
    sides = {"before": payload.before and payload.before.value, "after": kind}
    about, *edges = _related_to(
        entry, payload.person, transition, kind=kind, name=kind, changed=entry.at
    )
    # A threshold that was taken away is written as null, which removes it.
    values = {**about.properties, "threshold": payload.threshold}
    return [
        put_node(entry, "Person", payload.person),
        _transition(entry, transition, "relationship", sides),
        replace(about, properties=values),
        *edges,
    ]


def has_relationship(change: Mutation) -> bool:
    """Say whether a change is of a relationship, or of an edge at one."""
    labels = (
        (change.label,)
        if isinstance(change, NodeUpsert)
        else (change.source_label, change.target_label)
    )
    return "Relationship" in labels


def _transition(entry: Entry, id: str, field: str, sides: Mapping[str, Json]) -> NodeUpsert:
    name = f"{field}: {sides['before'] or '–'} → {sides['after'] or '–'}"
    return put_node(entry, "Transition", id, field=field, at=entry.at, name=caption(name), **sides)


def _related_to(
    entry: Entry, person: str, transition: str | None, **properties: Json
) -> list[Mutation]:
    """Return what somebody is to the agent, and the transition that it underwent, if any."""
    id = relationship_id(person)
    changes: list[Mutation] = [
        put_node(entry, "Relationship", id, **properties),
        put_edge(entry, "IN_RELATIONSHIP", person, id),
    ]
    if transition:
        ends = ("Relationship", "Transition")
        changes.append(put_edge(entry, "UNDERWENT", id, transition, ends=ends))
    return changes


def _columns(name: str, value: Json) -> dict[str, Json]:
    """Return one side of a transition as properties: words, and what is measured beside them."""
    if not isinstance(value, dict):
        return {name: value if value is None or isinstance(value, str) else encode(value)}
    words = ", ".join(str(word) for word in value.get("primary") or ())
    measures = {f"{name}_{key}": value.get(key) for key in ("intensity", "valence")}
    return {name: words or None, **measures}
