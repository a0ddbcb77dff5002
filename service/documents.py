"""What a space holds, as JSON documents: the shapes that docs/json.md describes.

The command line prints them, HTTP and MCP send them. Nothing here waits for enrichment.
"""

from __future__ import annotations

from typing import Any

from ..core.codec import encode
from ..core.experience import Transition
from ..core.people import PersonRelation
from ..core.time import to_text
from ..core.types import MemoryRecord, Outcome
from ..core.vocabulary import RecordStatus, Relationship
from ..graph.maintenance import Status
from ..memory import Memory
from ..retrieval.history.space_history import Arc
from ..retrieval.reader import DERIVED_KINDS
from ..storage.ingest_counts import IngestCounts

Document = dict[str, Any]


def list_item(memory: MemoryRecord) -> Document:
    """Return one memory of a list."""
    names = ("seq", "id", "event_id", "kind", "person", "session", "text")
    derived = ("status", "metadata") if memory.kind in DERIVED_KINDS else ()
    fields = {name: getattr(memory, name) for name in (*names, *derived)}
    return {**fields, "at": memory.at.isoformat()}


def version(memory: MemoryRecord) -> Document:
    """Return one version of a memory."""
    names = ("seq", "id", "event_id", "person", "text")
    return {**{name: getattr(memory, name) for name in names}, "at": memory.at.isoformat()}


def people(memory: Memory) -> list[Document]:
    """Return the people of a space."""
    gazetteer = memory.people()
    relations = {relation.user_id: relation for relation in memory.chronicle.relations()}
    names = {person.id: person.name for person in gazetteer.people}
    return [
        {
            "id": span.id,
            "name": names.get(span.id, span.id),
            "aliases": sorted(a for a, p in gazetteer.aliases.items() if p.id == span.id),
            "messages": span.experiences,
            "sessions": span.sessions,
            "first": span.first.isoformat(),
            "last": span.last.isoformat(),
            **_relation(relations.get(span.id)),
        }
        for span in memory.parts.catalog.speakers(memory.space)
    ]


def _relation(relation: PersonRelation | None) -> Document:
    if relation is None:
        return {"relationship": Relationship.UNKNOWN.value, "threshold": None}
    threshold = relation.capture_threshold_override
    return {"relationship": relation.relationship_type.value, "threshold": threshold}


def sessions(memory: Memory) -> list[Document]:
    """Return the sessions of a space, in the order they began."""
    spans = memory.sessions()
    names = memory.adjacency.names_of(memory.space, [span.id for span in spans])
    return [
        {
            "session": names.get(span.id, span.id),
            "messages": span.experiences,
            "first": span.first.isoformat(),
            "last": span.last.isoformat(),
        }
        for span in spans
    ]


def session_keys(memory: Memory) -> list[str]:
    """Return the callers' keys of the sessions whose adjacency is built."""
    spans = memory.sessions()
    names = memory.adjacency.names_of(memory.space, [span.id for span in spans])
    return [names[span.id] for span in spans if span.id in names]


def entities(memory: Memory, limit: int) -> list[Document]:
    """Return people, concepts and entities, most shared first."""
    return [
        {
            "entity": entity.name,
            "label": entity.label,
            "memories": entity.memories,
            "weight": entity.weight,
            "stands_for": entity.stands_for,
        }
        for entity in memory.entities(limit)
    ]


def artifacts(memory: Memory, limit: int) -> list[Document]:
    """Return files, links and media that memories refer to, the latest first."""
    return [
        {**row.artifact, "memories": row.memories, "last": to_text(row.last)}
        for row in memory.chronicle.artifacts(limit)
    ]


def arc(session_arc: Arc) -> Document:
    """Return how a session went: its register now, and each transition."""
    return {
        "session": session_arc.session,
        "experiences": len(session_arc.moments),
        "register": encode(session_arc.now, by_alias=False),
        "transitions": [
            {"experience": entry.id, **transition(change)}
            for entry in session_arc.moments
            for change in entry.transitions
        ],
    }


def transition(change: Transition) -> Document:
    """Return one change of a register."""
    names = ("field", "from", "to", "trigger", "ts")
    return {name: value for name, value in encode(change).items() if name in names}


def status(standing: Status) -> Document:
    """Return where a space stands."""
    return {
        "space": standing.space,
        "seq": standing.seq,
        "entries": dict(standing.entries),
        "experiences": dict(standing.experiences),
        "cursors": dict(standing.cursors),
        "lag": {name: standing.lag(name) for name in standing.cursors},
        "ingest": _ingested(standing.tally),
        "notes": list(standing.notes),
    }


def _ingested(tally: IngestCounts) -> Document:
    return {
        "events": sum(tally.outcomes.values()),
        "outcomes": {str(outcome): tally.outcomes.get(outcome, 0) for outcome in Outcome},
        "statuses": {str(status): tally.statuses.get(status, 0) for status in RecordStatus},
        "outlines": {
            "count": tally.outlines,
            "held": tally.held,
            "mean_payload_bytes": round(tally.outline_bytes, 1),
        },
        "redacted": dict(tally.redacted),
        "nodes": dict(tally.nodes),
        "dead_letters": tally.dead,
        "to_be_tried_again": tally.waiting,
    }
