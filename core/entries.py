"""What each kind of journal entry says: one class a kind.

A field without a default is always written, None as null; one with a default is left out when it
has it. Events and artifacts stay plain JSON objects, so that fields nobody knows are kept. `by`
says who found it out: "rule", "model", "caller" or "user"; `model` is the record of the model's
answer. `codec` reads and writes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import reduce
from typing import Annotated, ClassVar

from pydantic import Field

from .experience import (
    Phenomenology,
    Transition,
    Utterance,
    join_utterances,
)
from .json_values import Flag, Number, Whole
from .people import NameRefused, PeopleMerged, PeopleUnmerged, Person, PersonNamed
from .vocabulary import (
    CaptureMode,
    EntryKind,
    FactRelation,
    LimitReason,
    RecordStatus,
    Relationship,
    Stability,
    Trigger,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerFeedback:
    """What became of an answer (`reconstitution`: a recall or pack), or of a single memory.

    `effects` says by memory how it was judged, and what that adds to its score in hundredths.
    """

    kind: ClassVar[EntryKind] = EntryKind.FEEDBACK_GIVEN
    reconstitution: str | None
    mode: str | None
    shown: tuple[str, ...]
    note: str | None
    effects: Mapping[str, tuple[str, int]]
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UserFeedback(AnswerFeedback):
    """What somebody said of it; `rating` is 1 to 5."""

    verdict: str | None
    rating: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackedFeedback(AnswerFeedback):
    """What of it was referred to later in its session; `auto_score` is the share, 0 to 1."""

    session: str | None
    referenced: tuple[str, ...]
    anchors: tuple[str, ...]
    auto_score: Number
    style: Mapping[str, Number] | None


@dataclass(frozen=True, slots=True)
class FeedbackUndone:
    """A feedback is taken back."""

    kind: ClassVar[EntryKind] = EntryKind.FEEDBACK_GIVEN
    undoes: str
    by: str


FeedbackGiven = UserFeedback | TrackedFeedback | FeedbackUndone


@dataclass(frozen=True, slots=True)
class DecisionRecord:
    """What the journal keeps of a capture decision; of an outline, not mode and threshold."""

    significance: Number
    status: RecordStatus
    mode: CaptureMode | None = None
    threshold: Number | None = None
    near: Flag = False
    limited: LimitReason | None = None


@dataclass(frozen=True, slots=True)
class ExperienceCaptured:
    """An event was captured: whole, or as an outline (`skeleton`) with the whole event's hash."""

    kind: ClassVar[EntryKind] = EntryKind.EXPERIENCE_CAPTURED
    event: Whole | None = None
    decision: DecisionRecord | None = None
    duplicate_of: str | None = None
    trigger: Trigger = Trigger.NONE
    marks: tuple[str, ...] = ()
    hash: str | None = None
    skeleton: Whole | None = None


@dataclass(frozen=True, slots=True)
class ExperienceEnriched:
    """What was found out about an experience; None where this entry says nothing of it.

    `concepts` maps the stem of each content word to a word that stands for it, for the index;
    `topics` maps the stems of each topic to the topic as somebody wrote it. Of an experience that
    was read anew, `replaces` names entries of the reading before by their sequences, and the key
    of what is read in the place of each, None for nothing.
    """

    kind: ClassVar[EntryKind] = EntryKind.EXPERIENCE_ENRICHED
    experience: str
    phenomenology: Phenomenology | None = None
    concepts: Mapping[str, str] | None = None
    topics: Mapping[str, str] | None = None
    people: tuple[Person, ...] | None = None
    artifacts: tuple[Whole, ...] | None = None
    utterances: tuple[Utterance, ...] | None = None
    commitments: tuple[Whole, ...] | None = None
    by: str | None = None
    model: Whole | None = None
    replaces: tuple[tuple[int, str | None], ...] = ()

    def updated(self, later: ExperienceEnriched) -> ExperienceEnriched:
        """Return this with what a later entry says of the same experience in its place."""
        values = {f.name: getattr(later, f.name) for f in fields(later)}
        return replace(self, **{name: v for name, v in values.items() if v is not None})


