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
from ..core.events import Event, encode
from ..core.settings import described
from ..core.types import SPACE_CHARS_MAX, SPACE_PATTERN, TOKENS_MAX
from ..core.vocabulary import Emotion, Engagement

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
    float | None, Field(ge=0, le=60, description="wait at most this long for enrichment")
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
    Field(description='conditions on metadata, as {"key": 1} or {"OR": [{"key": {"gte": 2}}, …]}'),
]
OwnId = Annotated[
    Annotated[str, Field(min_length=1, max_length=512)] | None,
    Field(description="the caller's own id: the same id with the same content is one entry"),
]
#: What a flat schema says; titles, defaults, examples and patterns cost more than they do.
_FIELDS = ("type", "description", "enum", "minimum", "maximum", "items", "properties", "required")
_LIMIT = described(50, "how many, at most", ge=1, le=1000)
AS_OF = described(None, "as of this time or journal sequence")
KNOWN_AT = described(None, "as recorded by this time or journal sequence")
_AFTER = described(0, "continue after this: `next_after` of the page before", ge=0, le=_SEQ_MAX)


def flat_schema(model: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON schema of parameters without references and alternatives."""
    schema = model.model_json_schema()
    return _flat(schema, schema.get("$defs", {}))


def _flat(schema: Any, named: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema with what it refers to in place, and the first of several alternatives."""
    if not isinstance(schema, dict):
        return {"type": "object"}
    while any(key in schema for key in ("$ref", "anyOf", "oneOf", "allOf")):
        reference = str(schema.get("$ref", "")).rpartition("/")[2]
        options = [
            option
            for key in ("anyOf", "oneOf", "allOf")
            for option in schema.get(key, ())
            if option.get("type") != "null"
        ]
        texts = [option for option in options if option.get("type") == "string"]
        chosen = named.get(reference) or (texts or options or [{}])[0]
        own = {k: v for k, v in schema.items() if k not in ("$ref", "anyOf", "oneOf", "allOf")}
        schema = {**chosen, **own}
    flat = {key: schema[key] for key in _FIELDS if key in schema}
    if isinstance(flat.get("type"), list):
        flat["type"] = next(kind for kind in flat["type"] if kind != "null")
    if "properties" in flat:
        flat["properties"] = {k: _flat(v, named) for k, v in flat["properties"].items()}
    if flat.get("type") == "array":
        flat["items"] = _flat(flat.get("items") or {"type": "string"}, named)
    return flat if "type" in flat else {"type": "string", **flat}


class SpaceParameters(BaseModel):
    """The space of a request."""

    model_config = ConfigDict(extra="forbid")

    space: SpaceName | None = described(None, "the space; default: the key's")
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

    quick: bool = described(False, "check the journal alone, not derived data")


class FilterParameters(SpaceParameters):
    """Filters on the memories of an answer."""

    person: Name | None = described(None, "only from this person")
    session: Name | None = described(None, "only this session, by its key")
    kind: Name | None = described(None, "only this kind, such as tool_result")
    since: Time | None = described(None, "only what happened at or after this time")
    until: Time | None = described(None, "only what happened before this time")
    where: Where = None


class RecallParameters(FilterParameters):
    """A question, filters on its answer, and the time as of which it is answered."""

    question: Text = Field(description="a whole question", examples=["When is the race?"])
    limit: int | None = described(
        None, "memories, at most; default: 10, or 12 with rerank", ge=1, le=1000
    )
    as_of: Instant | None = AS_OF
    known_at: Instant | None = KNOWN_AT
    profile: Literal["default", "simple", "reference"] | None = described(None, "how to rank")
    policy: Literal["spread", "sample", "walk"] | None = described(None, "the activation policy")
    random_seed: int | None = described(None, "the seed of random draws (sample, walk)", ge=0)
    hints: dict[str, Any] | None = described(None, "hints for recall.rerank")
    current_session: Name | None = described(None, "the asking session, for its working set")
    trace: bool = described(False, "add the trace of each score")
    keep: bool = described(True, "false: it cannot be explained or replayed later")
    wait_s: WaitSeconds = None


class ExplainParameters(SpaceParameters):
    """An earlier recall; with an address, one memory of it."""

    recall: RecallId = Field("last", examples=["last"])
    address: Address | None = described(None, "a rank in the answer, @N or an id")


class ExplainMemoryParameters(SpaceParameters):
    """A memory beside an earlier recall."""

    recall: RecallId = Field("last", examples=["last"])
    address: Address = Field(description="a rank in the answer, @N or an id", examples=["@1"])


class WhatIfParameters(ExplainMemoryParameters):
    """A memory of an earlier recall; with type, source and target, a single edge."""

    type: Name | None = described(None, "the type of an edge, such as NEXT")
    source: Name | None = described(None, "the id of its first node")
    target: Name | None = described(None, "the id of its second node")


class RecallsParameters(SpaceParameters):
    """A page of kept recalls: those before one of them, or the newest."""

    before: RecallId | None = described(None, "`next_before` of a page")
    limit: int = _LIMIT


class JournalParameters(SpaceParameters):
    """A page of journal entries: those before one of them, or the newest."""

    before: int | None = described(None, "`next_before` of a page", ge=1, le=_SEQ_MAX)
    limit: int = _LIMIT


class ActivationParameters(SpaceParameters):
    """An earlier recall, and how much of its graph is shown."""

    recall: RecallId = Field("last", examples=["last"])
    limit: int = described(300, "nodes, at most; the strongest", ge=1, le=5000)


class ReplayParameters(SpaceParameters):
    """An earlier recall."""

    recall: RecallId = Field("last", examples=["last"])


class ResumeParameters(SpaceParameters):
    """The person who comes back, and the budget of the pack."""

    person: Person | None = described(None, "default: the owner of the space", examples=["Dana"])
    tokens: int = described(2000, "the budget; four characters a token", ge=1, le=TOKENS_MAX)
    as_of: Instant | None = AS_OF


class ReconstituteParameters(SpaceParameters):
    """The request for a pack."""

    mode: Name | None = described(None, "the mode; default: the one that fits")
    person: Person | None = None
    query: Annotated[str, Field(min_length=1, max_length=10_000)] | None = described(
        None, "what it is about", examples=["the race"]
    )
    tokens: int | None = described(
        None, "the budget; default: that of the mode", ge=1, le=TOKENS_MAX
    )
    as_of: Instant | None = AS_OF


class PlanParameters(SpaceParameters):
    """A question whose sources are selected."""

    question: Text = Field(
        description="the question to be answered", examples=["When is the race?"]
    )
    purpose: Text = described("", "what the answer is for")
    limit: int | None = described(None, "nodes for each source type; default: 10", ge=1, le=100)
    as_of: Instant | None = AS_OF
    known_at: Instant | None = KNOWN_AT
    load: bool = described(False, "add the text of the selected sources")


class PeriodParameters(SpaceParameters):
    """A period, and a person."""

    since: Time | None = described(None, "only what happened at or after this time")
    until: Time | None = described(None, "only what happened before this time")
    person: Person | None = described(None, "only sessions shared with this person")


class QueryParameters(SpaceParameters):
    """A Cypher statement, read-only."""

    statement: Text = Field(
        description="openCypher", examples=["MATCH (p:Person) RETURN p.name AS name"]
    )
    parameters: dict[str, Any] | None = described(None, "its $parameters")
    wait_s: WaitSeconds = None


class AddressParameters(SpaceParameters):
    """One memory."""

    address: Address = Field(examples=["@1"])


class ListParameters(FilterParameters, PageParameters):
    """A page of memories."""

    emotion: Emotion | None = described(None, "only with this emotion")
    engagement: Engagement | None = described(None, "only with this engagement")


class PersonParameters(SpaceParameters):
    """One person."""

    person: Person = Field(examples=["Dana"])


class SessionParameters(PageParameters):
    """One session, or all."""

    session: Session | None = None


class FactParameters(PageParameters):
    """Filters on facts."""

    about: Person | None = described(None, "only facts about this person or entity")
    as_of: Time | None = described(None, "valid at this time; default: all")
    known_at: Time | None = described(None, "as recorded at this time")


class IdeasParameters(PageParameters):
    """Pairs of memories that may belong together, in one state or all."""

    state: Literal["proposed", "approved", "rejected", "all"] = described("proposed", "their state")


class CaptureParameters(Event):
    """One event in the native form, and its space."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "id": "m-18",
                    "kind": "user_message",
                    "ts": "2026-03-01T10:00:40Z",
                    "session": {"key": "s9"},
                    "person": "Dana",
                    "payload": {"text": "The race is on the 12th of May."},
                }
            ]
        }
    )

    space: SpaceName | None = described(None, "the space; default: the key's")


class CaptureBatchParameters(SpaceParameters):
    """Several events; each has its own answer."""

    events: list[dict[str, Any]] = Field(
        min_length=1,
        max_length=1000,
        description="events in the native form: `kind` and `payload` are required",
        examples=[[{"kind": "user_message", "payload": {"text": "Buy new shoes."}}]],
    )


class VersionFields(BaseModel):
    """One message, or a version of one."""

    model_config = ConfigDict(extra="forbid")

    person: Name | None = described(None, "who says it", examples=["Dana"])
    session: SessionKey | None = described(None, "the caller's key of the session", examples=["s1"])
    at: Time | None = described(None, "when it happened; default: now")
    metadata: dict[str, Any] | None = described(None, "what `where` filters by")
    tool: Name | None = described(None, "the tool, with role tool")


class MessageFields(VersionFields):
    """What is known of one message."""

    text: str = Field(description="what was said", examples=["The race is on the 12th of May."])
    id: OwnId = None
    role: Literal["user", "assistant", "tool", "note", "system"] = described("user", "who speaks")
    error: bool = described(False, "the tool failed")


class RememberParameters(SpaceParameters, MessageFields):
    """One message, tool result or note."""


class RememberBatchParameters(SpaceParameters):
    """Several messages, all or none."""

    messages: list[dict[str, Any]] = Field(
        min_length=1,
        max_length=1000,
        description="with the fields of remember, or as OpenAI, Anthropic or LangChain write them",
        examples=[[{"text": "Call Jonas back.", "role": "note"}]],
    )
    person: Name | None = described(None, "the speaker of messages without one")
    session: SessionKey | None = described(None, "the session of messages without one")


class UpsertParameters(SpaceParameters, VersionFields):
    """The new text of the memory under an id of the caller's."""

    id: Annotated[str, Field(min_length=1, max_length=512)] = Field(
        description="the caller's own id", examples=["users/1/diet"]
    )
    text: str = Field(description="the whole text", examples=["Vegetarian."])
    role: Literal["user", "assistant", "tool", "note", "system"] | None = described(
        None, "who speaks; default: as before, or user"
    )


class UpdateParameters(SpaceParameters):
    """A correction."""

    address: Address = Field(examples=["@1"])
    text: str = Field(
        description="the whole new text", examples=["The race is on the 13th of May."]
    )
    at: Time | None = described(None, "when it was corrected; default: now")
    id: OwnId = None
    metadata: dict[str, Any] | None = None


class FeedbackParameters(SpaceParameters):
    """A verdict or a rating."""

    model_config = ConfigDict(
        json_schema_extra={
            "anyOf": [{"required": [name]} for name in ("verdict", "rating", "undo")],
            "examples": [{"address": "@1", "verdict": "useful"}],
        }
    )

    address: Address = Field(description="a memory, a recall or a pack", examples=["@1"])
    verdict: Literal["useful", "stale", "wrong"] | None = described(
        None, "the verdict", examples=["useful"]
    )
    rating: int | None = described(None, "from 1 (bad) to 5 (good)", ge=1, le=5)
    note: Text | None = described(None, "the reason")
    id: OwnId = None
    undo: bool = described(False, "undo the newest feedback on the address")


class RelationshipParameters(PersonParameters):
    """The relationship of a person to the agent."""

    relationship: Name = Field(description="such as collaborator", examples=["collaborator"])
    threshold: float | None = described(
        None, "for a full capture; default: the relationship's threshold", ge=0, le=1
    )
    id: OwnId = None


class MergeParameters(SpaceParameters):
    """Two names of one thing, or of one person."""

    entity: Name = Field(description="a name, an id, or TYPE:name", examples=["Dan"])
    into: Name = Field(description="what replaces it", examples=["Dana"])
    id: OwnId = None


class EntityParameters(SpaceParameters):
    """One entity or person."""

    entity: Name = Field(description="a name, an id, or TYPE:name", examples=["Dan"])
    id: OwnId = None


class PersonNameParameters(SpaceParameters):
    """A name of a person."""

    name: Name = Field(description="what they are called", examples=["Kim"])
    person: Name | None = described(None, "the person; default: the owner of the space")
    id: OwnId = None


class DecisionParameters(SpaceParameters):
    """A decision about an idea."""

    idea: Name = Field(description="its id", examples=["idea_293676152efc3c4967fb22ff"])
    decision: Literal["approve", "reject"] = Field(
        description="the decision of a person", examples=["approve"]
    )


class ForgetParameters(SpaceParameters):
    """A selection of memories to forget: those that match all given filters."""

    person: Name | None = described(
        None, "all that this person said, and what the agent said to them"
    )
    session: Session | None = None
    ids: list[Address] | None = Field(None, min_length=1, max_length=1000)
    where: Where = None
    kind: Name | None = described(None, "events of a kind, such as tool_result")
    before: Time | None = described(None, "what happened before a date or time")
    everything: bool = described(False, "everything in the space; without other filters")
    dry_run: bool = described(True, "only say what would be erased")
