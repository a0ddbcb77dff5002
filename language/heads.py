"""Logistic heads over named features, and nets of one layer.

What a sentence means by its vector is told by heads over that (`meanings.json`), and mixed
with what its words say. A file says from what its heads were learned and how good they were on
what was held out (`make train-heads`). A score is the likelihood of a label, 0 to 1.
"""

from __future__ import annotations

import json
import math
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..core.lazy import np
from ..models.tokens import Encoded, product
from .sentences import Span
from .talk import Turn, features_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

_DATA = Path(__file__).parent / "data"
#: Before the numbers of an array in NumPy's form, version 1.
_HEADER_BYTES = 128
#: Vectors have so many dimensions.
_DIMENSION = 384


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
        return {label: logistic(math.fsum(of_label)) for label, of_label in terms.items()}


@cache
def load_heads(name: str) -> Heads:
    """Return the heads of a file in `language/data`."""
    described = json.loads((_DATA / f"{name}.json").read_text("utf-8"))
    biases = {label: float(head["bias"]) for label, head in described["heads"].items()}
    return Heads(biases, described["weights"])


class Net(NamedTuple):
    """Units over named features and one score over these, in whole numbers.

    `units` (features, units + 1), row by row, says what each feature weighs for each unit, and
    last for the score; `over` (units + 1) what the units do. Sums of whole numbers are the same
    everywhere.
    """

    places: Mapping[str, int]
    units: memoryview
    bias: Sequence[int]
    over: Sequence[int]
    scale: float

    def score(self, features: Iterable[str]) -> float:
        """Return the log-odds of what has these features."""
        places, units, width = self.places, self.units, len(self.bias)
        known = [places[name] * width for name in {*features} if name in places]
        sums = map(sum, zip(self.bias, *(units[at : at + width] for at in known), strict=True))
        *did, rest = sums
        *over, last = self.over
        total = sum(max(unit, 0) * weight for unit, weight in zip(did, over, strict=True))
        return (total + rest * last) * self.scale


@cache
def load_net(name: str) -> Net:
    """Return the net of a file in `language/data`."""
    scale = json.loads((_DATA / f"{name}.json").read_text("utf-8"))["scale"]
    with zipfile.ZipFile(_DATA / f"{name}.npz") as file:  # without NumPy, for what only captures
        names, units, bias, over = (
            memoryview(file.read(f"{array}.npy"))[_HEADER_BYTES:]
            for array in ("names", "units", "bias", "over")
        )
    places = {name: at for at, name in enumerate(bytes(names).decode("utf-8").split("\0"))}
    return Net(places, units.cast("b"), bias.cast("q").tolist(), over.cast("q").tolist(), scale)


@dataclass(frozen=True, slots=True)
class Meanings:
    """What vectors mean: labels with the weights of a vector's dimensions for each, and biases.

    `mixes` are heads over the likelihoods by words and these features together.
    """

    labels: tuple[str, ...]
    weights: NDArray[np.float32]
    biases: NDArray[np.float32]
    mixes: Mapping[str, Mapping[str, float]]


@cache
def load_meanings() -> Meanings:
    """Return the heads over vectors."""
    described = json.loads((_DATA / "meanings.json").read_text("utf-8"))
    heads = described["heads"]
    weights = np.array([head["weights"] for head in heads.values()], np.float32)
    biases = np.array([head["bias"] for head in heads.values()], np.float32)
    mixes = {label: mix["weights"] for label, mix in described["mixes"].items()}
    return Meanings(tuple(heads), weights, biases, mixes)


def meanings_of(spans: Sequence[Span], encoded: Encoded | None) -> list[dict[str, float]]:
    """Return what each sentence of a text means by its vector: logits by label, 0 on average.

    A sentence has none without an encoder, or beyond what that reads.
    """
    vectors = sentence_vectors(spans, encoded)
    if all(vector is None for vector in vectors):
        return [{} for _ in spans]
    means = load_meanings()
    return [
        {}
        if vector is None
        else dict(
            zip(means.labels, (product(means.weights, vector) + means.biases).tolist(), strict=True)
        )
        for vector in vectors
    ]


def with_meaning(likely: Mapping[str, float], meaning: Mapping[str, float]) -> dict[str, float]:
    """Return likelihoods by words and by the vector together; by words alone without one."""
    if not meaning:
        return {**likely}
    both = {**likely}
    for label, mix in load_meanings().mixes.items():
        of = mix_features(likely[label], meaning)
        both[label] = logistic(math.fsum(weight * of[name] for name, weight in mix.items()))
    return both


def mix_features(likely: float, meaning: Mapping[str, float]) -> dict[str, float]:
    """Return what mixes weigh: the logit by words, those by the vector, and one."""
    sure = min(max(likely, 1e-4), 1 - 1e-4)
    return {**meaning, "words": math.log(sure / (1 - sure)), "one": 1.0}


def logistic(logit: float) -> float:
    """Return the likelihood of a logit."""
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, logit))))


def sentence_vectors(
    spans: Sequence[Span], encoded: Encoded | None
) -> list[NDArray[np.float32] | None]:
    """Return for each sentence of a text the mean of its word pieces' states, as a unit vector."""
    if encoded is None or encoded.pieces.shape[1] != _DIMENSION:
        return [None] * len(spans)
    vectors: list[NDArray[np.float32] | None] = []
    for start, end in spans:
        inside = [at for at, (a, b) in enumerate(encoded.spans) if start <= a < b <= end]
        mean = encoded.pieces[inside].mean(axis=0) if inside else None
        vectors.append(None if mean is None else mean / max(float(np.linalg.norm(mean)), 1e-12))
    return vectors


def ones(names: Iterable[str]) -> dict[str, float]:
    """Return features that are there."""
    return dict.fromkeys(names, 1.0)


def mention_likelihoods(turns: Sequence[Turn]) -> list[list[float]]:
    """Return for each sentence of each turn, in order, how likely it would be mentioned."""
    heads = load_heads("mentions")
    return [
        [heads.likelihoods(features)["mention"] for features in turn] for turn in features_of(turns)
    ]
