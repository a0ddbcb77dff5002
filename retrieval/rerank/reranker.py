"""Two-stage ranking: the nearest candidates are reordered by facets and profile.

A candidate's base score is that of search; boosts are added to it but do not change confidence.
Switched off, the order and the scores are those of search. Nothing here searches, logs or reads the
content of a memory.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ...core.errors import InvalidInput
from ...core.events import is_restricted
from ...core.types import Json
from ...storage.projections.text_traits import is_inactive
from .facets import Boost, Facets, Hints, boost, facets_of, hints_of
from .user_profile import (
    ARCHETYPES,
    UserProfile,
    archetype_boost,
    neutral,
    profile_of,
    updated_profile,
)

#: Memories returned, and candidates looked at, where nothing else is asked for.
LIMIT, CANDIDATE_LIMIT = 12, 60
#: The most candidates that are looked at, unless more are to be returned.
CANDIDATES_MAX = 200
#: With a best base score below this, nothing found is to be trusted.
LOW_CONFIDENCE = 0.1


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

    What is not said counts as such; any other value is not safe, of whatever shape.
    """
    return not is_restricted(metadata) and not is_inactive(metadata)


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


def fetched_count(candidate_limit: int, limit: int) -> int:
    """Return how many candidates to look at for `limit` memories: at most 200, but all of them."""
    return max(limit, min(candidate_limit, CANDIDATES_MAX))


def rerank(
    candidates: Iterable[RerankCandidate],
    asked: RerankContext,
    candidate_limit: int = CANDIDATE_LIMIT,
    limit: int = LIMIT,
) -> RerankResult:
    """Return the best `limit` of the nearest safe candidates, by base score and boosts.

    Equal scores go by base score, then by id.
    """
    if limit < 1:
        raise InvalidInput(f"limit is {limit}: give a whole number from 1")
    every = list(candidates)
    safe = [item for item in every if item.safe]
    safe.sort(key=lambda item: (item.distance, item.id))
    near = safe[: fetched_count(candidate_limit, limit)]
    hits = [_score(item, asked) for item in near]
    hits.sort(key=lambda item: (-item.score, -item.base, item.candidate.id))
    best = min(max((item.base for item in near), default=0.0), 1.0)
    return RerankResult(
        hits=tuple(hits[:limit]),
        candidates=len(near),
        refused=len(every) - len(safe),
        max_score=max(best, 0.0),
    )


def _score(item: RerankCandidate, asked: RerankContext) -> RerankedHit:
    fit = archetype_boost(list(item.facets.archetypes), asked.profile)
    return RerankedHit(item, boost(item.facets, asked.hints), fit)
