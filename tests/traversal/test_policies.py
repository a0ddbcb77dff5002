"""Policies: `spread` is what plain Python computes, nothing is lost unsaid, `sample` agrees."""

from __future__ import annotations

import tracemalloc
from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.errors import InvalidInput
from meridia.graph.view import EdgeLayers, GraphView, SparseRows
from meridia.traversal.policies import Activation, Flows, StartNodes, sample, spread
from meridia.traversal.tracerank import unranked
from meridia.traversal.transfer import SpreadingRules
from tests.traversal.typed_graphs import (
    TYPES,
    TypedGraph,
    a_graph,
    a_view,
    graphs,
    masses_of,
    reference_spread,
)

FREE = SpreadingRules(threshold=0.0)

rules_ = st.builds(
    SpreadingRules,
    hops=st.integers(0, 3),
    damping=st.sampled_from([0.0, 0.5, 0.8, 1.0]),
    # No round number: a mass at the very threshold may fall on either side by rounding.
    threshold=st.sampled_from([0.0, 0.00113, 0.0973]),
    fan_out_max=st.sampled_from([0, 3, 256]),
    inhibition=st.sampled_from([0.0, 0.15]),
    rivals=st.sampled_from([0, 1, 7]),
)


def starts_at(masses: dict[int, float], confidence: float = 1.0) -> StartNodes:
    nodes = np.array(list(masses), np.int64)
    return StartNodes(nodes, np.array(list(masses.values()), np.float64), confidence)


def run(graph: TypedGraph, masses: dict[int, float], rules: SpreadingRules) -> Activation:
    return spread(a_view(graph), starts_at(masses), graph.rank, rules)


def flows_of(flows: Flows) -> dict[tuple, float]:
    """Return (source, type, along, target, hop) → amount."""
    found: dict[tuple, float] = defaultdict(float)
    columns = (flows.source, flows.type, flows.along, flows.target, flows.hop, flows.amount)
    for source, type, along, target, hop, amount in zip(
        *(column.tolist() for column in columns), strict=True
    ):
        found[source, flows.types[type], along, target, hop] += amount
    return found


def activation_of(found: Activation) -> dict[int, float]:
    return dict(zip(found.nodes.tolist(), found.amount.tolist(), strict=True))


@given(st.data(), graphs(), rules_)
def test_spread_is_what_plain_python_computes(data, graph, rules):
    masses = data.draw(masses_of(graph))
    found = run(graph, masses, rules)
    plain = reference_spread(graph, masses, rules)
    amounts = flows_of(found.flows)
    # What is too small for a float may be 0 in one of the two and absent in the other.
    assert amounts == pytest.approx({**dict.fromkeys(amounts, 0.0), **plain.flows}, abs=1e-9)
    expected = {**dict.fromkeys(activation_of(found), 0.0), **plain.activation}
    assert activation_of(found) == pytest.approx(expected, abs=1e-9)
    assert [balance.lost for balance in found.balances] == pytest.approx(
        plain.lost[: len(found.balances)], abs=1e-9
    )


@given(st.data(), graphs(), rules_)
def test_what_flowed_into_a_node_and_what_it_began_with_is_its_activation(data, graph, rules):
    masses = data.draw(masses_of(graph))
    found = run(graph, masses, rules)
    for node, amount in activation_of(found).items():
        reached = found.flows.into(node)
        assert set(reached.target.tolist()) <= {node}
        assert amount == pytest.approx(masses.get(node, 0) + reached.amount.sum(), abs=1e-12)
    assert set(found.nodes.tolist()) == set(masses) | set(found.flows.target.tolist())


@given(st.data(), graphs(), rules_)
def test_activation_is_conserved_but_for_the_losses_that_are_told(data, graph, rules):
    masses = data.draw(masses_of(graph))
    found = run(graph, masses, rules)
    arriving = sum(masses.values())
    for hop, balance in enumerate(found.balances, start=1):
        assert balance.arrived == pytest.approx(arriving, abs=1e-12)
        assert balance.lost + balance.passed == pytest.approx(balance.arrived, abs=1e-12)
        arriving = found.flows.amount[found.flows.hop == hop].sum()
        assert balance.passed == pytest.approx(arriving, abs=1e-12)
    moved = sum(balance.passed for balance in found.balances)
    assert found.amount.sum() == pytest.approx(sum(masses.values()) + moved, abs=1e-12)
    assert len(found.balances) <= rules.hops


