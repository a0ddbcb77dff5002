"""The pass of understanding: what each experience was like and about, by rule, in a few stages.

The stages stand in one tuple, each a function over one experience and what the space knows. None
asks a model or stores anything. A skeleton is enriched when it is upgraded: until then its words
are found, and nothing is derived from them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ...core.entity_gazetteer import EntityType
from ...core.entries import (
    EntitiesMentioned,
    EntryPayload,
    ExperienceCaptured,
    ExperienceReevaluated,
    MemoryReinforced,
    PersonMet,
    QuestionsAnticipated,
    RelationshipChanged,
)
from ...core.errors import Unavailable
from ...core.events import captions_of, captured_of, is_restricted, text_of
from ...core.facts import FactConfirmed
from ...core.ids import derived, person_id
from ...core.settings import TransitionsSettings
from ...core.types import Entry, EntryDraft, Json, Space
from ...core.vocabulary import CaptureMode, RecordStatus, Relationship, Trigger
from ...storage.projections.experience_list import mode_of
from ...storage.space_store import SpaceStore
from ...storage.store import Store
from ...storage.tasks import Task
from ..capture.event_view import Event, is_by_hand, is_message, is_result, metadata_of
from ..capture.relationship_rules import relationship_by_rule
from ..extraction import phenomenology
from ..extraction.entities.artifacts import extract_artifacts
from ..extraction.entities.concepts import extract_concepts
from ..extraction.entities.mention_extraction import extract_mentions
from ..extraction.facts.statement_extraction import extract_statements
from ..extraction.facts.supersession import StatementSource, assert_fact, key_of
from . import register
from .batch_state import BatchState, GazetteerCache, topic_of
from .enrichment_context import EnrichmentContext, enrichment_context_of
from .episode import ends_session
from .passes import PassResult, is_captured
from .questions import anticipated_questions

EnrichmentStage = Callable[[EnrichmentContext, BatchState], None]

#: The name under which the dead letters of this pass are kept.
STAGE = "understanding"

_PHENOMENOLOGY_FIELDS = (
    *("emotionalSignature", "engagementQuality"),
    *("anchors", "uncertainties", "reconstitutionHints"),
)


def _add_phenomenology(context: EnrichmentContext, _batch_state: BatchState) -> None:
    """Say how it was lived: the caller's own word, or else the rule's."""
    by_caller = _caller_phenomenology(context.event)
    result = phenomenology.heuristic(context.event, context.decision)
    if by_caller is not None:
        result, _ = phenomenology.merge(by_caller, result)
    context.phenomenology = result
    context.enriched_fields |= {
        "phenomenology": result,
        "by": "rule" if by_caller is None else "caller",
    }


def _caller_phenomenology(event: Event) -> Json:
    """Return what the caller says of how it was: a remark on it, or part of a capture by hand.

    The arguments of `experience_capture` hold it as one object or as the fields of one.
    """
    own = metadata_of(event).get("phenomenology")
    if own is not None or not is_by_hand(event):
        return own
    payload = event["payload"]
    given = payload.get("args") if is_result(event) else payload
    given = given if isinstance(given, Mapping) else {}
    return given.get("phenomenology") or _phenomenology_fields(given)


def _phenomenology_fields(given: Mapping[str, Json]) -> Json:
    fields = {name: given[name] for name in _PHENOMENOLOGY_FIELDS if name in given}
    return fields or None


def _add_artifacts(context: EnrichmentContext, _batch_state: BatchState) -> None:
    """Name the files, links and media that came with it or stand in it."""
    if artifacts := extract_artifacts(context.event):
        context.enriched_fields["artifacts"] = tuple(artifacts)


def _add_people(context: EnrichmentContext, batch_state: BatchState) -> None:
    """Name who is spoken of besides the speaker."""
    speaker = context.event.get("person")
    own = person_id(context.entry.space, speaker) if speaker else None
    named = batch_state.people.named_in(text_of(context.event))
    context.enriched_fields["people"] = tuple(person for person in named if person.id != own)


def _update_relationship(context: EnrichmentContext, batch_state: BatchState) -> None:
    """Change what the speaker is to the agent, when they have been there often enough."""
    speaker = context.event.get("person")
    person = person_id(context.entry.space, speaker) if speaker else ""
    # Nobody else becomes anything by rule, and counting takes longer than looking.
    if not person or batch_state.relationship(person) is not Relationship.USER:
        return
    relation = batch_state.relation(person)
    if relation is None:
        return
    kind = relationship_by_rule(relation, lambda: batch_state.sessions_of(person))
    if kind is not relation.relationship_type:
        threshold = relation.capture_threshold_override
        changed = RelationshipChanged(person, kind, threshold, by="rule")
        context.add_entry(f"{person}#{kind.value}", changed)


def _add_entities(context: EnrichmentContext, batch_state: BatchState) -> None:
    """Name the things it mentions; people have labels and edges of their own."""
    space = context.entry.space
    mentions = extract_mentions(
        context.event, space, batch_state.entities, batch_state.people, batch_state.recogniser
    )
    things = tuple(mention for mention in mentions if mention.type != EntityType.PERSON)
    if things:
        context.add_entry(context.entry.id, EntitiesMentioned(context.entry.id, things))


def _add_concepts(context: EnrichmentContext, batch_state: BatchState) -> None:
    """Name what it is about, in content words."""
    text = " ".join([text_of(context.event), *captions_of(context.event)])
    context.enriched_fields["concepts"] = extract_concepts(
        text, batch_state.analyser, batch_state.people.words
    )


def _add_transitions(context: EnrichmentContext, batch_state: BatchState) -> None:
    """Take it into its session's register; what changed there is a transition."""
    if context.entry.stream is None or context.phenomenology is None:
        return
    session, id = context.entry.stream, context.entry.id
    after, changes = register.step(
        batch_state.register(session, context.seq),
        context.phenomenology,
        topic_of(context.event),
        context.entry.at,
        context.entry.key,
        batch_state.thresholds,
    )
    batch_state.registers[session] = after
    for place, change in enumerate(changes):
        transition = derived("transition", context.entry.space, id, str(place))
        context.add_entry(transition, register.transitioned(change, transition, session, id))


