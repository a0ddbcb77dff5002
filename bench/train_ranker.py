"""Learn the weights of the reranked memories from questions with evidence.

    python -m bench.train_ranker --out FILE [--locomo FILE] [--airline FILE] [--model FOLDER]

The sets are those of bench.ablation: the project's own always, the others where they are named.
Every weight of the formula becomes a column, worked out by the product's own `Recaller` with that
weight at one and all others at nothing. A listwise loss asks for every memory of the evidence by
itself, against all that is none; weights are held near the built-in ones and keep their signs.
What is reported is what weights do that were learned without the conversation asked about, or
without the half of a set that is one space. Nothing is switched on: `recall.ranker` names the file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from bench.ablation import FULL, Ablation, EvaluationSpace, imported, sets_parser
from bench.baselines import settings
from bench.measure import aligned
from bench.scores import measure
from meridia.evaluation.questions import EvaluationQuestion, Measures
from meridia.graph.view import Floats, Ints
from meridia.retrieval.candidates.pool import Pool
from meridia.retrieval.ranking import ranking_weights
from meridia.retrieval.ranking.contributions import Contribution, best_first, total
from meridia.retrieval.ranking.late_interaction import MaxSimilarities
from meridia.retrieval.ranking.ranking_weights import (
    DEFAULT_WEIGHTS,
    RERANK_WEIGHTS,
    RankingWeights,
)
from meridia.retrieval.recall import QueryContext, Recaller

CUTS = (5, 10)
SHOWN = ("recall@5", "recall@10", "all@10", "MRR")
NAMES = tuple(asdict(RERANK_WEIGHTS))
#: What a whole set counts in the loss; LoCoMo's questions are many, those of the others few.
COUNTS = {"locomo": 1.0, "association": 0.3, "coding": 0.6, "airline": 0.3}
#: Weights that only few questions have: too few to learn by.
_FIXED = frozenset({"meaning_alone", "matches_unread"})
#: How hard a weight is held near the built-in one, in units of what it moves.
_PULL = 0.25
_STEPS, _STEP = 150, 0.05
_NOTHING = replace(DEFAULT_WEIGHTS, **dict.fromkeys(NAMES, 0.0))


@dataclass(frozen=True, slots=True)
class Example:
    """A question and what was looked at closely for it: a row a memory, a column a weight.

    `fold` is the part that is left out together with it; `found` are memories of the evidence.
    """

    set: str
    fold: int
    asked: EvaluationQuestion
    ids: Sequence[str]
    rows: Ints
    units: Floats
    evidence_mask: NDArray[np.bool_]


class Collector(Recaller):
    """A recaller that keeps what each weight gives at one to what it looks at closely."""

    def collect(self) -> list[tuple[Pool, Floats]]:
        """Return the list that is filled from here on: a pool, and a column a weight."""
        self._taken: list[tuple[Pool, Floats]] = []
        return self._taken

    def _rerank_contributions(
        self,
        pool: Pool,
        context: QueryContext,
        max_similarities: tuple[MaxSimilarities, MaxSimilarities],
        weights: RankingWeights,
    ) -> list[Contribution]:
        give, count = super()._rerank_contributions, len(pool.rows)
        columns = [
            total(give(pool, context, max_similarities, replace(_NOTHING, **{name: 1.0})), count)
            for name in NAMES
        ]
        self._taken.append((pool, np.stack(columns, axis=1)))
        return give(pool, context, max_similarities, weights)


def examples(sets: Mapping[str, Sequence[EvaluationSpace]]) -> list[Example]:
    """Return an example for every question that something was looked at closely for."""
    collected: list[Example] = []
    for name, of_set in sets.items():
        for place, space in enumerate(of_set):
            collector = space.recaller(
                Collector, settings().recall, (DEFAULT_WEIGHTS, RERANK_WEIGHTS)
            )
            for question in space.asked:
                taken = collector.collect()
                space.ranked(collector, question.question, Ablation(FULL))
                half = crc32(question.question.encode("utf-8")) % 2
                fold = place if len(of_set) > 1 else half
                for pool, units in taken:
                    ids = space.ids(pool.rows)
                    holds = np.array([id in question.evidence for id in ids])
                    collected.append(Example(name, fold, question, ids, pool.rows, units, holds))
    return collected


def learn(given: Sequence[Example], start: RankingWeights) -> RankingWeights:
    """Return the weights that best tell evidence from the rest; near `start`, with its signs."""
    names = {name: place for place, name in enumerate(NAMES)}
    first = np.array([asdict(start)[name] for name in NAMES])
    useful = [example for example in given if example.evidence_mask.any()]
    if not useful:
        return start
    spread = np.sqrt(np.mean([example.units.var(axis=0) for example in useful], axis=0))
    free = spread > 1e-9
    free[[names[name] for name in _FIXED]] = False
    step = np.where(free, _STEP / np.maximum(spread, 1e-3), 0.0)
    counts = _counts(useful)
    weights, drift, wobble = first.copy(), np.zeros(len(first)), np.zeros(len(first))
    for turn in range(1, _STEPS + 1):
        slope = 2 * _PULL * spread**2 * (weights - first)
        for example, count in zip(useful, counts, strict=True):
            slope += count * _slope(example, weights)
        drift, wobble = 0.9 * drift + 0.1 * slope, 0.99 * wobble + 0.01 * slope**2
        even = np.sqrt(wobble / (1 - 0.99**turn)) + 1e-12
        weights -= step * (1 - turn / (_STEPS + 1)) * drift / (1 - 0.9**turn) / even
        weights = np.where(first < 0, np.minimum(weights, 0.0), np.maximum(weights, 0.0))
    final = np.where(free, weights, first).tolist()
    return RankingWeights(**dict(zip(NAMES, final, strict=True)))


def _counts(given: Sequence[Example]) -> Floats:
    """Return what each question counts, adding up to one: by its set, and its evidence evenly."""
    sizes = {name: sum(example.set == name for example in given) for name in COUNTS}
    each = [
        COUNTS[example.set] / sizes[example.set] / len(example.asked.evidence) for example in given
    ]
    counts: Floats = np.array(each) / sum(each)
    return counts


def _slope(example: Example, weights: Floats) -> Floats:
    """Return the slope of −Σ ln(eˢ / (eˢ + Σ eᵗ)): s of each evidence, t of all that is none."""
    scores = example.units @ weights
    odds = np.exp(scores - scores.max())
    wanted, rest = odds[example.evidence_mask], odds[~example.evidence_mask].sum()
    pull = np.zeros(len(scores))
    pull[example.evidence_mask] = wanted / (wanted + rest) - 1
    pull[~example.evidence_mask] = odds[~example.evidence_mask] * float((1 / (wanted + rest)).sum())
    slope: Floats = pull @ example.units
    return slope


def left_out(
    given: Sequence[Example], start: RankingWeights
) -> list[tuple[Example, RankingWeights]]:
    """Return each example with the weights that were learned without its part.

    Fold k leaves out the kth space of a set of several, and every second half of the others.
    """
    several = {example.set for example in given if example.fold > 1}
    folds = 1 + max((example.fold for example in given), default=1)
    pairs = []
    for fold in range(max(folds, 2)):
        out = [example.fold == (fold if example.set in several else fold % 2) for example in given]
        if any(out):
            weights = learn([o for o, is_out in zip(given, out, strict=True) if not is_out], start)
            asked = [o for o, is_out in zip(given, out, strict=True) if is_out]
            pairs += [(example, weights) for example in asked if example.fold == fold]
    return pairs


def scored(pairs: Sequence[tuple[Example, RankingWeights]]) -> dict[str, Measures]:
    """Return the scores by set of examples that are each ranked by their own weights."""
    by_set: dict[str, list[Measures]] = {}
    for example, weights in pairs:
        scores = example.units @ np.array(list(asdict(weights).values()))
        ranked = [example.ids[place] for place in best_first(example.rows, scores)]
        by_set.setdefault(example.set, []).append(measure(ranked, example.asked.evidence, CUTS))
    return {
        name: {shown: sum(row[shown] for row in rows) / len(rows) for shown in SHOWN}
        for name, rows in by_set.items()
    }


def trained(given: Sequence[Example]) -> dict[str, object]:
    """Return the contents of a file of weights, with what the built-in ones and these do."""
    start = RERANK_WEIGHTS
    weights = learn(given, start)
    figures = {
        "built-in": scored([(example, start) for example in given]),
        "left out": scored(left_out(given, start)),
        "all": scored([(example, weights) for example in given]),
    }
    names = dict.fromkeys(example.set for example in given)
    counted = {name: sum(example.set == name for example in given) for name in names}
    rounded = {
        which: {name: {k: round(v, 4) for k, v in row.items()} for name, row in rows.items()}
        for which, rows in figures.items()
    }
    return to_document(weights, counted, rounded)


def to_document(
    close: RankingWeights, trained_on: Mapping[str, int], figures: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the contents of a file of weights for reranking, two significant digits each."""
    return {
        "format": ranking_weights.FORMAT,
        "close": {name: float(f"{value:.2g}") for name, value in asdict(close).items()},
        "trained_on": dict(trained_on),
        "figures": figures,
    }


def table(figures: Mapping[str, Mapping[str, Measures]]) -> str:
    """Write the figures as percentages, a line for each set and each way to rank."""
    lines: list[tuple[str, ...]] = [("set", "weights", *SHOWN)]
    for name in figures["built-in"]:
        for which, rows in figures.items():
            lines.append((name, which, *(f"{100 * rows[name][shown]:.1f}" for shown in SHOWN)))
    return aligned(lines, right=set(range(2, 2 + len(SHOWN))))


def main(arguments: Sequence[str] | None = None) -> None:
    """Import, collect, learn, print what was gained where and write the file."""
    parser = sets_parser(__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="write the weights here")
    chosen = parser.parse_args(arguments)
    with imported(chosen) as sets:
        result = trained(examples(sets))
    chosen.out.write_text(json.dumps(result, indent=1) + "\n", "utf-8")
    print(table(result["figures"]))  # type: ignore[arg-type]
    print(f"\nwritten: {chosen.out} (recall.ranker names the file to use)")


if __name__ == "__main__":
    main()
