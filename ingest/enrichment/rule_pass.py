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
    EntryPayload,
    ExperienceCaptured,
    ExperienceReevaluated,
    PersonMet,
)
from ...core.errors import Unavailable
from ...core.events import captured_of, is_restricted, speaker_id
from ...core.facts import Fact, fold_facts
from ...core.people import YOU
from ...core.runs.tool_calls import Event
from ...core.settings import TransitionsSettings
from ...core.types import Entry, EntryDraft, EntryKind, Space
from ...core.vocabulary import CaptureMode, RecordStatus
from ...models.encoding_cache import EncodingCache
from ...storage.projections.experience_list import mode_of
from ...storage.space_store import SpaceStore
from ...storage.store import Store
from ...storage.tasks import Task
from ..capture.event_view import is_message, metadata_of
from ..enrichment_state import RULES
from .batch_state import BatchState
from .enrichment_context import EnrichmentContext, enrichment_context_of
from .passes import PassResult, is_captured
from .rule_stages import RESTRICTED_STAGES, STAGES, fact_drafts, transition_ids
from .space_names import NamesCache

#: The name under which the dead letters of this pass are kept.
STAGE = "understanding"
#: Work on a message that states what a memory stated that was forgotten.
FACTS_STAGE = "facts anew"


class RulePass:
    """Runs the stages over what was captured, and over skeletons that were upgraded."""

    name, version = RULES

    def __init__(
        self,
        file: Store,
        names: NamesCache,
        encodings: EncodingCache,
        thresholds: TransitionsSettings,
        batch: int,
        pause: Callable[[], None] = lambda: None,
    ) -> None:
        """Read a batch at a time; `pause` is called before each experience."""
        self.batch, self._pause = batch, pause
        self._file = file
        self._thresholds = thresholds
        self._earlier: dict[Space, dict[str, list[Fact]]] = {}
        self._names = names
        self._encodings = encodings

    def until(self, space: Space) -> int:
        """Return the journal's end."""
        return self._file.journal.head(space).seq

    def concerns(self, entry: Entry) -> bool:
        """Say whether an entry brings a whole event."""
        payload = entry.payload
        if isinstance(payload, ExperienceReevaluated):
            return payload.status is RecordStatus.UPGRADED
        return _is_enriched(payload)

    def work(self, space: Space, entries: Sequence[Entry]) -> PassResult:
        """Run every stage over every experience; one that cannot be understood is a dead letter."""
        batch_state = self.open_batch_state(space)
        contexts = self._contexts(space, entries)
        messages = [context for context in contexts if is_message(context.event)]
        self._encodings.prepare(context.analysed_text for context in messages)
        drafts, failed = _run_stages(contexts, batch_state, self._pause)
        return PassResult(drafts, lambda store: self._write(store, batch_state, failed))

    def due(self, space: Space) -> list[Task]:
        """Return what could not be understood and is to be tried again now."""
        due = self._file.space(space).tasks.due(self._file.clock())
        return [task for task in due if task.stage in (STAGE, FACTS_STAGE)]

    def retry_due(self, space: Space) -> None:
        """Try again what could not be understood and is due."""
        store = self._file.space(space)
        for task in self.due(space):
            entries = [
                e for e in self._file.journal.read(space, task.seq - 1, 1) if e.seq == task.seq
            ]
            batch_state = self.open_batch_state(space)
            contexts = self._contexts(space, entries)
            failed: list[tuple[int, str]] = []
            if task.stage == FACTS_STAGE:
                drafts = fact_drafts(contexts, batch_state)
            else:
                drafts, failed = _run_stages(contexts, batch_state, self._pause)
            with self._file.writing():
                self._file.journal.append(space, drafts)
                self._write(store, batch_state, failed)
                if not failed:
                    store.tasks.done(task.seq, task.stage)

    def open_batch_state(self, space: Space) -> BatchState:
        """Return the state that the rules fill in for the next batch of a space."""
        return BatchState(self._file, space, self._names, self._thresholds)

    def _contexts(self, space: Space, entries: Sequence[Entry]) -> list[EnrichmentContext]:
        """Return the experiences of some entries; that of an upgrade was captured before."""
        upgraded = {
            entry.payload.experience: entry
            for entry in entries
            if isinstance(entry.payload, ExperienceReevaluated)
        }
        captured = [*entries, *self._file.journal.by_ids(space, list(upgraded))]
        brought = [(entry, upgraded.get(entry.id, entry)) for entry in captured]
        written = self._earlier_entries(space, [entry.id for entry in captured])
        earlier = self._earlier_facts(space, bool(written))
        head = self._file.journal.head(space).seq
        return [
            replace(
                enrichment_context_of(entry, event, self._encodings.encode, by.seq),
                earlier_facts=earlier.get(entry.id, ()),
                earlier_entries=written.get(entry.id, ()),
                head=head,
            )
            for entry, by in brought
            if is_captured(entry) and (event := _whole_event(entry, by)) is not None
        ]

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
            self._earlier.pop(space, None)
            return {}
        if space not in self._earlier:
            by_experience = self._earlier[space] = defaultdict(list)
            for fact in fold_facts(self._file.space(space).facts.list_all()).values():
                if fact.by == "rule" and not fact.is_end_record:
                    by_experience[fact.experience].append(fact)
        return self._earlier[space]

    def _write(
        self, store: SpaceStore, batch_state: BatchState, failed: Sequence[tuple[int, str]]
    ) -> None:
        for session, state in batch_state.registers.items():
            store.sessions.save_register(session, state)
        for session in batch_state.ended:
            store.sessions.end(session)
        for seq, error in failed:
            store.tasks.fail(seq, STAGE, error, self._file.clock())


