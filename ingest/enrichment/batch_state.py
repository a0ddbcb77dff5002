"""The state of a space while a batch is enriched: people, entities, registers, facts.

Read from the space's lists on first use, and kept for the batch together with what the batch adds.

One experience during enrichment: its event, its decision, and what the stages add.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from ...core.entries import (
    EntityMention,
    EntryPayload,
    ExperienceCaptured,
    ExperienceEnriched,
    FactEntry,
    StateTransitioned,
)
from ...core.events import captured_of, event_of, is_restricted, speaker_id, text_of
from ...core.experience import Phenomenology, RegisterState, Utterance
from ...core.facts import Fact, fold_facts
from ...core.ids import owner_id
from ...core.people import Gazetteer, is_variant
from ...core.settings import TransitionsSettings
from ...core.types import Entry, EntryDraft, EntryKind, Json, Space
from ...core.vocabulary import CaptureMode, Trigger
from ...language.reading import factual_spans, read_message
from ...language.runs.tool_calls import Event
from ...language.sentences import Span
from ...language.tagging import TEXT_CHARS_MAX, Analysis, analyse
from ...models.tokens import Encoded
from ...storage.projections.entry_indexes import subject_key
from ...storage.projections.experience_list import mode_of
from ...storage.store import Store
from ..capture.commit import decision_of
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
                    topic, who = topic_of(event_of(entry)), speaker_of(event_of(entry), self.space)
                    state, _ = step(state, felt, topic, entry.at, entry.key, self.thresholds, who)
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


@dataclass
class EnrichmentContext:
    """An experience on its way through the stages; they write `found` and `drafts`.

    `found` becomes the payload of `ExperienceEnriched`. `echo` marks what came out of a recall,
    `undated` what was imported without a time.
    `mentions` are the entities that it names, `people` those that it may name. `earlier_facts` are
    those that the rules stated when they read it before, and `earlier_entries` what else they
    wrote then; `head` is the journal's end now.
    `seq` is that of the entry which brought the whole event: the capture, or an upgrade.
    """

    entry: Entry
    event: Event
    significance: float
    seq: int
    encode: Callable[[str], Encoded | None]
    trigger: Trigger = Trigger.NONE
    duplicate_of: str | None = None
    echo: bool = False
    undated: bool = False
    earlier_facts: Sequence[Fact] = ()
    phenomenology: Phenomenology | None = None
    mentions: Sequence[EntityMention] = ()
    people: Gazetteer = field(default_factory=lambda: Gazetteer(()))
    enriched_fields: dict[str, Json] = field(default_factory=dict)
    drafts: list[EntryDraft] = field(default_factory=list)
    earlier_entries: Sequence[Entry] = ()
    head: int = 0

    @property
    def analysed_text(self) -> str:
        """What is analysed of the event's own text."""
        return text_of(self.event)[:TEXT_CHARS_MAX]

    @cached_property
    def utterances(self) -> tuple[Utterance, ...]:
        """The sentences of the event's own text, and what each does."""
        text = self.analysed_text
        return read_message(text, self.encode(text) if text.strip() else None)

    @cached_property
    def factual(self) -> list[Span]:
        """Where the sentences stand that tell what is so."""
        return factual_spans(self.utterances)

    @cached_property
    def analysis(self) -> Analysis:
        """The shallow analysis of the event's own text."""
        return analyse(self.analysed_text, self.encode)

    def add_entry(self, key: str, payload: EntryPayload) -> None:
        """Add an entry that this experience leads to; it happened when the experience did."""
        self.drafts.append(EntryDraft(key, payload, self.entry.at))

    def enriched_entry(self) -> EntryDraft:
        """Return the entry that says what was found out about the experience itself."""
        id = self.entry.id
        return EntryDraft(id, ExperienceEnriched(id, **self.enriched_fields), self.entry.at)

    def entries(self) -> list[EntryDraft]:
        """Return the entries that it leads to; on a repeated reading, only new ones.

        An entry that says something else is read in the place of the one before; what is not said
        any more is read as nothing.
        """
        enriched, before = self.enriched_entry(), {(e.kind, e.key): e for e in self.earlier_entries}
        if not before:
            return [enriched, *self.drafts]
        places = {(draft.kind, draft.key) for draft in (enriched, *self.drafts)}
        gone = [(e.seq, None) for place, e in before.items() if e.payload and place not in places]
        entries, replaces = [], list[tuple[int, str | None]](gone)
        for draft in self.drafts:
            earlier = before.get((draft.kind, draft.key))
            if earlier is None:
                entries.append(draft)
            elif earlier.payload != draft.payload:
                entries.append(replace(draft, key=self._key_anew(draft)))
                replaces.append((earlier.seq, entries[-1].key))
        earlier = before.get((enriched.kind, enriched.key))
        if earlier is None:
            return [enriched, *entries]
        key, payload = self._key_anew(enriched), earlier.payload
        reading = ExperienceEnriched(self.entry.id, **self.enriched_fields)
        is_same = (
            isinstance(payload, ExperienceEnriched) and replace(payload, replaces=()) == reading
        )
        if is_same and not replaces:
            return entries
        reading = replace(reading, replaces=((earlier.seq, key), *replaces))
        return [*entries, replace(enriched, key=key, payload=reading)]

    def _key_anew(self, draft: EntryDraft) -> str:
        return f"{draft.key}#again-{self.head}"


def enrichment_context_of(
    entry: Entry, event: Event, encode: Callable[[str], Encoded | None], seq: int | None = None
) -> EnrichmentContext:
    """Return a captured experience, none of whose stages has run; `event` is its whole event.

    `seq` names the entry that brought the event, where that is not the capture.
    """
    payload = captured_of(entry)
    return EnrichmentContext(
        entry=entry,
        event=event,
        significance=decision_of(payload).significance,
        seq=entry.seq if seq is None else seq,
        encode=encode,
        trigger=payload.trigger,
        duplicate_of=payload.duplicate_of,
        echo="echo" in payload.marks,
        undated="undated" in payload.marks,
    )
