"""What memories are about, as a list for people: names, how often, and what they weigh."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from ..core.results.results import Line
from ..core.text import counted


@dataclass(frozen=True, slots=True)
class Entity:
    """A person, concept or named thing: in how many memories, its rarity ln(n/df) in spreading.

    `stands_for` names what it was merged into.
    """

    name: str
    label: str
    memories: int
    weight: float
    stands_for: str | None = None

    @property
    def line(self) -> Line:
        """What a list shows of it."""
        return Line(self.name, self.label, counted(self.memories, "event"))


def weigh(
    rows: Iterable[tuple[str, str, int, str | None]], memories: int, share_max: float
) -> list[Entity]:
    """Give rows of (name, label, memories, merged into) their weight: 0 for what is too common."""
    return [
        Entity(name, label, count, _weight(label, count, memories, share_max), into)
        for name, label, count, into in rows
    ]


def _weight(label: str, count: int, memories: int, share_max: float) -> float:
    if not count or (label == "Concept" and count > max(share_max * memories, 2)):
        return 0.0
    return math.log(memories / count)
