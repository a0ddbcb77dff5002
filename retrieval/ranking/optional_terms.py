"""Contributions that a caller may switch on: significance, recency, centrality, diversity.

None of them improved the benchmarks (docs/recall.md), so each has the weight 0 by default.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ...core.recall_settings import RecallSettings
from ...core.time import DAY_S
from ...graph.view import Floats
from ...storage.projections.catalog import Catalog
from ...storage.vectors import VectorIndex
from ...traversal.memrank import memrank
from ..candidates.pool import Pool
from .context_norms import first_vectors
from .contributions import Contribution, Evidence, best_first, total

#: Memories that diversity puts into a new order.
_DIVERSE_MAX = 100


def contributions(
    pool: Pool, given: Sequence[Contribution], catalog: Catalog, settings: RecallSettings
) -> list[Contribution]:
    """Return the contributions that the settings switch on, beside those that are `given`."""
    added: list[Contribution] = []
    if settings.significance:
        seqs = pool.space.view.experiences.seqs[pool.rows].tolist()
        by_seq = catalog.significances(pool.space.name, seqs)
        added.append(significance(pool, by_seq, settings.significance))
    if settings.recency:
        added.append(recency(pool, settings.recency_days, settings.recency))
    if settings.memrank:
        added.append(centrality(pool, settings.memrank))
    if settings.diversity and pool.space.index is not None:
        scores = total([*given, *added], len(pool.rows))
        added.append(diversity(pool, pool.space.index, scores, settings.diversity))
    return added


def significance(pool: Pool, by_seq: Mapping[int, float], weight: float) -> Contribution:
    """Give by the significance of a memory at capture, 0 to 1, by sequence."""
    seqs = pool.space.view.experiences.seqs[pool.rows].tolist()
    values = np.array([by_seq.get(seq, 0.0) for seq in seqs], np.float64)
    return Contribution(
        "significance", Evidence.HISTORY, "was significant when it happened", weight * values
    )


def recency(pool: Pool, half_life_days: float, weight: float) -> Contribution:
    """Give ½^(age / half-life), by event time; what is still to come counts as now."""
    days = (pool.space.now - pool.space.view.experiences.at[pool.rows]) / DAY_S
    values = weight * 0.5 ** (np.maximum(days, 0.0) / half_life_days)
    return Contribution("recency", Evidence.TIME, "happened lately", values)


def centrality(pool: Pool, weight: float) -> Contribution:
    """Give by MemRank over associations; the most central visible memory gets the whole weight."""
    ranks = memrank(pool.space.view, pool.space.visible)
    values = weight * ranks[pool.rows] / max(float(ranks.max(initial=0.0)), 1e-300)
    return Contribution(
        "centrality", Evidence.TOPIC, "much is associated with it (MemRank)", values
    )


def diversity(pool: Pool, index: VectorIndex, scores: Floats, weight: float) -> Contribution:
    """Take from a memory its largest cosine with what stands before it (MMR), greedily.

    Source: Carbonell and Goldstein 1998, with a sum for the mix. Only the best hundred are looked
    at; what is behind them stays behind.
    """
    best = best_first(pool.rows, scores)[:_DIVERSE_MAX]
    vectors = first_vectors(pool.space.view, index, pool.rows[best]).astype(np.float64)
    taken = np.zeros(len(pool.rows))
    near, left = np.zeros(len(best)), np.ones(len(best), bool)
    for _ in range(len(best)):
        now = np.where(left, scores[best] - weight * near, -np.inf)
        chosen = int(np.argmax(now))
        left[chosen] = False
        taken[best[chosen]] = weight * near[chosen]
        near = np.where(left, np.maximum(near, vectors @ vectors[chosen]), near)
    behind = np.ones(len(pool.rows), bool)
    behind[best] = False
    if behind.any() and len(best):
        lowest = float(np.min(scores[best] - taken[best]))
        taken[behind] = max(0.0, float(np.max(scores[behind])) - lowest + 1e-6)
    return Contribution(
        "diversity", Evidence.OWN_WORDS, "says what stands before it already", -taken
    )