@given(st.data(), graphs(), rules_, st.randoms(use_true_random=False), st.integers(0, 30))
def test_the_order_of_edges_changes_not_a_bit(data, graph, rules, random, settled):
    masses = data.draw(masses_of(graph))
    edges = list(graph.edges)
    random.shuffle(edges)
    one = run(graph, masses, rules)
    view = a_view(replace(graph, edges=tuple(edges)), settled)
    other = spread(view, starts_at(dict(sorted(masses.items()))), graph.rank, rules)
    assert np.array_equal(one.amount, other.amount)
    assert np.array_equal(one.nodes, other.nodes)
    assert one.balances == other.balances
    assert flows_of(one.flows) == flows_of(other.flows)


more = st.lists(
    st.tuples(st.sampled_from([*TYPES, "UNHEARD_OF"]), *[st.integers(0, 8)] * 2, st.just(1.0)),
    max_size=40,
    unique_by=lambda edge: edge[:3],
)


@given(st.data(), graphs(), rules_, more)
def test_more_edges_never_crash_it_and_never_make_activation(data, graph, rules, added):
    masses = data.draw(masses_of(graph))
    grown = TypedGraph(9, tuple({e[:3]: e for e in (*graph.edges, *added)}.values()), (2.5,) * 9)
    found = run(grown, masses, rules)
    mass = sum(masses.values())
    for balance in found.balances:
        assert balance.passed <= mass * rules.damping + 1e-12
        mass = balance.passed
    assert (found.amount >= 0).all()


def test_activation_halves_at_a_fork_and_decays_a_hop():
    graph = a_graph(4, ("NEXT", 0, 1, 1.0), ("NEXT", 0, 2, 1.0), ("ABOUT", 2, 3, 0.5))
    found = run(graph, {0: 1.0}, replace(FREE, hops=2))
    # Hop 1: .8/2 each. Hop 2: node 1 gives .32 back; node 2 has two edges: .16 back, .08 on.
    assert activation_of(found) == pytest.approx({0: 1.48, 1: 0.4, 2: 0.4, 3: 0.08})
    assert flows_of(found.flows)[2, "ABOUT", True, 3, 2] == pytest.approx(0.08)
    assert flows_of(found.flows)[2, "NEXT", False, 0, 2] == pytest.approx(0.16)
    first, second = found.balances
    assert (first.damped, first.withheld, first.passed) == pytest.approx((0.2, 0, 0.8))
    assert (second.damped, second.withheld, second.passed) == pytest.approx((0.16, 0.08, 0.56))


def test_each_loss_has_its_name():
    hub = [("ABOUT", 0, leaf, 1.0) for leaf in range(3, 8)]
    graph = a_graph(8, *hub, ("NEXT", 1, 7, 1.0))
    masses = {0: 1.0, 1: 0.05, 2: 0.5}
    (balance,) = run(graph, masses, SpreadingRules(hops=1, threshold=0.1, fan_out_max=4)).balances
    assert (balance.hubs, balance.stopped, balance.stranded) == pytest.approx((1.0, 0.05, 0.5))
    assert balance.lost == pytest.approx(1.55)


def test_a_node_at_the_threshold_passes_nothing_on_and_keeps_what_it_got():
    graph = a_graph(3, ("NEXT", 0, 1, 1.0), ("NEXT", 1, 2, 1.0))
    rules = SpreadingRules(hops=2, threshold=0.5, damping=1.0)
    assert activation_of(run(graph, {0: 0.5}, rules)) == {0: 0.5}
    assert activation_of(run(graph, {0: 0.75}, rules)) == {0: 1.125, 1: 0.75, 2: 0.375}


