"""Lists of what a space has recorded: registers over time, facts, transitions, episodes, kits.

Reads what ingest recorded, in the order in which it happened. Nothing is ranked, guessed or
written here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from ..core.calls.arguments import checked
from ..core.codec import decode
from ..core.entries import (
    EpisodeSynthesised,
    ExperienceEnriched,
    FactAsserted,
    StateTransitioned,
    combined_by_experience,
    enrichment_keys,
)
from ..core.errors import InvalidInput, NotFound
from ..core.events import embedding_text_of, event_of
from ..core.experience import EmotionalSignature, RegisterState, Transition
from ..core.facts import Fact, as_of, fold_facts, with_shown_names
from ..core.ids import content_hash, fold, session_id
from ..core.people import PersonRelation
from ..core.results import Line, Listing
from ..core.text import counted
from ..core.time import When, read_time
from ..core.types import Entry, EntryKind, Filters, Json, MemoryRecord, Page, Space
from ..core.vocabulary import Engagement, RecordStatus, TransitionField
from ..storage.projections.catalog import ReferencedArtifact
from ..storage.projections.entry_indexes import EntityRow
from ..storage.store import Store
from .experience_kit import ExperienceKit, build_experience_kit


@dataclass(frozen=True, slots=True)
class ArcPoint:
    """One experience of a session: when it was, how it felt, and what changed with it."""

    id: str
    at: datetime
    signature: EmotionalSignature | None
    transitions: tuple[Transition, ...]


@dataclass(frozen=True, slots=True)
class Arc:
    """A session's register from its first experience on; `now` is its present state."""

    session: str
    moments: Sequence[ArcPoint]
    now: RegisterState

    @property
    def transitions(self) -> list[Transition]:
        """Every change, in order."""
        return [change for moment in self.moments for change in moment.transitions]


def _fact_line(fact: Fact) -> Line:
    return Line(fact.subject, "", fact.text)


@checked
class SpaceHistory:
    """Reads one space of one file."""

    def __init__(self, file: Store, space: Space) -> None:
        self._file = file
        self._space = space

    def arc(self, session: str) -> Arc:
        """Return the registers of a session over time, by its key; `NotFound` if there is none."""
        journal, stream = self._file.journal, session_id(self._space, session)
        entries = self._captured(journal.stream(self._space, stream))
        if not entries:
            raise NotFound(f"there is no session {session!r}: `meridia sessions` lists them")
        enrichments = self._enriched([entry.id for entry in entries])
        changes: dict[str, list[Transition]] = {}
        for entry in journal.of_sessions(self._space, EntryKind.STATE_TRANSITIONED, [stream]):
            if isinstance(entry.payload, StateTransitioned):
                changes.setdefault(entry.payload.experience, []).append(entry.payload)
        moments = [
            ArcPoint(e.id, e.at, _signature(enrichments.get(e.id)), tuple(changes.get(e.id, ())))
            for e in entries
        ]
        return Arc(session, moments, self._register(stream) or _register_after(moments))

    def transitions_of(self, name: str) -> list[StateTransitioned]:
        """Return how a person's feelings changed, in order; `NotFound` for nobody of that name."""
        directory = self._file.space(self._space).identities.directory()
        person = directory.speakers.find(name)
        if person is None:
            raise NotFound(f"there is no session or person {name!r}")
        entries = self._file.journal.of_speakers(
            self._space, EntryKind.STATE_TRANSITIONED, directory.members(name)
        )
        return [
            entry.payload
            for entry in sorted(entries, key=lambda entry: entry.at)
            if isinstance(entry.payload, StateTransitioned)
            and entry.payload.person is not None
            and directory.canonical(entry.payload.person) == person.id
            and not entry.payload.keeps_its_words
        ]

    def facts(self, happened: When | None = None, recorded: When | None = None) -> Listing[Fact]:
        """Return the facts that were valid at `happened`, as they were recorded at `recorded`.

        Without times: every fact that was ever asserted, with its present state.
        """
        store = self._file.space(self._space)
        facts = with_shown_names(fold_facts(store.facts.list_all()), store.identities.directory())
        chosen = list(facts.values())
        if happened is not None or recorded is not None:
            at, known_at = read_time(happened, "happened"), read_time(recorded, "recorded")
            chosen = as_of(facts, at, known_at)
        return Listing(chosen, "fact", _fact_line, Fact.record)

    def episodes(self, session: str | None = None) -> list[EpisodeSynthesised]:
        """Return the current episodes of one session or of all, oldest first."""
        journal, kind = self._file.journal, EntryKind.EPISODE_SYNTHESISED
        if session is None:
            entries = journal.of_kind(self._space, kind)
        else:
            entries = journal.of_sessions(self._space, kind, [session_id(self._space, session)])
        latest = {
            entry.payload.episode: entry.payload
            for entry in entries
            if isinstance(entry.payload, EpisodeSynthesised)
        }
        return sorted(latest.values(), key=lambda episode: episode.since or "")

    def entities(self) -> list[EntityRow]:
        """Return everything that memories mention, most mentioned first, and what was merged."""
        return self._file.space(self._space).entities.list_all()

    def artifacts(self, limit: int = 50) -> list[ReferencedArtifact]:
        """Return the files, links and media that memories refer to, the latest first."""
        return self._file.catalog.artifacts(self._space, limit)

    def relations(self) -> list[PersonRelation]:
        """Return everybody the agent has met, most interactions first."""
        return self._file.space(self._space).people.list_all()

    def kit(self, id: str) -> ExperienceKit:
        """Return the kit of one experience by Meridia's or the caller's id."""
        memory = self._file.catalog.find(self._space, id)
        (entry,) = self._file.journal.by_ids(self._space, [memory.id])
        links: dict[str, Json] = {"vectorIds": [content_hash(embedding_text_of(event_of(entry)))]}
        episodes = self.episodes(memory.session) if memory.session is not None else []
        if episode := next((each for each in episodes if memory.id in each.sources), None):
            links["graphEpisodeId"] = episode.episode
        kit = build_experience_kit(entry, list(self._enriched([memory.id]).values()), links)
        if kit.capture is None:
            return kit
        # What was decided at first, as it stands after every later look.
        scores = self._file.catalog.significances(self._space, [memory.seq])
        significance = scores.get(memory.seq, kit.capture.significance)
        status = RecordStatus(memory.status)
        return replace(kit, capture=replace(kit.capture, status=status, significance=significance))

    def _captured(self, entries: Sequence[Entry]) -> list[Entry]:
        kind = EntryKind.EXPERIENCE_CAPTURED
        return [entry for entry in entries if entry.kind is kind and entry.payload is not None]

    def _register(self, stream: str) -> RegisterState | None:
        return self._file.space(self._space).sessions.load_register(stream)

    def _enriched(self, ids: Sequence[str]) -> dict[str, ExperienceEnriched]:
        """Return what enrichment found of some experiences: a model's word after a rule's."""
        kind = EntryKind.EXPERIENCE_ENRICHED
        entries = self._file.journal.by_keys(self._space, kind, enrichment_keys(ids))
        return combined_by_experience(entry.payload for entry in entries)


