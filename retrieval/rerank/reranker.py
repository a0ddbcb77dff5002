"""Reranks the best memories by facets and user profile.

The base score is that of recall. A boost is a separate contribution, so that a score is still the
sum of its trace; .1 counts as much as .1 of cosine does in the ranking profile. Confidence is
computed without boosts. A user profile has a weight for each named archetype (default: the five of
the source) and moves slowly, message by message; which archetype a message speaks for is not
decided here. Switched off, order and scores are those of recall.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ...core.errors import InvalidInput
from ...core.events import is_restricted
from ...core.settings import RecallSettings
from ...core.types import Json
from ...graph.view import Floats, Ints
from ...storage.projections.catalog import Catalog
from ...storage.projections.text_traits import is_inactive
from ..candidates.pool import Pool
from ..ranked import Ranked
from ..ranking.contributions import Contribution, Evidence, total
from ..ranking.ranking_weights import DEFAULT_WEIGHTS
from .facets import Boost, BoostLine, Facets, Hints, boost, capped, facets_of, hints_of, parse_texts

ARCHETYPES = ("loyalist", "prestige", "analyst", "achiever", "legacy")
#: How much of a profile stays as it was when a message speaks for an archetype.
SMOOTHING = 0.75
#: An archetype that leads the second by less than this is no winner.
MARGIN_MIN = 0.08
#: K: what a memory would gain that is for one archetype of very many, and that fits in full.
STRENGTH = 0.08
#: The most that fitting a profile may add to a score.
ARCHETYPE_BOOST_MAX = 0.15


@dataclass(frozen=True, slots=True)
class UserProfile:
    """How far somebody is of each archetype: weights from 0 that sum to 1, in order of `names`.

    Made by `neutral`, `profile_of` and `moved`.
    """

    names: tuple[str, ...]
    weights: tuple[float, ...]

    @property
    def margin(self) -> float:
        """The margin between the first and the second archetype, 0 to 1."""
        best, second, *_ = *sorted(self.weights, reverse=True), 0.0, 0.0
        return best - second

    def as_json(self) -> dict[str, float]:
        """Return the weights by name."""
        return dict(zip(self.names, self.weights, strict=True))


def neutral(names: Sequence[str] = ARCHETYPES) -> UserProfile:
    """Return the profile of somebody of whom nothing is known: 1/n for each of n archetypes."""
    distinct = tuple(parse_texts(list(names)))
    return UserProfile(distinct, tuple(1 / len(distinct) for _ in distinct))


def profile_of(value: Json, names: Sequence[str] = ARCHETYPES) -> UserProfile:
    """Read a profile from an object of weights by archetype, whatever they sum to.

    Unknown names are ignored, and so are weights that are not positive numbers; with none left
    the profile is neutral. Never raises.
    """
    start = neutral(names)
    return _normal(start, [max(0.0, weight) for weight in _weights(value, start.names)])


def updated_profile(profile: UserProfile, signals: Json) -> UserProfile:
    """Return a profile after a message: s·old + (1 − s)·(old + signal) for each, summing to 1.

    `signals` is an object of numbers by archetype, read as in `profile_of`; they may be negative.
    Do this before recalling for the message, so that its own signals count for it (feature 121).
    """
    signal_values = _weights(signals, profile.names)
    weights = [
        max(0.0, SMOOTHING * old + (1 - SMOOTHING) * (old + signal))
        for old, signal in zip(profile.weights, signal_values, strict=True)
    ]
    return _normal(profile, weights)


def archetype_boost(
    bias: Json, profile: UserProfile, margin: float | None = None, strength: float = STRENGTH
) -> Boost:
    """Return the boost of a memory for the archetypes in `bias`, 0 to `ARCHETYPE_BOOST_MAX`.

    strength · alignment · (1 − n/N) · min(margin / MARGIN_MIN, 1): alignment is the weight of
    its n archetypes in the profile, N how many there are. For none and for all it is 0. `margin`
    is the profile's own where it is not given. `bias` may be any JSON value; never raises.
    """
    given = set(parse_texts(bias))
    meant = [name for name in profile.names if name in given]
    if not meant:
        return Boost()
    weights = profile.as_json()
    alignment = math.fsum(weights[name] for name in meant)
    special = 1 - len(meant) / len(profile.names)
    value = strength * alignment * special * _confidence(profile, margin)
    if not value > 0:  # nor a margin that is no number
        return Boost()
    line = BoostLine("archetype", f"is for archetype {', '.join(meant)}", value)
    return capped([line], ARCHETYPE_BOOST_MAX)


def _confidence(profile: UserProfile, margin: float | None) -> float:
    lead = profile.margin if margin is None else margin
    return min(max(lead / MARGIN_MIN, 0.0), 1.0)


def _weights(value: Json, names: Sequence[str]) -> list[float]:
    """Return the number that an object has for each name, 0 where it has none."""
    given: dict[str, float] = {}
    if isinstance(value, Mapping):
        for key, weight in value.items():
            given.setdefault(str(key).lower().strip(), _number(weight))
    return [given.get(name, 0.0) for name in names]


def _number(value: Json) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0.0
    try:
        number = float(value)
    except OverflowError:
        return 0.0
    return number if math.isfinite(number) else 0.0


def _normal(profile: UserProfile, weights: Sequence[float]) -> UserProfile:
    """Scale weights from 0 to a sum of 1; neutral where all are 0."""
    most = max(weights, default=0.0)
    if most <= 0 or not math.isfinite(most):
        return neutral(profile.names)
    # By the largest first: the sum of very large weights has no number.
    scaled = [weight / most for weight in weights]
    total = math.fsum(scaled)
    return UserProfile(profile.names, tuple(weight / total for weight in scaled))


#: Memories returned, and candidates looked at, where nothing else is asked for.
LIMIT, CANDIDATE_LIMIT = 12, 60
#: The most candidates that are looked at, unless more are to be returned.
CANDIDATES_MAX = 200
#: With a best base score below this, nothing found is to be trusted.
LOW_CONFIDENCE = 0.1


@dataclass(frozen=True, slots=True)
class RerankCandidate:
    """A memory that search found: its distance from the question (0 is nearest), and its facets.

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
    """What candidates are compared with: the hints of a question, and the asker's profile."""

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