def test_stronger_nodes_inhibit_weaker_ones_when_that_is_switched_on():
    graph = a_graph(4, ("NEXT", 0, 2, 1.0), ("NEXT", 1, 3, 1.0))
    rules = SpreadingRules(hops=1, inhibition=0.15, damping=1.0)
    # 1 keeps .4 − .15·(1 − .4) = .31
    found = run(graph, {0: 1.0, 1: 0.4}, rules)
    assert activation_of(found) == pytest.approx({0: 1.0, 1: 0.4, 2: 1.0, 3: 0.31})
    assert found.balances[0].inhibited == pytest.approx(0.09)
    assert activation_of(run(graph, {0: 1.0, 1: 0.05}, rules)).get(3) is None


@pytest.mark.parametrize(
    ("rivals", "left"), [(1, 0.4 - 0.15 * 0.6), (2, 0.4 - 0.15 * 0.9), (0, 0.4), (7, 0.265)]
)
def test_only_so_many_rivals_inhibit_a_node(rivals, left):
    graph = a_graph(6, *(("NEXT", node, node + 3, 1.0) for node in range(3)))
    rules = SpreadingRules(hops=1, inhibition=0.15, rivals=rivals, damping=1.0)
    found = run(graph, {0: 1.0, 1: 0.7, 2: 0.4}, rules)
    assert activation_of(found)[5] == pytest.approx(left)


@pytest.mark.parametrize(("confidence", "opened"), [(0.11, False), (0.12, True)])
def test_the_gate_closes_when_the_start_nodes_are_not_trusted(confidence, opened):
    graph = a_graph(2, ("NEXT", 0, 1, 1.0))
    starts, rules = starts_at({0: 1.0}, confidence), SpreadingRules(confidence_min=0.12)
    found = spread(a_view(graph), starts, unranked, rules)
    assert (1 in found.nodes) is opened
    assert found.balances[0].low_confidence == (0.0 if opened else 1.0)
    drawn = sample(a_view(graph), starts, 50, np.random.default_rng(3), unranked, rules)
    assert (1 in drawn.nodes) is opened
    assert drawn.mean[0] >= 1


def test_a_hub_of_a_thousand_damps_and_a_larger_one_passes_nothing():
    star = a_graph(1001, *(("ABOUT", leaf, 0, 1.0) for leaf in range(1, 1001)))
    wide = run(star, {1: 1.0}, replace(FREE, fan_out_max=1000, hops=2))
    assert activation_of(wide)[2] == pytest.approx(0.8 * 0.8 / 1000)
    assert wide.amount.sum() == pytest.approx(1 + 0.8 + 0.64)
    narrow = run(star, {1: 1.0}, replace(FREE, fan_out_max=999, hops=2))
    assert activation_of(narrow) == {1: 1.0, 0: 0.8}
    assert narrow.balances[1].hubs == 0.8


def test_a_start_node_named_twice_has_both_masses():
    graph = a_graph(2, ("NEXT", 0, 1, 1.0))
    twice = StartNodes(np.array([0, 0]), np.array([0.25, 0.5]))
    found = spread(a_view(graph), twice, unranked, replace(FREE, hops=1))
    assert activation_of(found) == pytest.approx({0: 0.75, 1: 0.6})


def test_nothing_to_start_from_gives_nothing():
    view = a_view(a_graph(2, ("NEXT", 0, 1, 1.0)))
    assert len(spread(view, starts_at({})).nodes) == 0
    assert len(sample(view, starts_at({}), 10, np.random.default_rng(0)).nodes) == 0
    assert sample(view, starts_at({1: 0.0}), 10, np.random.default_rng(0)).mean.tolist() == [0]


