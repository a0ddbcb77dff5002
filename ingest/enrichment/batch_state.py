"""The state of a space while a batch is enriched: people, entities, registers, facts.

Read from the space's lists on first use, and kept for the batch together with what the batch adds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ...core.entities.entity_gazetteer import EntityGazetteer, EntityType, GazetteerEntity
from ...core.entries import ExperienceCaptured, ExperienceEnriched, FactEntry
from ...core.events import event_of
from ...core.experience import RegisterState
from ...core.facts import Fact, fold_facts
from ...core.ids import person_id
from ...core.people import Gazetteer, Person, PersonRelation
from ...core.runs.tool_calls import Event
from ...core.settings import TransitionsSettings
from ...core.types import Entry, EntryKind, Space
from ...core.vocabulary import RecordStatus, Relationship
from ...storage.projections.fact_index import subject_key
from ...storage.store import Store
from ..capture.event_view import is_message, metadata_of
from ..extraction.entities.entity_recogniser import EntityRecogniser
from ..extraction.entities.mention_extraction import NameRecogniser
from ..people_cache import gazetteer
from .register import step

#: A gazetteer is built again when so many entities, or this share of them, are not in it yet.
_FRESH_MAX, _FRESH_SHARE = 20, 0.05


class GazetteerCache:
    """The gazetteers of a file's entities by space, built again only when enough has changed."""

    def __init__(self, file: Store, pipeline: str = "") -> None:
        #: A library's finder, where the settings name its pipeline.
        self.recogniser: NameRecogniser | None = EntityRecogniser(pipeline) if pipeline else None
        self._file = file
        self._built: dict[Space, tuple[int, int, EntityGazetteer]] = {}

    def of(self, space: Space) -> EntityGazetteer:
        """Return a gazetteer of a space's entities, all merges followed."""
        journal = self._file.journal
        # What was merged and what was taken back: as many merges as before may be other ones.
        kinds = (EntryKind.ENTITIES_MERGED, EntryKind.ENTITIES_UNMERGED)
        merged = sum(len(journal.of_kind(space, kind)) for kind in kinds)
        entities = self._file.space(space).entities
        count, _ = entities.counts()
        built = self._built.get(space)
        if built is not None and built[1] == merged:
            fresh = count - built[0]
            if 0 <= fresh <= max(_FRESH_MAX, _FRESH_SHARE * built[0]):
                return built[2]
        gazetteer = EntityGazetteer(
            GazetteerEntity(e.id, EntityType(e.type), e.name, canonical=e.merged_into)
            for e in entities.list_all()
        )
        self._built[space] = (count, merged, gazetteer)
        return gazetteer


class BatchState:
    """What one batch of one space knows; `registers` and `ended` are to be written with it."""

    def __init__(
        self,
        file: Store,
        space: Space,
        entities: GazetteerCache,
        thresholds: TransitionsSettings,
    ) -> None:
        self.analyser = file.analyser
        self.entities = entities.of(space)
        self.recogniser = entities.recogniser
        self.thresholds = thresholds
        self.people = gazetteer(file, space)
        self.registers: dict[str, RegisterState] = {}
        self.ended: list[str] = []
        self._file = file
        self._space = space
        self._store = file.space(space)
        self._facts: dict[str, dict[str, Fact]] = {}
        #: Every fact as it stood before the batch, read once where a memory is corrected.
        self._stored: dict[str, Fact] | None = None

    def add_people(self, names: Sequence[str]) -> dict[str, str]:
        """Take up the people of these names; return by id those who were never met before."""
        existing = {person.id for person in self.people.people}
        fresh: dict[str, str] = {}
        for name in names:
            id = person_id(self._space, name)
            if id not in existing:
                fresh.setdefault(id, name)
        if fresh:
            new_people = [Person(id, name) for id, name in fresh.items()]
            self.people = Gazetteer([*self.people.people, *new_people])
        return fresh

    def relation(self, person: str) -> PersonRelation | None:
        """Return what a person is to the agent, since when and how often."""
        return self._store.people.find(person)

    def relationship(self, person: str) -> Relationship | None:
        """Return what a person is to the agent; None for somebody who was never met."""
        row = self._store.people.type_and_threshold(person)
        return row and row[0]

    def sessions_of(self, person: str) -> int:
        """Return in how many sessions a person spoke."""
        return self._store.people.sessions_of(person)

    def register(self, session: str, before: int) -> RegisterState:
        """Return a session's register as it was before the sequence `before`."""
        if session not in self.registers:
            stored = self._store.sessions.load(session).register
            self.registers[session] = stored or self._register_from_journal(session, before)
        return self.registers[session]

    def _register_from_journal(self, session: str, before: int) -> RegisterState:
        """Read a session's register from the journal, where nothing else remembers it."""
        journal, state = self._file.journal, RegisterState()
        earlier = (e for e in journal.stream(self._space, session) if e.seq < before)
        entries = {e.id: e for e in earlier if not _was_skeleton(e)}
        kind = EntryKind.EXPERIENCE_ENRICHED
        for enriched in journal.by_keys(self._space, kind, list(entries)):
            entry = entries[enriched.key]
            enrichment = enriched.payload
            if (
                isinstance(enrichment, ExperienceEnriched)
                and enrichment.phenomenology
                and entry.payload
            ):
                felt, event = enrichment.phenomenology, event_of(entry)
                person = speaker_of(event, self._space)
                topic = topic_of(event)
                state, _ = step(state, felt, topic, entry.at, entry.key, self.thresholds, person)
        return state

    def facts_about(self, subject_id: str | None, subject: str) -> list[Fact]:
        """Return everything that was ever asserted about a subject, and where it stands now."""
        key = subject_key(subject_id, subject)
        if key not in self._facts:
            self._facts[key] = fold_facts(self._store.facts.about([key]))
        return list(self._facts[key].values())

    def facts_from(self, experience: str) -> list[Fact]:
        """Return what an experience asserted, and where it stands now."""
        if self._stored is None:
            self._stored = fold_facts(self._store.facts.list_all())
        for fact in self._stored.values():
            if fact.experience == experience:
                self.facts_about(fact.subject_id, fact.subject)
        every = [fact for facts in self._facts.values() for fact in facts.values()]
        return [fact for fact in every if fact.experience == experience]

    def savepoint(self) -> Callable[[], None]:
        """Return what takes back all that is found out from now on, but for who was met."""
        registers, ended, facts = dict(self.registers), list(self.ended), dict(self._facts)

        def restore() -> None:
            self.registers, self.ended, self._facts = registers, ended, facts

        return restore

    def record_facts(
        self, subject_id: str | None, subject: str, entries: Iterable[FactEntry]
    ) -> None:
        """Take up what this batch asserts and supersedes about a subject."""
        key, now = subject_key(subject_id, subject), self._file.clock()
        self._facts[key] = fold_facts([(entry, now) for entry in entries], self._facts.get(key))


def topic_of(event: Event) -> str | None:
    """Return what the caller says that an event is about."""
    topic = metadata_of(event).get("topic")
    return topic if isinstance(topic, str) and topic.strip() else None


def speaker_of(event: Event, space: Space) -> str | None:
    """Return the id of the person whose message it is; None for the agent and its tools."""
    speaker = event.get("person")
    return person_id(space, speaker) if speaker and is_message(event) else None


def _was_skeleton(entry: Entry) -> bool:
    """Say whether an experience was captured as a skeleton: an upgrade moves no register."""
    captured = entry.payload
    decided = captured.decision if isinstance(captured, ExperienceCaptured) else None
    return decided is not None and decided.status is RecordStatus.SKELETON
