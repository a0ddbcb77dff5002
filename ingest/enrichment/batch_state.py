"""The state of a space while a batch is enriched: people, entities, registers, facts.

Read from the space's lists on first use, and kept for the batch together with what the batch adds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ...core.entries import (
    EntryPayload,
    ExperienceCaptured,
    ExperienceEnriched,
    FactEntry,
    StateTransitioned,
)
from ...core.events import event_of, is_restricted, speaker_id
from ...core.experience import Phenomenology, RegisterState
from ...core.facts import Fact, fold_facts
from ...core.ids import owner_id
from ...core.people import Gazetteer, is_variant
from ...core.settings import TransitionsSettings
from ...core.types import Entry, EntryKind, Space
from ...core.vocabulary import CaptureMode
from ...language.runs.tool_calls import Event
from ...storage.projections.entry_indexes import subject_key
from ...storage.projections.experience_list import mode_of
from ...storage.store import Store
from ..capture.event_view import is_message, metadata_of
from .register import opening_id, step
from .space_names import NamesCache


class BatchState:
    """What one batch of one space knows; `registers` and `ended` are to be written with it."""

    def __init__(
        self,
        file: Store,
        space: Space,
        names: NamesCache,
        thresholds: TransitionsSettings,
    ) -> None:
        self.analyser = file.analyser
        self.names = names.of(space)
        self.recogniser = names.recogniser
        self.thresholds = thresholds
        self.registers: dict[str, RegisterState] = {}
        #: What is derived and not written yet: what was found out, and what was judged anew.
        self.enriched: dict[str, ExperienceEnriched] = {}
        self.standing: dict[str, tuple[str, float | None]] = {}
        self.space, self.clock = space, file.clock
        self._file = file
        self._store = file.space(space)
        self.sessions = self._store.sessions
        self._facts: dict[str, dict[str, Fact]] = {}
        #: Every fact as it stood before the batch, read once where a memory is corrected.
        self._stored: dict[str, Fact] | None = None

    def take(self, payload: EntryPayload) -> None:
        """Take up an entry that will be written."""
        self.names.take(payload)
        if isinstance(payload, ExperienceEnriched):
            self.enriched[payload.experience] = payload

    def addressed_as(
        self, name: str, entry: Entry, speaker: str | None, people: Gazetteer
    ) -> str | None:
        """Return who is addressed by a name that is none that was given; None where nobody knows.

        It is who spoke last before, besides the speaker. Of somebody with a name only what is
        much like it is heard as another one.
        """
        named = people.find(name)
        owner = owner_id(self.space)
        if entry.stream is None or (named is not None and named.id != owner):
            return None
        person = self._store.people.last_speaker(entry.stream, entry.seq, speaker)
        if person is None or person == owner:
            return person
        met = self.names.met.get(person)
        return person if met is not None and is_variant(name, met.name) else None

    def register(self, session: str, before: int) -> RegisterState:
        """Return a session's register as it was before the sequence `before`."""
        if session not in self.registers:
            stored = self._store.sessions.load_register(session)
            self.registers[session] = stored or self._register_from_journal(session, before)
        return self.registers[session]

    def _register_from_journal(self, session: str, before: int) -> RegisterState:
        """Read a session's register from the journal, where nothing else remembers it."""
        journal, state = self._file.journal, RegisterState()
        earlier = (e for e in journal.stream(self.space, session) if e.seq < before and is_whole(e))
        entries = {e.id: e for e in earlier if not is_restricted(metadata_of(event_of(e)))}
        enriched = journal.by_keys(self.space, EntryKind.EXPERIENCE_ENRICHED, list(entries))
        changes = journal.of_sessions(self.space, EntryKind.STATE_TRANSITIONED, [session])
        for each in sorted([*enriched, *changes], key=lambda entry: entry.seq) if entries else ():
            match each.payload:
                case ExperienceEnriched(phenomenology=Phenomenology() as felt):
                    entry = entries[each.key]
                    event = event_of(entry)
                    about = topic_of(event), entry.at, entry.key, self.thresholds
                    state, _ = step(state, felt, *about, speaker_of(event, self.space))
                case StateTransitioned(after=str(text)) as change if each.key == opening_id(
                    self.space, change.experience, text
                ):
                    opened = Phenomenology(uncertainties=(text,))
                    state, _ = step(state, opened, None, each.at, each.key, self.thresholds)
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
        registers, facts = dict(self.registers), dict(self._facts)

        def restore() -> None:
            self.registers, self._facts = registers, facts

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


def is_whole(entry: Entry) -> bool:
    """Return whether an experience is read whole: a skeleton only where it is upgraded."""
    captured = entry.payload
    return (
        isinstance(captured, ExperienceCaptured)
        and captured.event is not None
        and mode_of(captured) is not CaptureMode.TRACE_ONLY
    )
