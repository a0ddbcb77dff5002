"""The state of a space while a batch is enriched: people, entities, registers, facts.

Read from the space's lists on first use, and kept for the batch together with what the batch adds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ...core.entities.entity_gazetteer import EntityGazetteer, EntityType, GazetteerEntity
from ...core.entries import ExperienceCaptured, ExperienceEnriched, FactEntry
from ...core.events import OWNER_NAME, event_of, speaker_id
from ...core.experience import RegisterState
from ...core.facts import Fact, fold_facts
from ...core.ids import fold, owner_id
from ...core.people import Gazetteer, Person, PersonNamed, PersonRelation, is_variant
from ...core.runs.tool_calls import Event
from ...core.settings import TransitionsSettings
from ...core.types import Entry, EntryKind, Space
from ...core.vocabulary import RecordStatus, Relationship
from ...storage.projections.fact_index import subject_key
from ...storage.store import Store
from ..capture.event_view import is_message, metadata_of
from ..extraction.entities.entity_recogniser import EntityRecogniser
from ..extraction.entities.mention_extraction import NameRecogniser
from ..people_cache import met_people
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
        self.registers: dict[str, RegisterState] = {}
        self.ended: list[str] = []
        self._file = file
        self._space = space
        self._store = file.space(space)
        self._facts: dict[str, dict[str, Fact]] = {}
        self._met = met_people(file, space)
        owner, named = owner_id(space), file.journal.of_kind(space, EntryKind.PERSON_NAMED)
        heard = [
            entry.payload
            for entry in named
            if isinstance(entry.payload, PersonNamed) and entry.payload.experience is not None
        ]
        #: What people were heard to be called, not what users say.
        self._heard = {(each.person, fold(each.name)) for each in heard}
        self._owner_names = [each.name for each in heard if each.person == owner]
        self.people = self._gazetteer()
        #: Every fact as it stood before the batch, read once where a memory is corrected.
        self._stored: dict[str, Fact] | None = None

    def add_people(self, speakers: Sequence[Person]) -> list[Person]:
        """Take up who speaks; return those who were never met before."""
        existing = {person.id for person in self._met}
        fresh: dict[str, Person] = {}
        for person in speakers:
            if person.id not in existing:
                fresh.setdefault(person.id, person)
        if fresh:
            self._met += fresh.values()
            self.people = self._gazetteer()
        return list(fresh.values())

    def _gazetteer(self) -> Gazetteer:
        """Return who can be named: everybody by the name that was given, and the owner by theirs.

        Who was merged with whom, and what users call somebody, is looked up when it is read: what
        is derived does not depend on when that was said.
        """
        owner = owner_id(self._space)
        return Gazetteer(
            [person for person in self._met if person.id != owner],
            [Person(owner, name) for name in self._owner_names],
            Person(owner, OWNER_NAME),
        )

    def add_name(self, person: str, name: str) -> bool:
        """Take up a name that somebody was heard to have; say whether it is new."""
        given = {fold(met.name) for met in self._met if met.id == person}
        if fold(name) in given or (person, fold(name)) in self._heard:
            return False
        self._heard.add((person, fold(name)))
        if person == owner_id(self._space):
            self._owner_names.append(name)
            self.people = self._gazetteer()
        return True

    def addressed_as(self, name: str, entry: Entry, speaker: str | None) -> str | None:
        """Return who is addressed by a name that is none that was given; None where nobody knows.

        It is who spoke last before, besides the speaker. Of somebody with a name only what is
        much like it is heard as another one.
        """
        named = self.people.find(name)
        owner = owner_id(self._space)
        if entry.stream is None or (named is not None and named.id != owner):
            return None
        person = self._store.people.last_speaker(entry.stream, entry.seq, speaker)
        if person is None or person == owner:
            return person
        given = next((met.name for met in self._met if met.id == person), "")
        return person if is_variant(name, given) else None

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
    return speaker_id(event, space) if is_message(event) else None


def _was_skeleton(entry: Entry) -> bool:
    """Say whether an experience was captured as a skeleton: an upgrade moves no register."""
    captured = entry.payload
    decided = captured.decision if isinstance(captured, ExperienceCaptured) else None
    return decided is not None and decided.status is RecordStatus.SKELETON
