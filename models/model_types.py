"""The language model as the rest of Meridia sees it: prompts, and what becomes of a question.

A model is never required: the caller also has an answer by rule, and asking raises nothing for an
error of the model, its server or the network. Loads no library of a model.

A prompt is a Markdown file: settings between two lines of dashes, then `# System` and `# User`.
`{{name}}` is a variable. Values are data, never a template: braces in them have no meaning. A
prompt whose text changes gets a new version.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from pydantic import BaseModel

from ..core.errors import InvalidInput, NotFound
from ..core.text import shorten
from ..core.types import Json

FOLDER = Path(__file__).parent / "data" / "prompts"

_SHAPE = re.compile(r"---\n(.*?)\n---\n+# System\n(.*?)\n# User\n(.*)", re.DOTALL)
_VARIABLE = re.compile(r"\{\{(\w+)\}\}")
#: The marks around material; they are made harmless where material itself holds them.
_MARK = re.compile(r"<(?=/?material>)", re.IGNORECASE)
_CUT = " […] "


@dataclass(frozen=True, slots=True)
class Prompt:
    """A versioned prompt. `limits` are the longest a variable may be, in characters.

    `temperature` is never in the file: who asks may set it (`dataclasses.replace`); without one the
    model's own counts.
    """

    name: str
    version: int
    tokens_max: int
    system: str
    user: str
    limits: Mapping[str, int] = field(default_factory=dict)
    temperature: float | None = None

    @property
    def variables(self) -> frozenset[str]:
        """The names that `fill` wants."""
        return frozenset(_VARIABLE.findall(self.system + self.user))

    def fill(self, variables: Mapping[str, str]) -> tuple[str, str]:
        """Return the system's and the user's words, with long material cut in its middle.

        Raises `InvalidInput` when a variable is missing or not known to this prompt.
        """
        odd = self.variables.symmetric_difference(variables)
        if odd:
            raise InvalidInput(
                f"prompt {self.name}: {', '.join(sorted(odd))} is missing or unknown; "
                f"it takes {', '.join(sorted(self.variables))}"
            )

        def words(match: re.Match[str]) -> str:
            name = match.group(1)
            escaped = _MARK.sub("‹", variables[name])
            return clip(escaped, self.limits.get(name, len(escaped)))

        return _VARIABLE.sub(words, self.system), _VARIABLE.sub(words, self.user)


def clip(text: str, chars_max: int) -> str:
    """Return `text`, its middle left out where it is longer than `chars_max` characters.

    Beginnings say what something is, ends how it came out; both are kept.
    """
    if len(text) <= chars_max:
        return text
    available = max(chars_max - len(_CUT), 0)
    head = available - available // 3
    return (text[:head] + _CUT + text[len(text) - available // 3 :])[:chars_max]


def names() -> list[str]:
    """Return the names of the prompts there are, sorted."""
    return sorted(path.stem for path in FOLDER.glob("*.md"))


@cache
def load(name: str) -> Prompt:
    """Return the prompt of that name; `NotFound` names those there are."""
    if name not in names():
        raise NotFound(f"there is no prompt {name!r}: choose from {', '.join(names())}")
    return read(name, (FOLDER / f"{name}.md").read_text("utf-8"))


def read(name: str, text: str) -> Prompt:
    """Read a prompt as its file has it; `InvalidInput` says what is wrong with the file."""
    shape = _SHAPE.fullmatch(text)
    if shape is None:
        raise InvalidInput(f"prompt {name}: add settings between ---, # System and # User")
    head, system, user = shape.groups()
    pairs = [line.partition(":") for line in head.splitlines() if line.strip()]
    try:
        settings = {key.strip(): int(value) for key, _, value in pairs}
        return Prompt(
            name=name,
            version=settings.pop("version"),
            tokens_max=settings.pop("tokens_max"),
            system=system.strip(),
            user=user.strip(),
            limits={key.removesuffix("_chars_max"): value for key, value in settings.items()},
        )
    except (KeyError, ValueError) as error:
        raise InvalidInput(
            f"prompt {name}: version, tokens_max and other settings must be whole numbers ({error})"
        ) from None


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
