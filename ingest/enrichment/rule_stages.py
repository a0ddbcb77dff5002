"""The stages of the rule pass, in order.

Each is a function over one experience and the state of the space; none asks a model or stores
anything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from ...core.entities.entity_gazetteer import EntityType
from ...core.entries import (
    EntitiesMentioned,
    FactAsserted,
    FactEntry,
    MemoryReinforced,
    QuestionsAnticipated,
)
from ...core.events import (
    captions_of,
    is_restricted,
    speaker_id,
    speaker_name,
    text_of,
)
from ...core.facts import Fact, FactConfirmed
from ...core.ids import derived, fold
from ...core.people import PersonNamed
from ...core.time import to_text
from ...core.types import EntryDraft, Json, Space
from ...core.vocabulary import CORRECTS, Emotion, NameSource, Trigger
from ...language.analyser import is_english
from ...language.anticipated import anticipated_questions
from ...language.fact_ends import Ending
from ...language.feelings import feelings_in
from ...language.introductions import addressed_names, own_names
from ...language.runs.tool_calls import Event, is_result
from ...language.tone import Fortune, fortune_of
from ...language.topics import extract_concepts, extract_topics
from ..capture.event_view import is_by_hand, is_message, metadata_of, read_event
from ..extraction import phenomenology
from ..extraction.artifacts import extract_artifacts
from ..extraction.entities import extract_mentions
from ..extraction.statements import (
    STATED_KINDS,
    assert_fact,
    corrected,
    doubted,
    endings_in,
    extract_statements,
    key_of,
    stated_fact,
    statement_of,
    things_of,
    withdrawn,
)
from . import register
from .batch_state import BatchState, EnrichmentContext, is_whole, speaker_of, topic_of

#: So many transitions of an experience are looked up when it is read again.
_CHANGES_READ = 16
EnrichmentStage = Callable[[EnrichmentContext, BatchState], None]

_PHENOMENOLOGY_FIELDS = (
    *("emotionalSignature", "engagementQuality"),
    *("anchors", "uncertainties", "reconstitutionHints"),
)


def _add_phenomenology(context: EnrichmentContext, _batch_state: BatchState) -> None:
    """Add the phenomenology: the caller's own, or else the rule's."""
    by_caller = _caller_phenomenology(context.event)
    felt: Sequence[Emotion] = ()
    fortunes: Sequence[Fortune] = ()
    if is_message(context.event) and is_english(context.analysed_text):
        text, factual = context.analysed_text, set(context.factual)
        felt = feelings_in(text[start:end] for start, end in context.factual)
        fortunes = [
            fortune
            for each in context.utterances
            if (each.start, each.end) in factual
            and (fortune := fortune_of(text[each.start : each.end], each.kinds))
        ]
    result = phenomenology.heuristic(context.event, context.significance, felt, fortunes)
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


def _add_utterances(context: EnrichmentContext, _batch_state: BatchState) -> None:
    """Say what each sentence of a message does: tells news, promises, asks."""
    if is_message(context.event) and context.utterances:
        context.enriched_fields["utterances"] = context.utterances


def _add_artifacts(context: EnrichmentContext, _batch_state: BatchState) -> None:
    """Name the files, links and media that came with it or stand in it."""
    if artifacts := extract_artifacts(context.event):
        context.enriched_fields["artifacts"] = tuple(artifacts)


def _add_people(context: EnrichmentContext, _batch_state: BatchState) -> None:
    """Name who is spoken of besides the speaker."""
    own = speaker_id(context.event, context.entry.space)
    named = context.people.named_in(text_of(context.event))
    context.enriched_fields["people"] = tuple(person for person in named if person.id != own)


def _add_entities(context: EnrichmentContext, batch_state: BatchState) -> None:
    """Name what it mentions; people who speak have labels and edges of their own."""
    people = context.people
    mentions = extract_mentions(
        context.event,
        context.entry.space,
        batch_state.names.entities,
        people,
        batch_state.recogniser,
        context.analysis if is_message(context.event) else None,
    )
    things = tuple(
        mention
        for mention in mentions
        if mention.type != EntityType.PERSON or people.find(mention.name) is None
    )
    context.mentions = things
    if things:
        context.add_entry(context.entry.id, EntitiesMentioned(context.entry.id, things))


def _add_concepts(context: EnrichmentContext, batch_state: BatchState) -> None:
    """Name its content words, for the index."""
    text = " ".join([text_of(context.event), *captions_of(context.event)])
    context.enriched_fields["concepts"] = extract_concepts(
        text, batch_state.analyser, context.people.words
    )


def _add_topics(context: EnrichmentContext, batch_state: BatchState) -> None:
    """Name what a message is about, as somebody would; its entities are named as such alone."""
    if is_message(context.event):
        mentioned = {fold(mention.name) for mention in context.mentions}

        def is_entity(text: str) -> bool:
            return fold(text) in mentioned or bool(batch_state.names.entities.find(text))

        context.enriched_fields["topics"] = extract_topics(
            context.analysis, batch_state.analyser, context.people.words, is_entity
        )


def _add_transitions(context: EnrichmentContext, batch_state: BatchState) -> None:
    """Take it into its session's register; what changed there is a transition.

    What is upgraded later moves no register: its session has gone on since.
    """
    if context.entry.stream is None or context.phenomenology is None:
        return
    if not is_whole(context.entry):
        return
    session, id = context.entry.stream, context.entry.id
    person = speaker_of(context.event, context.entry.space)
    after, changes = register.step(
        batch_state.register(session, context.seq),
        context.phenomenology,
        topic_of(context.event),
        context.entry.at,
        context.entry.key,
        batch_state.thresholds,
        person,
    )
    batch_state.registers[session] = after
    for place, change in enumerate(changes):
        transition = derived("transition", context.entry.space, id, str(place))
        changed = register.transitioned(change, transition, session, id, person)
        context.add_entry(transition, changed)


def transition_ids(space: Space, experience: str) -> list[str]:
    """Return the ids of the first changes that an experience may have led to."""
    places = range(_CHANGES_READ)
    return [derived("transition", space, experience, str(place)) for place in places]


def _add_questions(context: EnrichmentContext, _batch_state: BatchState) -> None:
    """Anticipate what somebody will ask that it answers, where there is something to learn."""
    if context.trigger is Trigger.NONE:
        return
    gist = read_event(context.event).gist
    if questions := anticipated_questions(context.event, gist, context.trigger):
        id = context.entry.id
        context.add_entry(id, QuestionsAnticipated(id, tuple(questions), by="rule"))


def _add_facts(context: EnrichmentContext, batch_state: BatchState) -> None:
    """Assert what a message states, and supersede what it replaces; an echo states nothing."""
    if context.echo or not is_message(context.event):
        return
    entry, speaker = context.entry, speaker_name(context.event)
    own_id = speaker_id(context.event, entry.space)
    if speaker is not None:
        _end_facts(context, batch_state, (own_id, speaker))
    stated, before = set(), metadata_of(context.event).get(CORRECTS)
    for statement in extract_statements(
        context.event, speaker, context.analysed_text, context.factual
    ):
        subject = statement.subject or speaker
        if subject is None:
            continue
        id = own_id
        if statement.subject is not None:
            person = context.people.find(subject)
            id = None if person is None else person.id
        stated.add(stated_fact(statement, entry, speaker, id))
        others = [f for f in batch_state.facts_about(id, subject) if f.experience != before]
        findings = assert_fact(statement, others, entry, speaker, id)
        about = things_of(statement, context.people, context.mentions)
        entries = [
            replace(finding, about=about) if isinstance(finding, FactAsserted) else finding
            for finding in findings
            if not isinstance(finding, FactConfirmed)
        ]
        _record(context, batch_state, (id, subject), entries)
    for fact in context.earlier_facts:
        if fact.id not in stated:
            _record(context, batch_state, (fact.subject_id, fact.subject), [withdrawn(fact)])


def _end_facts(
    context: EnrichmentContext,
    batch_state: BatchState,
    subject: tuple[str | None, str],
) -> None:
    """End what held of the speaker until a message says that it is over, or may be."""
    entry, (id, speaker) = context.entry, subject

    def holding() -> list[Fact]:
        facts = batch_state.facts_about(*subject)
        return [fact for fact in facts if fact.t_valid < entry.at and fact.valid_at(entry.at)]

    for fact, ending, sentence in endings_in(
        context.event, context.analysed_text, context.factual, holding
    ):
        if ending is Ending.MAYBE:
            _record(context, batch_state, subject, [doubted(fact, entry.at, sentence)])
            continue
        over = fact.predicate, fact.object, True
        statement = statement_of(None, over, fact.confidence, speaker, sentence)
        findings = assert_fact(statement, batch_state.facts_about(*subject), entry, speaker, id)
        entries = [each for each in findings if not isinstance(each, FactConfirmed)]
        _record(context, batch_state, subject, entries)


def _record(
    context: EnrichmentContext,
    batch_state: BatchState,
    subject: tuple[str | None, str],
    entries: Sequence[FactEntry],
) -> None:
    """Add what is found out of a subject's facts: learned when the message was written down."""
    learned = to_text(context.entry.recorded_at)
    entries = [replace(entry, learned=learned) for entry in entries]
    for entry in entries:
        context.add_entry(key_of(entry), entry)
    batch_state.record_facts(*subject, entries)


