"""Vocabulary: the closed lists of words that describe and judge an experience.

They are stored in every journal, so a word is never renamed and never changes its meaning.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, TypeVar, overload

from .errors import InvalidInput

#: A plain JSON value.
Json = Any
#: An object that is kept as it came, unknown fields included: an event, an artifact.
Payload = Mapping[str, Json]
#: Metadata of a memory that corrects another one: the id of the version that it replaces.
CORRECTS = "corrects"
#: A field of an event that somebody says anew under an id that was forgotten: after which entry.
ANEW = "after_entry"


class EntryKind(StrEnum):
    """What a row of the journal says happened, in the past tense."""

    EXPERIENCE_CAPTURED = "ExperienceCaptured"
    EXPERIENCE_ENRICHED = "ExperienceEnriched"
    EXPERIENCE_REEVALUATED = "ExperienceReevaluated"
    STATE_TRANSITIONED = "StateTransitioned"
    PERSON_MET = "PersonMet"
    PERSON_NAMED = "PersonNamed"
    NAME_REFUSED = "NameRefused"
    PEOPLE_MERGED = "PeopleMerged"
    PEOPLE_UNMERGED = "PeopleUnmerged"
    RELATIONSHIP_CHANGED = "RelationshipChanged"
    ENTITIES_MENTIONED = "EntitiesMentioned"
    ENTITIES_MERGED = "EntitiesMerged"
    ENTITIES_UNMERGED = "EntitiesUnmerged"
    MEMORIES_ASSOCIATED = "MemoriesAssociated"
    MEMORY_REINFORCED = "MemoryReinforced"
    FACT_ASSERTED = "FactAsserted"
    FACT_SUPERSEDED = "FactSuperseded"
    QUESTIONS_ANTICIPATED = "QuestionsAnticipated"
    EPISODE_SYNTHESISED = "EpisodeSynthesised"
    FEEDBACK_GIVEN = "FeedbackGiven"
    FORGOTTEN = "Forgotten"


class Outcome(StrEnum):
    """What became of one event at ingest; every event has exactly one.

    An `empty` one says nothing, and nothing of it is stored.
    """

    CAPTURED = "captured"
    TEXT_ONLY = "text_only"
    OUTLINE = "outline"
    DUPLICATE = "duplicate"
    REDELIVERED = "redelivered"
    EMPTY = "empty"
    REFUSED = "refused"
    FAILED = "failed"

    @property
    def word(self) -> str:
        """What people read: what was stored is kept, in whatever form."""
        return {
            "captured": "kept",
            "text_only": "kept",
            "outline": "kept",
            "duplicate": "repeated",
            "redelivered": "known already",
        }.get(self.value, self.value)


def outcomes_in_words(counts: Mapping[Outcome, int] | Mapping[str, int]) -> dict[str, int]:
    """Return how many events came to each end, in the words that people read, without zeros."""
    words = dict.fromkeys((outcome.word for outcome in Outcome), 0)
    for outcome, count in counts.items():
        words[Outcome(outcome).word] += count
    return {word: count for word, count in words.items() if count}


class Emotion(StrEnum):
    """The source's ten words for a feeling, and two of ours, as those have none for sadness."""

    CURIOUS = "curious"
    FOCUSED = "focused"
    UNCERTAIN = "uncertain"
    FRUSTRATED = "frustrated"
    SATISFIED = "satisfied"
    SURPRISED = "surprised"
    CONCERNED = "concerned"
    RELIEVED = "relieved"
    EXCITED = "excited"
    CAUTIOUS = "cautious"
    SAD = "sad"
    GRIEVING = "grieving"


#: The feelings that weigh, and those that lift; the others are neither.
BAD_FEELINGS = frozenset({Emotion.FRUSTRATED, Emotion.CONCERNED, Emotion.SAD, Emotion.GRIEVING})
GOOD_FEELINGS = frozenset({Emotion.SATISFIED, Emotion.RELIEVED, Emotion.EXCITED})


class Texture(StrEnum):
    """The eight words for how an experience felt as a whole."""

    SPACIOUS = "spacious"
    DENSE = "dense"
    FLOWING = "flowing"
    TURBULENT = "turbulent"
    CRYSTALLINE = "crystalline"
    HEAVY = "heavy"
    SHARP = "sharp"
    WARM = "warm"


class Engagement(StrEnum):
    """How much of the agent was in it."""

    DEEP_FLOW = "deep-flow"
    ENGAGED = "engaged"
    ROUTINE = "routine"
    DISTRACTED = "distracted"
    STRUGGLING = "struggling"


class Channel(StrEnum):
    """Through which channel an anchor is held."""

    VERBAL = "verbal"
    VISUAL = "visual"
    SOMATIC = "somatic"
    CONCEPTUAL = "conceptual"
    RELATIONAL = "relational"


class RecordStatus(StrEnum):
    """How far an experience has been judged."""

    SKELETON = "skeleton"
    EVALUATED = "evaluated"
    UPGRADED = "upgraded"
    NOISE = "noise"


class CaptureMode(StrEnum):
    """How much is spent on an event."""

    FULL = "full"
    LIGHT = "light"
    TRACE_ONLY = "trace_only"


class LimitReason(StrEnum):
    """Which gate denied a full capture."""

    MIN_INTERVAL = "min_interval"
    MAX_PER_HOUR = "max_per_hour"
    BUDGET = "budget"


class Trigger(StrEnum):
    """What made an experience worth learning from."""

    PROBLEM_SOLUTION = "problem-solution"
    LEARNING_FAILURE = "learning-failure"
    LEARNING_SUCCESS = "learning-success"
    POSITIVE_FEEDBACK = "positive-feedback"
    CORRECTIVE_FEEDBACK = "corrective-feedback"
    NONE = "none"


class NameSource(StrEnum):
    """How a name of a person became known, the surest last."""

    ADDRESSED = "addressed"
    FILE = "file"
    INTRODUCED = "introduced"
    ASKED = "asked"
    CALLER = "caller"
    USER = "user"


class Relationship(StrEnum):
    """What somebody is to the agent."""

    PRIMARY = "primary"
    COLLABORATOR = "collaborator"
    USER = "user"
    UNKNOWN = "unknown"


class TransitionField(StrEnum):
    """Which part of the experiential register changed."""

    ENGAGEMENT = "engagement"
    EMOTIONAL_SIGNATURE = "emotionalSignature"
    UNCERTAINTY = "uncertainty"
    FOCUS = "focus"


class FactRelation(StrEnum):
    """How a new statement stands to a fact that is known."""

    SUPERSEDES = "supersedes"
    CONTRADICTS = "contradicts"
    CONFIRMS = "confirms"
    UNRELATED = "unrelated"


class Stability(StrEnum):
    """How long a fact tends to hold."""

    STATIC = "static"
    DYNAMIC = "dynamic"
    EPHEMERAL = "ephemeral"
    UNKNOWN = "unknown"


_Word = TypeVar("_Word", bound=StrEnum)


@overload
def word_of(vocabulary: type[_Word], text: str, name: str) -> _Word: ...


@overload
def word_of(vocabulary: type[_Word], text: str | None, name: str) -> _Word | None: ...


def word_of(vocabulary: type[_Word], text: str | None, name: str) -> _Word | None:
    """Return the word that a caller gave for `name`; `InvalidInput` lists what there is."""
    if text is None:
        return None
    try:
        return vocabulary(text)
    except ValueError:
        raise InvalidInput(f"{name} is {text!r}: give one of {', '.join(vocabulary)}") from None