def _register_after(moments: Sequence[ArcPoint]) -> RegisterState:
    """Return the state of a register from its transitions alone."""
    state = RegisterState(signature=next((m.signature for m in moments if m.signature), None))
    for change in (change for moment in moments for change in moment.transitions):
        match change.field:
            case TransitionField.ENGAGEMENT:
                state = replace(state, engagement=Engagement(change.after))
            case TransitionField.EMOTIONAL_SIGNATURE:
                signature = decode(EmotionalSignature, change.after)
                state = replace(state, signature=signature)
            case TransitionField.FOCUS:
                state = replace(state, topic=change.after)
            case TransitionField.UNCERTAINTY:
                remaining = [text for text in state.uncertainties if text != change.before]
                opened = [change.after] if change.after is not None else []
                state = replace(state, uncertainties=(*remaining, *opened))
    return state


def _signature(enriched: ExperienceEnriched | None) -> EmotionalSignature | None:
    felt = enriched.phenomenology if enriched else None
    return felt.signature if felt else None


@dataclass(frozen=True, slots=True)
class Entity:
    """A person, concept or entity, with its number of memories and its rarity ln(n/df).

    `stands_for` names the entity it was merged into.
    """

    name: str
    label: str
    memories: int
    weight: float
    stands_for: str | None = None

    @property
    def line(self) -> Line:
        """The text that a list shows."""
        return Line(self.name, self.label, counted(self.memories, "event"))


def weigh(
    rows: Iterable[tuple[str, str, int, str | None]], memories: int, share_max: float
) -> list[Entity]:
    """Add the weight to rows of (name, label, memories, merged into): 0 for names too common."""
    return [
        Entity(name, label, count, _weight(label, count, memories, share_max), into)
        for name, label, count, into in rows
    ]


def _weight(label: str, count: int, memories: int, share_max: float) -> float:
    if not count or (label == "Concept" and count > max(share_max * memories, 2)):
        return 0.0
    return math.log(memories / count)


