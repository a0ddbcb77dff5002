"""Learn what sentences do and what a summary would mention: language/data/*.json.

    python -m bench.train_heads [--out FOLDER]

The sentences were written for this project and labelled by hand (bench/data/utterances.md says
how): nothing is learned from others' annotations. Every fifth message or conversation is held out
for the figures in each file; what ships learns from all.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meridia.language.analyser import Analyser
from meridia.language.heads import mix_features, sentence_vectors
from meridia.language.marks import marks_of
from meridia.language.reading import LIKELY_MIN, sentence_features
from meridia.language.runs.failure_signs import output_features
from meridia.language.tagging import Floats
from meridia.language.talk import Turn, TurnSentence, features_of
from meridia.models.embedder import MiniLmEmbedder

_DATA = Path(__file__).parent / "data"
_OUT = Path(__file__).parents[1] / "language" / "data"
_MESSAGES = ("utterances.tsv", "setbacks.tsv", "instructions.tsv")
_TALKS = ("mentions-a.jsonl", "mentions-b.jsonl")
#: Talks of which only what is asked for good or taken back, and what is mentioned, is labelled.
_STANDING = "standing.jsonl"
_OUTPUTS = "tool_outputs.jsonl"
_FAILED, _NONE = frozenset({"failed"}), frozenset[str]()
_HELD_OUT = 5
#: Labels that fewer sentences have are not learned; features that fewer have are left out.
_LABELLED_MIN, _SENTENCES_MIN = 30, 3
#: Weights that are smaller are left out of what ships.
_WEIGHT_MIN = 0.15
_PENALTY, _RANKER_PENALTY, _OUTPUT_PENALTY = 4e-4, 5.0, 1.0
_STEPS, _RATE = 250, 0.08
#: What a sentence's vector tells, and what is told by that and by words together.
_MEANINGS, _MIXED = ("asked", "withdrawal"), ("asked", "instruction", "withdrawal")
_MEANING_PENALTY, _MIX_PENALTY, _MEANING_STEPS = 3.0, 0.1, 8
#: Labels that nothing reads.
_UNUSED = frozenset({"cancel", "done", "general", "joke", "like", "meta", "proposal", "deadline"})
_COMMITMENTS = frozenset({"plan", "promise", "proposal", "deadline", "reminder"})
#: Any of these asks for something for good. They are rare, so each of them counts as several;
#: so does what only looks like one.
_ORDERS, _ORDER_WEIGHT = frozenset({"instruction", "withdrawal"}), 3.0
_AMONG_PEOPLE, _TO_AGENTS = "utterances.tsv", "instructions.tsv"
#: Labels that only the talks have, and those that a file has alone.
_OF_TALKS = frozenset({"request", "meta", "reaction", "description"})
_ONLY = {
    "setbacks.tsv": frozenset({"setback"}),
    "instructions.tsv": frozenset({"instruction", "withdrawal", "asked"}),
    _STANDING: frozenset({"instruction", "withdrawal", "asked"}),
}


@dataclass(frozen=True, slots=True)
class Labelled:
    """One sentence: what is held out with it, its features, its labels, and what is not known."""

    group: int
    source: str
    features: Mapping[str, float]
    labels: frozenset[str]
    vector: Floats | None = None


def main() -> None:
    """Learn, write, and print the figures on what was held out."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--out", type=Path, default=_OUT)
    out = parser.parse_args().out
    rows = [row for name in _MESSAGES for row in messages_of(_DATA / name)]
    talks = [talk for name in _TALKS for talk in talks_of(_DATA / name)]
    standing = [*talks_of(_DATA / _STANDING)]
    rows += [row for talk in standing for row in talk.sentences(_STANDING)]
    rows += [row for talk in talks for row in talk.sentences()]
    talks = [*standing, *talks]
    counted = Counter(label for row in rows for label in row.labels)
    labels = sorted(label for label, count in counted.items() if count >= _LABELLED_MIN)
    labels = [label for label in labels if label not in _UNUSED]
    heads, scores = heads_of(rows, labels)
    write(out / "utterances.json", (*_MESSAGES, _STANDING, *_TALKS), heads)
    write_meanings(out / "meanings.json", rows, dict(zip(labels, scores.T, strict=True)))
    first = len(rows) - sum(len(turn) for talk in talks for turn in talk.turns)
    kinds = iter([_kinds(labels, row) for row in scores[first:]])
    ranked = [row for talk in talks for row in talk.mentions(kinds)]
    write(out / "mentions.json", (_STANDING, *_TALKS), ranker_of(ranked))
    write(out / "failures.json", (_OUTPUTS,), failures_of(_DATA / _OUTPUTS))


