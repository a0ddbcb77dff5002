"""One memory as a JSON document: the shape of `meridia show --json`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..core.codec import encode
from ..core.entries import MemoryReinforced
from ..core.events import captured_of, event_of
from ..core.events import encode as canonical
from ..core.experience import Phenomenology
from ..core.types import EntryKind, MemoryRecord
from ..core.vocabulary import RecordStatus
from ..ingest.redaction.scanner import count_marks
from ..memory import Memory


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
        return {
            "id": memory.id,
            "event_id": memory.event_id,
            "uri": memory.uri,
            "seq": memory.seq,
            "kind": memory.kind,
            "at": memory.at.isoformat(),
            "person": memory.person,
            "tool": memory.tool,
            "session": memory.session,
            "status": memory.status,
            "superseded_by": memory.superseded_by,
            "phenomenology": self.phenomenology and encode(self.phenomenology, by_alias=False),
            "repeats": self.repeats,
            "outline": self.is_outline,
            "redacted": dict(self.redacted),
            "text": memory.text,
            "artifacts": [
                {"kind": a.kind, "uri": a.uri, "description": a.description}
                for a in memory.artifacts
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
