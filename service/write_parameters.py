"""The parameters of the operations that write; those of all others are in `parameters`."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from ..core.events import Event
from .parameters import (
    Address,
    Name,
    OwnId,
    Person,
    PersonParameters,
    Session,
    SessionKey,
    SpaceName,
    SpaceParameters,
    Text,
    Time,
    Where,
)


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

    space: SpaceName | None = Field(None, description="the space; default: the key's")


class CaptureBatchParameters(SpaceParameters):
    """Several events; each has its own answer."""

    events: list[dict[str, Any]] = Field(
        min_length=1,
        max_length=1000,
        description="events in the native form: `kind` and `payload` are required",
        examples=[[{"kind": "user_message", "payload": {"text": "Buy new shoes."}}]],
    )


class MessageFields(BaseModel):
    """One message."""

    model_config = ConfigDict(extra="forbid")

    text: str = Field(description="what was said", examples=["The race is on the 12th of May."])
    person: Name | None = Field(None, description="who says it", examples=["Dana"])
    session: SessionKey | None = Field(
        None, description="the caller's key of the session", examples=["s1"]
    )
    at: Time | None = Field(None, description="when it happened; default: now")
    id: OwnId = None
    metadata: dict[str, Any] | None = Field(None, description="what `where` filters by")
    role: Literal["user", "assistant", "tool", "note", "system"] = Field(
        "user", description="who speaks"
    )
    tool: Name | None = Field(None, description="the tool, with role tool")
    error: bool = Field(False, description="the tool failed")


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
    person: Name | None = Field(None, description="the speaker of messages without one")
    session: SessionKey | None = Field(None, description="the session of messages without one")


class UpsertParameters(SpaceParameters):
    """The new text of the memory under an id of the caller's."""

    id: Annotated[str, Field(min_length=1, max_length=512)] = Field(
        description="the caller's own id", examples=["users/1/diet"]
    )
    text: Text = Field(description="the whole text", examples=["Vegetarian."])
    person: Person | None = Field(None, description="who says it")
    session: SessionKey | None = Field(None, description="the caller's key of the session")
    at: Time | None = Field(None, description="when it happened; default: now")
    metadata: dict[str, Any] | None = Field(None, description="what `where` filters by")
    role: Literal["user", "assistant", "tool", "note", "system"] | None = Field(
        None, description="who speaks; default: as before, or user"
    )
    tool: Name | None = Field(None, description="the tool, with role tool")


class UpdateParameters(SpaceParameters):
    """A correction."""

    address: Address = Field(examples=["@1"])
    text: str = Field(
        description="the whole new text", examples=["The race is on the 13th of May."]
    )
    at: Time | None = Field(None, description="when it was corrected; default: now")
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
    verdict: Literal["useful", "stale", "wrong"] | None = Field(
        None, description="the verdict", examples=["useful"]
    )
    rating: int | None = Field(None, ge=1, le=5, description="from 1 (bad) to 5 (good)")
    note: Text | None = Field(None, description="the reason")
    id: OwnId = None
    undo: bool = Field(False, description="undo the newest feedback on the address")


class RelationshipParameters(PersonParameters):
    """The relationship of a person to the agent."""

    relationship: Name = Field(description="such as collaborator", examples=["collaborator"])
    threshold: float | None = Field(None, ge=0, le=1, description="default: the relationship's")
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
    person: Name | None = Field(None, description="the person; default: the owner of the space")
    id: OwnId = None


class DecisionParameters(SpaceParameters):
    """A decision about an idea."""

    idea: Name = Field(description="its id", examples=["idea_293676152efc3c4967fb22ff"])
    decision: Literal["approve", "reject"] = Field(
        description="the decision of a person", examples=["approve"]
    )


class ForgetParameters(SpaceParameters):
    """A selection of memories to forget: those that match all given filters."""

    person: Name | None = Field(
        None, description="all that this person said, and what the agent said to them"
    )
    session: Session | None = None
    ids: list[Address] | None = Field(None, min_length=1, max_length=1000)
    where: Where = None
    kind: Name | None = Field(None, description="events of a kind, such as tool_result")
    before: Time | None = Field(None, description="what happened before a date or time")
    everything: bool = Field(False, description="everything in the space; without other filters")
    dry_run: bool = Field(True, description="only say what would be erased")
