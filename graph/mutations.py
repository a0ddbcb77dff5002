"""The graph mutations of a journal entry: nodes and edges to create or update.

A pure function, so that a graph projected entry by entry, in batches or again is the same graph. It
reads one entry at a time: what it needs of earlier entries is recorded in the entry. It deletes
nothing, and an entry whose payload was erased gives no mutations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from ..core.entries import (
    EntitiesMentioned,
    EpisodeSynthesised,
    ExperienceCaptured,
    ExperienceEnriched,
    ExperienceReevaluated,
    FactAsserted,
    FactSuperseded,
    PersonMet,
    RelationshipChanged,
    StateTransitioned,
)
from ..core.events import (
    EventKind,
    encode,
    is_restricted,
    recorded_event,
    speaker_id,
    text_of,
)
from ..core.experience import Phenomenology
from ..core.facts import ACQUAINTANCES, learned_at
from ..core.ids import (
    artifact_id,
    concept_id,
    derived,
    event_id_of,
    person_id,
    relationship_id,
    word_id,
)
from ..core.people import YOU, NameRefused, PeopleMerged, PeopleUnmerged, PersonNamed
from ..core.time import from_text
from ..core.types import EdgeUpsert, Entry, EntryKind, Json, Mutation, NodeUpsert, Payload
from ..core.vocabulary import FactRelation
from .schema import EDGES, HAS_WORD, KNOWS

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


def met(entry: Entry, payload: PersonMet) -> list[Mutation]:
    """Return somebody who was met, and the relationship that begins so."""
    aliases = list(payload.aliases)
    return [
        put_node(entry, "Person", payload.person, name=payload.name, aliases=aliases),
        put_node(entry, "Relationship", relationship_id(payload.person), since=entry.at),
        put_edge(entry, "IN_RELATIONSHIP", payload.person, relationship_id(payload.person)),
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
    """Return whether a change is of a relationship, or of an edge at one."""
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
    entry: Entry, person: str, transition: str, **properties: Json
) -> tuple[NodeUpsert, EdgeUpsert]:
    """Return what somebody is to the agent, and the transition that it underwent."""
    id, ends = relationship_id(person), ("Relationship", "Transition")
    return (
        put_node(entry, "Relationship", id, **properties),
        put_edge(entry, "UNDERWENT", id, transition, ends=ends),
    )


def _columns(name: str, value: Json) -> dict[str, Json]:
    """Return one side of a transition as properties: words, and what is measured beside them."""
    if not isinstance(value, dict):
        return {name: value if value is None or isinstance(value, str) else encode(value)}
    words = ", ".join(str(word) for word in value.get("primary") or ())
    measures = {f"{name}_{key}": value.get(key) for key in ("intensity", "valence")}
    return {name: words or None, **measures}


def mutations(entry: Entry) -> list[Mutation]:
    """Return what `entry` adds to the graph: nodes before the edges that need them.

    A node or edge may be named by many entries; the later one's properties replace the earlier's.
    """
    return [] if entry.payload is None else _BY_KIND[entry.kind](entry, entry.payload)


def index_mutations(entry: Entry) -> list[Mutation]:
    """Return what `entry` adds to the adjacency: what it adds to the graph, and its words.

    What somebody would call a topic is a concept, and in the graph; a word is the ranking's affair,
    and what somebody is to the agent is not.
    """
    payload = entry.payload
    if isinstance(payload, RelationshipChanged):
        return mutations(entry)[:1]
    if not isinstance(payload, ExperienceEnriched):
        return [change for change in mutations(entry) if not has_relationship(change)]
    words = {word_id(entry.space, stem): word for stem, word in (payload.concepts or {}).items()}
    experience, properties = payload.experience, {"weight": 1.0, "source_seq": entry.seq}
    return [
        *mutations(entry),
        *(NodeUpsert("Word", id, {"word": word}) for id, word in words.items()),
        *(EdgeUpsert(HAS_WORD, "Experience", experience, "Word", id, properties) for id in words),
    ]


def _captured(entry: Entry, payload: ExperienceCaptured) -> list[Mutation]:
    event = recorded_event(payload)
    nodes: list[Mutation] = [
        put_node(
            entry,
            "Experience",
            entry.id,
            event_id=event_id_of(entry.key),
            kind=event["kind"],
            **_worded(event),
            restricted=is_restricted(event.get("metadata")) or None,
            at=entry.at,
            seq=entry.seq,
            tool=(event.get("tool") or {}).get("name"),
            speaker=event.get("person") or _ROLES.get(event["kind"]),
            status=payload.decision and payload.decision.status.value,
            significance=payload.decision and payload.decision.significance,
        )
    ]
    edges: list[Mutation] = []
    if entry.stream is not None:
        key = (event.get("session") or {}).get("key")
        nodes.append(put_node(entry, "Session", entry.stream, key=key, name=caption(key)))
        edges.append(put_edge(entry, "IN_SESSION", entry.id, entry.stream))
    if entry.previous is not None:
        edges.append(put_edge(entry, "NEXT", entry.previous, entry.id))
    if id := speaker_id(event, entry.space):
        nodes.append(put_node(entry, "Person", id, name=event.get("person") or YOU))
        edges.append(put_edge(entry, "SPOKEN_BY", entry.id, id))
    for artifact in event.get("artifacts") or ():
        node = _artifact(entry, artifact)
        nodes.append(node)
        edges.append(put_edge(entry, "REFERENCES", entry.id, node.id))
    return nodes + edges


def _artifact(entry: Entry, artifact: Mapping[str, Any]) -> NodeUpsert:
    return put_node(
        entry,
        "Artifact",
        artifact_id(entry.space, artifact["uri"], artifact.get("sha256")),
        uri=artifact["uri"],
        media=artifact.get("kind", "file"),
        description=(description := artifact.get("description") or None),
        name=caption(description or artifact["uri"].rstrip("/").rpartition("/")[2]),
    )


def _enriched(entry: Entry, payload: ExperienceEnriched) -> list[Mutation]:
    experience = payload.experience
    nodes: list[Mutation] = []
    edges: list[Mutation] = []
    if felt := payload.phenomenology:
        nodes.append(_felt(entry, experience, felt))
    for lemma, word in (payload.topics or {}).items():
        id = concept_id(entry.space, lemma)
        nodes.append(put_node(entry, "Concept", id, lemma=lemma, word=word, name=word))
        edges.append(put_edge(entry, "ABOUT", experience, id))
    for person in payload.people or ():
        nodes.append(put_node(entry, "Person", person.id, name=person.name))
        edges.append(put_edge(entry, "INVOLVES", experience, person.id))
    for artifact in payload.artifacts or ():
        node = _artifact(entry, artifact)
        nodes.append(node)
        edges.append(put_edge(entry, "REFERENCES", experience, node.id))
    return nodes + edges


def _felt(entry: Entry, experience: str, phenomenology: Phenomenology) -> NodeUpsert:
    signature = phenomenology.signature
    return put_node(
        entry,
        "Experience",
        experience,
        emotions=[word.value for word in signature.primary] or None if signature else None,
        intensity=signature and signature.intensity,
        valence=signature and signature.valence,
        engagement=phenomenology.engagement and phenomenology.engagement.value,
    )


def _reevaluated(entry: Entry, payload: ExperienceReevaluated) -> list[Mutation]:
    return [
        put_node(
            entry,
            "Experience",
            payload.experience,
            status=payload.status.value,
            significance=payload.significance,
            **(_worded(payload.event) if payload.event else {}),
        )
    ]


def _named(
    entry: Entry, payload: PersonNamed | NameRefused | PeopleMerged | PeopleUnmerged
) -> list[Mutation]:
    # What they are called is looked up when the node is written: see `identities`.
    person = payload.into if isinstance(payload, PeopleMerged) else payload.person
    return [put_node(entry, "Person", person)]


def _mentioned(entry: Entry, payload: EntitiesMentioned) -> list[Mutation]:
    nodes: list[Mutation] = []
    edges: list[Mutation] = []
    for entity in payload.entities:
        id = entity.id
        nodes.append(put_node(entry, "Entity", id, kind=entity.type, name=entity.name))
        edges.append(put_edge(entry, "MENTIONS", payload.experience, id, entity.confidence))
    return nodes + edges


def _asserted(entry: Entry, payload: FactAsserted) -> list[Mutation]:
    names = ("subject", "predicate", "object", "text", "confidence")
    values = {name: getattr(payload, name) for name in names}
    created = learned_at(payload, entry.recorded_at)
    times = {"t_valid": _instant(payload.t_valid), "t_created": created}
    fact, subject = payload.fact, payload.subject_id
    values |= {"stability": payload.stability.value, "name": caption(payload.text)}
    nodes = [put_node(entry, "Fact", fact, **times, **values)]
    edges = [put_edge(entry, "STATED_IN", fact, payload.experience)]
    if subject is not None:
        edges.append(put_edge(entry, "ABOUT", fact, subject, ends=("Fact", "Person")))
    for thing in payload.about:
        is_person = thing.id == person_id(entry.space, thing.name)
        label, kind = ("Person", None) if is_person else ("Entity", thing.type)
        nodes.append(put_node(entry, label, thing.id, name=thing.name, kind=kind))
        edges.append(put_edge(entry, "ABOUT", fact, thing.id, ends=("Fact", label)))
        is_other = thing.type == _PERSON and thing.id != subject
        if subject is not None and is_other and payload.predicate in ACQUAINTANCES:
            knows = put_edge(entry, KNOWS, subject, thing.id, ends=("Person", label))
            edges.append(replace(knows, properties={**knows.properties, "kind": payload.predicate}))
    return [*nodes, *edges]


def _superseded(entry: Entry, payload: FactSuperseded) -> list[Mutation]:
    old, new = payload.fact, payload.by_fact
    if payload.relation is FactRelation.CONTRADICTS:
        return [put_node(entry, "Fact", old, contradicted_by=new)]
    invalid = _instant(payload.t_invalid)
    learned = learned_at(payload, entry.recorded_at)
    node = put_node(entry, "Fact", old, t_invalid=invalid, t_expired=learned)
    return [node, put_edge(entry, "SUPERSEDES", new, old)] if new else [node]


def _episode(entry: Entry, payload: EpisodeSynthesised) -> list[Mutation]:
    id = payload.episode
    node = put_node(
        entry,
        "Episode",
        id,
        topic=payload.topic,
        name=caption(payload.topic or payload.summary),
        text=payload.summary,
        at=_instant(payload.since),
        until=_instant(payload.until),
        significance=payload.significance,
        tools=list(payload.tools) or None,
        emotions=list(payload.emotions) or None,
    )
    return [node, *(put_edge(entry, "SUMMARIZES", id, source) for source in payload.sources)]


def _worded(event: Payload) -> dict[str, Json]:
    """Return what queries see of an event's text: nothing of a restricted one."""
    text = None if is_restricted(event.get("metadata")) else text_of(event)
    return {"text": text, "name": caption(text) or event["kind"]}


