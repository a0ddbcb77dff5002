"""Two-stage ranking: the nearest candidates, put into a new order by facets and profile.

A candidate's base score is what search found; boosts are added to it and never to what confidence
is judged by. Switched off, the order and the scores are those of search. Nothing here searches,
logs or reads the content of a memory.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...core.errors import InvalidInput
from ...core.events import document_of, is_restricted, says
from ...core.types import Json
from ..ranking.contributions import TraceNode
from .facets import Boost, Facets, Hints, boost, facets_of, hints_of
from .user_profile import (
    ARCHETYPES,
    UserProfile,
    archetype_boost,
    neutral,
    profile_of,
    updated_profile,
)

#: Memories returned where nothing else is asked for, and as many are told in a debug record.
LIMIT = 12
#: The most candidates that are looked at, unless more are to be returned.
CANDIDATES_MAX = 200
#: With a best base score below this, nothing found is to be trusted.
LOW_CONFIDENCE = 0.1

ENABLE = "MERIDIA_ENABLE_RERANK"
CANDIDATE_LIMIT = "MERIDIA_RERANK_CANDIDATE_LIMIT"
DEBUG = "MERIDIA_ENABLE_RETRIEVAL_DEBUG"
_TRUE = frozenset({"1", "true", "yes", "on"})
_RETIRED = frozenset({"planned", "deprecated"})


@dataclass(frozen=True, slots=True)
class RerankSettings:
    """Whether candidates are put into a new order, how many are looked at, what is told of it."""

    enabled: bool = False
    candidate_limit: int = 60
    debug: bool = False

    def candidates(self, limit: int = LIMIT) -> int:
        """Return how many candidates to fetch for `limit` memories: from `limit` to 200.

        Never fewer than are to be returned, even where that is more than 200.
        """
        return max(limit, min(self.candidate_limit, CANDIDATES_MAX))


def read_settings(variables: Mapping[str, str]) -> RerankSettings:
    """Read the settings from variables by name; 1, true, yes and on are true, all else is false.

    Raises `InvalidInput` for a candidate limit that is no whole number.
    """
    limit = variables.get(CANDIDATE_LIMIT, "").strip()
    try:
        candidates = int(limit) if limit else RerankSettings().candidate_limit
    except ValueError:
        raise InvalidInput(f"{CANDIDATE_LIMIT} is {limit[:80]!r}: give a whole number") from None
    return RerankSettings(_is_true(variables, ENABLE), candidates, _is_true(variables, DEBUG))


@dataclass(frozen=True, slots=True)
class RerankCandidate:
    """A memory that search found: how far from the question (0 is nearest), and its facets.

    `safe` says that it may be shown to anybody who asks in the space; ids are distinct.
    """

    id: str
    distance: float
    facets: Facets = field(default_factory=Facets)
    safe: bool = True

    def __post_init__(self) -> None:
        if not math.isfinite(self.distance):
            raise InvalidInput(f"distance of candidate {self.id} is not finite: give a number")

    @property
    def base(self) -> float:
        """The score that search gave: 1 − distance."""
        return 1 - self.distance


@dataclass(frozen=True, slots=True)
class RerankContext:
    """What candidates are held against: the hints of a question, the profile of who asks it."""

    hints: Hints = field(default_factory=Hints)
    profile: UserProfile = field(default_factory=neutral)


@dataclass(frozen=True, slots=True)
class RerankedHit:
    """One candidate and the three parts of its score."""

    candidate: RerankCandidate
    facet_boost: Boost = field(default_factory=Boost)
    archetype_boost: Boost = field(default_factory=Boost)

    @property
    def base(self) -> float:
        """The score that search gave."""
        return self.candidate.base

    @property
    def score(self) -> float:
        """The base score and both boosts; it may exceed 1."""
        return self.base + self.facet_boost.value + self.archetype_boost.value


@dataclass(frozen=True, slots=True)
class RerankResult:
    """Candidates in their new order, and how far search can be trusted.

    `max_score` is the best base score of all candidates, within 0 to 1; `refused` counts those
    that were found and may not be shown.
    """

    hits: tuple[RerankedHit, ...]
    enabled: bool
    candidates: int
    refused: int
    max_score: float

    @property
    def low_confidence(self) -> bool:
        """Whether even the nearest candidate is far away, whatever its boosts."""
        return self.max_score < LOW_CONFIDENCE


def candidate(id: str, distance: float, metadata: Json) -> RerankCandidate:
    """Return a memory found at `distance`, with what its metadata say of it."""
    return RerankCandidate(id, distance, facets_of(metadata), is_safe(metadata))


def is_safe(metadata: Json) -> bool:
    """Say whether a memory and the document it is part of are active, public and of normal secrecy.

    What is not said counts as such; any other value is not safe, of whatever shape. A memory's own
    `status` has many uses, so only planned and deprecated count against it.
    """
    return (
        not is_restricted(metadata)
        and says(document_of(metadata), "status", "active")
        and not any(says(metadata, "status", word, absent=False) for word in _RETIRED)
    )


def rerank_context(
    hints: Json,
    mode: str | None = None,
    profile: UserProfile | Json = None,
    signals: Json = None,
    names: Sequence[str] = ARCHETYPES,
) -> RerankContext:
    """Return what this very message asks for: its mode, and the profile after its own signals.

    `mode` is the one in force, where that is settled; `profile` the one before the message.
    """
    before = profile if isinstance(profile, UserProfile) else profile_of(profile, names)
    return RerankContext(hints_of(hints, mode), updated_profile(before, signals))


def rerank(
    candidates: Iterable[RerankCandidate],
    asked: RerankContext,
    settings: RerankSettings,
    limit: int = LIMIT,
) -> RerankResult:
    """Return the best `limit` of the nearest safe candidates, by base score and boosts.

    Equal scores go by base score, then by id. Switched off: the nearest, scored by distance alone,
    equally near ones as they came.
    """
    if limit < 1:
        raise InvalidInput(f"limit is {limit}: give a whole number from 1")
    every = list(candidates)
    safe = [item for item in every if item.safe]
    if settings.enabled:
        safe.sort(key=lambda item: (item.distance, item.id))
    else:
        safe.sort(key=lambda item: item.distance)
    near = safe[: settings.candidates(limit)]
    hits = [RerankedHit(item) for item in near]
    if settings.enabled:
        hits = [_score(item, asked) for item in near]
        hits.sort(key=lambda item: (-item.score, -item.base, item.candidate.id))
    best = min(max((item.base for item in near), default=0.0), 1.0)
    return RerankResult(
        hits=tuple(hits[:limit]),
        enabled=settings.enabled,
        candidates=len(near),
        refused=len(every) - len(safe),
        max_score=max(best, 0.0),
    )


def reason(scored: RerankedHit) -> TraceNode:
    """Return a score as a tree whose leaves sum to it."""
    branches = [TraceNode("nearness (1 − distance)", scored.base)]
    for label, added in (("facets", scored.facet_boost), ("profile", scored.archetype_boost)):
        if added.lines:
            leaves = tuple(TraceNode(line.label, line.value) for line in added.lines)
            branches.append(TraceNode(label, added.value, children=leaves))
    return TraceNode("score", scored.score, children=tuple(branches))


def debug_record(reranked: RerankResult, settings: RerankSettings) -> dict[str, Any] | None:
    """Return how the first 12 got their scores, as plain JSON values; None unless debugging.

    Holds ids and numbers: no text of a memory, no title, no name that a facet has.
    """
    if not settings.debug:
        return None
    return {
        "event": "rerank",
        "enabled": reranked.enabled,
        "candidates": reranked.candidates,
        "refused": reranked.refused,
        "max_score": reranked.max_score,
        "low_confidence": reranked.low_confidence,
        "top": [_hit_record(hit) for hit in reranked.hits[:LIMIT]],
    }


def _hit_record(hit: RerankedHit) -> dict[str, Any]:
    lines: dict[str, float] = {}
    for line in (*hit.facet_boost.lines, *hit.archetype_boost.lines):
        lines[line.term] = lines.get(line.term, 0.0) + line.value
    return {
        "id": hit.candidate.id,
        "base": hit.base,
        "boost": hit.facet_boost.value,
        "archetype_boost": hit.archetype_boost.value,
        "score": hit.score,
        "lines": lines,
    }


def _score(item: RerankCandidate, asked: RerankContext) -> RerankedHit:
    fit = archetype_boost(list(item.facets.archetypes), asked.profile)
    return RerankedHit(item, boost(item.facets, asked.hints), fit)


def _is_true(variables: Mapping[str, str], name: str) -> bool:
    return variables.get(name, "").strip().lower() in _TRUE