def _kinds(labels: Sequence[str], scores: Floats) -> dict[str, float]:
    """Return what a sentence likely does, as heads say that have not seen it."""
    likely = zip(labels, scores.tolist(), strict=True)
    return {label: round(by, 2) for label, by in likely if by >= LIKELY_MIN}


@dataclass(frozen=True, slots=True)
class Talk:
    """One labelled conversation: its turns, each a list of rows of the file."""

    group: int
    turns: Sequence[Sequence[Mapping[str, Any]]]

    def sentences(self, source: str = "talks") -> Iterator[Labelled]:
        """Yield every sentence with its labels."""
        for turn in self.turns:
            vectors = vectors_of([row["sentence"] for row in turn])
            for place, row in enumerate(turn):
                marks = marks_of(row["sentence"])
                features = sentence_features(row["sentence"], marks, place, len(turn))
                labels = with_common(frozenset(row["labels"]) - {"none"})
                yield Labelled(self.group, source, features, labels, vectors[place])

    def mentions(self, kinds: Iterator[dict[str, float]]) -> Iterator[Labelled]:
        """Yield what people say, with what the ranker weighs; labelled where it is mentioned.

        `kinds` are those of every sentence in order.
        """
        analyser = Analyser()
        turns = [
            Turn(
                turn[0]["speaker"],
                str(turn[0]["session"]),
                [turn_sentence(row["sentence"], next(kinds), analyser) for row in turn],
            )
            for turn in self.turns
        ]
        for turn, rows in zip(self.turns, features_of(turns), strict=True):
            for row, features in zip(turn, rows, strict=True):
                if row["mention"] is not None and row["role"] == "person":
                    label = frozenset({"mention"} if row["mention"] else ())
                    yield Labelled(self.group, "talks", features, label)


def turn_sentence(sentence: str, kinds: dict[str, float], analyser: Analyser) -> TurnSentence:
    """Return a labelled sentence as the ranker sees it."""
    return TurnSentence(marks_of(sentence), kinds, tuple(analyser.terms(sentence)))


def talks_of(file: Path) -> Iterator[Talk]:
    """Yield the conversations of a file."""
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    for number, (_, talk) in enumerate(groupby(rows, key=lambda row: row["conversation"])):
        turns = groupby(talk, key=lambda row: (row["session"], row["turn"]))
        yield Talk(number, [list(turn) for _, turn in turns])


def messages_of(file: Path) -> Iterator[Labelled]:
    """Yield the labelled sentences of a file of tab-separated messages."""
    cells = [line.split("\t") for line in file.read_text("utf-8").splitlines() if line.strip()]
    for number, (_, group) in enumerate(groupby(cells, key=lambda row: row[0])):
        message = list(group)
        vectors = vectors_of([row[-1].strip() for row in message])
        for place, row in enumerate(message):
            kinds = frozenset(word.strip() for word in row[1].split(",")) - {"", "-"}
            sentence = row[-1].strip()
            features = sentence_features(sentence, marks_of(sentence), place, len(message))
            yield Labelled(number, file.name, features, with_common(kinds), vectors[place])


def with_common(kinds: frozenset[str]) -> frozenset[str]:
    """Return labels with those that stand for all commitments, and for all that is asked for."""
    if kinds & _COMMITMENTS:
        kinds |= {"commitment"}
    return kinds | {"asked"} if kinds & _ORDERS else kinds


_encoder = MiniLmEmbedder()


def vectors_of(sentences: Sequence[str]) -> list[Floats]:
    """Return the vectors of the sentences of one message, as enrichment has them."""
    text, spans = " ".join(sentences), list[tuple[int, int]]()
    for sentence in sentences:
        start = spans[-1][1] + 1 if spans else 0
        spans.append((start, start + len(sentence)))
    nothing = np.zeros(MiniLmEmbedder.dimension, np.float32)
    vectors = sentence_vectors(spans, _encoder.encode(text))
    return [nothing if vector is None else vector for vector in vectors]