def test_spreading_takes_memory_by_what_it_touches_not_by_the_view():
    count = 2_000_000
    ends = np.arange(10)
    rows = SparseRows.build(ends, ends + 10, np.ones(10), count)
    back = SparseRows.build(ends + 10, ends, np.ones(10), count)
    small = a_view(a_graph(20))
    view: GraphView = replace(
        small, outgoing={"NEXT": EdgeLayers((rows,))}, incoming={"NEXT": EdgeLayers((back,))}
    )
    tracemalloc.start()
    found = spread(view, starts_at(dict.fromkeys(range(10), 0.1)))
    drawn = sample(view, starts_at({0: 1.0}), 100, np.random.default_rng(0))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(found.nodes) == 20
    assert len(drawn.nodes) == 2
    assert peak < count / 4


@given(st.data(), graphs(), st.integers(0, 2**32), st.integers(0, 30))
def test_the_same_seed_draws_the_same_walks(data, graph, seed, settled):
    starts = starts_at(data.draw(masses_of(graph)))
    one = sample(a_view(graph), starts, 20, np.random.default_rng(seed), graph.rank)
    other = sample(a_view(graph, settled), starts, 20, np.random.default_rng(seed), graph.rank)
    assert np.array_equal(one.nodes, other.nodes)
    assert np.array_equal(one.mean, other.mean)
    assert np.array_equal(one.error, other.error)


@given(st.data(), graphs(), rules_, st.integers(0, 2**32))
def test_the_walks_add_up_and_take_only_edges_that_carry_something(data, graph, rules, seed):
    masses = data.draw(masses_of(graph))
    random = np.random.default_rng(seed)
    found = sample(a_view(graph), starts_at(masses), 30, random, graph.rank, rules)
    plain = reference_spread(graph, masses, replace(rules, threshold=0.0, inhibition=0.0))
    assert flows_of(found.flows).keys() <= plain.flows.keys()
    began = sum(masses.values())
    assert found.mean.sum() == pytest.approx(began + found.flows.amount.sum(), abs=1e-9)
    for hop in range(1, rules.hops + 1):
        moved = found.flows.amount[found.flows.hop == hop].sum()
        assert moved <= began + 1e-9
        began = moved


def crowded(seed: int) -> tuple[TypedGraph, dict[int, float]]:
    """Return a graph of 60 nodes and 300 edges with loops and a hub, and three start nodes."""
    random = np.random.default_rng(seed)
    keys = {
        (TYPES[random.integers(4)], int(random.integers(60) ** 2 // 60), int(random.integers(60)))
        for _ in range(300)
    }
    edges = tuple((*key, float(random.uniform(0.2, 1))) for key in sorted(keys))
    ranks = tuple(random.uniform(0.5, 2, 60).tolist())
    return TypedGraph(60, edges, ranks), {3: 0.5, 20: 0.3, 41: 0.2}


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_walks_converge_to_the_expected_activation(seed):
    graph, masses = crowded(seed)
    expected = activation_of(run(graph, masses, FREE))
    random = np.random.default_rng(seed)
    drawn = sample(a_view(graph), starts_at(masses), 100_000, random, graph.rank)
    mean = dict(zip(drawn.nodes.tolist(), drawn.mean.tolist(), strict=True))
    error = dict(zip(drawn.nodes.tolist(), drawn.error.tolist(), strict=True))
    often = [node for node, amount in expected.items() if amount > 1e-3]
    assert len(often) > 30
    off = np.array([(mean[node] - expected[node]) / error[node] for node in often])
    assert np.abs(off).max() < 4.5
    assert 0.6 < np.sqrt((off**2).mean()) < 1.5


def test_the_standard_error_is_that_of_the_mean_of_many_runs():
    graph, masses = crowded(4)
    view, random = a_view(graph), np.random.default_rng(9)
    runs = [sample(view, starts_at(masses), 200, random, graph.rank) for _ in range(300)]
    of_start = [
        (run.mean[place], run.error[place])
        for run in runs
        for place in [int(np.searchsorted(run.nodes, 20))]
    ]
    means, errors = np.array(of_start).T
    assert means.std(ddof=1) == pytest.approx(errors.mean(), rel=0.15)


def test_one_walk_has_no_spread():
    view = a_view(a_graph(1))
    with pytest.raises(InvalidInput, match="walks"):
        sample(view, starts_at({0: 1.0}), 1, np.random.default_rng(0))