def _instant(text: str | None) -> datetime | None:
    """Return an instant as the engines compare it."""
    return None if text is None else from_text(text)


#: The type of an entity that is a person.
_PERSON = "PERSON"
#: Who speaks where no person is named.
_ROLES: Mapping[str, str] = {
    EventKind.ASSISTANT_MESSAGE: "assistant",
    EventKind.USER_MESSAGE: "user",
    EventKind.TOOL_RESULT: "tool",
}

_BY_KIND: Mapping[EntryKind, Callable[[Entry, Any], list[Mutation]]] = {
    EntryKind.EXPERIENCE_CAPTURED: _captured,
    EntryKind.EXPERIENCE_ENRICHED: _enriched,
    EntryKind.EXPERIENCE_REEVALUATED: _reevaluated,
    EntryKind.STATE_TRANSITIONED: transitioned,
    EntryKind.PERSON_MET: met,
    EntryKind.PERSON_NAMED: _named,
    EntryKind.NAME_REFUSED: _named,
    EntryKind.PEOPLE_MERGED: _named,
    EntryKind.PEOPLE_UNMERGED: _named,
    EntryKind.RELATIONSHIP_CHANGED: changed,
    EntryKind.ENTITIES_MENTIONED: _mentioned,
    EntryKind.ENTITIES_MERGED: lambda entry, said: [
        put_node(entry, "Entity", said.entity, canonical=said.into)
    ],
    EntryKind.ENTITIES_UNMERGED: lambda entry, said: [
        put_node(entry, "Entity", said.entity, canonical=said.entity)
    ],
    EntryKind.MEMORIES_ASSOCIATED: lambda entry, said: [
        put_edge(entry, "RELATED", said.experience, other, cosine) for other, cosine in said.related
    ],
    EntryKind.MEMORY_REINFORCED: lambda entry, said: [
        put_node(entry, "Experience", said.experience, canonical=said.canonical)
    ],
    EntryKind.FACT_ASSERTED: _asserted,
    EntryKind.FACT_SUPERSEDED: _superseded,
    EntryKind.QUESTIONS_ANTICIPATED: lambda entry, said: [
        put_node(entry, "Experience", said.experience, questions=list(said.questions))
    ],
    EntryKind.EPISODE_SYNTHESISED: _episode,
    # It is about answers, and counts in their ranking (`feedback`); the graph is about what was.
    EntryKind.FEEDBACK_GIVEN: lambda *_: [],
    # Erased entries have no mutations; a graph that holds them is rebuilt (`projector`).
    EntryKind.FORGOTTEN: lambda *_: [],
}