FACT, TRANSITION = "fact", "transition"
#: Kinds that `Memory.list` has besides those of events: what was derived.
DERIVED_KINDS = frozenset({FACT, TRANSITION})
#: Entries read beside as many as a page has: some are only of an end.
_MORE = 5


def derived_page(file: Store, space: Space, filters: Filters, after: int, limit: int) -> Page:
    """Return a page of the facts or transitions (`filters.kind`) that a space has.

    `event_id` and `session` of each are those of the memory that it comes from. A fact's `person`
    is its subject, its `at` since when it holds, and its status `holds`, `superseded` or `over`.
    Raises `InvalidInput` for filters that only experiences have.
    """
    if filters.where or filters.emotion or filters.engagement:
        raise InvalidInput(f"a {filters.kind} has no metadata or emotion: remove that filter")
    if filters.person is not None:
        person = file.space(space).identities.directory().speakers.find(filters.person)
        filters = replace(filters, person=person.name) if person else filters
    kind, records_of = _KINDS[str(filters.kind)]
    wanted: list[MemoryRecord] = []
    size = limit + _MORE
    while len(wanted) <= limit and (entries := file.journal.of_kind(space, kind, after, size)):
        records = records_of(file, space, entries)
        wanted += [record for record in records if _passes(record, filters)]
        after, size = entries[-1].seq, 2 * size
    page = wanted[:limit]
    return Page(page, page[-1].seq if len(wanted) > limit else None)


def _facts(file: Store, space: Space, asserted: Sequence[Entry]) -> Iterator[MemoryRecord]:
    store = file.space(space)
    stated = [entry.payload for entry in asserted if isinstance(entry.payload, FactAsserted)]
    about = fold_facts(store.facts.related([fact.fact for fact in stated]))
    facts = with_shown_names(about, store.identities.directory())
    for entry, payload, source in _with_sources(file, space, asserted):
        fact = facts.get(payload.fact)
        if fact is not None and not fact.is_end_record:
            status = "over" if fact.t_invalid else "holds"
            yield replace(
                source,
                seq=entry.seq,
                id=fact.id,
                kind=FACT,
                text=fact.text,
                at=fact.t_valid,
                person=fact.subject,
                artifacts=(),
                metadata=fact.record(),
                status="superseded" if fact.superseded_by else status,
            )


def _transitions(file: Store, space: Space, changes: Sequence[Entry]) -> Iterator[MemoryRecord]:
    directory = file.space(space).identities.directory()
    for entry, payload, source in _with_sources(file, space, changes):
        if payload.keeps_its_words:
            continue
        field = _FIELDS.get(payload.field, payload.field.value)
        yield replace(
            source,
            seq=entry.seq,
            id=payload.transition,
            kind=TRANSITION,
            text=f"{field}: {_words(payload.before)} → {_words(payload.after)}",
            at=entry.at,
            person=directory.shown(who) if (who := payload.person) in directory.spoken else None,
            artifacts=(),
            metadata={
                "experience": payload.experience,
                "field": payload.field.value,
                "from": payload.before,
                "to": payload.after,
            },
            status="recorded",
        )


def _with_sources(
    file: Store, space: Space, entries: Sequence[Entry]
) -> Iterator[tuple[Entry, Any, MemoryRecord]]:
    """Yield entries with their payloads and the memories they come from, as far as there are."""
    whole: list[tuple[Entry, Any]] = [
        (entry, entry.payload) for entry in entries if entry.payload is not None
    ]
    ids = {payload.experience for _, payload in whole}
    seqs = [source.seq for source in file.journal.by_ids(space, sorted(ids))]
    sources = {memory.id: memory for memory in file.catalog.fetch(space, seqs).values()}
    for entry, payload in whole:
        if payload.experience in sources:
            yield entry, payload, sources[payload.experience]


def _passes(record: MemoryRecord, filters: Filters) -> bool:
    return (
        (filters.person is None or fold(filters.person) == fold(record.person or ""))
        and filters.session in (None, record.session)
        and (filters.since is None or filters.since <= record.at)
        and (filters.until is None or record.at < filters.until)
    )


def _words(value: Json) -> str:
    """Return one end of a transition in words."""
    if isinstance(value, Mapping):
        return ", ".join(map(str, value.get("primary") or ())) or "no word for it"
    return "–" if value is None else str(value)


_FIELDS = {TransitionField.EMOTIONAL_SIGNATURE: "feeling"}
_KINDS = {
    FACT: (EntryKind.FACT_ASSERTED, _facts),
    TRANSITION: (EntryKind.STATE_TRANSITIONED, _transitions),
}
