"""Counts of what was right: one row a measure, a share with its interval, halves side by side.

An item is one thing judged. Of a row of precision it was derived, and is right or wrong; of a row
of recall it was labelled, and was derived (right) or not (wrong). What nobody judged is counted
apart, and what no part of the product derives at all is `ABSENT`: it counts as missed.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from bench.measure import aligned

#: The quantile of the normal distribution for a 95 % interval.
_Z = 1.959964


class Verdict(StrEnum):
    """How an item was judged."""

    RIGHT = "right"
    WRONG = "wrong"
    UNJUDGED = "unjudged"
    ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class Item:
    """One thing judged in a row: its source, its message, and what it says."""

    row: str
    source: str
    id: str
    verdict: Verdict
    text: str


@dataclass(frozen=True, slots=True)
class TruthScore:
    """A row's counts; shares are 0 to 1, None where nothing was judged."""

    right: int
    wrong: int
    unjudged: int = 0
    absent: int = 0

    @property
    def judged(self) -> int:
        """How many count in the share."""
        return self.right + self.wrong + self.absent

    @property
    def share(self) -> float | None:
        """The share that is right."""
        return self.right / self.judged if self.judged else None

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the share, 0 to 1 where nothing was judged."""
        return wilson(self.right, self.judged)

    def as_json(self) -> dict[str, Any]:
        """Return the score as plain JSON values."""
        low, high = self.interval
        return asdict(self) | {"share": self.share, "low": low, "high": high}


def judged(right: bool) -> Verdict:
    """Return the verdict on something that is right or wrong."""
    return Verdict.RIGHT if right else Verdict.WRONG


def wilson(right: int, count: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share."""
    if not count:
        return 0.0, 1.0
    share, square = right / count, _Z**2 / count
    middle = (share + square / 2) / (1 + square)
    half = math.sqrt(share * (1 - share) * square + square**2 / 4) / (1 + square)
    return max(0.0, middle - half), min(1.0, middle + half)


def scores_of(items: Iterable[Item]) -> dict[str, TruthScore]:
    """Count items by row, in the order in which rows come up."""
    counts: dict[str, Counter[Verdict]] = {}
    for item in items:
        counts.setdefault(item.row, Counter())[item.verdict] += 1
    return {
        row: TruthScore(*(count[verdict] for verdict in Verdict)) for row, count in counts.items()
    }


def scores_table(
    halves: Mapping[str, Mapping[str, TruthScore]], before: Mapping[str, Any] | None = None
) -> str:
    """Write scores by half and row, halves side by side; `before` is a report of `--save`."""
    heading = ["measure"]
    for half in halves:
        heading += [half, "%", "95 %", *(["before"] if before is not None else []), "unjudged"]
    rows: dict[str, None] = {row: None for scores in halves.values() for row in scores}
    lines: list[Sequence[str]] = [heading]
    for row in rows:
        cells = [row]
        for half, scores in halves.items():
            earlier = None if before is None else before.get(half, {}).get(row, {})
            cells += _cells(scores.get(row, TruthScore(0, 0)), earlier)
        lines.append(cells)
    return aligned(lines, right=set(range(1, len(heading))))


def _cells(score: TruthScore, before: Mapping[str, Any] | None) -> list[str]:
    low, high = score.interval
    nothing = bool(score.absent) and score.absent == score.judged
    interval = "none derived" if nothing else f"{100 * low:.0f}–{100 * high:.0f}"
    return [
        f"{score.right}/{score.judged}" if score.judged else "–",
        _percent(score.share),
        interval if score.judged else "",
        *([] if before is None else [_percent(before.get("share"))]),
        str(score.unjudged or ""),
    ]


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f}"
