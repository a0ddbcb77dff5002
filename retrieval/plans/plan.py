"""The values of a retrieval plan, their validation, and the decay of confidence.

A plan names the sources that answer a question without loading them, and always has the four keys
that the source defines (feature 67). A plan from elsewhere is validated and never repaired: an
invalid one halts the work and asks for a person; an empty one is valid. Confidence decays with age,
by content type; expired sources are left out of a plan, which says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from ...core.calls.cleaning import read_json
from ...core.codec import JsonObject, decode, to_object
from ...core.errors import InvalidInput
from ...core.time import DAY_S
from ...core.types import Json
from ...core.vocabulary import Stability


class ContentType(StrEnum):
    """The kind of content of a source; a caller may set it in `metadata.content_type`."""

    AVAILABILITY = "availability"
    PRICE = "price"
    PRODUCT_SPEC = "product_spec"
    VENDOR_INFO = "vendor_info"
    STRATEGY = "strategy"
    SITE_PATTERN = "site_pattern"
    PREFERENCE = "preference"
    GENERAL_FACT = "general_fact"
    DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Decay:
    """How fast confidence falls, per day, and its floor."""

    rate: float
    floor: float


#: Eight kinds, and one for everything else.
DECAY: Mapping[ContentType, Decay] = {
    ContentType.AVAILABILITY: Decay(0.20, 0.10),
    ContentType.PRICE: Decay(0.10, 0.20),
    ContentType.PRODUCT_SPEC: Decay(0.03, 0.50),
    ContentType.VENDOR_INFO: Decay(0.02, 0.60),
    ContentType.STRATEGY: Decay(0.02, 0.50),
    ContentType.SITE_PATTERN: Decay(0.01, 0.70),
    ContentType.PREFERENCE: Decay(0.005, 0.80),
    ContentType.GENERAL_FACT: Decay(0.005, 0.80),
    ContentType.DEFAULT: Decay(0.02, 0.30),
}
#: Below this a source is expired.
EXPIRED_BELOW = 0.30
#: What a source loses that was proven stale, once.
_STALE = 0.10
_BANDS = ((0.80, "high"), (0.50, "medium"), (EXPIRED_BELOW, "low"))

#: Predicates that say something perishable, or something of a kind of its own.
_OF_PREDICATE: Mapping[str, ContentType] = {
    "price": ContentType.PRICE,
    "cost": ContentType.PRICE,
    "costs": ContentType.PRICE,
    "available": ContentType.AVAILABILITY,
    "availability": ContentType.AVAILABILITY,
    "in_stock": ContentType.AVAILABILITY,
    "spec": ContentType.PRODUCT_SPEC,
    "product_spec": ContentType.PRODUCT_SPEC,
    "vendor": ContentType.VENDOR_INFO,
    "vendor_info": ContentType.VENDOR_INFO,
    "strategy": ContentType.STRATEGY,
    "site_pattern": ContentType.SITE_PATTERN,
    "prefers": ContentType.PREFERENCE,
    "likes": ContentType.PREFERENCE,
    "dislikes": ContentType.PREFERENCE,
    "preference": ContentType.PREFERENCE,
}
_FAVOURITE = "favourite"


def decayed(confidence: float, type: ContentType, days: float) -> float:
    """Return a confidence (0 to 1) after some days; an age below 0 counts as 0.

    It falls from its first value towards the floor of its kind. A value that starts below the
    floor does not change.
    """
    decay = DECAY[type]
    if confidence <= decay.floor:
        return confidence
    left = math.exp(-decay.rate * max(days, 0.0))
    return min(decay.floor + (confidence - decay.floor) * left, confidence)  # rounding adds nothing


def lowered(confidence: float, floor: float) -> float:
    """Return the confidence of a source that was proven stale: .10 less, not below its floor.

    `floor` is what time alone would leave of it.
    """
    return max(confidence - _STALE, min(confidence, floor))


def band(confidence: float) -> str:
    """Return `high` (from .80), `medium` (from .50), `low` (from .30) or `expired`."""
    return next((name for least, name in _BANDS if confidence >= least), "expired")


def days_between(earlier: datetime, later: datetime) -> float:
    """Return the days from one instant to another, negative if the second is earlier."""
    return (later - earlier).total_seconds() / DAY_S


def type_of_fact(predicate: str, stability: Stability) -> ContentType:
    """Return how a fact decays: by its predicate, else by how long such facts are usually valid."""
    if predicate in _OF_PREDICATE:
        return _OF_PREDICATE[predicate]
    if predicate.startswith(_FAVOURITE):
        return ContentType.PREFERENCE
    ephemeral = stability is Stability.EPHEMERAL
    return ContentType.AVAILABILITY if ephemeral else ContentType.GENERAL_FACT


def stated_type(metadata: Mapping[str, object]) -> ContentType:
    """Return the kind that a caller gave to a memory; anything unknown is `default`."""
    try:
        return ContentType(str(metadata.get("content_type")))
    except ValueError:
        return ContentType.DEFAULT


#: Who made a plan or worded a draft that no model touched.
BY_RULE = "rule"
#: Longest summary of a node, characters (a preview, never the document).
SUMMARY_CHARS_MAX = 500
#: Longest rationale of a plan, characters: one paragraph.
REASONING_CHARS_MAX = 800
#: How deep hints are looked into for words, and how many of their characters are looked at.
_HINT_DEPTH, _HINT_CHARS_MAX = 4, 4_000


class SourceType(StrEnum):
    """The five kinds of source that a plan can name."""

    TURN_SUMMARY = "turn_summary"
    PREFERENCE = "preference"
    FACT = "fact"
    RESEARCH_CACHE = "research_cache"
    VISIT_RECORD = "visit_record"


#: What each claim of a plan's coverage is derived from.
COVERED: Mapping[str, tuple[SourceType, ...]] = {
    "has_prior_turns": (SourceType.TURN_SUMMARY,),
    "has_memory": (SourceType.PREFERENCE, SourceType.FACT),
    "has_cached_research": (SourceType.RESEARCH_CACHE,),
    "has_visit_data": (SourceType.VISIT_RECORD,),
}


@dataclass(frozen=True, slots=True)
class TemporalBounds:
    """From when things are seen: `now` for ages, and a bound on either clock, on both, or none."""

    now: datetime
    happened: datetime | None = None
    until: int | None = None

    def includes(self, seq: int, at: datetime) -> bool:
        """Return whether something of a sequence, that happened at a time, is seen."""
        return self.includes_sequence(seq) and (self.happened is None or at <= self.happened)

    def includes_sequence(self, seq: int) -> bool:
        """Return whether an entry of this sequence had been recorded."""
        return self.until is None or seq <= self.until


@dataclass(frozen=True, slots=True)
class Node:
    """One entry of the Unified Memory Index: seven fields, and no document.

    `confidence` (0 to 1) is decayed to the instant that the index shows. `timestamp` is when it
    was said or seen, `source_ref` the address of the whole document, `links` the ids of nodes that
    it names or that name it, sorted.
    """

    node_id: str
    source_type: SourceType
    summary: str
    confidence: float
    timestamp: datetime
    source_ref: str
    links: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Json]:
        """Return the seven fields as plain JSON values."""
        return to_object(self) | {"confidence": round(self.confidence, 6)}


@dataclass(frozen=True, slots=True)
class RetrievalPlan:
    """Node ids by source type, best first, why each group was chosen, and a short rationale."""

    selected: Mapping[SourceType, tuple[str, ...]] = field(default_factory=dict)
    reasons: Mapping[SourceType, str] = field(default_factory=dict)
    reasoning: str = ""

    @property
    def ids(self) -> list[str]:
        """Every selected id, group by group."""
        return [id for type in SourceType for id in self.selected.get(type, ())]

    @property
    def coverage(self) -> dict[str, bool]:
        """The coverage of the plan; always derived from the selected nodes."""
        return {
            claim: any(self.selected.get(type) for type in types)
            for claim, types in COVERED.items()
        }

    def as_json(self) -> dict[str, Json]:
        """Return the documented shape: four keys, and in each all of its own."""
        return {
            "selected_nodes": {t.value: list(self.selected.get(t, ())) for t in SourceType},
            "selection_reasons": {t.value: self.reasons.get(t, "") for t in SourceType},
            "coverage": self.coverage,
            "reasoning": self.reasoning,
        }


@dataclass(frozen=True, slots=True)
class QueryAnalysis:
    """A question with its purpose and hints; it is not validated again.

    `hints` may be anything, or missing: they only add words, so a hint can never fail a plan.
    `names` are those of the people in it, as recall has read them.
    """

    resolved_query: str
    user_purpose: str = ""
    reasoning: str = ""
    hints: Any = None
    names: tuple[str, ...] = ()

    @property
    def question(self) -> str:
        """The words that are asked of recall."""
        return " ".join(text for text in (self.resolved_query, self.user_purpose) if text.strip())

    @property
    def hinted(self) -> str:
        """Every text found in the hints, as far as it is looked at."""
        return " ".join(_texts(self.hints, _HINT_DEPTH))[:_HINT_CHARS_MAX]


def _texts(value: Any, depth: int) -> list[str]:
    if isinstance(value, str):
        return [value]
    if depth == 0:
        return []
    if isinstance(value, Mapping):
        return [text for item in value.values() for text in _texts(item, depth - 1)]
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray)):
        return [text for item in value for text in _texts(item, depth - 1)]
    return []


_KEYS = ("selected_nodes", "selection_reasons", "coverage", "reasoning")
_TYPES = tuple(type.value for type in SourceType)
#: What stands for the reason of a group with nothing in it.
_NO_REASON = frozenset({"", "none"})

#: The source type of each of some node ids; ids that the index does not hold are left out.
TypesOf = Callable[[Collection[str]], Mapping[str, SourceType]]


class Action(StrEnum):
    """The next action after a plan; `clarify` is only for plans that Meridia made."""

    PROCEED = "proceed"
    CLARIFY = "clarify"
    HALT = "halt"


@dataclass(frozen=True, slots=True)
class Intervention(JsonObject):
    """Why the work halts, and what a person has to do."""

    phase: str
    problem: str
    needed: str


@dataclass(frozen=True, slots=True)
class Handoff:
    """Either a plan to go on with, or an intervention; never both."""

    plan: RetrievalPlan | None = None
    intervention: Intervention | None = None

    @property
    def action(self) -> Action:
        """Go on with a plan, stop without one."""
        return Action.HALT if self.plan is None else Action.PROCEED


def read_handoff(
    given: Json,
    types_of: TypesOf,
    further: Callable[[RetrievalPlan], RetrievalPlan] | None = None,
) -> Handoff:
    """Read a plan, as JSON text or plain values; a wrong one halts instead of raising.

    `further` is asked of a plan that is right by itself, and may refuse it as well.
    """
    try:
        plan = read_plan(given, types_of)
        return Handoff(plan=plan if further is None else further(plan))
    except InvalidInput as error:
        needed = "a plan of this schema, with ids of this index only: plan again, or correct it"
        return Handoff(intervention=Intervention("2.1", str(error), needed))


def read_plan(given: Json, types_of: TypesOf) -> RetrievalPlan:
    """Return a plan from JSON text or plain values; `InvalidInput` names the first thing wrong.

    `types_of` looks ids up in the index: an unknown id, and one in a group that is not its own, is
    refused.
    """
    fields = decode(dict[str, Json], _parsed(given), "plan")
    _check_keys(fields, _KEYS, "plan")
    groups = decode(dict[str, Json], fields["selected_nodes"], "plan.selected_nodes")
    _check_keys(groups, _TYPES, "plan.selected_nodes")
    selected = {
        type: decode(
            tuple[str, ...], _listed(groups[type.value], type), f"plan.selected_nodes.{type}"
        )
        for type in SourceType
    }
    _check_ids(selected, types_of)
    plan = RetrievalPlan(selected, _reasons(fields, selected), _reasoning(fields["reasoning"]))
    _check_coverage(fields["coverage"], plan)
    return plan


def reordered(ours: RetrievalPlan, theirs: RetrievalPlan) -> RetrievalPlan:
    """Return our plan in their order; they may leave out, and never add.

    `InvalidInput` names an id that we did not select.
    """
    for type in SourceType:
        more = [id for id in theirs.selected.get(type, ()) if id not in ours.selected.get(type, ())]
        if more:
            raise InvalidInput(
                f"plan.selected_nodes.{type} adds {more[0]!r}: "
                "a selection may be reordered or reduced, never extended"
            )
    return theirs


def _parsed(given: Json) -> Json:
    if not isinstance(given, (str, bytes)):
        return given
    return read_json(given, "plan")


def _check_keys(fields: Mapping[str, Any], keys: Collection[str], where: str) -> None:
    missing = [key for key in keys if key not in fields]
    if missing:
        raise InvalidInput(f"{where}.{missing[0]} is missing: give every key")
    more = sorted(str(key) for key in fields if key not in keys)
    if more:
        raise InvalidInput(f"{where} has the key {more[0]!r}: only {', '.join(keys)} are known")


def _listed(value: Json, type: SourceType) -> Json:
    if value is None:
        raise InvalidInput(f"plan.selected_nodes.{type} is null: write [] if nothing is selected")
    return value


def _check_ids(selected: Mapping[SourceType, tuple[str, ...]], types_of: TypesOf) -> None:
    named = [id for ids in selected.values() for id in ids]
    twice = next((id for place, id in enumerate(named) if id in named[:place]), None)
    if twice is not None:
        raise InvalidInput(f"plan.selected_nodes names {twice!r} twice: name it once")
    types = types_of(named)
    for type, ids in selected.items():
        for id in ids:
            where = f"plan.selected_nodes.{type}: {id[:80]!r}"
            if id not in types:
                raise InvalidInput(f"{where} is not in the memory index: name ids that are")
            if types[id] is not type:
                raise InvalidInput(f"{where} is a {types[id]}: name it in that group")


def _reasons(
    fields: Mapping[str, Any], selected: Mapping[SourceType, tuple[str, ...]]
) -> dict[SourceType, str]:
    where = "plan.selection_reasons"
    given = decode(dict[str, Json], fields["selection_reasons"], where)
    _check_keys(given, _TYPES, where)
    reasons = {}
    for type in SourceType:
        reason = decode(str, given[type.value], f"{where}.{type}")
        empty = reason.strip().casefold() in _NO_REASON
        if selected[type] and empty:
            raise InvalidInput(f"{where}.{type} is empty: say why its nodes were selected")
        if not selected[type] and not empty:
            raise InvalidInput(f'{where}.{type} gives a reason for no nodes: write "" or "none"')
        reasons[type] = "" if empty else reason
    return reasons


def _reasoning(value: Json) -> str:
    text = decode(str, value, "plan.reasoning").strip()
    if len(text) > REASONING_CHARS_MAX:
        raise InvalidInput(
            f"plan.reasoning has {len(text)} characters: give one paragraph of at most "
            f"{REASONING_CHARS_MAX}"
        )
    if "\n" in text:
        raise InvalidInput("plan.reasoning has more than one line: give one paragraph")
    return text


def _check_coverage(value: Json, plan: RetrievalPlan) -> None:
    given = decode(dict[str, Json], value, "plan.coverage")
    _check_keys(given, tuple(COVERED), "plan.coverage")
    for claim, holds in plan.coverage.items():
        if given[claim] is not holds:
            raise InvalidInput(
                f"plan.coverage.{claim} is {given[claim]!r}, but the selected nodes make it "
                f"{holds}: give that"
            )
