"""Activation: from a pool's start nodes over the graph, by the policy that the settings name.

Returns the amounts that arrived, and the paths. It judges nothing: the amount is one contribution
to a score. A policy that queries a graph engine falls back to the arrays where the engine does not
answer.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...core.errors import InvalidInput
from ...core.recall_settings import RecallSettings
from ...graph.schema import HAS_WORD
from ...graph.view import Floats, Ints
from ...storage.sorted_arrays import lookup_values, places
from ...traversal.paths import ActivationPath, PathsTo, paths_into, returned_activation
from ...traversal.policies import Flows, StartNodes, sample, spread
from ...traversal.tracerank import NodeRanks
from ...traversal.transfer import FACTORS, EdgeSource, SpreadingRules
from ...traversal.walk import Visit, start_nodes, walk
from .pool import Pool, SpaceView

_START_NODES = 10
#: Edges of messages themselves; derived nodes (facts, episodes) are not passed through.
EDGE_TYPES = (
    *(HAS_WORD, "ABOUT", "MENTIONS", "REFERENCES", "INVOLVES", "SPOKEN_BY", "IN_SESSION"),
    *("NEXT", "RELATED"),
)
#: A node that more memories share is not specific enough to be followed.
_SHARED_MAX = 65
#: What a start node, and a node that it reaches, may have in edges at most.
_FAN_OUT_MAX = 4096
_THRESHOLD = 1e-6
#: What is left of an amount by rounding, once a start node's own was taken away.
_ROUNDING = 1e-15


@dataclass(frozen=True, slots=True)
class ActivationResult:
    """What activation reached: rows ascending, how much of it, and by which paths.

    What a start node had sent out itself is left out. `starts` and `flows` are where it began and
    every edge that it moved over. `error` is the standard error of a mean over
    random walks, None where nothing was drawn. `label` says how it came, in words; `notes` are for
    whoever reads the answer.
    """

    label: str
    rows: Ints
    amount: Floats
    paths: PathsTo
    starts: StartNodes
    flows: Flows
    error: Floats | None = None
    notes: tuple[str, ...] = ()

    def at(self, rows: Ints, values: Floats) -> Floats:
        """Return the value of each of `rows`, 0 where activation did not come."""
        return lookup_values(self.rows, values, rows)


def activate(
    pool: Pool, settings: RecallSettings, edges: EdgeSource, history: NodeRanks
) -> ActivationResult:
    """Move the mass of the strongest start nodes over the graph."""
    if settings.policy == "walk":
        return _activate_by_walk(pool, edges, history)
    view = pool.space.view
    starts = pool.rows[np.argsort(-pool.mass[pool.rows], kind="stable")[:_START_NODES]]
    starts = np.sort(starts[pool.mass[starts] > 0])
    nodes = view.experiences.node[starts]
    began = StartNodes(nodes, pool.mass[starts])
    rank = ranks_of(pool.space, settings, history)
    rules = rules_of(settings)
    if settings.policy == "spread":
        label = "activation spread to it"
        return _activation_result(pool.space, spread(edges, began, rank, rules).flows, began, label)
    random = np.random.default_rng(pool.space.random_seed)
    drawn = sample(edges, began, settings.walks, random, rank, rules)
    label = f"mean of {settings.walks} random walks"
    result = _activation_result(pool.space, drawn.flows, began, label)
    place = np.searchsorted(drawn.nodes, view.experiences.node[result.rows])
    note = f"activation is the mean of {settings.walks} random walks, drawn anew for each answer"
    return replace(result, error=drawn.error[place], notes=(note,))


def _activation_result(
    space: SpaceView, flows: Flows, starts: StartNodes, label: str
) -> ActivationResult:
    view = space.view
    order = np.argsort(starts.node)
    began = StartNodes(starts.node[order], starts.mass[order])
    nodes, place = np.unique(flows.target, return_inverse=True)
    amount = np.bincount(place, flows.amount, minlength=len(nodes)).astype(np.float64)
    own, where = returned_activation(flows, began), places(nodes, began.node)
    amount[where[where >= 0]] -= own[where >= 0]
    rows = view.experience_of[nodes]
    selected = np.flatnonzero((rows >= 0) & (amount > _ROUNDING))
    selected = selected[space.allowed[rows[selected]]]
    selected = selected[np.argsort(rows[selected])]

    def paths(row: int) -> Iterator[ActivationPath]:
        return paths_into(flows, int(view.experiences.node[row]))

    return ActivationResult(label, rows[selected], amount[selected], paths, starts, flows)


def rules_of(settings: RecallSettings) -> SpreadingRules:
    """Return how activation moves; `InvalidInput` for an edge type that it cannot follow."""
    unknown = sorted(set(settings.edges) - set(EDGE_TYPES))
    if unknown:
        raise InvalidInput(
            f"recall.edges names {', '.join(unknown)}: activation follows {', '.join(EDGE_TYPES)}"
        )
    return SpreadingRules(
        factors={type: FACTORS[type] for type in settings.edges},
        hops=settings.hops,
        threshold=_THRESHOLD,
        fan_out_max=_FAN_OUT_MAX,
    )


def ranks_of(space: SpaceView, settings: RecallSettings, history: NodeRanks) -> NodeRanks:
    """Return what each node is preferred by: what is shared by few, and what was there then.

    A shared node counts by its rarity ln(n/degree), and not at all where too many share it; an
    experience that did not exist at the asked time not at all.
    """
    view = space.view
    count = len(view.experiences.seqs)
    most = min(max(settings.concept_share_max * count, 2), _SHARED_MAX)
    incoming = [view.links(type, outgoing=False) for type in settings.edges]

    def ranks(nodes: Ints) -> Floats:
        row = view.experience_of[nodes]
        values = history(nodes)
        values[(row >= 0) & ~space.visible[row]] = 0.0
        shared = np.flatnonzero(row < 0)
        degree = np.zeros(len(shared), np.int64)
        for links in incoming:
            degree += links.degrees(nodes[shared])
        rarity = np.log(count / np.maximum(degree, 1))
        values[shared] *= np.where((degree > 1) & (degree <= most), rarity, 0.0)
        return values

    return ranks


def _activate_by_walk(pool: Pool, edges: EdgeSource, history: NodeRanks) -> ActivationResult:
    space, view = pool.space, pool.space.view

    def rank(nodes: Ints) -> Floats:
        row, values = view.experience_of[nodes], history(nodes)
        values[(row >= 0) & ~space.visible[row]] = 0.0
        return values

    active = np.ones(len(pool.rows), bool)
    best = start_nodes(pool.rows, pool.mass[pool.rows], active & (pool.mass[pool.rows] > 0))
    random = np.random.default_rng(space.random_seed)
    visits = walk(edges, view.experiences.node[best], random, rank)
    by_row: dict[int, list[Visit]] = defaultdict(list)
    for visit in visits:
        row = int(view.experience_of[visit.node])
        if visit.steps and row >= 0 and space.allowed[row]:
            by_row[row].append(visit)
    rows = np.array(sorted(by_row), np.int64)
    amount = np.array([sum(v.signal for v in by_row[row]) for row in rows.tolist()], np.float64)

    def paths(row: int) -> Iterator[ActivationPath]:
        return iter([path_of(visit) for visit in by_row[row]])

    started = view.experiences.node[best]
    starts = StartNodes(started, np.ones(len(started)))
    return ActivationResult("recalled by a walk", rows, amount, paths, starts, flows_of(visits))


def flows_of(visits: Sequence[Visit]) -> Flows:
    """Return the edges by which a walk came to each node, with the signal on arrival."""
    moved = [(v.steps[-2].node if v.hops > 1 else v.start, v) for v in visits if v.steps]
    types = tuple(sorted({visit.steps[-1].type for _, visit in moved}))
    steps = [visit.steps[-1] for _, visit in moved]
    return Flows(
        types,
        np.array([source for source, _ in moved], np.int64),
        np.array([types.index(step.type) for step in steps], np.int64),
        np.array([step.along for step in steps], np.bool_),
        np.array([step.node for step in steps], np.int64),
        np.array([step.weight for step in steps], np.float64),
        np.array([step.signal for step in steps], np.float64),
        np.array([visit.hops for _, visit in moved], np.int64),
    )


def path_of(visit: Visit) -> ActivationPath:
    """Return the way of one visit of a walk; its amount is the signal on arrival."""
    capped = sum(step.capped for step in visit.steps)
    note = f"signal {visit.signal:.2f}"
    if capped:
        note += f", the probability of {capped} capped at 1"
    return ActivationPath(
        (visit.start, *(step.node for step in visit.steps)),
        tuple(step.type for step in visit.steps),
        tuple(step.along for step in visit.steps),
        visit.signal,
        note,
    )
