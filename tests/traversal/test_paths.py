"""Paths: they add up to the flows they explain, and lead over edges that are there."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.traversal.paths import amounts_into, paths_into, returned_activation
from meridia.traversal.policies import Flows, StartNodes, sample, spread
from meridia.traversal.transfer import SpreadingRules
from tests.traversal.typed_graphs import TypedGraph, a_graph, a_view, graphs, masses_of

FREE = SpreadingRules(threshold=0.0)
#: Three hops over many edges make thousands of paths; these are few enough to add up.
SMALL = {"nodes_max": 6, "edges_max": 8}
seeds = st.integers(0, 2**32)


def starts_at(masses: dict[int, float]) -> StartNodes:
    nodes = np.array(sorted(masses), np.int64)
    return StartNodes(nodes, np.array([masses[node] for node in sorted(masses)], np.float64))


def flows_of(policy: str, graph: TypedGraph, starts: StartNodes, seed: int) -> Flows:
    if policy == "spread":
        return spread(a_view(graph), starts, graph.rank, FREE).flows
    return sample(a_view(graph), starts, 30, np.random.default_rng(seed), graph.rank, FREE).flows


policies = pytest.mark.parametrize("policy", ["spread", "sample"])


@policies
@given(st.data(), graphs(**SMALL), seeds)
def test_paths_and_echo_add_up_to_what_reached_a_node(policy, data, graph, seed):
    starts = starts_at(data.draw(masses_of(graph)))
    flows = flows_of(policy, graph, starts, seed)
    own = dict(zip(starts.node.tolist(), returned_activation(flows, starts).tolist(), strict=True))
    for node in set(flows.target.tolist()):
        arrived = float(flows.into(node).amount.sum())
        told = sum(path.amount for path in paths_into(flows, node))
        assert told + own.get(node, 0.0) == pytest.approx(arrived, abs=1e-9)


@policies
@given(st.data(), graphs(**SMALL), seeds)
def test_every_path_leads_from_a_start_node_over_edges_that_are_there(policy, data, graph, seed):
    masses = data.draw(masses_of(graph))
    flows = flows_of(policy, graph, starts_at(masses), seed)
    edges = {edge[:3] for edge in graph.edges}
    for node in set(flows.target.tolist()):
        amounts = []
        for path in paths_into(flows, node):
            assert path.nodes[-1] == node
            assert path.nodes[0] in masses
            assert path.nodes[0] != node
            assert 1 <= path.hops <= FREE.hops
            assert set(path.links()) <= edges
            amounts.append(path.amount)
        assert amounts == sorted(amounts, reverse=True)


@given(st.data(), graphs(**SMALL))
def test_an_echo_is_what_a_start_node_gets_back_when_it_is_alone(data, graph):
    masses = data.draw(masses_of(graph))
    starts = starts_at(masses)
    together = returned_activation(spread(a_view(graph), starts, graph.rank, FREE).flows, starts)
    for node, mass, echo in zip(
        starts.node.tolist(), starts.mass.tolist(), together.tolist(), strict=True
    ):
        alone = spread(a_view(graph), starts_at({node: mass}), graph.rank, FREE).flows
        assert echo == pytest.approx(float(alone.into(node).amount.sum()), abs=1e-9)


def test_a_path_names_its_edges_in_their_own_direction():
    graph = a_graph(3, ("ABOUT", 0, 1, 1.0), ("ABOUT", 2, 1, 1.0))
    (path,) = paths_into(spread(a_view(graph), starts_at({0: 1.0}), rules=FREE).flows, 2)
    assert path.nodes == (0, 1, 2)
    assert path.hops == 2
    assert list(path.links()) == [("ABOUT", 0, 1), ("ABOUT", 2, 1)]
    assert path.amount == pytest.approx(0.8 * 0.8 / 2)


def test_two_start_nodes_that_meet_each_own_their_part():
    graph = a_graph(4, *[("ABOUT", node, 3, 1.0) for node in range(3)])
    flows = spread(a_view(graph), starts_at({0: 1.0, 1: 0.5}), rules=FREE).flows
    parts: dict[int, float] = defaultdict(float)
    for path in paths_into(flows, 2):
        parts[path.nodes[0]] += path.amount
    assert parts[0] == pytest.approx(2 * parts[1])


def test_nothing_reached_has_no_path():
    graph = a_graph(2)
    found = spread(a_view(graph), starts_at({0: 1.0}), rules=FREE)
    assert list(paths_into(found.flows, 1)) == []
    assert returned_activation(found.flows, starts_at({0: 1.0})).tolist() == [0.0]


@policies
@given(st.data(), graphs(**SMALL), seeds)
def test_the_amount_over_an_edge_is_that_of_the_paths_that_use_it(policy, data, graph, seed):
    flows = flows_of(policy, graph, starts_at(data.draw(masses_of(graph))), seed)
    for node in set(flows.target.tolist()):
        by_step = defaultdict(float)
        for path in paths_into(flows, node):
            for hop, link in enumerate(path.links(), start=1):
                by_step[hop, *link] += path.amount
        moved = defaultdict(float)
        for place, amount in enumerate(amounts_into(flows, node).tolist()):
            ends = int(flows.source[place]), int(flows.target[place])
            link = ends if flows.along[place] else ends[::-1]
            moved[int(flows.hop[place]), flows.types[int(flows.type[place])], *link] += amount
        for step in by_step.keys() | moved.keys():
            assert moved[step] == pytest.approx(by_step[step], abs=1e-9)
