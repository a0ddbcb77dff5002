"""Logistic heads over named features: small files of weights that one can read.

A file says from what its heads were learned and how good they were on what was held out
(`make train-heads`). A score is the likelihood of a label, 0 to 1.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_DATA = Path(__file__).parent / "data"


@dataclass(frozen=True, slots=True)
class LogisticHead:
    """One label: its bias and the weights of features by name."""

    bias: float
    weights: Mapping[str, float]

    def likelihood(self, features: Mapping[str, float]) -> float:
        """Return how likely the label is, 0 to 1."""
        weights = self.weights
        score = self.bias + math.fsum(
            value * weights[name] for name, value in features.items() if name in weights
        )
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, score))))


@cache
def load_heads(name: str) -> Mapping[str, LogisticHead]:
    """Return the heads of a file in `language/data` by label."""
    described = json.loads((_DATA / f"{name}.json").read_text("utf-8"))["heads"]
    return {
        label: LogisticHead(float(head["bias"]), head["weights"])
        for label, head in described.items()
    }


def likely(
    heads: Mapping[str, LogisticHead], features: Mapping[str, float], at_least: float
) -> dict[str, float]:
    """Return the labels that are as likely, with how likely each is (two decimals)."""
    scored = ((label, head.likelihood(features)) for label, head in heads.items())
    return {label: round(score, 2) for label, score in scored if score >= at_least}


def ones(names: Iterable[str]) -> dict[str, float]:
    """Return features that are there."""
    return dict.fromkeys(names, 1.0)
