"""Experiences made by hand, and a small life with one person, for what looks back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from meridia import Memory
from meridia.core.experience import EmotionalSignature, Phenomenology
from meridia.core.settings import EmbeddingSettings, Settings
from meridia.core.types import MemoryRecord as Experience
from meridia.core.types import Seq
from meridia.core.vocabulary import Emotion
from meridia.resume.experience_views import ExperienceView
from tests.fakes import waiting

NO_EMBEDDING = waiting(Settings(embedding=EmbeddingSettings(enabled=False)))
MET = datetime(2026, 3, 2, 9, tzinfo=UTC)


def experience(
    seq: int,
    text: str = "",
    person: str | None = "Nora",
    session: str | None = "s1",
    kind: str = "user_message",
    **fields: Any,
) -> ExperienceView:
    """Return one experience, an hour after the one before it."""
    at = MET + timedelta(hours=seq)
    memory = Experience(Seq(seq), f"m{seq}", f"e{seq}", kind, text, at, person, session)
    return ExperienceView(memory, **fields)


def agent(seq: int, text: str, session: str | None = "s1") -> ExperienceView:
    """Return a message of the agent."""
    return experience(seq, text, None, session, "assistant_message")


def feeling(valence: float, *words: Emotion, uncertain: tuple[str, ...] = ()) -> Phenomenology:
    """Return how something was lived that felt good or bad."""
    return Phenomenology(EmotionalSignature(words, abs(valence), valence), uncertainties=uncertain)


def memory_of(*messages: tuple[str, int, str, str | None, str]) -> Memory:
    """Open a memory of messages: id, day, session, who (None: the agent), text."""
    memory = Memory(None, "studio", NO_EMBEDDING)
    for place, (id, day, session, person, text) in enumerate(messages):
        event = {
            "id": id,
            "kind": "user_message" if person else "assistant_message",
            "ts": (MET + timedelta(days=day, minutes=place)).isoformat(),
            "session": {"key": session},
            "payload": {"text": text},
        }
        memory.capture(event if person is None else {**event, "person": person})
    return memory
