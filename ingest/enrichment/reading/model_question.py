"""A question to a model about journal content, and how its answer becomes an entry.

Shared by the stages of the model pass: their look-ups, and the text of an event in a prompt.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic

from ....core.entries import (
    EpisodeSynthesised,
    ExperienceCaptured,
    ExperienceEnriched,
    ExperienceReevaluated,
    FactAsserted,
    FactSuperseded,
    QuestionsAnticipated,
    StateTransitioned,
)
from ....core.errors import NotFound
from ....core.events import captions_of, is_restricted, text_of
from ....core.settings import ModelSettings, TransitionsSettings
from ....core.types import EntryKind, MemoryRecord, Space
from ....core.vocabulary import RecordStatus
from ....language.runs.failure_signs import is_error
from ....language.runs.tool_calls import Event
from ....models.model_types import T
from ....storage.store import Store
from ...capture.scoring import Scoring
from ..register import STANDARD


@dataclass(frozen=True, slots=True)
class StageSources:
    """Where stages look up what an entry only names, and the rules that they go by."""

    file: Store
    limits: ModelSettings
    scoring: Scoring
    thresholds: TransitionsSettings = STANDARD

    def memory(self, space: Space, id: str) -> MemoryRecord | None:
        """Return an experience as it is listed now; None for one that was erased or is restricted.

        No model sees a restricted experience.
        """
        try:
            memory = self.file.catalog.find(space, id)
        except NotFound:
            return None
        return None if is_restricted(dict(memory.metadata)) else memory

    def has_entry(self, space: Space, kind: EntryKind, key: str) -> bool:
        """Say whether the journal has an entry of this kind and key."""
        return bool(self.file.journal.by_keys(space, kind, [key]))


@dataclass(frozen=True, slots=True)
class ModelQuestion(Generic[T]):
    """One question, and the entry that its answer becomes.

    `about` is the id of what is asked about, for the trace; `to_payload` makes the entry's payload,
    or None where the answer changes nothing. `check` takes out of an answer what nothing shows, and
    counts it; `findings` are further entries with their keys. Not `is_last`: the stage asks on.
    """

    about: str
    prompt: str
    variables: Mapping[str, str]
    answer_type: type[T]
    time_limit_s: float
    kind: EntryKind
    key: str
    to_payload: Callable[[T], ModelPayload | None]
    check: Callable[[T], tuple[T, int]] = lambda answer: (answer, 0)
    findings: Callable[[T], Sequence[tuple[str, ModelPayload]]] = lambda _answer: ()
    is_last: bool = True


#: What a model's answer may become.
ModelPayload = (
    ExperienceReevaluated
    | ExperienceEnriched
    | QuestionsAnticipated
    | EpisodeSynthesised
    | FactAsserted
    | FactSuperseded
    | StateTransitioned
)


def is_echo(payload: ExperienceCaptured) -> bool:
    """Say whether it came out of a recall: it is nothing new."""
    return "echo" in payload.marks


def is_repetition(payload: ExperienceCaptured) -> bool:
    """Say whether it is a copy: what it is one of was judged already."""
    return bool(payload.duplicate_of) or is_echo(payload)


def status_of(score: float, threshold: float, scoring: Scoring) -> RecordStatus:
    """Return what becomes of a skeleton with this score."""
    if score >= threshold:
        return RecordStatus.UPGRADED
    return RecordStatus.NOISE if score <= scoring.skeleton_floor else RecordStatus.SKELETON


def prompt_text(event: Event) -> str:
    """Return an event as a model reads it: who or what, whether it failed, and all it says."""
    who = [f"From {event['person']}:"] if event.get("person") else []
    failed = ["It failed:"] if is_error(event) else []
    texts: Sequence[str] = [text_of(event), *captions_of(event)]
    return "\n".join([*who, *failed, *(text for text in texts if text)])
