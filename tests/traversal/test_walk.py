"""The walk: what the source's own recursion recalls, and its traps, fixed one by one."""

from __future__ import annotations

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.errors import InvalidInput
from meridia.traversal.tracerank import unranked
from meridia.traversal.walk import Visit, WalkRules, start_nodes, walk
from tests.traversal.typed_graphs import TypedGraph, a_graph, a_view, graphs

LITERAL = WalkRules(both_ways=False, equal_shares=False)
#: Every neighbour is certain, as long as its edge weighs anything.
CERTAIN = WalkRules(exploration=1e30)
MANY = ("ABOUT", "NEXT", "RELATED")

seeds = st.integers(0, 2**32)


@st.composite
def starts_of(draw, graph: TypedGraph) -> np.ndarray:
    node = st.integers(0, graph.nodes - 1)
    return np.array(draw(st.lists(node, unique=True, max_size=4)), np.int64)


def recalled_plainly(graph: TypedGraph, starts: list[int], random, rules: WalkRules) -> list[tuple]:
    """Return (node, signal, path), by the recursion of the source."""
    recalled: list[tuple] = []
    visited: set[int] = set()

    def neighbours_of(node: int) -> list[tuple]:
        ways = [(t, w, type, True) for type, s, t, w in graph.edges if s == node]
        if rules.both_ways:
            ways += [(s, w, type, False) for type, s, t, w in graph.edges if t == node]
        ways = [way for way in ways if way[2] in rules.types and way[0] not in visited]
        return sorted(ways, key=lambda way: (-way[1], way[0], way[2], way[3]))

    def traverse(node: int, signal: float, path: tuple) -> None:
        if len(recalled) >= rules.max_nodes or node in visited:
            return
        visited.add(node)
        recalled.append((node, signal, path))
        selected = []
        for other, weight, type, _ in neighbours_of(node):
            p = min(weight * graph.ranks[other] * signal * rules.exploration, 1.0)
            if random.random() < p:
                selected.append((other, weight, type, p))
        for other, weight, type, p in selected:
            arrived = signal * weight
            traverse(other, arrived, (*path, (type, other, weight, arrived, p)))

    for start in starts:
        traverse(start, 1.0, ())
    return recalled


def told(visits: tuple[Visit, ...]) -> list[tuple]:
    return [
        (
            visit.node,
            visit.signal,
            tuple((s.type, s.node, s.weight, s.signal, s.probability) for s in visit.steps),
        )
        for visit in visits
    ]


@given(st.data(), graphs(), seeds, st.booleans(), st.integers(1, 12))
def test_the_literal_walk_is_the_recursion_of_the_source(data, graph, seed, both_ways, most):
    starts = data.draw(starts_of(graph))
    rules = replace(LITERAL, both_ways=both_ways, max_nodes=most, types=MANY)
    visits = walk(a_view(graph), starts, np.random.default_rng(seed), graph.rank, rules)
    random = np.random.default_rng(seed)
    assert told(visits) == recalled_plainly(graph, starts.tolist(), random, rules)


@given(st.data(), graphs(), seeds)
def test_every_path_leads_from_its_start_over_edges_that_are_there(data, graph, seed):
    starts = data.draw(starts_of(graph))
    rules = WalkRules(types=MANY)
    visits = walk(a_view(graph), starts, np.random.default_rng(seed), graph.rank, rules)
    there = {edge[:3]: edge[3] for edge in graph.edges}
    for visit in visits:
        assert visit.hops == len(visit.steps)
        here, signal = visit.start, 1.0
        for step in visit.steps:
            key = (here, step.node) if step.along else (step.node, here)
            assert there[step.type, *key] == step.weight
            p = step.weight * graph.ranks[step.node] * signal * 2.0
            signal *= step.weight
            assert (step.probability, step.capped) == (min(p, 1.0), p > 1)
            assert step.signal == signal
            here = step.node
        assert (here, signal) == (visit.node, visit.signal)


@given(st.data(), graphs(), seeds, st.integers(1, 12))
def test_a_walk_ends_and_visits_nothing_twice(data, graph, seed, most):
    starts = data.draw(starts_of(graph))
    rules = replace(CERTAIN, max_nodes=most, types=MANY)
    visits = walk(a_view(graph), starts, np.random.default_rng(seed), unranked, rules)
    nodes = [visit.node for visit in visits]
    assert len(set(nodes)) == len(nodes) <= most
    assert {Visit(start, start) for start in starts[:most].tolist()} <= set(visits)
    network = nx.Graph()
    network.add_nodes_from(range(graph.nodes))
    network.add_edges_from((s, t) for type, s, t, w in graph.edges if type in MANY and w > 0)
    reachable = [nx.node_connected_component(network, start) for start in starts.tolist()]
    assert len(nodes) == min(most, len(set().union(*reachable)))


@given(st.data(), graphs(), seeds, st.randoms(use_true_random=False), st.integers(0, 30))
def test_the_same_seed_walks_the_same_way_however_edges_are_stored(
    data, graph, seed, random, settled
):
    starts = data.draw(starts_of(graph))
    edges = list(graph.edges)
    random.shuffle(edges)
    rules = WalkRules(types=MANY)
    one = walk(a_view(graph), starts, np.random.default_rng(seed), graph.rank, rules)
    other = a_view(replace(graph, edges=tuple(edges)), settled)
    assert walk(other, starts, np.random.default_rng(seed), graph.rank, rules) == one


