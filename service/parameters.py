"""The parameters of each operation: validated here for HTTP and MCP, and described in both.

An unknown name is refused. Every operation names its space, or uses the one of the key.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    PrivateAttr,
    WithJsonSchema,
    model_validator,
)

from ..core.calls.cleaning import clean_event
from ..core.errors import InvalidInput
from ..core.events import encode
from ..ingest.redaction.sanitise import SPACE_CHARS_MAX, SPACE_PATTERN

#: JSON numbers are exact up to here.
_SEQ_MAX = 2**53
_A_TIME = [{"type": "string", "format": "date-time"}, {"type": "string", "format": "date"}]
_EPOCH = {"type": "number", "minimum": 0, "maximum": _SEQ_MAX}
Text = Annotated[str, Field(max_length=100_000)]
Name = Annotated[str, Field(min_length=1, max_length=256)]
Person = Annotated[str, Field(min_length=1, max_length=256, description="a person, by name")]
Session = Annotated[str, Field(min_length=1, max_length=256, description="a session, by its key")]
SpaceName = Annotated[str, Field(min_length=1, max_length=SPACE_CHARS_MAX, pattern=SPACE_PATTERN)]
SessionKey = Annotated[str, Field(min_length=1, max_length=512)]
Address = Annotated[
    str, Field(min_length=1, max_length=600, description="@N, an id, or meridia://ID")
]
#: How long an answer waits for what is not enriched yet.
WaitSeconds = Annotated[
    float | None, Field(ge=0, le=60, description="wait so long for what is not enriched yet")
]
RecallId = Annotated[
    str, Field(min_length=1, max_length=100, description="the id of a recall, or `last`")
]
Instant = Annotated[
    Annotated[str, Field(max_length=64)] | Annotated[int, Field(ge=0, le=_SEQ_MAX)],
    WithJsonSchema(
        {
            "anyOf": [{"type": "integer", "minimum": 0, "maximum": _SEQ_MAX}, *_A_TIME],
            "description": "a journal sequence, or a time or date (ISO 8601)",
        }
    ),
]
Time = Annotated[
    Annotated[str, Field(max_length=64)] | Annotated[float, Field(ge=0, le=_SEQ_MAX)],
    WithJsonSchema(
        {
            "anyOf": [*_A_TIME, _EPOCH],
            "description": "a date, a time with its timezone (ISO 8601), or seconds since 1970",
        }
    ),
]
Where = Annotated[
    dict[str, Any] | None,
    Field(description='what metadata say, as {"key": 1} or {"OR": [{"key": {"gte": 2}}, …]}'),
]
OwnId = Annotated[
    Annotated[str, Field(min_length=1, max_length=512)] | None,
    Field(description="the caller's own id: the same id with the same content is one entry"),
]
_LIMIT = Field(50, ge=1, le=1000, description="how many, at most")
_AFTER = Field(0, ge=0, le=_SEQ_MAX, description="continue after this: `next_after` of a page")


class SpaceParameters(BaseModel):
    """The space of a request."""

    model_config = ConfigDict(extra="forbid")

    space: SpaceName | None = Field(None, description="the space; default: the key's")
    _cleaned: Mapping[str, int] = PrivateAttr(default_factory=dict)

    @property
    def cleaned(self) -> Mapping[str, int]:
        """How many signs were replaced that no journal can keep, by kind."""
        return self._cleaned

    @model_validator(mode="wrap")
    @classmethod
    def _clean(cls, fields: Any, check: ModelWrapValidatorHandler[Self]) -> Self:
        counts: Counter[str] = Counter()
        clean = clean_event(fields, counts) if isinstance(fields, Mapping) else fields
        try:
            encode(clean)
        except InvalidInput as error:
            raise ValueError(str(error)) from None
        given = check(clean)
        given._cleaned = counts  # noqa: SLF001 - its own
        return given


class PageParameters(SpaceParameters):
    """One page of a list."""

    after: int = _AFTER
    limit: int = _LIMIT


class DoctorParameters(SpaceParameters):
    """How closely to look."""

    quick: bool = Field(False, description="look at the journal alone, not at what is derived")


class FilterParameters(SpaceParameters):
    """Which memories may come back."""

    person: Person | None = None
    session: Session | None = None
    kind: Name | None = Field(None, description="a kind, such as tool_result")
    since: Time | None = None
    until: Time | None = None
    where: Where = None

    def filters(self) -> dict[str, Any]:
        """Return them as arguments of `Memory.recall` and `Memory.list`."""
        fields = ("person", "session", "kind", "since", "until", "where")
        return {name: getattr(self, name) for name in fields}


class RecallParameters(FilterParameters):
    """A question, what may answer it, and as of when."""

    question: Text = Field(description="a whole question", examples=["When is the race?"])
    limit: int | None = Field(None, ge=1, le=1000, description="memories, at most; default: 10")
    as_of: Instant | None = None
    known_at: Instant | None = None
    profile: Literal["default", "simple", "reference"] | None = None
    policy: Literal["spread", "sample", "walk"] | None = None
    random_seed: int | None = Field(None, ge=0, description="what is drawn starts from it")
    hints: dict[str, Any] | None = None
    current_session: Name | None = Field(None, description="the session that asks")
    trace: bool = Field(False, description="with the trace of each score")
    keep: bool = Field(True, description="false: it cannot be explained or replayed later")
    wait_s: WaitSeconds = None


class ExplainParameters(SpaceParameters):
    """An earlier recall; with an address, one memory of it."""

    recall: RecallId = Field("last", examples=["last"])
    address: Address | None = Field(None, description="a rank in the answer, @N or an id")


class ExplainMemoryParameters(SpaceParameters):
    """A memory beside an earlier recall."""

    recall: RecallId = Field("last", examples=["last"])
    address: Address = Field(description="a rank in the answer, @N or an id", examples=["@1"])


class WhatIfParameters(ExplainMemoryParameters):
    """A memory of an earlier recall; with type, source and target, a single edge."""

    type: Name | None = Field(None, description="the type of an edge, such as NEXT")
    source: Name | None = Field(None, description="the id of its first node")
    target: Name | None = Field(None, description="the id of its second node")


class RecallsParameters(SpaceParameters):
    """The kept recalls before one of them; without it, the newest."""

    before: RecallId | None = Field(None, description="`next_before` of a page")
    limit: int = _LIMIT


class JournalParameters(SpaceParameters):
    """The journal entries before one of them; without it, the newest."""

    before: int | None = Field(None, ge=1, le=_SEQ_MAX, description="`next_before` of a page")
    limit: int = _LIMIT


class ActivationParameters(SpaceParameters):
    """An earlier recall, and how much of its graph is shown."""

    recall: RecallId = Field("last", examples=["last"])
    limit: int = Field(300, ge=1, le=5000, description="nodes, at most; the strongest")


class ReplayParameters(SpaceParameters):
    """An earlier recall."""

    recall: RecallId = Field("last", examples=["last"])


class ResumeParameters(SpaceParameters):
    """Who comes back, and the budget of the pack."""

    person: Person | None = Field(
        None, description="default: who speaks in the space without a name", examples=["Dana"]
    )
    tokens: int = Field(2000, ge=1, le=100_000, description="the budget; four characters a token")
    as_of: Instant | None = None


class ReconstituteParameters(SpaceParameters):
    """What an agent that starts or goes on needs."""

    mode: Name | None = Field(None, description="default: the one that fits")
    person: Person | None = None
    query: Annotated[str, Field(min_length=1, max_length=10_000)] | None = Field(
        None, description="what it is about", examples=["the race"]
    )
    tokens: int | None = Field(None, ge=1, le=100_000, description="the budget of the pack")
    as_of: Instant | None = None


class PlanParameters(SpaceParameters):
    """A question whose sources are selected."""

    question: Text = Field(description="what is to be answered", examples=["When is the race?"])
    purpose: Text = Field("", description="what the answer is for")
    limit: int | None = Field(None, ge=1, le=100, description="sources, at most")
    as_of: Instant | None = None
    known_at: Instant | None = None
    load: bool = Field(False, description="with the text of the selected sources")


class PeriodParameters(SpaceParameters):
    """A period, and whose."""

    since: Time | None = None
    until: Time | None = None
    person: Person | None = None


class QueryParameters(SpaceParameters):
    """A Cypher statement, read-only."""

    statement: Text = Field(
        description="openCypher", examples=["MATCH (p:Person) RETURN p.name AS name"]
    )
    parameters: dict[str, Any] | None = Field(None, description="its $parameters")
    wait_s: WaitSeconds = None


class AddressParameters(SpaceParameters):
    """One memory."""

    address: Address = Field(examples=["@1"])


class ListParameters(FilterParameters, PageParameters):
    """Which memories, and from where on."""

    emotion: Name | None = Field(None, description="a feeling, such as joyful")
    engagement: Name | None = Field(None, description="such as struggling")


class PersonParameters(SpaceParameters):
    """One person."""

    person: Person = Field(examples=["Dana"])


class SessionParameters(PageParameters):
    """One session, or all."""

    session: Session | None = None


class FactParameters(PageParameters):
    """Facts about somebody, as of when."""

    about: Person | None = None
    as_of: Time | None = None
    known_at: Time | None = None


class IdeasParameters(PageParameters):
    """Pairs of memories that may belong together, in one state or all."""

    state: Literal["proposed", "approved", "rejected", "all"] = Field(
        "proposed", description="which of them"
    )
