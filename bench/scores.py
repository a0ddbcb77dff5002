"""Scores of rankers, and the table of them, as the benches print it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from bench.measure import aligned
from meridia.evaluation.questions import ALL, EvaluationQuestion, Measures, means, measure_places

#: Ranks memories for a question, best first.
Ranker = Callable[[str], Sequence[str]]


def measure(ranked: Sequence[str], evidence: frozenset[str], cuts: Sequence[int]) -> Measures:
    """Return recall at each cut, whether all stand in the last cut, and the reciprocal rank."""
    places = [place for place, id in enumerate(ranked, 1) if id in evidence]
    return measure_places(places, len(evidence), cuts)


def score(
    rank: Ranker, asked: Sequence[EvaluationQuestion], cuts: Sequence[int]
) -> dict[str, Measures]:
    """Ask every question and return the means by group; the group `all` has every question."""
    return means(
        (question.groups, measure(rank(question.question), question.evidence, cuts))
        for question in asked
    )


def table(scores: Mapping[str, Mapping[str, Measures]], names: Sequence[str]) -> str:
    """Write scores (ranker → group → measure) as percentages, one ranker and group a line."""
    lines = [("ranker", "questions", *names)]
    for ranker, groups in scores.items():
        for group, measured in groups.items():
            figures = (f"{measured[name] * 100:.1f}" for name in names)
            lines.append((ranker if group == ALL else "", group, *figures))
    return aligned(lines, right=set(range(2, 2 + len(names))))
