"""What was lived, read back: experiences with how they felt, as of a time and as known then.

Reads what ingest recorded and puts it side by side. Nothing is judged, ranked or written here. What
had happened and what was known bound the experiences; what enrichment found of an experience
belongs to it, whenever that was found.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from ...core.errors import InvalidInput
from ...core.events import EventKind
from ...core.experience import EmotionalSignature, Phenomenology, Transition
from ...core.ids import session_id
from ...core.types import EntryKind, Filters, Json, Memory, Payload, Seq, Space
from ...core.vocabulary import Trigger
from ...graph.journal_file import JournalFile

#: Experiences read at most, the newest of them.
LOOKED_AT = 5_000
#: How the side that is no named person is called.
AGENT = "the agent"
_MESSAGES = frozenset({EventKind.USER_MESSAGE, EventKind.ASSISTANT_MESSAGE})
_INSTANT = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Then:
    """When one looks back from: what had happened by `moment`, of what was known at `seq`.

    None means now.
    """

    moment: datetime | None = None
    seq: Seq | None = None

    def __post_init__(self) -> None:
        if self.moment is not None and self.moment.tzinfo is None:
            raise InvalidInput("as_of has no timezone: add one, such as +00:00")

    def bound(self, filters: Filters) -> Filters:
        """Return filters that leave nothing of what came later; a closer bound stays."""
        ends = [filters.until, self.moment and self.moment + _INSTANT]
        seqs = [seq for seq in (filters.seq_max, self.seq) if seq is not None]
        return replace(
            filters,
            until=min((end for end in ends if end is not None), default=None),
            seq_max=min(seqs, default=None),
        )


NOW = Then()


@dataclass(frozen=True, slots=True)
class Lived:
    """One experience and how it was lived; `concepts` are its content words by stem."""

    memory: Memory
    significance: float = 0.0
    felt: Phenomenology = field(default_factory=Phenomenology)
    trigger: Trigger = Trigger.NONE
    concepts: Mapping[str, str] = field(default_factory=dict)
    people: tuple[str, ...] = ()
    changes: tuple[Transition, ...] = ()

    @property
    def speaker(self) -> str | None:
        """Who said it, `AGENT` for the agent's own messages; None where nobody spoke."""
        if self.memory.person is not None:
            return self.memory.person
        return AGENT if self.memory.kind == EventKind.ASSISTANT_MESSAGE else None

    @property
    def is_message(self) -> bool:
        """Whether somebody said it."""
        return self.memory.kind in _MESSAGES

    @property
    def signature(self) -> EmotionalSignature | None:
        """How it felt; None where nothing was felt, a neutral tone without a word included."""
        felt = self.felt.signature
        return felt if felt and (felt.primary or felt.intensity or felt.valence) else None


def then_of(
    file: JournalFile,
    space: Space,
    as_of: datetime | int | None,
    known_at: datetime | int | None = None,
) -> Then:
    """Return the point to look back from, as `recall` understands it.

    `as_of` is a time (what had happened) or a journal sequence (what was known); `known_at` bounds
    what was known together with a time. `InvalidInput` for a time without a timezone.
    """
    if isinstance(known_at, datetime) and known_at.tzinfo is None:
        raise InvalidInput("known_at has no timezone: add one, such as +00:00")
    known = file.catalog.sequence(space, known_at)
    bounds = [bound for bound in (as_of, known) if isinstance(bound, int)]
    moment = as_of if isinstance(as_of, datetime) else None
    return Then(moment, Seq(min(bounds)) if bounds else None)


def lived(
    file: JournalFile, space: Space, filters: Filters, then: Then = NOW, limit: int = LOOKED_AT
) -> list[Lived]:
    """Return the experiences that filters leave, oldest first; of more than `limit`, the newest."""
    return read_back(file, space, file.catalog.newest(space, then.bound(filters), limit))


def read_back(file: JournalFile, space: Space, memories: Iterable[Memory]) -> list[Lived]:
    """Return some experiences with how they were lived, in the order in which they happened."""
    ordered = sorted(memories, key=lambda memory: (memory.at, memory.seq))
    ids = [memory.id for memory in ordered]
    captured = {entry.id: entry.payload or {} for entry in file.journal.by_ids(space, ids)}
    found, changes = _found(file, space, ids), _changes(file, space, ordered)
    scores = _significance(file, space, ordered)
    return [
        Lived(
            memory,
            _score(scores.get(memory.id), captured.get(memory.id, {})),
            _felt(found.get(memory.id, {}).get("phenomenology")),
            Trigger(captured.get(memory.id, {}).get("trigger", Trigger.NONE)),
            found.get(memory.id, {}).get("concepts", {}),
            tuple(person["name"] for person in found.get(memory.id, {}).get("people", ())),
            tuple(changes.get(memory.id, ())),
        )
        for memory in ordered
    ]


def _found(file: JournalFile, space: Space, ids: Sequence[str]) -> dict[str, dict[str, Json]]:
    """Return what enrichment found of each experience: a model's word replaces a rule's."""
    keys = [key for id in ids for key in (id, f"{id}#model")]
    found: dict[str, dict[str, Json]] = defaultdict(dict)
    for entry in file.journal.by_keys(space, EntryKind.EXPERIENCE_ENRICHED, keys):
        if entry.payload is not None:
            found[entry.payload["experience"]].update(entry.payload)
    return found


def _sessions(memories: Sequence[Memory]) -> list[str]:
    return list(dict.fromkeys(memory.session for memory in memories if memory.session is not None))


def _changes(
    file: JournalFile, space: Space, memories: Sequence[Memory]
) -> dict[str, list[Transition]]:
    changes: dict[str, list[Transition]] = defaultdict(list)
    for key in _sessions(memories):
        stream, kind = session_id(space, key), EntryKind.STATE_TRANSITIONED
        for entry in file.journal.of_session(space, kind, stream):
            if entry.payload is not None:
                changes[entry.payload["experience"]].append(Transition.from_json(entry.payload))
    return changes


def _significance(
    file: JournalFile, space: Space, memories: Sequence[Memory]
) -> dict[str, float | None]:
    """Return significance as it stands after any second look, for experiences of sessions."""
    scores: dict[str, float | None] = {}
    for key in _sessions(memories):
        stood = file.catalog.of_session(space, session_id(space, key))
        scores.update({id: score for id, (_, score) in stood.items()})
    return scores


def _score(judged: float | None, payload: Payload) -> float:
    if judged is not None:
        return judged
    return float((payload.get("decision") or {}).get("significance", 0.0))


def _felt(value: Json) -> Phenomenology:
    return Phenomenology() if value is None else Phenomenology.from_json(value)
