"""What was lived, read back: experiences with how they felt, as of a time and as known then.

Reads what ingest recorded and puts it side by side. Nothing is judged, ranked or written here. What
had happened and what was known bound the experiences; what was found of an experience afterwards
belongs to it, whenever that was, unless a bound is set for that too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from ...core.errors import InvalidInput
from ...core.events import EventKind, recorded
from ...core.experience import EmotionalSignature, Phenomenology, Transition
from ...core.facts import Fact, fold_facts
from ...core.ids import session_id
from ...core.types import Entry, EntryKind, Filters, Json, Memory, Seq, Space
from ...core.vocabulary import RecordStatus, Trigger
from ...graph.journal_file import JournalFile

#: Experiences read at most, the newest of them.
LOOKED_AT = 5_000
#: How the side that is no named person is called.
AGENT = "the agent"
_MESSAGES = frozenset({EventKind.USER_MESSAGE, EventKind.ASSISTANT_MESSAGE})
_INSTANT = timedelta(microseconds=1)
#: Sessions looked up together; only as many are read as are wanted.
_SESSIONS_READ = 100
#: Whose second look at an experience was kept: a rule's, by what became of it, and a model's.
_LOOKS = (*RecordStatus, "decision")


@dataclass(frozen=True, slots=True)
class Then:
    """When one looks back from: what had happened by `moment`, of what was known at `seq`.

    `found` bounds what was found of experiences afterwards, so that looking back again sees the
    same. None means now.
    """

    moment: datetime | None = None
    seq: Seq | None = None
    found: Seq | None = None

    def __post_init__(self) -> None:
        if self.moment is not None and self.moment.tzinfo is None:
            raise InvalidInput("as_of has no timezone: add one, such as +00:00")

    def bound(self, filters: Filters) -> Filters:
        """Return filters that leave nothing of what came later; a closer bound stays."""
        ends = [filters.until, self.moment and _after(self.moment)]
        seqs = [seq for seq in (filters.seq_max, self.seq) if seq is not None]
        return replace(
            filters,
            until=min((end for end in ends if end is not None), default=None),
            seq_max=min(seqs, default=None),
        )

    def tells(self, entry: Entry) -> bool:
        """Say whether what an entry tells of an experience had been found by then."""
        return self.found is None or entry.seq <= self.found


NOW = Then()


@dataclass(frozen=True, slots=True)
class Lived:
    """One experience and how it was lived; `concepts` are its content words by stem.

    `tool` is whose result it is, `error` whether that failed.
    """

    memory: Memory
    significance: float = 0.0
    felt: Phenomenology = field(default_factory=Phenomenology)
    trigger: Trigger = Trigger.NONE
    concepts: Mapping[str, str] = field(default_factory=dict)
    people: tuple[str, ...] = ()
    changes: tuple[Transition, ...] = ()
    tool: str | None = None
    error: bool = False

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

    @property
    def valence(self) -> float:
        """From −1 to 1; 0 where none was felt."""
        return (self.signature.valence or 0.0) if self.signature else 0.0

    @property
    def feeling(self) -> float:
        """How strongly it was felt, 0 to 1: intensity times the distance of valence from none."""
        return self.signature.intensity * abs(self.valence) if self.signature else 0.0


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
    return read_back(file, space, file.catalog.newest(space, then.bound(filters), limit), then)


def shared(
    file: JournalFile, space: Space, spoken: Sequence[Memory], then: Then, limit: int
) -> list[Memory]:
    """Return what was `spoken`, newest first, and all of every session in which it was.

    Of more than `limit`, the newest.
    """
    found: dict[str, Memory] = {}
    streams = [session_id(space, key) for key in _sessions(spoken)]
    for start in range(0, len(streams), _SESSIONS_READ):
        if len(found) >= limit:
            break
        some = streams[start : start + _SESSIONS_READ]
        of_them = file.catalog.in_sessions(space, some, then.bound(Filters()), limit)
        found |= {memory.id: memory for memory in of_them}
    found |= {memory.id: memory for memory in spoken}
    return sorted(found.values(), key=_place, reverse=True)[:limit]


def read_back(
    file: JournalFile, space: Space, memories: Iterable[Memory], then: Then = NOW
) -> list[Lived]:
    """Return some experiences with how they were lived, in the order in which they happened."""
    ordered = sorted(memories, key=_place)
    ids = [memory.id for memory in ordered]
    captured = {entry.id: entry.payload or {} for entry in file.journal.by_ids(space, ids)}
    found, changes = _found(file, space, ids, then), _changes(file, space, ordered, then)
    scores = _judged_again(file, space, ids, then)
    told = []
    for memory in ordered:
        payload, more = captured.get(memory.id) or {}, found.get(memory.id, {})
        tool = (recorded(payload) if payload else {}).get("tool") or {}
        judged = (payload.get("decision") or {}).get("significance") or 0.0
        one = Lived(
            memory,
            scores.get(memory.id, float(judged)),
            _felt(more.get("phenomenology")),
            Trigger(payload.get("trigger", Trigger.NONE)),
            more.get("concepts", {}),
            tuple(person["name"] for person in more.get("people", ())),
            tuple(changes.get(memory.id, ())),
            tool.get("name"),
            bool(tool.get("isError")),
        )
        told.append(one)
    return told


def facts_known(file: JournalFile, space: Space, then: Then = NOW) -> dict[str, Fact]:
    """Return every fact that had been found by then, by id, as it stood."""
    kinds = (EntryKind.FACT_ASSERTED, EntryKind.FACT_SUPERSEDED)
    entries = [entry for kind in kinds for entry in file.journal.of_kind(space, kind)]
    told = sorted(filter(then.tells, entries), key=lambda entry: entry.seq)
    return fold_facts((entry.kind.value, entry.payload, entry.recorded_at) for entry in told)


def _found(
    file: JournalFile, space: Space, ids: Sequence[str], then: Then
) -> dict[str, dict[str, Json]]:
    """Return what enrichment found of each experience: a model's word replaces a rule's."""
    keys = [key for id in ids for key in (id, f"{id}#model")]
    found: dict[str, dict[str, Json]] = defaultdict(dict)
    for entry in file.journal.by_keys(space, EntryKind.EXPERIENCE_ENRICHED, keys):
        if entry.payload is not None and then.tells(entry):
            found[entry.payload["experience"]].update(entry.payload)
    return found


def _sessions(memories: Sequence[Memory]) -> list[str]:
    return list(dict.fromkeys(memory.session for memory in memories if memory.session is not None))


def _changes(
    file: JournalFile, space: Space, memories: Sequence[Memory], then: Then
) -> dict[str, list[Transition]]:
    changes: dict[str, list[Transition]] = defaultdict(list)
    streams = [session_id(space, key) for key in _sessions(memories)]
    for entry in file.journal.of_sessions(space, EntryKind.STATE_TRANSITIONED, streams):
        if entry.payload is not None and then.tells(entry):
            changes[entry.payload["experience"]].append(Transition.from_json(entry.payload))
    return changes


def _judged_again(
    file: JournalFile, space: Space, ids: Sequence[str], then: Then
) -> dict[str, float]:
    """Return the significance that a second look gave to experiences, the last one's."""
    keys = [f"{id}#{look}" for id in ids for look in _LOOKS]
    looks = file.journal.by_keys(space, EntryKind.EXPERIENCE_REEVALUATED, keys)
    told = [entry.payload for entry in looks if entry.payload is not None and then.tells(entry)]
    return {
        payload["experience"]: float(payload["significance"])
        for payload in told
        if payload.get("significance") is not None
    }


def _felt(value: Json) -> Phenomenology:
    return Phenomenology() if value is None else Phenomenology.from_json(value)


def _place(memory: Memory) -> tuple[datetime, Seq]:
    return memory.at, memory.seq


def _after(moment: datetime) -> datetime:
    try:
        return moment + _INSTANT
    except OverflowError:
        return moment