def write_meanings(file: Path, rows: Sequence[Labelled], scores: Mapping[str, Floats]) -> None:
    """Learn what vectors tell, and what they and words tell together, and write it, a line each.

    `scores` are those by words, of heads that have not seen a row. The logits of a head over
    vectors are 0 on average.
    """
    vectors = np.array([row.vector for row in rows], np.float64)
    mean, heads, means = vectors.mean(axis=0), dict[str, dict[str, Any]](), list[Any]()
    for label in _MEANINGS:
        figures, weights, logits = cross_fitted(rows, label, vectors - mean, _MEANING_PENALTY)
        means.append(logits)
        bias = -round(float(mean @ weights[:-1]), 3)
        learned = np.round(weights[:-1], 2).tolist()
        heads[label] = {"figures": figures, "bias": bias, "weights": learned}
    mixes = {}
    for label in _MIXED:
        by_vector = [dict(zip(_MEANINGS, row, strict=True)) for row in np.stack(means, 1).tolist()]
        mixed = [*map(mix_features, scores[label].tolist(), by_vector)]
        names = [name for name in mixed[0] if name != "one"]
        dense = np.array([[each[name] for name in names] for each in mixed])
        figures, weights, _ = cross_fitted(rows, label, dense, _MIX_PENALTY)
        learned = np.round(weights, 3).tolist()
        mixes[label] = {
            "figures": figures,
            "weights": dict(zip([*names, "one"], learned, strict=True)),
        }
        print(f"{label:12} by words and vector {figures}")
    learned_from = f"bench/data: {', '.join((*_MESSAGES, _STANDING, *_TALKS))}"
    file.write_text(
        f'{{"learned_from": {json.dumps(learned_from)},\n'
        f'"heads": {_lines(heads)},\n"mixes": {_lines(mixes)}}}\n'
    )


def cross_fitted(
    rows: Sequence[Labelled], label: str, dense: NDArray[np.float64], penalty: float
) -> tuple[dict[str, float], NDArray[np.float64], NDArray[np.float64]]:
    """Return the figures of a head on what was held out, its weights with the bias, and logits.

    The logits are without the bias, by heads that have not seen a row: each fifth of the groups is
    held out in turn.
    """
    wanted = np.array([label in row.labels for row in rows])
    known = np.array([_weight(row, label) for row in rows])
    part = np.array([row.group % _HELD_OUT for row in rows])
    logits, biases = np.zeros(len(rows)), np.zeros(len(rows))
    for fold in range(_HELD_OUT):
        out, seen = part == fold, (part != fold) & (known > 0)
        weights = newton(dense[seen], wanted[seen], penalty, known[seen], _MEANING_STEPS)
        logits[out], biases[out] = dense[out] @ weights[:-1], weights[-1]
    seen = known > 0
    weights = newton(dense[seen], wanted[seen], penalty, known[seen], _MEANING_STEPS)
    likely = (1 / (1 + np.exp(-(logits + biases)))).astype(np.float32)
    return figures_of(likely[seen], wanted[seen]), weights, logits


def heads_of(
    rows: Sequence[Labelled], labels: Sequence[str]
) -> tuple[dict[str, dict[str, Any]], Floats]:
    """Learn a head for each label; also return the scores of heads that have not seen a row.

    Each fifth of the groups is held out in turn; that gives the figures, which are printed.
    """
    often = Counter(name for row in rows for name in row.features)
    names = sorted(name for name, count in often.items() if count >= _SENTENCES_MIN)
    part = np.array([row.group % _HELD_OUT for row in rows])
    wanted = np.array([[label in row.labels for label in labels] for row in rows])
    known = np.array([[_weight(row, label) for label in labels] for row in rows], np.float32)
    scores = np.zeros(wanted.shape, np.float32)
    for fold in range(_HELD_OUT):
        out = part == fold
        trained = [row.features for row, held in zip(rows, out, strict=True) if not held]
        tested = [row.features for row, held in zip(rows, out, strict=True) if held]
        weights, bias = learn(Sparse.of(trained, names), wanted[~out], known[~out])
        scores[out] = 1 / (1 + np.exp(-(Sparse.of(tested, names).times(weights) + bias)))
    weights, bias = learn(Sparse.of([row.features for row in rows], names), wanted, known)
    heads = {}
    for place, label in enumerate(labels):
        seen = known[:, place] > 0
        figures = figures_of(scores[seen, place], wanted[seen, place])
        heads[label] = _described(figures, float(bias[place]), names, weights[:, place])
        print(f"{label:12}{len(heads[label]['weights']):6} {figures}")
    return heads, scores


