"""What to avoid with somebody: what they set right, what feedback disputes, what felt bad to them.

By rule; each names the memories that it rests on. Nothing is read off the tone of a text alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from ...core.feedback_entries import FeedbackUndone, UserFeedback
from ...core.types import EntryKind, MemoryRecord, Space
from ...core.vocabulary import Trigger
from ...storage.store import Store
from .emotion_trajectory import VALENCE_MIN
from .experience_views import Cutoff, ExperienceView
from .themes import Theme

#: Told at most.
CAUTIONS_MAX = 10
#: Verdicts of feedback that speak against a memory.
_DISPUTES = frozenset({"wrong", "stale"})


class CautionKind(StrEnum):
    """Why something is to be avoided."""

    CORRECTION = "correction"
    DISPUTED = "disputed"
    SORE_TOPIC = "sore topic"


@dataclass(frozen=True, slots=True)
class Caution:
    """Something to avoid: what was set right, what feedback disputes, a theme that went badly."""

    kind: CautionKind
    text: str
    memories: tuple[MemoryRecord, ...]


def cautions_of(
    file: Store,
    space: Space,
    person: str,
    shared: Sequence[ExperienceView],
    themes: Sequence[Theme],
    cutoff: Cutoff,
) -> list[Caution]:
    """Return what to avoid with a person, as of then; corrections first."""
    cautions = [
        *_corrections(shared, person),
        *_disputed(file, space, shared, cutoff),
        *_negative_themes(themes, shared, person),
    ]
    return cautions[:CAUTIONS_MAX]


def _corrections(shared: Sequence[ExperienceView], person: str) -> list[Caution]:
    """Return what the person set right, newest first."""
    return [
        Caution(CautionKind.CORRECTION, view.memory.text, (view.memory,))
        for view in reversed(shared)
        if view.trigger is Trigger.CORRECTIVE_FEEDBACK and view.speaker == person
    ]


def _disputed(
    file: Store, space: Space, shared: Sequence[ExperienceView], cutoff: Cutoff
) -> list[Caution]:
    """Return what somebody called wrong or stale by then, and did not take back."""
    memories = {view.memory.id: view.memory for view in shared}
    standing: dict[str, tuple[str, str]] = {}
    for entry in file.journal.of_kind(space, EntryKind.FEEDBACK_GIVEN):
        late = cutoff.moment is not None and entry.at > cutoff.moment
        payload = entry.payload
        if late or (cutoff.seq is not None and entry.seq > cutoff.seq):
            continue
        if isinstance(payload, FeedbackUndone):
            standing.pop(payload.undoes, None)
        elif isinstance(payload, UserFeedback) and payload.verdict in _DISPUTES:
            for id in payload.effects if payload.reconstitution is None else ():
                standing[entry.id] = (id, payload.verdict)
    return [
        Caution(CautionKind.DISPUTED, f"{verdict}: {memories[id].text}", (memories[id],))
        for id, verdict in dict.fromkeys(reversed(standing.values()))
        if id in memories
    ]


def _negative_themes(
    themes: Sequence[Theme], shared: Sequence[ExperienceView], person: str
) -> list[Caution]:
    """Return themes of which the person told more than once how bad they felt, and never else.

    The tone of a text is not enough: one who speaks of a sick mother wants to be asked about her.
    """
    valence = {
        view.memory.id: view.valence
        for view in shared
        if view.speaker == person and view.own_feeling
    }
    cautions = []
    for theme in themes:
        felt = [valence[memory.id] for memory in theme.memories if memory.id in valence]
        if len(felt) > 1 and max(felt) <= -VALENCE_MIN:
            cautions.append(Caution(CautionKind.SORE_TOPIC, theme.name, tuple(theme.memories)))
    return cautions
