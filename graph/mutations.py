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
    DecisionRecord,
    EntitiesMentioned,
    EntitiesMerged,
    EntitiesUnmerged,
    EpisodeSynthesised,
    ExperienceCaptured,
    ExperienceEnriched,
    ExperienceReevaluated,
    FactAsserted,
    FactSuperseded,
    Forgotten,
    MemoriesAssociated,
    MemoryReinforced,
    QuestionsAnticipated,
    RelationshipChanged,
)
from ..core.events import (
    EventKind,
    is_restricted,
    recorded_event,
    speaker_id,
    text_of,
)
from ..core.experience import Phenomenology
from ..core.facts import ACQUAINTANCES, learned_at
from ..core.feedback_entries import FeedbackGiven
from ..core.ids import (
    artifact_id,
    concept_id,
    event_id_of,
    person_id,
    word_id,
)
from ..core.people import YOU, NameRefused, PeopleMerged, PeopleUnmerged, PersonNamed
from ..core.time import from_text
from ..core.types import EdgeUpsert, Entry, EntryKind, Json, Mutation, NodeUpsert, Payload
from ..core.vocabulary import FactRelation
from .schema import HAS_WORD, KNOWS
from .upserts import relationships
from .upserts.elements import caption, put_edge, put_node


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
        return [change for change in mutations(entry) if not relationships.has_relationship(change)]
    words = {word_id(entry.space, stem): word for stem, word in (payload.concepts or {}).items()}
    experience, properties = payload.experience, {"weight": 1.0, "source_seq": entry.seq}
    return [
        *mutations(entry),
        *(NodeUpsert("Word", id, {"word": word}) for id, word in words.items()),
        *(EdgeUpsert(HAS_WORD, "Experience", experience, "Word", id, properties) for id in words),
    ]


def _captured(entry: Entry, payload: ExperienceCaptured) -> list[Mutation]:
    event = recorded_event(payload)
    nodes: list[Mutation] = [_experience(entry, event, payload.decision)]
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


def _experience(entry: Entry, event: Payload, decision: DecisionRecord | None) -> NodeUpsert:
    return put_node(
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
        status=decision and decision.status.value,
        significance=decision and decision.significance,
    )


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


def _related(entry: Entry, payload: MemoriesAssociated) -> list[Mutation]:
    return [
        put_edge(entry, "RELATED", payload.experience, other, cosine)
        for other, cosine in payload.related
    ]


def _reinforced(entry: Entry, payload: MemoryReinforced) -> list[Mutation]:
    return [put_node(entry, "Experience", payload.experience, canonical=payload.canonical)]


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


def _merged(entry: Entry, payload: EntitiesMerged) -> list[Mutation]:
    return [put_node(entry, "Entity", payload.entity, canonical=payload.into)]


def _unmerged(entry: Entry, payload: EntitiesUnmerged) -> list[Mutation]:
    return [put_node(entry, "Entity", payload.entity, canonical=payload.entity)]


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


def _anticipated(entry: Entry, payload: QuestionsAnticipated) -> list[Mutation]:
    questions = list(payload.questions)
    return [put_node(entry, "Experience", payload.experience, questions=questions)]


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


def _feedback(_entry: Entry, _payload: FeedbackGiven) -> list[Mutation]:
    # It is about answers, and counts in their ranking (`feedback`); the graph is about what was.
    return []


def _forgotten(_entry: Entry, _payload: Forgotten) -> list[Mutation]:
    # Erased entries have no mutations; a graph that holds them is rebuilt (`projector`).
    return []


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
    EntryKind.STATE_TRANSITIONED: relationships.transitioned,
    EntryKind.PERSON_MET: relationships.met,
    EntryKind.PERSON_NAMED: _named,
    EntryKind.NAME_REFUSED: _named,
    EntryKind.PEOPLE_MERGED: _named,
    EntryKind.PEOPLE_UNMERGED: _named,
    EntryKind.RELATIONSHIP_CHANGED: relationships.changed,
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
    EntryKind.FORGOTTEN: _forgotten,
}
