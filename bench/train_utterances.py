"""Learn what sentences feel, and setbacks: models/data/utterances.json, with its figures.

    python -m bench.train_utterances [--out FILE]

The sentences were written for this project and labelled by hand; bench/data/utterances.md says how.
One logistic head a feeling, over the features that enough sentences have and the sentence's vector.
Every fifth message is held out for the figures; what ships learns from all. What sentences do is
learned by bench.train_heads.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from meridia.ingest.extraction.analysis.analysis import analyse
from meridia.ingest.extraction.utterances import SETBACK, sentence_features
from meridia.models.embedder import MiniLmEmbedder
from meridia.models.tagger import Floats

_HERE = Path(__file__).parent
_DATA, _SETBACKS = _HERE / "data" / "utterances.tsv", _HERE / "data" / "setbacks.tsv"
_OUT = _HERE.parents[0] / "models/data/utterances.json"
#: A feature that fewer sentences have is left out.
_SENTENCES_MIN = 2
#: A feature whose weights are all smaller is left out of what ships.
_WEIGHT_MIN = 0.1
#: Labels that fewer sentences have are not learned.
_LABELLED_MIN = 12
_STEPS, _RATE = 300, 0.05
#: Penalties of weights: of named features and of the vector's directions. The head of setbacks has
#: more sentences, and smaller ones.
_DECAYS, _SETBACK_DECAYS = (3e-3, 5e-4), (1e-3, 2e-4)
_HELD_OUT = 5


@dataclass(frozen=True, slots=True)
class Labelled:
    """One sentence: its message, its features, its vector and its feelings."""

    message: int
    features: dict[str, float]
    vector: Floats
    feelings: frozenset[str]


def main() -> None:
    """Read, learn, write, and print the figures on what was held out."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--out", type=Path, default=_OUT)
    arguments = parser.parse_args()
    rows = list(read(_DATA))
    often = Counter(name for row in rows for name in row.features)
    names = sorted(name for name, count in often.items() if count >= _SENTENCES_MIN)
    labelled = Counter(label for row in rows for label in row.feelings)
    labels = sorted(
        label for label, count in labelled.items() if count >= _LABELLED_MIN and label != SETBACK
    )
    heads = heads_of(rows, names, labels, _DECAYS)
    rows += read(_SETBACKS)
    write(arguments.out, names, heads | heads_of(rows, names, [SETBACK], _SETBACK_DECAYS))


def heads_of(
    rows: Sequence[Labelled],
    names: Sequence[str],
    labels: Sequence[str],
    decays: tuple[float, float],
) -> dict[str, dict[str, Any]]:
    """Learn a head for each feeling, and print its figures."""
    held_out = np.array([row.message % _HELD_OUT == 0 for row in rows])
    wanted = np.array([[label in row.feelings for label in labels] for row in rows])
    training = FeatureMatrix.of(_where(rows, ~held_out), names)
    weights, bias = learn(training, wanted[~held_out], decays)
    tested = FeatureMatrix.of(_where(rows, held_out), names)
    scores = 1 / (1 + np.exp(-(tested.times(weights) + bias)))
    all_weights, all_bias = learn(FeatureMatrix.of(rows, names), wanted, decays)
    heads = {
        label: {
            "figures": figures_of(scores[:, place], wanted[held_out][:, place]),
            "bias": round(float(all_bias[place]), 3),
            "weights": [round(float(w), 2) for w in all_weights[:, place]],
        }
        for place, label in enumerate(labels)
    }
    for place, (label, head) in enumerate(heads.items()):
        print(f"{label:12} {int(wanted[:, place].sum()):5} {head['figures']}")
    return heads


def write(file: Path, names: Sequence[str], heads: Mapping[str, Mapping[str, Any]]) -> None:
    """Write the heads, without the features that weigh next to nothing in all of them."""
    rows = [dict(head) for head in heads.values()]
    weighty = [
        place
        for place in range(len(names))
        if max(abs(row["weights"][place]) for row in rows) >= _WEIGHT_MIN
    ]
    for row in rows:
        named = [row["weights"][place] for place in weighty]
        row["weights"] = named + row["weights"][len(names) :]
    described = dict(zip(heads, rows, strict=True))
    body = {"features": [names[place] for place in weighty], "heads": described}
    file.write_text(json.dumps(body) + "\n", "utf-8")


