"""One step of spreading activation: the flows that plain dictionaries give, none from nothing."""

from __future__ import annotations

import math
from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.graph.view import Experiences, GraphView, Links, SparseRows
from meridia.traversal import spread as spread_module
from meridia.traversal.spread import FAN_OUT_MAX, Flows, over_shared

#: Experience → the shared nodes that it has, by number.
Shared = list[set[int]]

shared = st.lists(st.sets(st.integers(0, 5)), min_size=1, max_size=12)
shares = st.sampled_from([0.01, 0.25, 0.5, 1.0])


def links(pairs: list[tuple[int, int]], nodes: int) -> Links:
    sources, targets = np.array(pairs, np.int64).reshape(-1, 2).T
    return Links((SparseRows.build(sources, targets, np.ones(len(pairs)), nodes),))


def a_view(of: Shared) -> GraphView:
    """Build a view: first the shared nodes, then the experiences in reversed order."""
    things = max((max(nodes, default=-1) for nodes in of), default=-1) + 1
    count, total = len(of), things + len(of)
    node = np.arange(total - 1, things - 1, -1)
    experience_of = np.full(total, -1, np.int64)
    experience_of[node] = np.arange(count)
    none = np.zeros(count, np.int64)
    columns = Experiences(np.arange(1, count + 1), *[none] * 5, node, none, none)
    about = [(int(node[row]), thing) for row, nodes in enumerate(of) for thing in nodes]
    outgoing = {"ABOUT": links(about, total)}
    incoming = {"ABOUT": links([(b, a) for a, b in about], total)}
    return GraphView(count, np.arange(total), experience_of, columns, [], [], outgoing, incoming)


def plainly(
    of: Shared, masses: dict[int, float], share_max: float, fan_out_max: int = FAN_OUT_MAX
) -> dict[tuple, float]:
    """Return (source, target, shared node) → amount, as the rule is told in words."""
    holders = defaultdict(set)
    for row, nodes in enumerate(of):
        for thing in nodes:
            holders[thing].add(row)
    allowed = {
        thing: math.log(len(of) / len(rows))
        for thing, rows in holders.items()
        if 1 < len(rows) <= min(max(share_max * len(of), 2), fan_out_max + 1)
    }
    flows: dict[tuple, float] = defaultdict(float)
    for start, mass in masses.items():
        rarities = {thing: allowed[thing] for thing in of[start] if thing in allowed}
        total = sum(rarities.values())
        for thing, rarity in rarities.items():
            for other in holders[thing] - {start}:
                part = mass * rarity / total if total else 0.0
                flows[start, other, thing] += part / (len(holders[thing]) - 1)
    return flows


def flows_of(flows: Flows) -> dict[tuple, float]:
    found: dict[tuple, float] = defaultdict(float)
    columns = (flows.source, flows.target, flows.via, flows.amount)
    for source, target, via, amount in zip(*(c.tolist() for c in columns), strict=True):
        found[source, target, via] += amount
    return found


def spread(of: Shared, masses: dict[int, float], share_max: float) -> Flows:
    starts = np.array(list(masses), np.int64)
    return over_shared(a_view(of), "ABOUT", starts, np.array(list(masses.values())), share_max)


@st.composite
def masses_of(draw, of: Shared) -> dict[int, float]:
    rows = draw(st.lists(st.integers(0, len(of) - 1), unique=True, max_size=len(of)))
    return {row: draw(st.floats(0, 1, allow_subnormal=False)) for row in rows}


@given(st.data(), shared, shares)
def test_every_flow_is_what_the_rule_says(data, of, share_max):
    masses = data.draw(masses_of(of))
    found = flows_of(spread(of, masses, share_max))
    expected = plainly(of, masses, share_max)
    assert set(found) == set(expected)
    assert [found[flow] for flow in expected] == pytest.approx(list(expected.values()), abs=1e-12)


@given(st.data(), shared, shares)
def test_no_start_gives_more_than_it_had_and_nothing_to_itself(data, of, share_max):
    masses = data.draw(masses_of(of))
    flows = spread(of, masses, share_max)
    assert (flows.amount >= 0).all()
    assert (flows.source != flows.target).all()
    given_away = defaultdict(float)
    for source, amount in zip(flows.source.tolist(), flows.amount.tolist(), strict=True):
        given_away[source] += amount
    assert all(given_away[row] <= masses[row] + 1e-9 for row in given_away)
    assert flows.amount.sum() <= sum(masses.values()) + 1e-9


@given(st.data(), shared, shares)
def test_a_node_that_too_many_share_passes_nothing(data, of, share_max):
    flows = spread(of, data.draw(masses_of(of)), share_max)
    for thing in set(flows.via.tolist()):
        holders = sum(thing in nodes for nodes in of)
        assert 1 < holders <= max(share_max * len(of), 2)


@pytest.mark.parametrize("fan_out_max", [1, 3])
@given(of=shared)
def test_a_node_that_would_reach_too_many_passes_nothing(fan_out_max, of):
    masses = dict.fromkeys(range(len(of)), 1.0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spread_module, "FAN_OUT_MAX", fan_out_max)
        found = flows_of(spread(of, masses, 1.0))
    assert set(found) == set(plainly(of, masses, 1.0, fan_out_max))


def test_a_rare_node_carries_more_than_a_common_one():
    of = [{0, 1}, {0}, {1}, {1}, {1}, set(), set(), set()]
    flows = flows_of(spread(of, {0: 1.0}, 1.0))
    assert flows[0, 1, 0] > sum(amount for (_, _, via), amount in flows.items() if via == 1)


def test_flows_from_several_starts_add_up_where_they_meet():
    flows = spread([{0}, {1}, {0, 1}, set(), set()], {0: 0.5, 1: 0.25}, 1.0)
    assert flows.sums(np.array([2])) == pytest.approx([0.75])
    assert flows.sums(np.array([0, 1, 2])) == pytest.approx([0, 0, 0.75])


def test_flows_can_be_narrowed_to_where_they_went():
    flows = spread([{0}, {0, 1}, {0, 1}, set(), set()], {0: 0.5, 1: 0.25}, 1.0)
    narrowed = flows.to(np.array([2, 4]))
    assert set(narrowed.target.tolist()) == {2}
    kept = {flow: amount for flow, amount in flows_of(flows).items() if flow[1] == 2}
    assert flows_of(narrowed) == kept
    assert len(flows.to(np.array([4])).amount) == 0


def test_what_everybody_shares_tells_nothing():
    flows = spread([{0}, {0}, {0}], {0: 1.0}, 1.0)
    assert flows.amount.sum() == 0


def test_nothing_spreads_from_nowhere():
    assert len(spread([{0}, {0}, set()], {}, 1.0).amount) == 0


def test_where_no_edge_of_a_type_exists_nothing_spreads():
    view = a_view([{0}, {0}])
    flows = over_shared(view, "INVOLVES", np.array([0]), np.array([1.0]), 1.0)
    assert len(flows.amount) == 0
