"""Paths: by which edges activation came from a start node."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True, slots=True)
class ActivationPath:
    """One way of activation: the nodes from a start node on, the edges between, what arrived.

    `along` says of each edge whether it was followed in its own direction; `note` is what else a
    reader should know of it.
    """

    nodes: tuple[int, ...]
    types: tuple[str, ...]
    along: tuple[bool, ...]
    amount: float
    note: str = ""

    @property
    def hops(self) -> int:
        """Return how many edges lie between the start node and the last one."""
        return len(self.types)

    def links(self) -> Iterator[tuple[str, int, int]]:
        """Yield each edge in its own direction: type, source and target."""
        for type, along, ends in zip(self.types, self.along, pairwise(self.nodes), strict=True):
            yield (type, *(ends if along else ends[::-1]))


#: Finds the paths into an experience by its row, the strongest first.
PathsTo = Callable[[int], Iterator[ActivationPath]]
