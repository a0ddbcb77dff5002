"""How likely a summary would mention each sentence of a talk: one small head over named features.

The weights stand in data/mentions.json, learned from labels of our own (`make train-heads`).
"""

from __future__ import annotations

from collections.abc import Sequence

from .heads import load_heads
from .talk import Turn, features_of


def mention_likelihoods(turns: Sequence[Turn]) -> list[list[float]]:
    """Return for each sentence of each turn, in order, how likely it would be mentioned."""
    heads = load_heads("mentions")
    return [
        [heads.likelihoods(features)["mention"] for features in turn] for turn in features_of(turns)
    ]