def _weight(row: Labelled, label: str) -> float:
    """Return how much a sentence says of a label; nothing where its file does not have it."""
    only = _ONLY.get(row.source)
    known = row.source == "talks" or label not in _OF_TALKS if only is None else label in only
    if label in {"asked", *_ORDERS}:
        if label in row.labels or (row.source == _TO_AGENTS and not row.labels):
            return _ORDER_WEIGHT
        if row.source == _AMONG_PEOPLE:  # nobody serves there: a part of it is enough
            return float(row.group % 6 == 0)
    return float(known)


def ranker_of(rows: Sequence[Labelled]) -> dict[str, dict[str, Any]]:
    """Learn what a summary would mention, from all; every fifth conversation gives the figures."""
    held = np.array([row.group % _HELD_OUT == 0 for row in rows])
    tried = small_head(rows, "mention", held, _RANKER_PENALTY)["mention"]
    head = small_head(rows, "mention", np.zeros_like(held), _RANKER_PENALTY)["mention"]
    return {"mention": head | {"figures": tried["figures"]}}


def failures_of(file: Path) -> dict[str, dict[str, Any]]:
    """Learn which outputs of tools are failures, from half of them; the others give the figures.

    What ships has not seen the others either: `bench.truth` measures by them.
    """
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    texts = [row for row in rows if isinstance(row["result"], str) and row["result"]]
    labelled = [
        Labelled(0, _OUTPUTS, output_features(row["result"]), _FAILED if row["failed"] else _NONE)
        for row in texts
    ]
    held = np.array([row["half"] == "held out" for row in texts])
    return small_head(labelled, "failed", held, _OUTPUT_PENALTY)


def small_head(
    rows: Sequence[Labelled], label: str, held: NDArray[np.bool_], penalty: float
) -> dict[str, dict[str, Any]]:
    """Learn one head from the rows that are not held out, and print the figures on those."""
    often = Counter(name for row in rows for name in row.features)
    names = sorted(name for name, count in often.items() if count >= _SENTENCES_MIN)
    dense = np.array([[row.features.get(name, 0.0) for name in names] for row in rows])
    wanted = np.array([label in row.labels for row in rows])
    weights = newton(dense[~held], wanted[~held], penalty)
    scores = 1 / (1 + np.exp(-(dense[held] @ weights[:-1] + weights[-1])))
    figures = figures_of(scores, wanted[held])
    print(f"{label:12}{len(names):6} {figures}")
    return {label: _described(figures, float(weights[-1]), names, weights[:-1])}


def newton(
    dense: NDArray[np.float64],
    wanted: NDArray[np.bool_],
    each: float,
    known: NDArray[np.float64] | float = 1.0,
    steps: int = 30,
) -> NDArray[np.float64]:
    """Return weights and, last, the bias: logistic regression by Newton's method.

    `known` is how much each row counts.
    """
    inputs = np.hstack([dense, np.ones((len(dense), 1))])
    penalty = np.full(inputs.shape[1], each)
    penalty[-1] = 1e-3
    weights = np.zeros(inputs.shape[1])
    for _ in range(steps):
        likely = 1 / (1 + np.exp(-inputs @ weights))
        doubt = known * (likely * (1 - likely) + 1e-9)
        curvature = (inputs * doubt[:, None]).T @ inputs
        slope = inputs.T @ (known * (wanted - likely)) - penalty * weights
        weights += np.linalg.solve(curvature + np.diag(penalty), slope)
    return weights


def _described(
    figures: Mapping[str, float], bias: float, names: Sequence[str], weights: NDArray[Any]
) -> dict[str, Any]:
    """Return a head: its figures, its bias, and the features that weigh something."""
    rounded = {n: round(float(w), 2) for n, w in zip(names, weights, strict=True)}
    return {
        "figures": dict(figures),
        "bias": round(bias, 3),
        "weights": {name: weight for name, weight in rounded.items() if abs(weight) >= _WEIGHT_MIN},
    }