def _mark_session_end(context: EnrichmentContext, batch_state: BatchState) -> None:
    """Take the session for ended, where a boundary says so."""
    if context.entry.stream is not None and ends_session(context.event):
        batch_state.ended.append(context.entry.stream)


def _add_questions(context: EnrichmentContext, _batch_state: BatchState) -> None:
    """Anticipate what somebody will ask that it answers, where there is something to learn."""
    if context.trigger is Trigger.NONE:
        return
    if questions := anticipated_questions(context.event, context.trigger):
        id = context.entry.id
        context.add_entry(id, QuestionsAnticipated(id, tuple(questions), by="rule"))


def _add_facts(context: EnrichmentContext, batch_state: BatchState) -> None:
    """Assert what a message states, and supersede what it replaces; an echo states nothing."""
    if context.echo or not is_message(context.event):
        return
    entry, speaker = context.entry, context.event.get("person")
    source = StatementSource(entry.space, entry.id, entry.at, speaker)
    for statement in extract_statements(context.event, speaker):
        subject = statement.subject or speaker
        if subject is None:
            continue
        person = batch_state.people.find(subject)
        id = None if person is None else person.id
        findings = assert_fact(statement, batch_state.facts_about(id, subject), source, id)
        entries = [finding for finding in findings if not isinstance(finding, FactConfirmed)]
        for entry_payload in entries:
            context.add_entry(key_of(entry_payload), entry_payload)
        batch_state.record_facts(id, subject, entries)


