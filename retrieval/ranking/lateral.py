"""Lateral thinking: sometimes adds a memory a few edges away that was not asked for (feature 105).

With a probability, a few random walks of 2 or 3 edges start at the recalled memories and follow
topics, things and similarity. The end of a walk is taken unless it was recalled already, is nearly
the same as a recalled memory (a cosine above .7), or has decayed (below .2). The answer itself does
not change. The random seed is the recall's id, so that a replay finds the same.
"""

from __future__ import annotations

import numpy as np

from ...core.time import DAY_S
from ...graph.view import Ints
from ...traversal.paths import ActivationPath
from ...traversal.wander import wander
from ..candidates.pool import SpaceView
from .context_norms import first_vectors
from .contributions import Contribution, Evidence

HOPS = (2, 3)
SIMILARITY_MAX, DECAY_MIN = 0.7, 0.2
#: Associations: not what merely stood beside it, or was said by the same person.
_TYPES = ("ABOUT", "MENTIONS", "REFERENCES", "RELATED")
_WAYS = [(type, along) for type in _TYPES for along in (True, False)]
#: A node that more memories share is no association.
_FAN_OUT_MAX = 65
_WALKS = 20
#: The recalled memories that a walk may begin at.
_STARTS = 5


def find_laterally(
    space: SpaceView, recalled: Ints, probability: float
) -> tuple[int, Contribution] | None:
    """Return the row of one memory and its contribution; None where no walk finds one.

    `recalled` are the rows of the answer, best first. The score is the signal on arrival.
    """
    if not probability or not len(recalled):
        return None
    random = np.random.default_rng([space.random_seed, 105])
    if random.random() >= probability:
        return None
    view = space.view
    now = int(np.max(view.experiences.at[space.visible], initial=0))
    for _ in range(_WALKS):
        start = int(view.experiences.node[random.choice(recalled[:_STARTS])])
        path = wander(view, start, int(random.choice(HOPS)), _WAYS, random, _FAN_OUT_MAX)
        row = -1 if path is None else int(view.experience_of[path.nodes[-1]])
        if path is None or row < 0 or row in recalled or not space.allowed[row]:
            continue
        passed = view.experience_of[np.array(path.nodes, np.int64)]
        if not space.visible[passed[passed >= 0]].all():
            continue
        age_days = (now - int(view.experiences.at[row])) / DAY_S
        if decay(age_days) >= DECAY_MIN and _nearest(space, row, recalled) <= SIMILARITY_MAX:
            return row, _share(path)
    return None


def _share(path: ActivationPath) -> Contribution:
    label, values = "lateral thinking came to it", np.array([path.amount])
    return Contribution("lateral", Evidence.TOPIC, label, values, paths=lambda _: iter([path]))


def decay(age_days: float) -> float:
    """Return what is left of a memory: .05 + .95 / (1 + e^((age - 28) / 7)), age in days.

    Source: the recall decay of M6, with the floor that its text states (docs/decisions.md).
    """
    return 0.05 + 0.95 / (1 + float(np.exp(min((age_days - 28) / 7, 700.0))))


def _nearest(space: SpaceView, row: int, recalled: Ints) -> float:
    """Return the largest cosine of a memory with those recalled; 0 without vectors."""
    if space.index is None:
        return 0.0
    (vector,) = first_vectors(space.view, space.index, np.array([row], np.int64))
    return float((first_vectors(space.view, space.index, recalled) @ vector).max(initial=0.0))
