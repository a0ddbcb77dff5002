"""The types of the answers that clients read most, for /openapi.json and what is made from it.

Nothing is checked against them while the service runs; a test compares them with real answers.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field

from ..core.types import Acknowledgement
from ..ingest.forgetting.forgetting_service import ForgettingResult


class PassageAnswer(BaseModel):
    """The part of a long text that was compared with the question."""

    text: str
    start: int
    end: int


class HitAnswer(BaseModel):
    """One recalled memory. `why` says in a sentence why it came back."""

    rank: int
    score: float
    id: str
    event_id: str
    seq: int
    uri: str
    kind: str
    at: str
    person: str | None
    tool: str | None
    session: str | None
    text: str
    passage: PassageAnswer | None
    why: str
    trace: dict[str, Any] | None = Field(None, description="with trace: true; its leaves sum to it")


class RecallAnswer(BaseModel):
    """What answers a question, best first."""

    recall: str
    question: str
    profile: str
    seq: int
    confidence: float
    confident: bool
    certainty: str
    max_score: float | None
    unread: int
    notes: list[str]
    reading: dict[str, list[str]]
    hits: list[HitAnswer]
    lateral: list[HitAnswer] = []


class CitationAnswer(BaseModel):
    """A memory that a pack cites: `id` as the text has it."""

    id: str
    uri: str
    event_id: str
    kind: str


class PackAnswer(BaseModel):
    """A pack; where there is none `pack` is null, and `text` is the message for an agent."""

    pack: str | None
    text: str
    notes: list[str]
    near: list[str] = []
    mode: str = ""
    why: str = ""
    person: str | None = None
    query: str | None = None
    as_of: str = ""
    seq: int = 0
    hash: str = ""
    summary: str = ""
    approach_guidance: list[str] = []
    anchors: list[dict[str, Any]] = []
    open_uncertainties: list[str] = []
    next_actions: list[str] = []
    citations: list[CitationAnswer] = []
    omitted: list[dict[str, Any]] = []
    meta: dict[str, Any] = {}
    quality: dict[str, Any] = {}


#: Operation → the type of its answer; the others are objects as docs/json.md shows them.
ANSWERS: dict[str, type[Any]] = {
    **dict.fromkeys(("capture", "remember", "update", "upsert"), Acknowledgement),
    "recall": RecallAnswer,
    **dict.fromkeys(("resume", "reconstitute"), PackAnswer),
    "forget": ForgettingResult,
}