def enrichment_keys(ids: Iterable[str]) -> list[str]:
    """Return the keys of what was found out about experiences.

    By rules, by a model that was asked about each, and by one that read its session, or read it
    again after some of it was forgotten.
    """
    return [key for id in ids for key in (id, f"{id}#model", f"{id}#session", f"{id}#session+")]


def combined(enrichments: Iterable[ExperienceEnriched]) -> ExperienceEnriched:
    """Return what entries about one experience say together, oldest first.

    A later one replaces an earlier one, and a model's word that of rules, whenever that was said;
    to what rules found in its sentences a model adds.
    """
    entries = list(enrichments)
    by_rule = _reduced([entry for entry in entries if entry.by != "model"])
    by_model = _reduced([entry for entry in entries if entry.by == "model"])
    if by_rule is None or by_model is None:
        return by_rule or by_model or ExperienceEnriched("")
    whole = by_rule.updated(by_model)
    if by_rule.utterances and by_model.utterances:
        utterances = join_utterances(by_rule.utterances, by_model.utterances)
        whole = replace(whole, utterances=utterances)
    return whole


def _reduced(entries: Sequence[ExperienceEnriched]) -> ExperienceEnriched | None:
    return reduce(ExperienceEnriched.updated, entries) if entries else None


@dataclass(frozen=True, slots=True)
class ExperienceReevaluated:
    """An experience's status changed; with `event`, its whole event is held for good."""

    kind: ClassVar[EntryKind] = EntryKind.EXPERIENCE_REEVALUATED
    experience: str
    status: RecordStatus
    significance: Number | None = None
    reason: str | None = None
    neighbourhood: tuple[str, ...] | None = None
    event: Whole | None = None
    by: str | None = None
    model: Whole | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StateTransitioned(Transition):
    """A session's register changed with an experience; of a feeling, that of the `person`."""

    kind: ClassVar[EntryKind] = EntryKind.STATE_TRANSITIONED
    transition: str
    session: str
    experience: str
    person: str | None = None
    by: str | None = None


@dataclass(frozen=True, slots=True)
class PersonMet:
    """Somebody spoke for the first time."""

    kind: ClassVar[EntryKind] = EntryKind.PERSON_MET
    person: str
    name: str
    aliases: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RelationshipChanged:
    """What a person is to the agent; `threshold` None takes their own threshold away.

    `before` is what they were until then; None where an earlier version recorded it.
    """

    kind: ClassVar[EntryKind] = EntryKind.RELATIONSHIP_CHANGED
    person: str
    type: Relationship
    threshold: Number | None
    by: str | None = None
    before: Relationship | None = None


@dataclass(frozen=True, slots=True)
class EntityMention:
    """An entity as an experience names it; `confidence` is 0.75 to 1."""

    id: str
    type: str
    name: str
    confidence: Number


@dataclass(frozen=True, slots=True)
class EntitiesMentioned:
    """An experience names things."""

    kind: ClassVar[EntryKind] = EntryKind.ENTITIES_MENTIONED
    experience: str
    entities: tuple[EntityMention, ...]


@dataclass(frozen=True, slots=True)
class EntitiesMerged:
    """One entity is taken for another from now on."""

    kind: ClassVar[EntryKind] = EntryKind.ENTITIES_MERGED
    entity: str
    into: str
    reason: str
    by: str | None = None


@dataclass(frozen=True, slots=True)
class EntitiesUnmerged:
    """An entity's own merge is taken back."""

    kind: ClassVar[EntryKind] = EntryKind.ENTITIES_UNMERGED
    entity: str
    by: str | None = None


@dataclass(frozen=True, slots=True)
class MemoriesAssociated:
    """Earlier experiences that an experience is related to: ids and cosines, best first."""

    kind: ClassVar[EntryKind] = EntryKind.MEMORIES_ASSOCIATED
    experience: str
    related: tuple[tuple[str, Number], ...]


@dataclass(frozen=True, slots=True)
class MemoryReinforced:
    """An experience says again what `canonical` said; `reason` is "exact" or "near"."""

    kind: ClassVar[EntryKind] = EntryKind.MEMORY_REINFORCED
    experience: str
    canonical: str
    reason: str
    similarity: Number


