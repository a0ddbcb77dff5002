"""The rule pass: how each experience felt and what it is about, by rule, in a few stages.

The stages are in one tuple, each a function over one experience and the state of the space. None
asks a model or stores anything. A skeleton is enriched when it is upgraded: until then its words
are indexed, and nothing is derived from them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from ...core.entries import (
    ExperienceReevaluated,
    PersonMet,
)
from ...core.errors import InvalidInput
from ...core.events import captured_of, is_restricted, speaker_id
from ...core.facts import Fact, fold_facts
from ...core.people import YOU
from ...core.settings import Settings
from ...core.types import Entry, EntryDraft, EntryKind, Space
from ...core.vocabulary import RecordStatus
from ...language.runs.run_ends import ends_session
from ...language.runs.tool_calls import Event
from ...models.embedder import EncodingCache
from ...models.tokens import Encoded
from ...storage.space_caches import SpaceCache
from ...storage.store import SpaceStore, Store
from ...storage.upkeep import newest_forgetting
from ...storage.work import Task
from ..capture.event_view import is_message, metadata_of
from ..enrichment_state import RULES
from .batch_state import BatchState, EnrichmentContext, enrichment_context_of, is_whole
from .passes import PassResult, is_captured, position
from .rule_stages import RESTRICTED_STAGES, STAGES, fact_drafts, transition_ids
from .session_end import OpenSessions, SessionCloser
from .space_names import NamesCache

#: The name under which the dead letters of this pass are kept.
STAGE = "understanding"
#: Work on a message that states what a memory stated that was forgotten.
FACTS_STAGE = "facts anew"
#: Looking for what was shown before a session in that session.
REFERENCES_STAGE = "references"
#: Errors that a text can cause. A store, a disk or a lock that fails is wrong for all of them.
_OF_ONE_TEXT = (
    *(ArithmeticError, AssertionError, AttributeError, InvalidInput, LookupError),
    *(RuntimeError, TypeError, ValueError),
)
Encode = Callable[[str], Encoded | None]
Pause = Callable[[], None]


class RulePass:
    """Runs the stages over what was captured, and over skeletons that were upgraded."""

    name, version = RULES

    def __init__(
        self,
        file: Store,
        names: NamesCache,
        encodings: EncodingCache,
        closer: SessionCloser,
        settings: Settings,
        pause: Pause = lambda: None,
    ) -> None:
        """Read a batch at a time; `pause` is called before each experience."""
        self.batch, self._pause = settings.embedding.batch, pause
        self._file = file
        self._thresholds = settings.transitions
        self._earlier: SpaceCache[Mapping[str, list[Fact]]] = SpaceCache(file.caches)
        self._names = names
        self._encodings = encodings
        self._closer = closer

    def until(self, space: Space) -> int:
        """Return the journal's end."""
        return self._file.journal.head(space).seq

    def concerns(self, entry: Entry) -> bool:
        """Return whether an entry is an experience, or brings the whole event of one."""
        payload = entry.payload
        if isinstance(payload, ExperienceReevaluated):
            return payload.status is RecordStatus.UPGRADED
        return is_captured(entry)

    def work(self, space: Space, entries: Sequence[Entry]) -> PassResult:
        """Read a batch, each experience as of those before it."""
        reading = self._reading(space)
        contexts = {context.seq: context for context in self._contexts(space, entries)}
        messages = [each for each in contexts.values() if is_message(each.event)]
        self._encodings.prepare(context.analysed_text for context in messages)
        for entry in entries:
            reading.take(entry, contexts.get(entry.seq))
        return reading.drafts, reading.write

    def end_sessions(self, space: Space, should_continue: Callable[[], bool]) -> bool:
        """End the sessions that are over by now, one by one; return whether none is left.

        What nobody has gone on with by now is over before whatever comes later.
        """
        while True:
            until, now = position(self._file, space, self), self._file.clock()
            forgotten = newest_forgetting(self._file, space)
            reading = self._reading(space)
            due = [*reading.sessions.over(until), *reading.sessions.silent(now)]
            if not due:
                return True
            if not should_continue():
                return False
            reading.end(due[:1], until)
            with self._file.writing():
                is_new = position(self._file, space, self) == until
                if is_new and newest_forgetting(self._file, space) == forgotten:
                    self._file.journal.append(space, reading.drafts)
                    reading.write(self._file.space(space))

    def due(self, space: Space) -> list[Task]:
        """Return what could not be understood and is to be tried again now."""
        due = self._file.space(space).tasks.due(self._file.clock())
        return [task for task in due if task.stage in (STAGE, FACTS_STAGE, REFERENCES_STAGE)]

    def retry_due(self, space: Space) -> None:
        """Try again what could not be understood and is due."""
        store = self._file.space(space)
        forgotten = newest_forgetting(self._file, space)
        for task in self.due(space):
            entries = [
                e for e in self._file.journal.read(space, task.seq - 1, 1) if e.seq == task.seq
            ]
            reading = self._reading(space)
            if task.stage == REFERENCES_STAGE:
                reading.drafts += self._closer.references(space, task.seq)
            elif task.stage == FACTS_STAGE:
                contexts = self._contexts(space, entries)
                reading.drafts += fact_drafts(contexts, self._batch_state(space))
            else:
                for context in self._contexts(space, entries):
                    reading.read(context)
            with self._file.writing():
                if newest_forgetting(self._file, space) != forgotten:
                    return  # what is left of it is due the next time
                self._file.journal.append(space, reading.drafts)
                reading.write(store)
                if not reading.failed:
                    store.tasks.done(task.seq, task.stage)

    def _batch_state(self, space: Space) -> BatchState:
        return BatchState(self._file, space, self._names, self._thresholds)

    def _reading(self, space: Space) -> Reading:
        return Reading(
            self._batch_state(space),
            self._closer,
            self._encodings.encode,
            self._pause,
        )

    def _contexts(self, space: Space, entries: Sequence[Entry]) -> list[EnrichmentContext]:
        """Return the experiences to read of some entries, each with the entry that brings it.

        A skeleton is read where it is upgraded, and from then on in its own place.
        """
        upgrades = {
            entry.payload.experience: entry
            for entry in entries
            if isinstance(entry.payload, ExperienceReevaluated)
        }
        journal, here = self._file.journal, {e.id: e for e in entries if is_captured(e)}
        others = journal.by_ids(space, list(upgrades.keys() - here.keys()))
        written = self._earlier_entries(space, [*here, *(entry.id for entry in others)])
        places = [(e, e.seq) for e in here.values() if is_whole(e) or e.id in written]
        places += [(e, upgrades[e.id].seq) for e in others if e.id not in written]
        places += [(here[id], e.seq) for id, e in upgrades.items() if id in here.keys() - written]
        held = self._held_events(space, [e.id for e, _ in places if not is_whole(e)])
        earlier = self._earlier_facts(space, any(e.id in written for e, _ in places))
        head = journal.head(space).seq
        return [
            replace(
                enrichment_context_of(entry, event, self._encodings.encode, seq),
                earlier_facts=earlier.get(entry.id, ()),
                earlier_entries=written.get(entry.id, ()),
                head=head,
            )
            for entry, seq in places
            if is_captured(entry) and (event := captured_of(entry).event or held.get(entry.id))
        ]

    def _held_events(self, space: Space, ids: Sequence[str]) -> Mapping[str, Event]:
        """Return the whole events of outlines that were upgraded, by experience."""
        keys = [f"{id}#{by}" for id in ids for by in (RecordStatus.UPGRADED.value, "decision")]
        entries = self._file.journal.by_keys(space, EntryKind.EXPERIENCE_REEVALUATED, keys)
        payloads = [e.payload for e in entries if isinstance(e.payload, ExperienceReevaluated)]
        return {each.experience: each.event for each in payloads if each.event}

    def _earlier_entries(self, space: Space, ids: Sequence[str]) -> Mapping[str, list[Entry]]:
        """Return what the rules wrote when they read experiences before, by experience."""
        journal, enriched = self._file.journal, EntryKind.EXPERIENCE_ENRICHED
        written = {entry.key: [entry] for entry in journal.by_keys(space, enriched, ids)}
        for entry in journal.by_keys(space, EntryKind.ENTITIES_MENTIONED, list(written)):
            written[entry.key].append(entry)
        changes = {key: id for id in written for key in transition_ids(space, id)}
        for entry in journal.by_keys(space, EntryKind.STATE_TRANSITIONED, list(changes)):
            written[changes[entry.key]].append(entry)
        return written

    def _earlier_facts(self, space: Space, read_before: bool) -> Mapping[str, list[Fact]]:
        """Return what the rules stated when they read experiences before, by experience.

        Read once for all batches of a repeated reading, whose own facts are not included.
        """
        if not read_before:
            self._earlier.pop(space)
            return {}
        earlier = self._earlier.get(space)
        if earlier is None:
            by_experience = earlier = defaultdict(list)
            for fact in fold_facts(self._file.space(space).facts.list_all()).values():
                if fact.by == "rule" and not fact.is_end_record:
                    by_experience[fact.experience].append(fact)
            self._earlier.put(space, by_experience)
        return earlier


