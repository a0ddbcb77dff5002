"""The contribution of other systems' searches (Graphiti) to a score.

What they find is added to the pool; nothing that was found otherwise loses by it.
"""

from __future__ import annotations

import numpy as np

from ..candidates.pool import Pool
from .contributions import Contribution, Evidence


def with_finds(pool: Pool) -> Pool:
    """Return a pool with what other systems found of what may be returned."""
    if not pool.space.finds:
        return pool
    seqs = np.array([seq for seq, _ in pool.space.finds], np.int64)
    rows = pool.space.view.experiences.index_of(seqs)
    rows = rows[rows >= 0]
    return pool.with_rows(rows[pool.space.allowed[rows]]) if len(rows) else pool


def contributions(pool: Pool, weight: float) -> list[Contribution]:
    """Return what the finds gain: `weight` times the score that their source gives, 0 to 1."""
    if not pool.space.finds:
        return []
    scores = dict(pool.space.finds)
    seqs = pool.space.view.experiences.seqs[pool.rows].tolist()
    values = weight * np.clip([scores.get(seq, 0.0) for seq in seqs], 0.0, 1.0)
    label = "Graphiti's search finds a fact of it"
    return [Contribution("graphiti", Evidence.MEANING, label, values)]