def _end_corrected_facts(context: EnrichmentContext, batch_state: BatchState) -> None:
    """End what the version before stated; the correction states for itself what still holds."""
    before = metadata_of(context.event).get(CORRECTS)
    for fact in batch_state.facts_from(before) if isinstance(before, str) else ():
        if fact.t_invalid is None or fact.t_invalid > max(context.entry.at, fact.t_valid):
            ended = corrected(fact, context.entry.at)
            _record(context, batch_state, (fact.subject_id, fact.subject), [ended])


def _learn_names(context: EnrichmentContext, batch_state: BatchState) -> None:
    """Learn how people are called: from what they say, and from how others address them."""
    event, entry = context.event, context.entry
    if context.echo or not is_message(event):
        return
    speaker = speaker_id(event, entry.space)
    heard = []
    if speaker is not None and event["kind"] in STATED_KINDS:
        heard = [(speaker, own.name, own.how) for own in own_names(context.analysis)]
    for name in addressed_names(context.analysis):
        person = batch_state.addressed_as(name, entry, speaker, context.people)
        if person is not None:
            heard.append((person, name, NameSource.ADDRESSED))
    for person, name, how in heard:
        if not batch_state.names.has_name(person, name):
            named = PersonNamed(person, name, how, entry.id, by="rule")
            context.add_entry(f"{entry.id}#{fold(name)}", named)


