"""Scores of rankings: recall, all evidence found, reciprocal rank; and their means by group.

Evidence is the ids that answer the question. What was not ranked counts as not found.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

#: Measures of one question, or their means, by name; each is 0 to 1.
Measures = Mapping[str, float]
ALL = "all"


@dataclass(frozen=True, slots=True)
class EvaluationQuestion:
    """A question, the ids of the memories that answer it, and the groups it is counted in.

    `answer` is what a right answer says, where that is known; `space` is where it is asked (None:
    wherever the asker looks), and `day` when, where that matters to the answer.
    """

    question: str
    evidence: frozenset[str]
    groups: Sequence[str] = ()
    answer: str = ""
    space: str | None = None
    day: str = ""


def measure_places(places: Collection[int], count: int, cuts: Sequence[int]) -> Measures:
    """Return recall at each cut, whether all stand in the last cut, and the reciprocal rank.

    `places` are those, from 1, at which so much of `count` memories was found. The rank is that of
    the first of them; without any, its reciprocal is 0.
    """
    hits = {cut: sum(place <= cut for place in places) for cut in cuts}
    last = max(cuts)
    return {
        **{f"recall@{cut}": hits[cut] / count for cut in cuts},
        f"all@{last}": float(hits[last] == count),
        "MRR": 1 / min(places) if places else 0.0,
    }


def means(measured: Iterable[tuple[Sequence[str], Measures]]) -> dict[str, Measures]:
    """Return the means of questions' measures by group; the group `all` has every question."""
    by_group: dict[str, list[Measures]] = {ALL: []}
    for groups, measures in measured:
        for group in (ALL, *groups):
            by_group.setdefault(group, []).append(measures)
    return {
        group: {name: fmean(row[name] for row in rows) for name in (rows[0] if rows else ())}
        for group, rows in by_group.items()
    }