def write(file: Path, sources: Sequence[str], heads: Mapping[str, Mapping[str, Any]]) -> None:
    """Write heads, and what each feature weighs for them, the weightiest first: a line each."""
    by_feature: dict[str, dict[str, float]] = defaultdict(dict)
    for label, head in heads.items():
        for name, weight in head["weights"].items():
            by_feature[name][label] = weight
    most = {name: max(map(abs, weights.values())) for name, weights in by_feature.items()}
    weights = {name: by_feature[name] for name in sorted(most, key=lambda n: (-most[n], n))}
    described = {
        label: {name: head[name] for name in ("figures", "bias")} for label, head in heads.items()
    }
    learned_from = f"bench/data: {', '.join(sources)}"
    file.parent.mkdir(exist_ok=True)
    file.write_text(
        f'{{"learned_from": {json.dumps(learned_from)},\n'
        f'"heads": {_lines(described)},\n"weights": {_lines(weights)}}}\n'
    )


def _lines(rows: Mapping[str, Mapping[str, Any]]) -> str:
    """Return rows as JSON, a line each."""
    return (
        "{\n" + ",\n".join(f"{json.dumps(n)}: {json.dumps(row)}" for n, row in rows.items()) + "\n}"
    )


@dataclass(frozen=True)
class Sparse:
    """Features of sentences: `values` at `places` (rows, in order) and `columns`."""

    places: NDArray[np.int64]
    columns: NDArray[np.int64]
    values: Floats
    rows: int
    names: int

    @classmethod
    def of(cls, rows: Sequence[Mapping[str, float]], names: Sequence[str]) -> Sparse:
        """Return the matrix; features that are not among `names` are left out."""
        index = {name: column for column, name in enumerate(names)}
        cells = [
            (place, index[name], value)
            for place, row in enumerate(rows)
            for name, value in row.items()
            if name in index
        ]
        places, columns, values = (np.array(each) for each in zip(*cells, strict=True))
        return cls(places, columns, values.astype(np.float32)[:, None], len(rows), len(names))

    def times(self, weights: Floats) -> Floats:
        """Return the product with weights (names, labels), shape (rows, labels)."""
        return sums_of(weights[self.columns] * self.values, self.places, self.rows)

    def gradient(self, errors: Floats) -> Floats:
        """Return the transposed product with errors (rows, labels)."""
        order, columns = self._by_column
        cells = errors[self.places[order]] * self.values[order]
        return sums_of(cells, columns, self.names)

    @cached_property
    def _by_column(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        order = self.columns.argsort(kind="stable")
        return order, self.columns[order]


def learn(
    matrix: Sparse,
    wanted: NDArray[np.bool_],
    known: Floats,
    penalty: float = _PENALTY,
    steps: int = _STEPS,
) -> tuple[Floats, Floats]:
    """Return weights (names, labels) and biases: logistic regression by Adam.

    `known` is how much a sentence counts for a label; 0 where it says nothing of it.
    """
    weights = np.zeros((matrix.names, wanted.shape[1]), np.float32)
    bias = np.full(wanted.shape[1], -2.0, np.float32)
    mean, spread = np.zeros_like(weights), np.zeros_like(weights)
    count = known.sum(axis=0)
    for step in range(1, steps + 1):
        errors = (1 / (1 + np.exp(-(matrix.times(weights) + bias))) - wanted) * known
        gradient = matrix.gradient(errors) / count + penalty * weights
        mean += 0.1 * (gradient - mean)
        spread += 0.001 * (gradient**2 - spread)
        rate = _RATE * (1 - step / (steps + 1))
        weights -= rate * mean / (1 - 0.9**step) / (np.sqrt(spread / (1 - 0.999**step)) + 1e-8)
        bias -= 4 * rate * errors.sum(axis=0) / count
    return weights, bias


def sums_of(cells: Floats, groups: np.ndarray, count: int) -> Floats:
    """Return the sum of each group's cells; groups stand in order."""
    sums = np.zeros((count, cells.shape[1]), np.float32)
    starts = np.flatnonzero(np.diff(groups, prepend=-1))
    sums[groups[starts]] = np.add.reduceat(cells, starts)
    return sums


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
