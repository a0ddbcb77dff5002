"""Facets and profile in recall: the best of an answer, put into a new order by whom it is for.

Recall's score stays what it is and is called the base; what agreement adds is a share of its own,
so that a score is still the sum of its trace. A boost of .1 counts as much as .1 of cosine does in
the profile that ranked. How sure search is, is judged without boosts.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..core.errors import InvalidInput
from ..core.settings import RecallSettings
from ..core.types import Json
from ..graph.catalog import Catalog
from ..graph.view import Floats, Ints
from .facets import Line
from .pool import Mask, Pool
from .profile import DEFAULT
from .rerank import LOW_CONFIDENCE, Asker, Candidate, RerankSettings, asker, candidate, rerank
from .shares import Share, total

#: What facets and profile add, by the names of their branches in a trace.
FACETS, PROFILE = "facets", "profile"


@dataclass(frozen=True, slots=True)
class Reordered:
    """Candidates in their new order: places in `pool.rows`, best first, scores and shares."""

    pool: Pool
    order: Ints
    scores: Floats
    shares: list[Share]
    notes: tuple[str, ...]


def widened(settings: RecallSettings, limit: int) -> int:
    """Return how many candidates to rank for `limit` memories."""
    return RerankSettings(settings.rerank, settings.rerank_candidates).candidates(limit)


def plain_hints(hints: Mapping[str, Any] | None) -> Json:
    """Return hints as plain JSON values, to be kept with an answer; `InvalidInput` if they cannot.

    Names that mean nothing are passed over; see `facets.hints_of` and `asker_of` for the others.
    """
    if hints is None:
        return None
    try:
        return json.loads(json.dumps(dict(hints), allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(f"hints are no JSON object ({error}): give names and values") from None


def asker_of(hints: Json, settings: RecallSettings) -> Asker:
    """Read who asks: hints, and beside them `profile_vector` and this message's `signals`."""
    given = hints if isinstance(hints, dict) else {}
    vector, signals = given.get("profile_vector"), given.get("signals")
    return asker(given, profile=vector, signals=signals, names=settings.archetypes)


def reordered(
    pool: Pool, order: Ints, shares: list[Share], catalog: Catalog, settings: RecallSettings
) -> Reordered:
    """Return the ranked candidates (`order`: places, best first) as facets and profile have them.

    What is not for everybody who asks in the space is left out, and a note counts it.
    """
    scores = total(shares, len(pool.rows))
    unit, seqs = _unit(settings, scores), pool.space.view.experiences.seqs[pool.rows]
    known = catalog.fetch(pool.space.name, seqs[order].tolist())
    found: dict[str, tuple[int, Candidate]] = {}
    for place in order.tolist():
        memory = known.get(int(seqs[place]))
        if memory is not None:
            one = candidate(memory.id, 1 - float(scores[place]) / unit, dict(memory.metadata))
            found[memory.id] = place, one
    chosen = RerankSettings(True, max(settings.rerank_candidates, 1))
    who = asker_of(pool.space.hints, settings)
    ranked = rerank((one for _, one in found.values()), who, chosen, max(len(found), 1))
    kept = np.ones(len(pool.rows), bool)
    kept[[place for place, one in found.values() if not one.safe]] = False
    moved = np.cumsum(kept) - 1
    more = [
        _added(term, line, len(pool.rows), found[hit.candidate.id][0], unit)
        for hit in ranked.hits
        for term, part in ((FACETS, hit.facet_boost), (PROFILE, hit.archetype_boost))
        for line in part.lines
    ]
    left = [_left(share, kept) for share in (*shares, *more)]
    places = [int(moved[found[hit.candidate.id][0]]) for hit in ranked.hits]
    rest = Pool(pool.space, pool.rows[kept], pool.similarity, pool.words, pool.mass)
    notes = _notes(rest, np.array(places, np.int64), ranked.refused)
    return Reordered(rest, np.array(places, np.int64), total(left, len(rest.rows)), left, notes)


def _unit(settings: RecallSettings, scores: Floats) -> float:
    """Return what a cosine of 1 counts in a profile; where it counts nothing, the best score."""
    if settings.profile == "default":
        return DEFAULT.meaning_in_context
    if settings.profile == "reference":
        return 1.0
    best = float(np.max(scores, initial=0.0))
    return best if best > 0 else 1.0


def _added(term: str, line: Line, count: int, place: int, unit: float) -> Share:
    values = np.zeros(count)
    values[place] = unit * line.value
    return Share(term, line.label, values)


def _left(share: Share, kept: Mask) -> Share:
    """Return a share of the memories that are left."""
    return replace(
        share,
        values=share.values[kept],
        source=None if share.source is None else share.source[kept],
        error=None if share.error is None else share.error[kept],
    )


def _notes(pool: Pool, places: Ints, refused: int) -> tuple[str, ...]:
    notes = []
    near = pool.similarity[pool.rows[places]]
    if pool.similarity.any() and len(near) and float(near.max()) < LOW_CONFIDENCE:
        notes.append(f"low confidence: the nearest memory found has cosine {near.max():.2f}")
    if refused:
        notes.append(f"{refused} of the memories found are not for everybody, and are left out")
    return tuple(notes)
