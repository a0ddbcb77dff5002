"""How a question is put: its little words and its whole, in the voice of whom it asks about.

What "what did I do" stands near to is somebody telling what they did, whatever the words that
carry the meaning are; `ranking.said` looks for those. What only sounds like the question as a whole
repeats it and answers nothing.
"""

from __future__ import annotations

import numpy as np

from ..graph.view import Floats
from .late import LITTLE, WHOLE, Nearest
from .pool import Pool
from .profile import Weights
from .shares import Share

_WINDOW = (0, -1, 1, -2, 2)
_WHERE = {
    0: "tells it as it is asked",
    -1: "the message before tells it as it is asked",
    1: "the message after tells it as it is asked",
    -2: "the message before the last tells it as it is asked",
    2: "the message after the next tells it as it is asked",
}


def phrased(pool: Pool, nearest: Nearest, weights: Weights, trust: float) -> list[Share]:
    """Give how near a memory's words come to a question's pieces, each counting the same.

    Here, to its little words and (taken off) to its whole; in five messages, to all its words. Each
    unit of those goes to the message that it comes from.
    """
    kinds = np.array(list(nearest.stems))
    here: dict[str, Floats] = {}
    for label, weight, kind in (
        (_WHERE[0], weights.phrased, LITTLE),
        ("sounds like the question itself", weights.echo, WHOLE),
    ):
        pieces = kinds == kind
        if weight and pieces.any():
            here[label] = trust * weight * nearest.at[0][pieces].mean(axis=0, dtype=np.float64)
    shares = [Share("words", label, values) for label, values in here.items()]
    words = kinds != WHOLE
    if not weights.phrased_near or not words.any():
        return shares
    for offset, best in nearest.shared(_WINDOW).items():
        value = trust * weights.phrased_near * best[words].mean(axis=0, dtype=np.float64)
        if value.any():
            source = pool.neighbours(offset) if offset else None
            shares.append(Share("words", _WHERE[offset], value, "NEXT" if offset else None, source))
    return shares
