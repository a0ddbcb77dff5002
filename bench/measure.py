"""Compare operations in one run: interleaved, in changing order, as medians and ratios.

A machine's speed moves from minute to minute; what holds is the ratio of two operations that took
turns. Nothing here knows what is measured, and nothing is averaged over runs.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

#: Something to time. What returns a float is taken at its word for the seconds that count.
Timed = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Comparison:
    """One operation against its floor; medians in milliseconds, and the aim in words."""

    name: str
    measured_ms: float
    floor: str
    floor_ms: float
    aim: str
    met: bool

    @property
    def ratio(self) -> float:
        """How many times the floor the operation takes."""
        return self.measured_ms / self.floor_ms

    def as_json(self) -> dict[str, Any]:
        """Return the comparison as plain JSON values."""
        return asdict(self) | {"ratio": self.ratio, "difference_ms": self.difference_ms}

    @property
    def difference_ms(self) -> float:
        """How much longer than the floor the operation takes."""
        return self.measured_ms - self.floor_ms


def at_most_times(
    name: str, times: Mapping[str, Sequence[float]], floor: str, ratio_max: float
) -> Comparison:
    """Compare `times` (seconds, by name) with the aim of at most `ratio_max` times the floor."""
    measured, bare = median_ms(times[name]), median_ms(times[floor])
    met = measured <= ratio_max * bare
    return Comparison(name, measured, floor, bare, f"≤ {ratio_max:g} ×", met)


def at_most_above(
    name: str, times: Mapping[str, Sequence[float]], floor: str, more_ms: float
) -> Comparison:
    """Compare `times` (seconds, by name) with the aim of at most the floor plus `more_ms`."""
    measured, bare = median_ms(times[name]), median_ms(times[floor])
    met = measured <= bare + more_ms
    return Comparison(name, measured, floor, bare, f"≤ + {more_ms:g} ms", met)


def interleaved(
    operations: Mapping[str, Timed], rounds: int, warm_up: int = 2, seed: int = 0
) -> dict[str, list[float]]:
    """Run every operation once a round, in an order drawn anew; return seconds by name.

    The first `warm_up` rounds are run and not counted.
    """
    order, draw = list(operations), random.Random(seed)
    times: dict[str, list[float]] = {name: [] for name in operations}
    for turn in range(warm_up + rounds):
        draw.shuffle(order)
        for name in order:
            started = time.perf_counter()
            result = operations[name]()
            passed = time.perf_counter() - started
            if turn >= warm_up:
                times[name].append(result if isinstance(result, float) else passed)
    return times


def median_ms(seconds: Sequence[float]) -> float:
    """Return the median in milliseconds."""
    return statistics.median(seconds) * 1000


def table(comparisons: Sequence[Comparison]) -> str:
    """Write comparisons as aligned text, one a line, under a heading."""
    heading = ("measured", "ms", "floor", "ms", "ratio", "more ms", "aim", "")
    rows = [
        (
            c.name,
            f"{c.measured_ms:.3f}",
            c.floor,
            f"{c.floor_ms:.3f}",
            f"{c.ratio:.2f}",
            f"{c.difference_ms:+.3f}",
            c.aim,
            "met" if c.met else "MISSED",
        )
        for c in comparisons
    ]
    return aligned([heading, *rows], right={1, 3, 4, 5})


def aligned(rows: Sequence[Sequence[str]], right: frozenset[int] | set[int] = frozenset()) -> str:
    """Write rows of text in columns; those in `right` stand to the right."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if place in right else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )
