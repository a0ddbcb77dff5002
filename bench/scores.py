"""Scores of rankings: recall, all evidence found, reciprocal rank; and their table.

A ranking is memories' ids, best first; evidence is the ids that answer the question. What was not
ranked counts as not found. Nothing here knows who ranked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from bench.measure import aligned

#: Ranks memories for a question, best first.
Ranker = Callable[[str], Sequence[str]]
#: Measures of one question, or their means, by name; each is 0 to 1.
Measures = Mapping[str, float]
ALL = "all"


@dataclass(frozen=True, slots=True)
class EvaluationQuestion:
    """A question, the ids of the memories that answer it, and the groups it is counted in."""

    question: str
    evidence: frozenset[str]
    groups: Sequence[str]


def measure(ranked: Sequence[str], evidence: frozenset[str], cuts: Sequence[int]) -> Measures:
    """Return recall at each cut, whether all stand in the last cut, and the reciprocal rank.

    The rank is that of the first memory of the evidence; without any, its reciprocal is 0.
    """
    places = [place for place, id in enumerate(ranked, 1) if id in evidence]
    hits = {cut: sum(place <= cut for place in places) for cut in cuts}
    last = max(cuts)
    return {
        **{f"recall@{cut}": hits[cut] / len(evidence) for cut in cuts},
        f"all@{last}": float(hits[last] == len(evidence)),
        "MRR": 1 / places[0] if places else 0.0,
    }


def score(
    rank: Ranker, asked: Sequence[EvaluationQuestion], cuts: Sequence[int]
) -> dict[str, Measures]:
    """Ask every question and return the means by group; the group `all` has every question."""
    by_group: dict[str, list[Measures]] = {ALL: []}
    for question in asked:
        measured = measure(rank(question.question), question.evidence, cuts)
        for group in (ALL, *question.groups):
            by_group.setdefault(group, []).append(measured)
    return {group: _means(rows) for group, rows in by_group.items()}


def _means(rows: Sequence[Measures]) -> Measures:
    names = rows[0] if rows else {}
    return {name: sum(row[name] for row in rows) / len(rows) for name in names}


def table(scores: Mapping[str, Mapping[str, Measures]], names: Sequence[str]) -> str:
    """Write scores (ranker → group → measure) as percentages, one ranker and group a line."""
    lines = [("ranker", "questions", *names)]
    for ranker, groups in scores.items():
        for group, measured in groups.items():
            figures = (f"{measured[name] * 100:.1f}" for name in names)
            lines.append((ranker if group == ALL else "", group, *figures))
    return aligned(lines, right=set(range(2, 2 + len(names))))