def _add_reinforcement(context: EnrichmentContext, _batch_state: BatchState) -> None:
    """Let what says the same again reinforce what said it first."""
    if context.duplicate_of and not context.echo:
        id = context.entry.id
        context.add_entry(id, MemoryReinforced(id, context.duplicate_of, "exact", 1.0))


STAGES: tuple[EnrichmentStage, ...] = (
    _add_phenomenology,
    _add_artifacts,
    _add_people,
    _add_concepts,
    _add_entities,
    _update_relationship,
    _add_transitions,
    _mark_session_end,
    _add_questions,
    _add_facts,
    _add_reinforcement,
)
#: Of a restricted experience nothing is derived that others could read.
RESTRICTED_STAGES: tuple[EnrichmentStage, ...] = (_add_phenomenology, _mark_session_end)


class RulePass:
    """Runs the stages over what was captured, and over skeletons that were upgraded."""

    name, version = "enrichment", 2

    def __init__(
        self,
        file: Store,
        entities: GazetteerCache,
        thresholds: TransitionsSettings,
        batch: int,
    ) -> None:
        self.batch = batch
        self._file = file
        self._thresholds = thresholds
        self._entities = entities

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
        batch_state = self._open_batch_state(space)
        drafts, failed = _run_stages(self._contexts(space, entries), batch_state)
        return PassResult(drafts, lambda store: self._write(store, batch_state, failed))

    def due(self, space: Space) -> list[Task]:
        """Return what could not be understood and is to be tried again now."""
        due = self._file.space(space).tasks.due(self._file.clock())
        return [task for task in due if task.stage == STAGE]

    def retry_due(self, space: Space) -> None:
        """Try again what could not be understood and is due."""
        store = self._file.space(space)
        for task in self.due(space):
            entries = [
                e for e in self._file.journal.read(space, task.seq - 1, 1) if e.seq == task.seq
            ]
            batch_state = self._open_batch_state(space)
            drafts, failed = _run_stages(self._contexts(space, entries), batch_state)
            with self._file.writing():
                self._file.journal.append(space, drafts)
                self._write(store, batch_state, failed)
                if not failed:
                    store.tasks.done(task.seq, STAGE)

    def _open_batch_state(self, space: Space) -> BatchState:
        return BatchState(self._file, space, self._entities, self._thresholds)

    def _contexts(self, space: Space, entries: Sequence[Entry]) -> list[EnrichmentContext]:
        """Return the experiences of some entries; that of an upgrade was captured before."""
        upgraded = {
            entry.payload.experience: entry
            for entry in entries
            if isinstance(entry.payload, ExperienceReevaluated)
        }
        captured = [*entries, *self._file.journal.by_ids(space, list(upgraded))]
        brought = [(entry, upgraded.get(entry.id, entry)) for entry in captured]
        return [
            enrichment_context_of(entry, event, by.seq)
            for entry, by in brought
            if is_captured(entry) and (event := _whole_event(entry, by)) is not None
        ]

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
    contexts: Sequence[EnrichmentContext], batch_state: BatchState
) -> tuple[list[EntryDraft], list[tuple[int, str]]]:
    """Return what was found out, and which experiences could not be understood and why."""
    drafts, failed = _person_drafts(contexts, batch_state), []
    for context in contexts:
        take_back = batch_state.savepoint()
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
            drafts += [context.enriched_entry(), *context.drafts]
    return drafts, failed


def _person_drafts(
    contexts: Sequence[EnrichmentContext], batch_state: BatchState
) -> list[EntryDraft]:
    """Meet everybody who speaks, before anybody is spoken of."""
    first = {
        name: context for context in reversed(contexts) if (name := context.event.get("person"))
    }
    names = [name for context in contexts if (name := context.event.get("person"))]
    return [
        EntryDraft(id, PersonMet(id, name, ()), first[name].entry.at)
        for id, name in batch_state.add_people(names).items()
    ]