def _add_reinforcement(context: EnrichmentContext, _batch_state: BatchState) -> None:
    """Let what says the same again reinforce what said it first."""
    if context.duplicate_of and not context.echo:
        id = context.entry.id
        context.add_entry(id, MemoryReinforced(id, context.duplicate_of, "exact", 1.0))


def fact_drafts(contexts: Sequence[EnrichmentContext], batch_state: BatchState) -> list[EntryDraft]:
    """Return what experiences state, read once more when some of what is known was forgotten."""
    for context in contexts:
        context.people = batch_state.names.people_in(context.event)
        if not is_restricted(metadata_of(context.event)):
            _add_entities(context, batch_state)
            _add_facts(context, batch_state)
    return [draft for context in contexts for draft in context.drafts]


STAGES: tuple[EnrichmentStage, ...] = (
    _add_utterances,
    _add_phenomenology,
    _add_artifacts,
    _add_people,
    _add_concepts,
    _add_entities,
    _add_topics,
    _add_transitions,
    _add_questions,
    _end_corrected_facts,
    _add_facts,
    _add_reinforcement,
    _learn_names,
)
#: Of a restricted experience nothing is derived that others could read.
RESTRICTED_STAGES: tuple[EnrichmentStage, ...] = (
    _add_phenomenology,
    _end_corrected_facts,
)