def _whole_event(entry: Entry, by: Entry) -> Event | None:
    """Return the event of an experience to enrich, if `by`, itself or its upgrade, brings it."""
    if isinstance(by.payload, ExperienceReevaluated):
        return by.payload.event or captured_of(entry).event
    return captured_of(entry).event if _is_enriched(by.payload) else None


def _is_enriched(payload: EntryPayload | None) -> bool:
    """Say whether an experience is enriched as it was captured: a skeleton is not."""
    if not isinstance(payload, ExperienceCaptured) or payload.event is None:
        return False
    return mode_of(payload) is not CaptureMode.TRACE_ONLY


def _run_stages(
    contexts: Sequence[EnrichmentContext], batch_state: BatchState, pause: Callable[[], None]
) -> tuple[list[EntryDraft], list[tuple[int, str]]]:
    """Return what was found out, and which experiences could not be understood and why."""
    drafts, failed = list[EntryDraft](), list[tuple[int, str]]()
    for context in contexts:
        pause()
        take_back = batch_state.savepoint()
        drafts += _person_drafts(context, batch_state)
        context.people = batch_state.names.people_in(context.event)
        try:
            restricted = is_restricted(metadata_of(context.event))
            for stage in RESTRICTED_STAGES if restricted else STAGES:
                stage(context, batch_state)
        except Unavailable:
            raise  # what is missing is missing for all of them
        except Exception as error:  # noqa: BLE001 - one experience must not stop the rest
            take_back()
            failed.append((context.seq, f"{type(error).__name__} in {STAGE}"))
        else:
            entries = context.entries()
            for draft in entries:
                batch_state.names.take(draft.payload)
            drafts += entries
    return drafts, failed


def _person_drafts(context: EnrichmentContext, batch_state: BatchState) -> list[EntryDraft]:
    """Meet who speaks, if it is for the first time."""
    id = speaker_id(context.event, context.entry.space)
    if not id:
        return []
    met = PersonMet(id, context.event.get("person") or YOU, ())
    return [EntryDraft(id, met, context.entry.at)] if batch_state.names.take(met) else []