def candidate(id: str, distance: float, metadata: Json) -> RerankCandidate:
    """Return a memory found at `distance`, with what its metadata say of it."""
    return RerankCandidate(id, distance, facets_of(metadata), is_safe(metadata))


def is_safe(metadata: Json) -> bool:
    """Return whether a memory and its document are active, public and not confidential.

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
        raise InvalidInput(f"limit is {limit}: give a whole number of at least 1")
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


#: What facets and profile add, by the names of their branches in a trace.
FACETS, PROFILE = "facets", "profile"


def candidate_count(settings: RecallSettings, limit: int) -> int:
    """Return how many candidates to rank for `limit` memories."""
    return fetched_count(settings.rerank_candidates, limit)


def validate_hints(hints: Mapping[str, Any] | None) -> Json:
    """Return hints as plain JSON values, to be kept with an answer; `InvalidInput` if they cannot.

    Unknown names are ignored; see `facets.hints_of` and `rerank_context_of` for the others.
    """
    if hints is None:
        return None
    try:
        return json.loads(json.dumps(dict(hints), allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(
            f"hints are not a JSON object ({error}): give names and values"
        ) from None


def rerank_context_of(hints: Json, settings: RecallSettings) -> RerankContext:
    """Read the asker's hints, `profile_vector` and the `signals` of this message."""
    given = hints if isinstance(hints, dict) else {}
    vector, signals = given.get("profile_vector"), given.get("signals")
    return rerank_context(given, profile=vector, signals=signals, names=settings.archetypes)


def rerank_pool(ranked: Ranked, catalog: Catalog, settings: RecallSettings, wide: int) -> Ranked:
    """Return ranked candidates in the order that facets and profile give them.

    Restricted memories are left out, and a note counts them; the best `wide` of the others take
    part. `max_score` is the best 1 − distance, the cosine with the question, 0 to 1; without
    vectors, it is the best score without facets and profile, as a share of a cosine's weight.
    """
    pool, order, contributions = ranked.pool, ranked.order, ranked.contributions
    scores = total(contributions, len(pool.rows))
    unit, seqs = _unit(settings, scores), pool.space.view.experiences.seqs[pool.rows]
    memories = catalog.fetch(pool.space.name, seqs[order].tolist())
    candidates: dict[str, tuple[int, RerankCandidate]] = {}
    for place in order.tolist():
        memory = memories.get(int(seqs[place]))
        if memory is not None:
            item = candidate(memory.id, 1 - float(scores[place]) / unit, dict(memory.metadata))
            candidates[memory.id] = place, item
    who = rerank_context_of(pool.space.hints, settings)
    items = [item for _, item in candidates.values()]
    again = rerank(items, who, wide, wide)
    keep_mask = np.ones(len(pool.rows), bool)
    keep_mask[[place for place, item in candidates.values() if not item.safe]] = False
    new_places = np.cumsum(keep_mask) - 1
    more = [
        _boost_contribution(term, line, len(pool.rows), candidates[hit.candidate.id][0], unit)
        for hit in again.hits
        for term, boost in ((FACETS, hit.facet_boost), (PROFILE, hit.archetype_boost))
        for line in boost.lines
    ]
    kept = np.flatnonzero(keep_mask)
    left = [each.of(kept, np.arange(len(kept)), len(kept)) for each in (*contributions, *more)]
    places = [int(new_places[candidates[hit.candidate.id][0]]) for hit in again.hits]
    rest = Pool(pool.space, pool.rows[keep_mask], pool.similarity, pool.words, pool.mass)
    notes = _notes(rest, np.array(places, np.int64), again.refused)
    near = pool.similarity[rest.rows[places]]
    best = float(np.clip(near.max(), 0.0, 1.0)) if near.any() else again.max_score
    return replace(
        ranked,
        pool=rest,
        order=np.array(places, np.int64),
        scores=total(left, len(rest.rows)),
        contributions=left,
        notes=(*ranked.notes, *notes),
        max_score=best,
    )


def _unit(settings: RecallSettings, scores: Floats) -> float:
    """Return the weight of a cosine of 1 in a profile; if it is 0, the best score."""
    if settings.profile == "default":
        return DEFAULT_WEIGHTS.meaning_in_context
    if settings.profile == "reference":
        return 1.0
    best = float(np.max(scores, initial=0.0))
    return best if best > 0 else 1.0


def _boost_contribution(
    term: str, line: BoostLine, count: int, place: int, unit: float
) -> Contribution:
    values = np.zeros(count)
    values[place] = unit * line.value
    return Contribution(term, Evidence.FACETS, line.label, values)


def _notes(pool: Pool, places: Ints, refused: int) -> tuple[str, ...]:
    notes = []
    near = pool.similarity[pool.rows[places]]
    if pool.similarity[pool.rows].any() and len(near) and float(near.max()) < LOW_CONFIDENCE:
        notes.append(f"low confidence: the nearest memory found has cosine {near.max():.2f}")
    if refused:
        notes.append(f"{refused} of the memories found are restricted, and are left out")
    return tuple(notes)
