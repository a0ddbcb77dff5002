"""The contribution of feedback to a score: bounded, and gone when the feedback is undone.

It adds no candidate and removes none. Without feedback there is no contribution, so that the
ranking is identical to the last bit. Recalling has no effect here.
"""

from __future__ import annotations

import numpy as np

from ...storage.store import Store
from ..candidates.pool import Pool
from .contributions import Contribution, Evidence

#: However often a memory was shown and not referred to, it loses no more than for this.
IGNORED_MIN = -25


def strength(given: int, ignored: int) -> float:
    """Return how strongly feedback speaks for a memory, between -1 and 1, from hundredths.

    s / (1 + |s|): one "useful" is a half, and no number of them is more than 1.
    """
    sum_ = (given + max(ignored, IGNORED_MIN)) / 100
    return sum_ / (1 + abs(sum_))


def contributions(file: Store, pool: Pool, most: float) -> list[Contribution]:
    """Return what feedback gives to the memories of a pool: at most `most`, up or down.

    Counts what was given by the moment that the question is asked as of.
    """
    space = pool.space
    seqs = space.view.experiences.seqs[pool.rows]
    bounds = [bound for bound in (space.view.until, space.last_seq) if bound is not None]
    feedback = file.space(space.name).feedback
    sums = feedback.sums(seqs.tolist(), min(bounds), space.moment)
    if not sums:
        return []
    strengths = [strength(*sums.get(seq, (0, 0))) for seq in seqs.tolist()]
    return [
        Contribution(
            "feedback", Evidence.HISTORY, "what was said of it before", most * np.array(strengths)
        )
    ]
