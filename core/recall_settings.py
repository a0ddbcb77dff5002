"""Settings of recall and of plans, and the base class of every section of the settings."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field


def _split_list(value: object) -> object:
    """Read a list that the environment gives as one text, separated by commas."""
    if isinstance(value, str):
        return tuple(item.strip() for item in value.split(",") if item.strip())
    return value


TextTuple = Annotated[tuple[str, ...], BeforeValidator(_split_list)]


class SettingsSection(BaseModel):
    """A part of the settings: immutable, and an unknown key is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ReferenceSettings(SettingsSection):
    """What the profile `reference` leaves open: the source's formulas have a number for each."""

    anticipated: bool = Field(True, description="compare with anticipated questions too")
    walk: bool = Field(True, description="walk on from the start nodes")
    literal: bool = Field(False, description="walk along edges only, without equal shares")
    starts: int = Field(3, ge=1, le=100, description="start nodes")
    nodes: int = Field(5, ge=1, le=1000, description="memories recalled, at most")
    exploration: float = Field(
        2.0, ge=0, le=100, description="factor of the probability to continue"
    )
    metadata: float = Field(0.6, ge=0, le=1, description="weight of metadata against meaning")


class RecallSettings(SettingsSection):
    """How a question is answered."""

    profile: Literal["default", "simple", "reference"] = Field(
        "default", description="the ranking profile"
    )
    limit: int = Field(10, ge=1, le=1000, description="memories returned")
    rerank_limit: int = Field(12, ge=1, le=1000, description="memories returned with `rerank`")
    candidates: int = Field(200, ge=10, description="candidates taken from words and from meaning")
    wait_s: float = Field(
        0.0, ge=0, description="longest wait of an answer for enrichment, seconds"
    )
    rerank_depth: int = Field(
        100, ge=0, le=1000, description="memories compared word by word; 0: none"
    )
    ranker: str = Field("", description="a file of learned weights; empty: the built-in ones")
    keep: bool = Field(True, description="store the inputs of each recall under an id")
    keep_max: int = Field(1000, ge=1, description="kept recalls of a space; older ones are deleted")
    keep_days: float = Field(90.0, gt=0, description="days after which a kept recall is deleted")
    debug: bool = Field(False, description="log how each answer was computed, without content")
    spread: bool = Field(True, description="spread activation over the graph")
    policy: Literal["spread", "sample", "walk"] = Field(
        "spread", description="how activation moves: expectation, draws, or the source's walk"
    )
    walks: int = Field(100, ge=2, le=100_000, description="random draws of the policy sample")
    tracerank: bool = Field(False, description="weigh what is reached by its own history")
    traverse: Literal["arrays", "cypher"] = Field(
        "arrays", description="where activation reads edges: memory, or one query per hop"
    )
    confidence_min: float = Field(
        0.5, ge=0, le=1, description="from this confidence up, an answer is sure"
    )
    feedback: bool = Field(True, description="let feedback count in the ranking")
    feedback_max: float = Field(
        1.0, ge=0, le=10, description="the most that feedback adds to or takes from a score"
    )
    order: bool = Field(
        True, description="put the current, last or first statement first, if asked for"
    )
    fold: bool = Field(True, description="show what somebody repeats word for word once")
    significance: float = Field(
        0.0, ge=0, le=10, description="the gain of the most significant memory"
    )
    recency: float = Field(0.0, ge=0, le=10, description="the gain of a memory of this moment")
    recency_days: float = Field(
        30.0, gt=0, le=36_500, description="days after which the gain of recency is halved"
    )
    memrank: float = Field(0.0, ge=0, le=10, description="the gain of the most central memory")
    vector_source: Literal["built-in", "pgvector", "neo4j"] = Field(
        "built-in", description="the vector index that proposes candidates"
    )
    diversity: float = Field(
        0.0, ge=0, le=10, description="the loss of a memory that is similar to a better one"
    )
    working_set: float = Field(0.0, ge=0, le=10, description="weight of the working set")
    lateral: float = Field(0.0, ge=0, le=1, description="probability of lateral thinking")
    concept_share_max: float = Field(
        0.05, gt=0, le=1, description="a word in a larger share of memories carries no weight"
    )
    graphiti: float = Field(
        0.0, ge=0, le=10, description="weight of Graphiti's results; 0: it is not asked"
    )
    rerank: bool = Field(False, description="let facets and profile change the order of the best")
    rerank_candidates: int = Field(
        60, ge=1, le=200, description="memories whose order facets and profile may change"
    )
    archetypes: TextTuple = Field(
        ("loyalist", "prestige", "analyst", "achiever", "legacy"),
        description="names of the archetypes that profiles are made of",
    )
    reference: ReferenceSettings = ReferenceSettings()

    @property
    def usual_limit(self) -> int:
        """Memories returned where a question does not say how many."""
        return self.rerank_limit if self.rerank else self.limit


class PlanSettings(SettingsSection):
    """How a retrieval plan selects sources, without loading them."""

    limit: int = Field(10, ge=1, le=100, description="nodes selected for each source type, at most")
    confidence_min: float = Field(
        0.30,
        ge=0,
        le=1,
        description="sources of lower confidence are left out, and the plan says so",
    )
    archive_days: float = Field(
        30.0, gt=0, description="a turn older than this is loaded as its summary, days"
    )
    keep: bool = Field(True, description="store the outcome of each plan, without content")
    model: Literal["off", "on"] = Field(
        "off", description="on: the configured model may reorder or narrow a plan"
    )
    temperature: float = Field(0.6, ge=0, le=2, description="temperature of a plan by the model")
