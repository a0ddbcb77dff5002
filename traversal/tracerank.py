"""TraceRank and MemRank: the rank that a memory gets from its history and its place in the graph.

TraceRank says how much a memory's own history raises or lowers it, from arrays of ages. MemRank is
PageRank over the associations of memories: how central each is, whatever the question.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..core.time import DAY_S
from ..core.vocabulary import Stability
from ..graph.view import Floats, GraphView, Ints
from ..storage.sorted_arrays import lookup_values

#: Nodes of a view → what a transfer to each is multiplied by, ≥ 0.
NodeRanks = Callable[[Ints], Floats]
#: The constants of the formula are those of the source: how fast a reinforcement fades, in how many
#: hours of another one it is of a burst, and what it counts then.
FADING_DAYS, BURST_HOURS, BURST_SHARE = 21.0, 24.0, 0.2
#: What reinforcements and connections count, and the least that age leaves.
REINFORCEMENT, CONNECTION, FLOOR = 0.35, 0.15, 0.01
#: τ by temporal stability, days; the others do not age. What is ephemeral lasts a quarter as long
#: as what is dynamic, but at most a week.
LIFETIME_DAYS = {Stability.DYNAMIC: 90.0, Stability.EPHEMERAL: 7.0}


@dataclass(frozen=True, slots=True)
class Reinforcements:
    """Reinforcements in any order: whose each is (a row), and how many days ago it was.

    One that lies ahead counts as just now.
    """

    owner: Ints
    age_days: Floats


NEVER = Reinforcements(np.zeros(0, np.int64), np.zeros(0, np.float64))


@dataclass(frozen=True, slots=True)
class TraceRanks:
    """The three factors of n memories, each an array of n."""

    reinforcement: Floats
    connection: Floats
    permanence: Floats

    @property
    def total(self) -> Floats:
        """Return the product of the three."""
        return self.reinforcement * self.connection * self.permanence


#: Nodes of a view → the factors of each.
NodeFactors = Callable[[Ints], TraceRanks]


def unranked(nodes: Ints) -> Floats:
    """Return 1 for each node: the ranks of traversal without TraceRank."""
    return np.ones(len(nodes))


def factors_over(
    view: GraphView,
    now: int,
    reinforced: Reinforcements = NEVER,
    lifetime_days: Floats | None = None,
) -> NodeFactors:
    """Return the factors of a view's nodes as a function, worked out for those asked for.

    `now` is seconds since 1970. Owners and `lifetime_days` go by rows of `view.experiences`;
    without lifetimes nothing ages. The factors of a node of another kind are 1.
    """
    owners, sums = traces(reinforced)

    def factors(nodes: Ints) -> TraceRanks:
        row = view.experience_of[nodes]
        is_experience = row >= 0
        nodes, row = nodes[is_experience], row[is_experience]
        age = np.maximum((now - view.experiences.at[row]) / DAY_S, 0.0)
        lifetime = np.full(len(row), np.inf) if lifetime_days is None else lifetime_days[row]
        trace = lookup_values(owners, sums, row)
        inbound = _inbound(view, nodes)
        ranks = tracerank(age, lifetime, trace, inbound)
        return TraceRanks(
            *(
                _ones(is_experience, own)
                for own in (ranks.reinforcement, ranks.connection, ranks.permanence)
            )
        )

    return factors


def _ones(mask: NDArray[np.bool_], values: Floats) -> Floats:
    """Return the values where they are known, 1 elsewhere."""
    result = np.ones(len(mask))
    result[mask] = values
    return result


def traces(reinforced: Reinforcements) -> tuple[Ints, Floats]:
    """Return the owners that have reinforcements, ascending, and the trace of each."""
    age = np.maximum(reinforced.age_days, 0.0)
    order = np.lexsort((age, reinforced.owner))
    owner, age = reinforced.owner[order], age[order]
    burst = np.zeros(len(owner), np.bool_)
    near = np.rint(np.diff(age) * DAY_S) < BURST_HOURS * 3600
    burst[1:] = near & (owner[1:] == owner[:-1])
    amount = np.where(burst, BURST_SHARE, 1.0) * np.exp(-age / FADING_DAYS)
    owners, place = np.unique(owner, return_inverse=True)
    return owners, np.bincount(place, amount, minlength=len(owners)).astype(np.float64)


def tracerank(age: Floats, lifetime: Floats, trace: Floats, inbound: Ints) -> TraceRanks:
    """Return the factors of memories by their ages and lifetimes in days (inf: it does not age)."""
    return TraceRanks(
        1 + REINFORCEMENT * np.log1p(trace),
        1 + CONNECTION * np.log1p(inbound),
        np.maximum(np.exp(-age / lifetime), FLOOR),
    )


def _inbound(view: GraphView, nodes: Ints) -> Ints:
    count = np.zeros(len(nodes), np.int64)
    for links in view.incoming.values():
        count += links.degrees(nodes)
    return count


_DAMPING = 0.85
#: The largest total change that counts as none, and the most rounds until then.
_SETTLED, _ROUNDS_MAX = 1e-10, 200


def memrank(view: GraphView, visible: NDArray[np.bool_]) -> Floats:
    """Return the rank of each experience, summing to 1: 0 where it cannot be seen, else more."""
    visible_rows = np.flatnonzero(visible)
    ranks = np.zeros(len(visible))
    if not len(visible_rows):
        return ranks
    place = np.full(len(visible), -1, np.int64)
    place[visible_rows] = np.arange(len(visible_rows))
    edges = view.links("RELATED").of(view.experiences.node[visible_rows])
    row = view.experience_of[edges.target]
    other = np.where(row >= 0, place[row], -1)
    valid = (other >= 0) & (other != edges.position) & (edges.weight > 0)
    source, target, weight = edges.position[valid], other[valid], edges.weight[valid]
    source, target = np.concatenate([source, target]), np.concatenate([target, source])
    weight = np.concatenate([weight, weight])
    passed = np.bincount(source, weight, minlength=len(visible_rows)).astype(np.float64)
    share = weight / passed[source]
    rank = np.full(len(visible_rows), 1 / len(visible_rows))
    for _ in range(_ROUNDS_MAX):
        stuck = float(rank[passed == 0].sum())
        came = np.bincount(target, rank[source] * share, minlength=len(visible_rows))
        following = (1 - _DAMPING + _DAMPING * stuck) / len(visible_rows) + _DAMPING * came
        change = float(np.abs(following - rank).sum())
        rank = following
        if change < _SETTLED:
            break
    ranks[visible_rows] = rank
    return ranks
