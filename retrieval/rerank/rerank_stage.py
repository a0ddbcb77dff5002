"""The rerank stage of recall: a new order of the best memories, by facets and profile.

Recall's score is the base and does not change; a boost is a contribution of its own, so that a
score is still the sum of its trace. A boost of .1 counts as much as .1 of cosine does in the
ranking profile. Confidence is computed without boosts.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...core.errors import InvalidInput
from ...core.recall_settings import RecallSettings
from ...core.types import Json
from ...graph.view import Floats, Ints
from ...storage.projections.catalog import Catalog
from ..candidates.pool import Mask, Pool
from ..ranking.contributions import Contribution, Evidence, total
from ..ranking.ranking_weights import DEFAULT_WEIGHTS
from .facets import BoostLine
from .reranker import (
    LOW_CONFIDENCE,
    RerankCandidate,
    RerankContext,
    candidate,
    fetched_count,
    rerank,
    rerank_context,
)

#: What facets and profile add, by the names of their branches in a trace.
FACETS, PROFILE = "facets", "profile"


@dataclass(frozen=True, slots=True)
class RerankedPool:
    """Candidates in their new order: places in `pool.rows`, best first, scores and contributions.

    `max_score` is the best 1 − distance, the cosine with the question, of 0 to 1; without vectors,
    the best score without what facets and profile add, as a share of a cosine's weight.
    """

    pool: Pool
    order: Ints
    scores: Floats
    contributions: list[Contribution]
    notes: tuple[str, ...]
    max_score: float


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
        raise InvalidInput(f"hints are no JSON object ({error}): give names and values") from None


def rerank_context_of(hints: Json, settings: RecallSettings) -> RerankContext:
    """Read who asks: hints, and beside them `profile_vector` and this message's `signals`."""
    given = hints if isinstance(hints, dict) else {}
    vector, signals = given.get("profile_vector"), given.get("signals")
    return rerank_context(given, profile=vector, signals=signals, names=settings.archetypes)


def rerank_pool(
    pool: Pool,
    order: Ints,
    contributions: list[Contribution],
    catalog: Catalog,
    settings: RecallSettings,
    wide: int,
) -> RerankedPool:
    """Return the ranked candidates (`order`: places, best first) as facets and profile have them.

    What is not for everybody who asks in the space is left out, and a note counts it; of the rest
    the best `wide` take part.
    """
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
    ranked = rerank(items, who, wide, wide)
    keep_mask = np.ones(len(pool.rows), bool)
    keep_mask[[place for place, item in candidates.values() if not item.safe]] = False
    new_places = np.cumsum(keep_mask) - 1
    more = [
        _boost_contribution(term, line, len(pool.rows), candidates[hit.candidate.id][0], unit)
        for hit in ranked.hits
        for term, boost in ((FACETS, hit.facet_boost), (PROFILE, hit.archetype_boost))
        for line in boost.lines
    ]
    left = [_filtered(contribution, keep_mask) for contribution in (*contributions, *more)]
    places = [int(new_places[candidates[hit.candidate.id][0]]) for hit in ranked.hits]
    rest = Pool(pool.space, pool.rows[keep_mask], pool.similarity, pool.words, pool.mass)
    notes = _notes(rest, np.array(places, np.int64), ranked.refused)
    near = pool.similarity[rest.rows[places]]
    best = float(np.clip(near.max(), 0.0, 1.0)) if near.any() else ranked.max_score
    return RerankedPool(
        rest, np.array(places, np.int64), total(left, len(rest.rows)), left, notes, best
    )


def _unit(settings: RecallSettings, scores: Floats) -> float:
    """Return what a cosine of 1 counts in a profile; where it counts nothing, the best score."""
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


def _filtered(contribution: Contribution, keep_mask: Mask) -> Contribution:
    """Return a contribution to the memories that are left."""
    return replace(
        contribution,
        values=contribution.values[keep_mask],
        source=None if contribution.source is None else contribution.source[keep_mask],
        error=None if contribution.error is None else contribution.error[keep_mask],
    )


def _notes(pool: Pool, places: Ints, refused: int) -> tuple[str, ...]:
    notes = []
    near = pool.similarity[pool.rows[places]]
    if pool.similarity.any() and len(near) and float(near.max()) < LOW_CONFIDENCE:
        notes.append(f"low confidence: the nearest memory found has cosine {near.max():.2f}")
    if refused:
        notes.append(f"{refused} of the memories found are not for everybody, and are left out")
    return tuple(notes)
