"""The values of a retrieval plan: which sources answer a question, named and not loaded.

A plan always has its four keys, in the shape that the source defines (feature 67). The values of
the keys are checked in `plan_schema`; nothing here reads, ranks or loads anything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from ...core.codec import to_object
from ...core.types import Json

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
        """Say whether something of a sequence, that happened at a time, is seen."""
        return self.includes_sequence(seq) and (self.happened is None or at <= self.happened)

    def includes_sequence(self, seq: int) -> bool:
        """Say whether what a sequence recorded is known."""
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
        """What the plan covers; always derived from what is selected, never stated."""
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
    """What is asked, in words first; that it was validated is assumed and not asked for again.

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