def chain_and_two() -> TypedGraph:
    """0 leads to 1, 2, 3, 4, 5; the nodes 6 and 7 stand alone with a neighbour each."""
    chain = [("RELATED", i, i + 1, 0.9) for i in range(5)]
    return a_graph(10, *chain, ("RELATED", 6, 8, 0.9), ("RELATED", 7, 9, 0.9))


def nodes_walked(graph: TypedGraph, starts: list[int], rules: WalkRules) -> list[int]:
    random = np.random.default_rng(1)
    visits = walk(a_view(graph), np.array(starts), random, graph.rank, rules)
    return [visit.node for visit in visits]


def test_no_start_node_starves_another():
    literal = replace(CERTAIN, equal_shares=False)
    assert nodes_walked(chain_and_two(), [0, 6, 7], literal) == [0, 1, 2, 3, 4]
    assert nodes_walked(chain_and_two(), [0, 6, 7], CERTAIN) == [0, 6, 7, 1, 8]


def test_places_that_one_start_node_leaves_go_to_the_others():
    assert nodes_walked(chain_and_two(), [5, 7, 6], replace(CERTAIN, max_nodes=9)) == [
        *(5, 4, 3, 7, 9, 6, 8),
        *(2, 1),
    ]
    assert nodes_walked(chain_and_two(), [6, 7], replace(CERTAIN, max_nodes=100)) == [6, 8, 7, 9]


def test_more_start_nodes_than_places_give_the_best_start_nodes():
    assert nodes_walked(chain_and_two(), [3, 0, 6], replace(CERTAIN, max_nodes=2)) == [3, 0]


def test_a_start_node_is_itself_and_never_reached_from_another():
    random = np.random.default_rng(1)
    visits = walk(a_view(chain_and_two()), np.array([0, 1]), random, unranked, CERTAIN)
    assert [(visit.node, visit.hops, visit.signal) for visit in visits[:3]] == [
        (0, 0, 1.0),
        (1, 0, 1.0),
        (2, 1, pytest.approx(0.9)),
    ]


def test_edges_lead_both_ways_unless_taken_literally():
    assert nodes_walked(chain_and_two(), [5], CERTAIN) == [5, 4, 3, 2, 1]
    assert nodes_walked(chain_and_two(), [5], replace(CERTAIN, both_ways=False)) == [5]


def test_what_a_deeper_step_has_visited_is_not_visited_again():
    triangle = a_graph(3, *(("RELATED", s, t, 1.0) for s, t in [(0, 1), (0, 2), (1, 2)]))
    assert nodes_walked(triangle, [0], CERTAIN) == [0, 1, 2]


def test_only_the_asked_types_are_followed():
    graph = a_graph(3, ("RELATED", 0, 1, 1.0), ("ABOUT", 0, 2, 1.0))
    assert nodes_walked(graph, [0], CERTAIN) == [0, 1]
    assert nodes_walked(graph, [0], replace(CERTAIN, types=("ABOUT",))) == [0, 2]


def test_a_weight_of_six_tenths_is_certain_at_first_and_the_step_says_so():
    graph = a_graph(3, ("RELATED", 0, 1, 0.5), ("RELATED", 0, 2, 0.75))
    visits = walk(a_view(graph), np.array([0]), np.random.default_rng(0))
    steps = [visit.steps[0] for visit in visits[1:]]
    assert [(s.node, s.probability, s.capped) for s in steps] == [(2, 1.0, True), (1, 1.0, False)]


def test_runs_vary_as_often_as_the_probability_says():
    graph = a_graph(2, ("RELATED", 0, 1, 0.25))
    random = np.random.default_rng(7)
    view = a_view(graph)
    found = sum(len(walk(view, np.array([0]), random)) == 2 for _ in range(2000))
    # p = .25 · 1 · 1 · 2 = .5; four standard deviations of 2,000 throws are 90
    assert abs(found - 1000) < 90


def test_a_hub_is_walked_like_any_other_node():
    star = a_graph(1001, *(("RELATED", leaf, 0, 1.0) for leaf in range(1, 1001)))
    assert nodes_walked(star, [500], replace(CERTAIN, max_nodes=4)) == [500, 0, 1, 2]
    assert len(nodes_walked(star, [0], replace(CERTAIN, max_nodes=5000))) == 1001


def test_a_path_may_be_longer_than_a_recursion():
    chain = a_graph(3000, *(("RELATED", i, i + 1, 1.0) for i in range(2999)))
    assert nodes_walked(chain, [0], replace(CERTAIN, max_nodes=3000)) == list(range(3000))


def test_nothing_to_start_from_recalls_nothing():
    assert nodes_walked(chain_and_two(), [], CERTAIN) == []
    assert nodes_walked(chain_and_two(), [], replace(CERTAIN, equal_shares=False)) == []


def test_the_three_best_active_nodes_start():
    nodes, scores = np.array([9, 4, 7, 1, 3]), np.array([0.2, 0.9, 0.5, 0.5, 0.8])
    active = np.array([True, False, True, True, True])
    assert start_nodes(nodes, scores, active).tolist() == [3, 1, 7]
    assert start_nodes(nodes, scores, active, 9).tolist() == [3, 1, 7, 9]
    assert start_nodes(nodes, scores, ~active, 9).tolist() == [4]


@pytest.mark.parametrize("wrong", [{"max_nodes": 0}, {"exploration": -1.0}])
def test_a_rule_out_of_range_is_named(wrong):
    with pytest.raises(InvalidInput, match=next(iter(wrong))):
        WalkRules(**wrong)
