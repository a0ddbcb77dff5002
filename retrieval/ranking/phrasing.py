"""Contributions by the wording of a question: its function words and the question as a whole.

A text near to "what did I do" tells what somebody did, whatever its content words are; content
words are compared in `formula.token_match`. A text that is only near to the question as a whole
repeats it and answers nothing.
"""

from __future__ import annotations

import numpy as np

from ...graph.view import Floats
from ..candidates.pool import Pool
from .contributions import Contribution, Evidence, beside
from .late_interaction import FUNCTION_WORD, SPECIAL_TOKEN, MaxSimilarities
from .ranking_weights import RankingWeights

_WINDOW = (0, -1, 1, -2, 2)
_LABEL = "an answer's wording"


def phrased(
    pool: Pool,
    max_similarities: MaxSimilarities,
    weights: RankingWeights,
    lexical_confidence: float,
) -> list[Contribution]:
    """Give by how near a memory's words are to a question's pieces, each counting the same.

    In the memory: to the function words, and (negative) to the whole question. In five messages:
    to all words; each unit goes to the message that it comes from.
    """
    kinds = np.array(list(max_similarities.stems))
    here: dict[str, Floats] = {}
    for label, weight, kind in (
        (_LABEL, weights.phrased, FUNCTION_WORD),
        ("repeats the question", weights.echo, SPECIAL_TOKEN),
    ):
        pieces = kinds == kind
        if weight and pieces.any():
            here[label] = (
                lexical_confidence
                * weight
                * max_similarities.at[0][pieces].mean(axis=0, dtype=np.float64)
            )
    contributions = [
        Contribution("words", Evidence.OWN_WORDS, label, values) for label, values in here.items()
    ]
    words = kinds != SPECIAL_TOKEN
    if not weights.phrased_near or not words.any():
        return contributions
    for offset, best in max_similarities.best_in_window(_WINDOW).items():
        value = (
            lexical_confidence * weights.phrased_near * best[words].mean(axis=0, dtype=np.float64)
        )
        if value.any():
            contributions.append(beside(pool, offset, "words", _LABEL, value))
    return contributions
