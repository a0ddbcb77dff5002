"""The table of scores, as the benches print it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bench.measure import aligned
from meridia.evaluation.scores import ALL, Measures


def table(scores: Mapping[str, Mapping[str, Measures]], names: Sequence[str]) -> str:
    """Write scores (ranker → group → measure) as percentages, one ranker and group a line."""
    lines = [("ranker", "questions", *names)]
    for ranker, groups in scores.items():
        for group, measured in groups.items():
            figures = (f"{measured[name] * 100:.1f}" for name in names)
            lines.append((ranker if group == ALL else "", group, *figures))
    return aligned(lines, right=set(range(2, 2 + len(names))))