@dataclass(frozen=True, slots=True)
class FactAsserted:
    """An experience states a fact that holds from `t_valid`, an instant as text.

    `about` are people and entities besides the person `subject_id` that the fact is about: its
    object, or its subject. `evidence` are the words of the experience that say it.
    `learned` is when that was written down, an instant as text; None: when this entry was.
    """

    kind: ClassVar[EntryKind] = EntryKind.FACT_ASSERTED
    fact: str
    experience: str
    subject: str
    subject_id: str | None
    predicate: str
    object: str
    text: str
    stability: Stability
    t_valid: str
    confidence: Number
    by: str
    about: tuple[EntityMention, ...] = ()
    evidence: str | None = None
    learned: str | None = None


@dataclass(frozen=True, slots=True)
class FactSuperseded:
    """A fact ended at `t_invalid`, an instant as text, or contradicts another.

    `learned` is when the message that says so was written down; None: when this entry was.
    """

    kind: ClassVar[EntryKind] = EntryKind.FACT_SUPERSEDED
    fact: str
    by_fact: str | None
    relation: FactRelation
    t_invalid: str | None
    reason: str
    by: str
    model: Whole | None = None
    learned: str | None = None


@dataclass(frozen=True, slots=True)
class QuestionsAnticipated:
    """Questions that an experience answers, and what made it worth learning from."""

    kind: ClassVar[EntryKind] = EntryKind.QUESTIONS_ANTICIPATED
    experience: str
    questions: tuple[str, ...]
    trigger: Trigger | None = None
    by: str | None = None
    model: Whole | None = None


@dataclass(frozen=True, slots=True)
class EpisodeSynthesised:
    """A session in a few sentences; `since` and `until` are instants as text.

    `replaces` as in `ExperienceEnriched`.
    """

    kind: ClassVar[EntryKind] = EntryKind.EPISODE_SYNTHESISED
    episode: str
    session: str
    topic: str
    summary: str
    sources: tuple[str, ...]
    tools: tuple[str, ...]
    since: Annotated[str | None, Field(alias="from")]
    until: str | None
    tags: tuple[str, ...]
    anchors: tuple[str, ...]
    emotions: tuple[str, ...]
    consequences: tuple[str, ...]
    significance: Number
    by: str
    model: Whole | None = None
    replaces: tuple[tuple[int, str | None], ...] = ()


@dataclass(frozen=True, slots=True)
class ForgottenEvents:
    """Of forgotten events with ids of their caller: what tells them if they are sent again.

    `fingerprints` are salted hashes in hexadecimal by journal sequence, made at a `cost`.
    """

    salt: str
    cost: int
    fingerprints: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Forgotten:
    """Payloads were erased; nothing of what they said stands here.

    `erased` are runs of journal sequences, first and last; `memories` says how many of them were
    experiences. `scope` is what was asked for: person, session, ids, where, before or space.
    `events` is absent where no event had an id of its caller, and in older entries.
    """

    kind: ClassVar[EntryKind] = EntryKind.FORGOTTEN
    scope: str
    erased: tuple[tuple[int, int], ...]
    memories: int
    by: str
    events: ForgottenEvents | None = None

    @property
    def first(self) -> int:
        """The first sequence that was erased."""
        return self.erased[0][0]


def combined_by_experience(
    payloads: Iterable[EntryPayload | None],
) -> dict[str, ExperienceEnriched]:
    """Return what entries say of each experience together, by its id; see `combined`."""
    enrichments: dict[str, list[ExperienceEnriched]] = {}
    for payload in payloads:
        if isinstance(payload, ExperienceEnriched):
            enrichments.setdefault(payload.experience, []).append(payload)
    return {id: combined(entries) for id, entries in enrichments.items()}


FactEntry = FactAsserted | FactSuperseded
EntryPayload = (
    ExperienceCaptured
    | ExperienceEnriched
    | ExperienceReevaluated
    | StateTransitioned
    | PersonMet
    | PersonNamed
    | NameRefused
    | PeopleMerged
    | PeopleUnmerged
    | RelationshipChanged
    | EntitiesMentioned
    | EntitiesMerged
    | EntitiesUnmerged
    | MemoriesAssociated
    | MemoryReinforced
    | FactAsserted
    | FactSuperseded
    | QuestionsAnticipated
    | EpisodeSynthesised
    | FeedbackGiven
    | Forgotten
)
