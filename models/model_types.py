"""The language model as the rest of Meridia sees it: questions and their possible results.

A model is never required: the caller also has an answer by rule, and asking raises nothing for an
error of the model, its server or the network. Loads no library of a model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Generic, Protocol, TypeVar

from pydantic import BaseModel

from ..core.text import shorten
from ..core.types import Json
from .prompts import Prompt

#: What is kept of a model's name, characters.
_NAME_CHARS = 200

T = TypeVar("T", bound=BaseModel)


class AnswerFormat(StrEnum):
    """How strictly the server is asked for JSON, from the strictest to not at all."""

    JSON_SCHEMA = "json_schema"
    JSON_OBJECT = "json_object"
    TEXT = "text"


class ModelOutcome(StrEnum):
    """What became of a question; only the first two come with a value."""

    ANSWERED = "answered"
    REPAIRED = "repaired"
    REFUSED_BY_BUDGET = "refused_by_budget"
    TIMED_OUT = "timed_out"
    RATE_LIMITED = "rate_limited"
    SERVER_ERROR = "server_error"
    INVALID = "invalid"
    UNREACHABLE = "unreachable"


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens read and written. `estimated`: the server did not say, or did not get that far."""

    tokens_in: int = 0
    tokens_out: int = 0
    estimated: bool = False

    @property
    def tokens(self) -> int:
        """Both together, which is what budgets count."""
        return self.tokens_in + self.tokens_out

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            self.estimated or other.estimated,
        )


@dataclass(frozen=True, slots=True)
class ModelAnswer(Generic[T]):
    """What became of one question, and what it cost; `record` is the part for the trace.

    `attempts` counts the requests sent. `dropped` counts words outside of the vocabulary and items
    beyond a limit, `clamped` numbers moved into range. `retry_after_s`: it is no use asking sooner.
    """

    outcome: ModelOutcome
    value: T | None
    model: str
    prompt: str
    prompt_version: int
    format: AnswerFormat | None = None
    attempts: int = 0
    usage: Usage = field(default_factory=Usage)
    duration_ms: int = 0
    repairs: tuple[str, ...] = ()
    dropped: int = 0
    clamped: int = 0
    detail: str = ""
    retry_after_s: float | None = None

    @property
    def problem(self) -> str:
        """What became of a question that has no answer, in words."""
        return f"the model's answer was {self.outcome.value}: {self.detail}".rstrip(": ")

    def record(self) -> dict[str, Json]:
        """Return what a trace keeps, as plain JSON values: all but what was said.

        The name of the model is the server's own word: it is made fit to be kept and shown.
        """
        name = "".join(filter(str.isprintable, shorten(self.model, _NAME_CHARS)))
        return {
            "outcome": self.outcome.value,
            "model": name or "a model",
            "prompt": self.prompt,
            "prompt_version": self.prompt_version,
            "format": self.format.value if self.format else None,
            "attempts": self.attempts,
            "tokens_in": self.usage.tokens_in,
            "tokens_out": self.usage.tokens_out,
            "tokens_estimated": self.usage.estimated,
            "duration_ms": self.duration_ms,
            "repairs": list(self.repairs),
            "dropped": self.dropped,
            "clamped": self.clamped,
            "detail": self.detail,
        }


class Model(Protocol):
    """A language model that can be asked. Safe to share between threads."""

    def ask(
        self,
        prompt: Prompt,
        variables: Mapping[str, str],
        answer_type: type[T],
        time_limit_s: float,
        at: datetime | None = None,
    ) -> ModelAnswer[T]:
        """Ask once, and return a checked answer or why there is none, within the time limit.

        `at` is the time that budgets go by; None is the present. Never raises for a bad model.
        """
        ...

    def close(self) -> None:
        """Give back connections and threads; asking afterwards is not allowed."""
        ...
