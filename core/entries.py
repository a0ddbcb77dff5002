"""What each kind of journal entry says: one class a kind.

A field without a default is always written, None as null; one with a default is left out when it
has it. Events and artifacts stay plain JSON objects, so that fields nobody knows are kept. `by`
says who found it out: "rule", "model", "caller" or "user"; `model` is the record of the model's
answer. `codec` reads and writes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Annotated, ClassVar

from pydantic import Field

from .experience import Phenomenology, Transition
from .json_values import Flag, Number, Whole
from .people import Person
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

    `concepts` maps a lemma to the word that stands for it.
    """

    kind: ClassVar[EntryKind] = EntryKind.EXPERIENCE_ENRICHED
    experience: str
    phenomenology: Phenomenology | None = None
    concepts: Mapping[str, str] | None = None
    people: tuple[Person, ...] | None = None
    artifacts: tuple[Whole, ...] | None = None
    by: str | None = None
    model: Whole | None = None

    def updated(self, later: ExperienceEnriched) -> ExperienceEnriched:
        """Return this with what a later entry says of the same experience in its place."""
        values = {f.name: getattr(later, f.name) for f in fields(later)}
        return replace(self, **{name: v for name, v in values.items() if v is not None})


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
    """A session's register changed with an experience."""

    kind: ClassVar[EntryKind] = EntryKind.STATE_TRANSITIONED
    transition: str
    session: str
    experience: str


@dataclass(frozen=True, slots=True)
class PersonMet:
    """Somebody spoke for the first time."""

    kind: ClassVar[EntryKind] = EntryKind.PERSON_MET
    person: str
    name: str
    aliases: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RelationshipChanged:
    """What a person is to the agent; `threshold` None takes their own threshold away."""

    kind: ClassVar[EntryKind] = EntryKind.RELATIONSHIP_CHANGED
    person: str
    type: Relationship
    threshold: Number | None
    by: str | None = None


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
    """An experience states a fact that holds from `t_valid`, an instant as text."""

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


@dataclass(frozen=True, slots=True)
class FactSuperseded:
    """A fact ended at `t_invalid`, an instant as text, or contradicts another."""

    kind: ClassVar[EntryKind] = EntryKind.FACT_SUPERSEDED
    fact: str
    by_fact: str | None
    relation: FactRelation
    t_invalid: str | None
    reason: str
    by: str
    model: Whole | None = None


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
    """A session in a few sentences; `since` and `until` are instants as text."""

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
FactEntry = FactAsserted | FactSuperseded
EntryPayload = (
    ExperienceCaptured
    | ExperienceEnriched
    | ExperienceReevaluated
    | StateTransitioned
    | PersonMet
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
    | UserFeedback
    | TrackedFeedback
    | FeedbackUndone
)
