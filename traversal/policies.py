"""Policies over a graph view: `spread` computes expected activation, `sample` draws random walks.

    amount(u → v, hop) = activation that reached u the hop before · damping · share(u → v)

Shares are those of `transfer.py`; damping is .8 a hop, hops are at most 3, and the
activation of a node is what it started with plus all amounts that reached it. It moves without a
memory of where it came from, so some flows back. Both return every flow, hop by hop, and
neither reads a store or a clock, ranks results or makes anything as long as the view.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..core.errors import InvalidInput
from ..graph.view import Floats, Ints
from .tracerank import NodeRanks, unranked
from .transfer import EdgeSource, Flags, SpreadingRules, Transfers, transfers

#: The arrays of `Flows`, one row a flow.
_COLUMNS = ("source", "type", "along", "target", "weight", "amount", "hop")


@dataclass(frozen=True, slots=True)
class StartNodes:
    """Start nodes, the mass ≥ 0 of each, and how far they are to be trusted (0…1)."""

    node: Ints
    mass: Floats
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class Flows:
    """Activation that moved over edges: from, over which type, to, how much, at which hop.

    `type` indexes `types`; `along` says whether the edge was followed in its own direction;
    hops count from 1.
    """

    types: tuple[str, ...]
    source: Ints
    type: Ints
    along: Flags
    target: Ints
    weight: Floats
    amount: Floats
    hop: Ints

    def into(self, node: int) -> Flows:
        """Return the flows that reached one node."""
        return self.where(np.flatnonzero(self.target == node))

    def where(self, indices: Ints) -> Flows:
        """Return some of these flows, by their places."""
        return replace(self, **{name: getattr(self, name)[indices] for name in _COLUMNS})


@dataclass(frozen=True, slots=True)
class Balance:
    """Where the activation that could move at one hop went; `arrived` is the sum of the others.

    `low_confidence`: the start nodes were not sure enough. `inhibited`: stronger nodes suppressed
    it. `stopped`: too little at a node. `hubs`: the node has too many edges. `stranded`: it has
    none. `damped`: lost a hop. `withheld`: weights, factors and TraceRanks below 1, and loops.
    `passed` moved on. `capped` nodes would have passed more than they had.
    """

    arrived: float
    low_confidence: float = 0.0
    inhibited: float = 0.0
    stopped: float = 0.0
    hubs: float = 0.0
    stranded: float = 0.0
    damped: float = 0.0
    withheld: float = 0.0
    passed: float = 0.0
    capped: tuple[int, ...] = ()

    @property
    def lost(self) -> float:
        """Return what did not move on."""
        blocked = self.low_confidence + self.inhibited + self.stopped + self.hubs + self.stranded
        return blocked + self.damped + self.withheld


@dataclass(frozen=True, slots=True)
class Activation:
    """What `spread` found: nodes ascending, the activation of each, and what it is the sum of."""

    starts: StartNodes
    flows: Flows
    balances: tuple[Balance, ...]
    nodes: Ints
    amount: Floats


@dataclass(frozen=True, slots=True)
class Sample:
    """What random walks found: nodes ascending, mean activation and its standard error.

    A flow is the mass of the walks that took the edge at that hop; flows into a node and its
    own start add up to its mean.
    """

    walks: int
    flows: Flows
    nodes: Ints
    mean: Floats
    error: Floats


def spread(
    edges: EdgeSource,
    starts: StartNodes,
    rank: NodeRanks = unranked,
    rules: SpreadingRules | None = None,
) -> Activation:
    """Spread the starts' mass for up to `rules.hops` hops and return the expected activation.

    The same graph gives the same result to the last bit, whatever the order of its edges.
    """
    rules = rules or SpreadingRules()
    node, mass = _summed(starts.node, starts.mass)
    began = StartNodes(node, mass, starts.confidence)
    parts: list[Flows] = []
    balances: list[Balance] = []
    for hop in range(1, rules.hops + 1):
        if starts.confidence < rules.confidence_min:
            balances.append(Balance(float(mass.sum()), low_confidence=float(mass.sum())))
            break
        flows, balance = _hop(edges, StartNodes(node, mass), rank, rules, hop)
        parts.append(flows)
        balances.append(balance)
        node, mass = _summed(flows.target, flows.amount)
        if not len(node):
            break
    every = _joined(parts)
    nodes, amount = _summed(
        np.concatenate([began.node, every.target]), np.concatenate([began.mass, every.amount])
    )
    return Activation(began, every, tuple(balances), nodes, amount)


def sample(
    edges: EdgeSource,
    starts: StartNodes,
    walks: int,
    random: np.random.Generator,
    rank: NodeRanks = unranked,
    rules: SpreadingRules | None = None,
) -> Sample:
    """Draw `walks` random walks and return the mean activation of what they visited.

    A walk begins at a start node drawn by mass; at each of at most `rules.hops` hops it takes an
    edge with probability damping · share, or else ends. So the mean converges to `spread` with
    threshold and inhibition at 0, which this policy does not have. The generator's state is all
    that makes two runs differ.
    """
    rules = rules or SpreadingRules()
    if walks < 2:
        raise InvalidInput(f"traversal: {walks} walks have no spread; give at least 2")
    node, mass = _summed(starts.node, starts.mass)
    unit = float(mass.sum()) / walks
    if not unit > 0:
        none = np.zeros(len(node))
        return Sample(walks, _joined([]), node, none, none)
    at = node[random.choice(len(node), walks, p=mass / mass.sum())]
    walk = np.arange(walks)
    visits, parts = [(walk, at)], []
    open_ = starts.confidence >= rules.confidence_min
    for hop in range(1, rules.hops + 1 if open_ else 1):
        asked, place = np.unique(at, return_inverse=True)
        moves = transfers(edges, asked, rank, rules)
        walking, edge = _drawn(moves, place, rules.damping, random)
        walk, at = walk[walking], moves.target[edge]
        visits.append((walk, at))
        taken, times = np.unique(edge, return_counts=True)
        flows = _flows(moves, asked, np.zeros(len(moves.target)), hop).where(taken)
        parts.append(replace(flows, amount=unit * times.astype(np.float64)))
    nodes, mean, error = _estimated(visits, node, walks)
    return Sample(walks, _joined(parts), nodes, mean * unit * walks, error * unit * walks)


def _drawn(
    moves: Transfers, place: Ints, damping: float, random: np.random.Generator
) -> tuple[Ints, Ints]:
    """Return which walks go on and over which row of `moves`; `place` is where each stands."""
    order = np.argsort(moves.position, kind="stable")
    ends = np.cumsum(np.bincount(moves.position, minlength=len(moves.fan_out)))
    height = np.concatenate([[0.0], np.cumsum(moves.share[order])])
    begins = np.concatenate([[0], ends[:-1]]).astype(np.int64)
    draw = random.random(len(place))
    walking = np.flatnonzero(draw < damping * moves.passed[place])
    where = place[walking]
    aim = height[begins[where]] + draw[walking] / damping
    # A rounding error must not lead to another node's edges.
    row = np.clip(np.searchsorted(height[1:], aim, "right"), begins[where], ends[where] - 1)
    return walking, order[row]


def _estimated(
    visits: list[tuple[Ints, Ints]], starts: Ints, walks: int
) -> tuple[Ints, Floats, Floats]:
    """Return the nodes, the mean count of visits a walk, and the standard error of that mean."""
    walk = np.concatenate([walk for walk, _ in visits])
    nodes, place = np.unique(
        np.concatenate([starts, *(at for _, at in visits)]), return_inverse=True
    )
    pair, times = np.unique(walk * len(nodes) + place[len(starts) :], return_counts=True)
    mean = np.bincount(pair % len(nodes), times, minlength=len(nodes)) / walks
    square = np.bincount(pair % len(nodes), times**2, minlength=len(nodes)) / walks
    return nodes, mean, np.sqrt(np.maximum(square - mean**2, 0.0) / (walks - 1))


def _hop(
    edges: EdgeSource, begin: StartNodes, rank: NodeRanks, rules: SpreadingRules, hop: int
) -> tuple[Flows, Balance]:
    """Move activation over one edge, and say what became of all of it."""
    active = _inhibited(begin.mass, rules)
    going = active > rules.threshold
    node, mass = begin.node[going], active[going]
    moves = transfers(edges, node, rank, rules)
    amount = mass[moves.position] * rules.damping * moves.share
    hub, bare = moves.fan_out > rules.fan_out_max, moves.fan_out == 0
    linked = ~(hub | bare)
    balance = Balance(
        arrived=float(begin.mass.sum()),
        inhibited=float((begin.mass - active).sum()),
        stopped=float(active[~going].sum()),
        hubs=float(mass[hub].sum()),
        stranded=float(mass[bare].sum()),
        damped=float((1 - rules.damping) * mass[linked].sum()),
        withheld=float(rules.damping * (mass * (1 - moves.passed))[linked].sum()),
        passed=float(amount.sum()),
        capped=tuple(node[moves.capped].tolist()),
    )
    return _flows(moves, node, amount, hop), balance


def _inhibited(mass: Floats, rules: SpreadingRules) -> Floats:
    """Lower each mass u by β · Σ max(0, u_k − u) over the `rivals` largest u_k, down to 0.

    Source: SYNAPSE (arXiv 2601.02744), with β .15 and 7 rivals.
    """
    if not rules.inhibition or not rules.rivals:
        return mass
    rivals = np.sort(mass)[-rules.rivals :]
    excess: Floats = np.maximum(rivals[None, :] - mass[:, None], 0.0).sum(axis=1)
    return np.maximum(mass - rules.inhibition * excess, 0.0)


def _flows(moves: Transfers, asked: Ints, amount: Floats, hop: int) -> Flows:
    return Flows(
        moves.types,
        asked[moves.position],
        moves.type,
        moves.along,
        moves.target,
        moves.weight,
        amount,
        np.full(len(amount), hop, np.int64),
    )


def _joined(parts: list[Flows]) -> Flows:
    """Put the flows of all hops into one; all have the same list of types."""
    if not parts:
        none, nothing = np.zeros(0, np.int64), np.zeros(0)
        return Flows((), none, none, np.zeros(0, np.bool_), none, nothing, nothing, none)
    whole = {name: np.concatenate([getattr(flows, name) for flows in parts]) for name in _COLUMNS}
    return Flows(parts[0].types, **whole)


def _summed(nodes: Ints, amounts: Floats) -> tuple[Ints, Floats]:
    """Return the nodes, ascending and each once, and the sum of the amounts of each."""
    distinct_nodes, place = np.unique(nodes, return_inverse=True)
    return distinct_nodes, np.bincount(place, amounts, minlength=len(distinct_nodes)).astype(
        np.float64
    )
