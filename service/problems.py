"""Errors as RFC 9457 problem documents, with Meridia's codes, and the types of answers.

No content of a memory is in a problem.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, Field

from ..core.errors import STATUS, MeridiaError
from ..core.types import Acknowledgement
from ..ingest.forgetting.forgetting_service import ForgettingResult

CONTENT_TYPE = "application/problem+json"
#: Codes of the service itself, beside those of `core.errors`: HTTP status and title.
_OWN = {
    "unauthenticated": (401, "No valid key"),
    "not_allowed": (405, "The method is not allowed"),
    "client_timeout": (408, "The client took too long"),
    "too_large": (413, "The body is too large"),
    "rate_limited": (429, "Too many requests"),
    "timed_out": (504, "The work took too long"),
    "busy": (503, "The service is busy"),
}
_TITLES = {
    "failed": "The request failed",
    "invalid_input": "The input is wrong",
    "id_conflict": "The id is taken by other content",
    "not_found": "There is no such thing",
    "unknown_person": "Nobody of this name is known",
    "refused": "This is not allowed",
    "unavailable": "A dependency is not available",
    "storage_full": "Nothing more can be written",
    "damaged": "Stored data is damaged",
    "model_mismatch": "The vectors are of another model",
}


class RequestRefused(Exception):
    """The service refuses a request before any work on it."""

    def __init__(self, code: str, detail: str, retry_after_s: int | None = None) -> None:
        super().__init__(detail)
        self.code = code
        self.retry_after_s = retry_after_s


def status_of(code: str) -> int:
    """Return the HTTP status of a code."""
    return _OWN[code][0] if code in _OWN else STATUS[code][1]


def problem(
    code: str, detail: str, errors: Sequence[Mapping[str, Any]] = ()
) -> tuple[int, dict[str, Any]]:
    """Return the status and the document of a problem."""
    status = status_of(code)
    title = _OWN[code][1] if code in _OWN else _TITLES[code]
    document: dict[str, Any] = {
        "type": f"urn:meridia:problem:{code}",
        "title": title,
        "status": status,
        "detail": detail,
        "code": code,
    }
    return status, document | ({"errors": list(errors)} if errors else {})


def problem_of(error: MeridiaError | RequestRefused) -> tuple[int, dict[str, Any]]:
    """Return the status and the document of an error that was raised on purpose."""
    return problem(error.code, str(error))


def headers_of(error: RequestRefused | MeridiaError) -> dict[str, str]:
    """Return the headers that go with an error."""
    if isinstance(error, MeridiaError):
        return {"retry-after": "1"} if error.retryable else {}
    headers = {"www-authenticate": "Bearer"} if error.code == "unauthenticated" else {}
    if error.retry_after_s is not None:
        headers["retry-after"] = str(error.retry_after_s)
    return headers


def encoded(document: Any) -> bytes:
    """Return a JSON document as bytes; in ASCII, which holds whatever was given."""
    return json.dumps(document, default=str).encode()


# The types of the answers that clients read most, for /openapi.json and what is made from it.
# Nothing is checked against them while the service runs; a test compares them with real answers.


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
    doubt: str
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
