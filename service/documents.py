"""Contents of a space as JSON documents, in the shapes that docs/json.md describes.

The command line prints them, HTTP and MCP send them. Nothing here waits for enrichment.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..core.codec import encode, to_object
from ..core.entries import MemoryReinforced
from ..core.errors import NotFound
from ..core.events import captured_of, event_of
from ..core.events import encode as canonical
from ..core.experience import Phenomenology
from ..core.time import to_text
from ..core.types import EntryKind, MemoryRecord, Outcome
from ..core.vocabulary import RecordStatus, Relationship
from ..ingest.redaction.scanner import count_marks
from ..memory import Memory
from ..resume.space_history import DERIVED_KINDS

if TYPE_CHECKING:
    from ..core.experience import Transition
    from ..core.people import PersonRelation
    from ..graph.maintenance import Status
    from ..resume.space_history import Arc
    from ..retrieval.recall_result import Hit, Recall
    from ..storage.sinks.sink_state import SinkStatus
    from ..storage.store import IngestCounts

Document = dict[str, Any]


def named(entity: Any) -> Document:
    """Return the id and the name of a person or an entity."""
    return {"id": entity.id, "name": entity.name}


def list_item(memory: MemoryRecord) -> Document:
    """Return one memory of a list."""
    names = ("seq", "id", "event_id", "kind", "person", "tool", "session", "text")
    derived = ("status", "metadata") if memory.kind in DERIVED_KINDS else ()
    fields = {name: getattr(memory, name) for name in (*names, *derived)}
    return {**fields, "at": memory.at.isoformat()}


def hit_at(memory: Memory, recall: Recall, address: str) -> Hit:
    """Return a memory of an answer by its rank or any form of address; or raise `NotFound`."""
    hits = [hit for hit in recall.hits if hit.is_at(address)]
    if not hits and memory.holds(address):
        exact = address.startswith(("@", "meridia://"))
        named = [memory.get(address)] if exact else memory.history(address)
        seqs = {version.seq for version in named}
        hits = [hit for hit in recall.hits if hit.memory.seq in seqs]
    if not hits:
        raise NotFound(
            f"{address} is not among the {len(recall.hits)} memories of recall {recall.id}: "
            "`meridia why-not` says why"
        )
    return hits[0]


def version(memory: MemoryRecord) -> Document:
    """Return one version of a memory."""
    names = ("seq", "id", "event_id", "person", "text")
    return {**{name: getattr(memory, name) for name in names}, "at": memory.at.isoformat()}


def people(memory: Memory) -> list[Document]:
    """Return the people of a space: the names of each, and what is held of them."""
    gazetteer, directory = memory.people.known(), memory.people.directory()
    relations = {relation.user_id: relation for relation in memory.chronicle.relations()}
    names = {person.id: person.name for person in gazetteer.people}
    return [
        {
            "id": span.id,
            "name": directory.shown(span.id, names.get(span.id, span.id)),
            "owner": span.id == directory.canonical(directory.owner),
            "aliases": sorted(a for a, p in gazetteer.aliases.items() if p.id == span.id),
            "names": [
                {"name": alias.name, "state": alias.state.value, "how": alias.how.value}
                for alias in directory.aliases
                if alias.person == span.id
            ],
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
    return [
        {
            "session": span.id,
            "messages": span.experiences,
            "first": span.first.isoformat(),
            "last": span.last.isoformat(),
        }
        for span in memory.sessions()
    ]


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


def failures(memory: Memory) -> list[Document]:
    """Return what enrichment failed at in a space, dead letters first."""
    tasks = sorted(memory.upkeep.failures(), key=lambda task: (not task.dead, task.seq))
    return [
        {
            "space": memory.space,
            "experience": _experience(memory, task.seq),
            "seq": int(task.seq),
            "stage": task.stage,
            "attempts": task.attempts,
            "due": None if task.dead else to_text(task.due_at),
            "dead": task.dead,
            "error": task.error,
        }
        for task in tasks
    ]


def _experience(memory: Memory, seq: int) -> str | None:
    """Return the experience that an entry is about; an episode is about many."""
    (entry,) = memory.parts.journal.read(memory.space, seq - 1, 1)
    if entry.kind is EntryKind.EXPERIENCE_CAPTURED:
        return entry.id
    return getattr(entry.payload, "experience", None)


def entries(memory: Memory, limit: int, before: int | None) -> list[Document]:
    """Return the newest journal entries before a sequence: what they are, not what they say."""
    return [
        {
            "seq": int(entry.seq),
            "kind": entry.kind.value,
            "id": entry.id,
            "at": to_text(entry.at),
            "recorded_at": to_text(entry.recorded_at),
            "erased": entry.payload is None,
        }
        for entry in memory.parts.journal.newest(memory.space, limit, before)
    ]


def artifacts(memory: Memory, limit: int) -> list[Document]:
    """Return files, links and media that memories refer to, the latest first."""
    return [
        {**row.artifact, "memories": row.memories, "last": to_text(row.last)}
        for row in memory.chronicle.artifacts(limit)
    ]


def arc(session_arc: Arc) -> Document:
    """Return how a session went: its register now, what was felt, and each transition."""
    return {
        "session": session_arc.session,
        "experiences": len(session_arc.moments),
        "register": encode(session_arc.now, by_alias=False),
        "points": [
            {
                "experience": point.id,
                "at": to_text(point.at),
                "words": list(point.signature.primary),
                "valence": point.signature.valence,
                "intensity": point.signature.intensity,
            }
            for point in session_arc.moments
            if point.signature
        ],
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
        "sinks": [sink(each) for each in standing.sinks],
        "notes": list(standing.notes),
    }


def sink(standing: SinkStatus) -> Document:
    """Return where a sink stands."""
    return to_object(standing)


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


@dataclass(frozen=True, slots=True)
class MemoryDetails:
    """A memory with how it felt, what it repeats, and what the journal has of its text."""

    memory: MemoryRecord
    phenomenology: Phenomenology | None
    repeats: str | None
    is_outline: bool
    redacted: Mapping[str, int]

    def as_json(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        memory = self.memory
        first = ("id", "event_id", "uri", "seq", "kind", "at", "person", "tool", "session")
        fields = {name: getattr(memory, name) for name in (*first, "status", "superseded_by")}
        return {
            **fields,
            "at": memory.at.isoformat(),
            "phenomenology": self.phenomenology and encode(self.phenomenology, by_alias=False),
            "repeats": self.repeats,
            "outline": self.is_outline,
            "redacted": dict(self.redacted),
            "text": memory.text,
            "artifacts": [
                {name: getattr(each, name) for name in ("kind", "uri", "description")}
                for each in memory.artifacts
            ],
            "metadata": dict(memory.metadata),
        }


def details_of(memory: Memory, address: str) -> MemoryDetails:
    """Return a memory of the space by its address, with its details; or raise `NotFound`."""
    record = memory.get(address)
    (entry,) = memory.parts.journal.by_ids(memory.space, [record.id])
    is_outline = captured_of(entry).event is None and record.status != RecordStatus.UPGRADED
    redacted = dict(sorted(count_marks(canonical(event_of(entry))).items()))
    phenomenology = memory.chronicle.kit(record.id).phenomenology
    return MemoryDetails(record, phenomenology, _repeats(memory, record.id), is_outline, redacted)


def _repeats(memory: Memory, id: str) -> str | None:
    """Return the memory that this one says again, if it is known to."""
    kind = EntryKind.MEMORY_REINFORCED
    entries = memory.parts.journal.by_keys(memory.space, kind, [id])
    canonical_ids = [
        entry.payload.canonical for entry in entries if isinstance(entry.payload, MemoryReinforced)
    ]
    return canonical_ids[-1] if canonical_ids else None
