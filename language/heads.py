"""Logistic heads over named features, and nets of one layer.

A file says from what its heads were learned and how good they were on what was held out
(`make train-heads`). A score is the likelihood of a label, 0 to 1.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..core.lazy import np
from .talk import Turn, features_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

_DATA = Path(__file__).parent / "data"


@dataclass(frozen=True, slots=True)
class Heads:
    """Several labels: the bias of each, and by the name of a feature what it weighs for them."""

    biases: Mapping[str, float]
    weights: Mapping[str, Mapping[str, float]]

    def likelihoods(self, features: Mapping[str, float]) -> dict[str, float]:
        """Return how likely each label is, 0 to 1."""
        terms = {label: [bias] for label, bias in self.biases.items()}
        for name, value in features.items():
            for label, weight in self.weights.get(name, {}).items():
                terms[label].append(value * weight)
        return {
            label: 1 / (1 + math.exp(-max(-30.0, min(30.0, math.fsum(of_label)))))
            for label, of_label in terms.items()
        }

    def likely(self, features: Mapping[str, float], at_least: float) -> dict[str, float]:
        """Return the labels that are as likely, with how likely each is (two decimals)."""
        scored = self.likelihoods(features)
        return {label: round(score, 2) for label, score in scored.items() if score >= at_least}


@cache
def load_heads(name: str) -> Heads:
    """Return the heads of a file in `language/data`."""
    described = json.loads((_DATA / f"{name}.json").read_text("utf-8"))
    biases = {label: float(head["bias"]) for label, head in described["heads"].items()}
    return Heads(biases, described["weights"])


class Net(NamedTuple):
    """Units over named features and one score over these, in whole numbers.

    `units` (features, units + 1) says what each feature weighs for each unit, and last for the
    score; `over` (units + 1) what the units do. Sums of whole numbers are the same everywhere.
    """

    places: Mapping[str, int]
    units: NDArray[Any]
    bias: NDArray[Any]
    over: NDArray[Any]
    scale: float

    def score(self, features: Iterable[str]) -> float:
        """Return the log-odds of what has these features."""
        places = self.places
        known = [places[name] for name in {*features} if name in places]
        sums = self.units.take(known, axis=0).sum(axis=0, dtype=np.int64) + self.bias
        np.maximum(sums[:-1], 0, out=sums[:-1])
        return int(sums @ self.over) * self.scale


@cache
def load_net(name: str) -> Net:
    """Return the net of a file in `language/data`."""
    scale = json.loads((_DATA / f"{name}.json").read_text("utf-8"))["scale"]
    with np.load(_DATA / f"{name}.npz") as arrays:
        names = bytes(arrays["names"]).decode("utf-8").split("\0")
        units, bias, over = (arrays[layer] for layer in ("units", "bias", "over"))
    return Net({name: place for place, name in enumerate(names)}, units, bias, over, scale)


def ones(names: Iterable[str]) -> dict[str, float]:
    """Return features that are there."""
    return dict.fromkeys(names, 1.0)


def mention_likelihoods(turns: Sequence[Turn]) -> list[list[float]]:
    """Return for each sentence of each turn, in order, how likely it would be mentioned."""
    heads = load_heads("mentions")
    return [
        [heads.likelihoods(features)["mention"] for features in turn] for turn in features_of(turns)
    ]
