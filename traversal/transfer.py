"""Transfers: which share of its activation a node passes over each of its edges.

    raw(u → v) = weight · type factor · TraceRank(v) ÷ fan-out(u)
    share      = raw ÷ max(1, Σ raw of u)

Edges are followed both ways; the fan-out is how many edges the node could pass over, so a hub
passes little to each, and one with more than `fan_out_max` passes nothing. A TraceRank above 1
may prefer a neighbour, and never makes a node pass more than it has: that is what the division
by the sum is for. A loop counts in the fan-out and carries nothing. No path is stored, and
nothing larger than what the asked nodes touch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..core.errors import InvalidInput
from ..graph.schema import HAS_WORD
from ..graph.view import Floats, Hop, Ints, Way
from .tracerank import NodeRanks

Flags = NDArray[np.bool_]

HOPS_MAX = 3
#: A sum above this is capped; a rounding error above 1 is not.
_CAP_ABOVE = 1 + 1e-12

#: Edge type → (factor along its direction, factor against it). What a fact superseded leads to
#: the fact that holds now, never the other way.
FACTORS: Mapping[str, tuple[float, float]] = {
    **dict.fromkeys(
        (
            *("NEXT", "IN_SESSION", "SPOKEN_BY", "INVOLVES", "MENTIONS", "ABOUT", "RELATED"),
            HAS_WORD,
            *("REFERENCES", "TRIGGERED_BY", "UNDERWENT", "SUMMARIZES", "STATED_IN", "KNOWS"),
        ),
        (1.0, 1.0),
    ),
    "SUPERSEDES": (0.0, 1.0),
}


@dataclass(frozen=True, slots=True)
class SpreadingRules:
    """How activation moves.

    `threshold`: a node that got no more than this passes nothing on. `inhibition` and
    `confidence_min` are off at 0; `rivals` is how many stronger nodes inhibit one.
    """

    factors: Mapping[str, tuple[float, float]] = field(default_factory=lambda: FACTORS)
    hops: int = 3
    damping: float = 0.8
    threshold: float = 1e-3
    fan_out_max: int = 256
    inhibition: float = 0.0
    rivals: int = 7
    confidence_min: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.hops <= HOPS_MAX:
            raise InvalidInput(f"traversal: hops is {self.hops}; give 0 to {HOPS_MAX}")
        if not 0 <= self.damping <= 1:
            raise InvalidInput(f"traversal: damping is {self.damping}; give 0 to 1")
        for name in ("threshold", "fan_out_max", "inhibition", "rivals", "confidence_min"):
            if not getattr(self, name) >= 0:
                raise InvalidInput(f"traversal: {name} is {getattr(self, name)}; give 0 or more")
        for type, pair in self.factors.items():
            if not min(pair) >= 0:
                raise InvalidInput(f"traversal: the factors of {type} are {pair}; give 0 or more")


@dataclass(frozen=True, slots=True)
class Transfers:
    """Shares of some nodes, one row an edge; `position` is the node's place among the asked.

    `type` indexes `types`; `along` says whether the edge is followed in its own direction. By
    asked node: its fan-out, the sum of its shares (at most 1), whether that sum was capped.
    """

    types: tuple[str, ...]
    position: Ints
    type: Ints
    along: Flags
    target: Ints
    weight: Floats
    share: Floats
    fan_out: Ints
    passed: Floats
    capped: Flags


class EdgeSource(Protocol):
    """Where edges come from, one hop at a time: the arrays of a view, or a graph engine."""

    def hop(self, ways: Sequence[Way], nodes: Ints, fan_out_max: int) -> Hop:
        """Return the edges that lead away from `nodes` (ascending, each once)."""
        ...


def transfers(edges: EdgeSource, nodes: Ints, rank: NodeRanks, rules: SpreadingRules) -> Transfers:
    """Return every share above 0 that `nodes` (ascending, each once) pass on.

    The rows come by type, direction, node and neighbour, however the edges are stored, so that
    sums over them are the same to the last bit for the same graph.
    """
    types = tuple(sorted(type for type, pair in rules.factors.items() if max(pair) > 0))
    ways = [
        (number, along, factor)
        for number, type in enumerate(types)
        for along, factor in zip((True, False), rules.factors[type], strict=True)
        if factor > 0
    ]
    hop = edges.hop([(types[number], along) for number, along, _ in ways], nodes, rules.fan_out_max)
    factor = np.array([factor for *_, factor in ways], np.float64)[hop.way]
    raw = hop.weight * factor * rank(hop.target) / hop.fan_out[hop.position]
    positive = np.flatnonzero((raw > 0) & (hop.target != nodes[hop.position]))
    position, way, raw = hop.position[positive], hop.way[positive], raw[positive]
    total = np.bincount(position, raw, minlength=len(nodes)).astype(np.float64)
    capped = total > _CAP_ABOVE
    return Transfers(
        types,
        position,
        np.array([number for number, *_ in ways], np.int64)[way],
        np.array([along for _, along, _ in ways], np.bool_)[way],
        hop.target[positive],
        hop.weight[positive],
        raw / np.where(capped, total, 1.0)[position],
        hop.fan_out,
        np.minimum(total, 1.0),
        capped,
    )