class Reading:
    """Reads experiences in the order of the journal, each as of those before it.

    A session is ended between the experience that it ends with and the next one, so that nothing
    depends on when that is noticed. What is derived is in `drafts`, in the order of the journal.
    """

    def __init__(
        self, batch_state: BatchState, closer: SessionCloser, encode: Encode, pause: Pause
    ) -> None:
        self.drafts: list[EntryDraft] = []
        self.failed: list[tuple[int, str]] = []
        self.sessions = OpenSessions(batch_state.sessions)
        self._state, self._closer = batch_state, closer
        self._encode, self._pause = encode, pause
        #: The last experiences of sessions in which something was shown that was kept before.
        self._shown: list[int] = []
        self._until = 0

    def take(self, entry: Entry, context: EnrichmentContext | None) -> None:
        """Take up an entry; with a context, the experience that it brings is read."""
        if not is_captured(entry):
            if context is not None:
                self.read(context)
            return
        self.end(self.sessions.silent(entry.recorded_at), entry.seq - 1)
        if context is not None:
            self.read(context)
        ends = context is not None and is_whole(entry) and ends_session(context.event)
        self.sessions.take(entry, ends=ends)
        self.end(self.sessions.over(entry.seq), entry.seq)

    def end(self, names: Sequence[str], until: int) -> None:
        """End sessions with the last experience up to a sequence, and read what that upgrades."""
        self._until = max(self._until, until)
        for name in names:
            self._pause()
            closing = self._closer.close(name, until, self._state)
            self.drafts += closing.drafts
            for entry, event in closing.upgraded:
                # What fails is read where the upgrade is written.
                self.read(enrichment_context_of(entry, event, self._encode), is_retried=False)
            self._shown += closing.shown
            self.sessions.close(name)

    def read(self, context: EnrichmentContext, *, is_retried: bool = True) -> None:
        """Run every stage over an experience; what cannot be understood is a dead letter."""
        self._pause()
        state, event = self._state, context.event
        take_back = state.savepoint()
        self.drafts += _person_drafts(context, state)
        context.people = state.names.people_in(event)
        try:
            for stage in RESTRICTED_STAGES if is_restricted(metadata_of(event)) else STAGES:
                stage(context, state)
        except _OF_ONE_TEXT as error:  # one experience must not stop the rest
            take_back()
            if is_retried:
                self.failed.append((context.seq, f"{type(error).__name__} in {STAGE}"))
            return
        entries = context.entries()
        for draft in entries:
            state.take(draft.payload)
        self.drafts += entries

    def write(self, store: SpaceStore) -> None:
        """Write what is remembered beside the journal, in the transaction that appends to it."""
        for session, register in self._state.registers.items():
            store.sessions.save_register(session, register)
        self.sessions.save(self._until)
        for seq in self._shown:
            store.tasks.schedule(seq, REFERENCES_STAGE, "what was shown is looked for")
        for seq, error in self.failed:
            store.tasks.fail(seq, STAGE, error, self._state.clock())


def _person_drafts(context: EnrichmentContext, batch_state: BatchState) -> list[EntryDraft]:
    """Meet who speaks, if it is for the first time."""
    id = speaker_id(context.event, context.entry.space)
    if not id:
        return []
    met = PersonMet(id, context.event.get("person") or YOU, ())
    return [EntryDraft(id, met, context.entry.at)] if batch_state.names.take(met) else []