def read(file: Path) -> Iterator[Labelled]:
    """Yield the sentences of a file, analysed as parts of their messages."""
    embedder = MiniLmEmbedder()
    cells = [line.split("\t") for line in file.read_text("utf-8").splitlines() if line.strip()]
    for number, (_, group) in enumerate(groupby(cells, key=lambda row: row[0])):
        message = list(group)
        sentences = [row[3].strip() for row in message]
        analysis = analyse("\n".join(sentences), embedder.encode)
        if len(analysis.sentences) != len(sentences):
            continue  # split otherwise than it was labelled
        for place, row in enumerate(message):
            vector = analysis.sentences[place].vector
            if vector is not None:
                features = sentence_features(analysis.sentences, place)
                yield Labelled(number, features, vector, _words(row[2]) | _setback(row[1]))


def _setback(cell: str) -> frozenset[str]:
    return _words(cell) & {SETBACK}


def _words(cell: str) -> frozenset[str]:
    return frozenset(word.strip() for word in cell.split(",")) - {"", "-"}


def _where(rows: Sequence[Labelled], chosen: np.ndarray) -> list[Labelled]:
    return [row for row, taken in zip(rows, chosen, strict=True) if taken]


@dataclass(frozen=True, slots=True)
class FeatureMatrix:
    """The named features of sentences, few of them each, and behind them their vectors.

    `places` and `columns` say where each of `values` stands, in the order of sentences.
    """

    places: np.ndarray
    columns: np.ndarray
    values: Floats
    vectors: Floats
    names: int

    @classmethod
    def of(cls, rows: Sequence[Labelled], names: Sequence[str]) -> FeatureMatrix:
        """Return the matrix of sentences; features that are not among `names` are left out."""
        index = {name: column for column, name in enumerate(names)}
        cells = [
            (place, index[name], value)
            for place, row in enumerate(rows)
            for name, value in row.features.items()
            if name in index
        ]
        places, columns, values = zip(*cells, strict=True)
        return cls(
            np.array(places),
            np.array(columns),
            np.array(values, np.float32)[:, None],
            np.stack([row.vector for row in rows]).astype(np.float32),
            len(names),
        )

    def times(self, weights: Floats) -> Floats:
        """Return the product with weights (features, labels), shape (sentences, labels)."""
        named = sums_of(weights[self.columns] * self.values, self.places, len(self.vectors))
        return named + self.vectors @ weights[self.names :]

    def gradient(self, errors: Floats) -> Floats:
        """Return the transposed product with errors (sentences, labels)."""
        order = self.columns.argsort(kind="stable")
        cells = errors[self.places[order]] * self.values[order]
        return np.concatenate(
            [sums_of(cells, self.columns[order], self.names), self.vectors.T @ errors]
        )


def sums_of(cells: Floats, groups: np.ndarray, count: int) -> Floats:
    """Return the sum of each group's cells; groups stand in order."""
    sums = np.zeros((count, cells.shape[1]), np.float32)
    starts = np.flatnonzero(np.diff(groups, prepend=-1))
    sums[groups[starts]] = np.add.reduceat(cells, starts)
    return sums


def learn(
    matrix: FeatureMatrix, wanted: np.ndarray, decays: tuple[float, float]
) -> tuple[Floats, Floats]:
    """Return weights (features, labels) and biases: logistic regression by Adam.

    `decays` are the penalties of named features and of the vector's directions.
    """
    decay = np.full((matrix.names + matrix.vectors.shape[1], 1), decays[1], np.float32)
    decay[: matrix.names] = decays[0]
    weights = np.zeros((len(decay), wanted.shape[1]), np.float32)
    bias = np.full(wanted.shape[1], -2.0, np.float32)
    mean, spread = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, _STEPS + 1):
        errors = 1 / (1 + np.exp(-(matrix.times(weights) + bias))) - wanted
        gradient = matrix.gradient(errors) / len(matrix.vectors) + decay * weights
        mean += 0.1 * (gradient - mean)
        spread += 0.001 * (gradient**2 - spread)
        rate = _RATE * (1 - step / (_STEPS + 1))
        weights -= rate * mean / (1 - 0.9**step) / (np.sqrt(spread / (1 - 0.999**step)) + 1e-8)
        bias -= 4 * rate * errors.mean(axis=0)
    return weights, bias


def figures_of(scores: Floats, wanted: np.ndarray) -> dict[str, float]:
    """Return precision and recall at one half, and the area under the ROC curve."""
    given = scores >= 0.5
    right = float((given & wanted).sum())
    ranks = scores.argsort().argsort() + 1
    ones = int(wanted.sum())
    zeros = len(wanted) - ones
    area = (float(ranks[wanted].sum()) - ones * (ones + 1) / 2) / max(1, ones * zeros)
    return {
        "precision": round(right / max(1, int(given.sum())), 3),
        "recall": round(right / max(1, ones), 3),
        "area": round(area, 3),
        "held_out": ones,
    }


if __name__ == "__main__":
    main()
