"""What memories are about, as a list for people: names, how often, and what they weigh."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entity:
    """A person or concept: in how many memories, and its rarity ln(n/df) in spreading."""

    name: str
    label: str
    memories: int
    weight: float


def weigh(rows: Iterable[tuple[str, str, int]], memories: int, share_max: float) -> list[Entity]:
    """Give rows of (name, label, memories) their weight: 0 for a concept that is too common."""
    return [
        Entity(name, label, count, _weight(label, count, memories, share_max))
        for name, label, count in rows
    ]


def _weight(label: str, count: int, memories: int, share_max: float) -> float:
    if not count or (label == "Concept" and count > max(share_max * memories, 2)):
        return 0.0
    return math.log(memories / count)
