"""Transfers: shares that the rule gives, a node that never passes more than it has."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.errors import InvalidInput
from meridia.graph.schema import EDGES, HAS_WORD
from meridia.traversal.tracerank import unranked
from meridia.traversal.transfer import FACTORS, SpreadingRules, transfers
from tests.traversal.typed_graphs import a_graph, a_view, as_network, graphs, shares_of


def found_shares(graph, node, rules):
    moves = transfers(a_view(graph), np.array([node]), graph.rank, rules)
    rows = zip(
        moves.type.tolist(),
        moves.along.tolist(),
        moves.target.tolist(),
        moves.share.tolist(),
        strict=True,
    )
    return {(moves.types[type], along, target): share for type, along, target, share in rows}


@given(st.data(), graphs(), st.sampled_from([0, 2, 5, 64]))
def test_every_share_is_what_the_rule_says(data, graph, fan_out_max):
    rules = SpreadingRules(factors={**FACTORS, "NEXT": (0.5, 0.25)}, fan_out_max=fan_out_max)
    node = data.draw(st.integers(0, graph.nodes - 1))
    found = found_shares(graph, node, rules)
    expected = shares_of(as_network(graph), graph, node, rules)
    assert found.keys() == expected.keys()
    assert found == pytest.approx(expected, abs=1e-12)


@given(graphs())
def test_no_node_passes_more_than_it_has(graph):
    rules = SpreadingRules(factors=dict.fromkeys(FACTORS, (3.0, 3.0)))
    nodes = np.arange(graph.nodes)
    moves = transfers(a_view(graph), nodes, graph.rank, rules)
    sums = np.bincount(moves.position, moves.share, minlength=graph.nodes)
    assert sums == pytest.approx(moves.passed, abs=1e-12)
    assert (moves.passed <= 1).all()
    assert (moves.share > 0).all()


def test_a_node_splits_what_it_has_over_all_of_its_edges_both_ways():
    graph = a_graph(4, ("NEXT", 0, 1, 1.0), ("NEXT", 2, 0, 0.5), ("ABOUT", 0, 3, 1.0))
    shares = found_shares(graph, 0, SpreadingRules())
    assert shares == pytest.approx(
        {("NEXT", True, 1): 1 / 3, ("NEXT", False, 2): 0.5 / 3, ("ABOUT", True, 3): 1 / 3}
    )


def test_a_rank_above_one_prefers_a_neighbour_and_makes_nothing():
    graph = a_graph(3, ("NEXT", 0, 1, 1.0), ("NEXT", 0, 2, 1.0), ranks=(1.0, 3.0, 1.0))
    moves = transfers(a_view(graph), np.array([0, 1]), graph.rank, SpreadingRules())
    assert found_shares(graph, 0, SpreadingRules()) == pytest.approx(
        {("NEXT", True, 1): 0.75, ("NEXT", True, 2): 0.25}
    )
    assert moves.capped.tolist() == [True, False]


def test_a_loop_counts_as_an_edge_and_carries_nothing():
    graph = a_graph(2, ("NEXT", 0, 0, 1.0), ("NEXT", 0, 1, 1.0))
    assert found_shares(graph, 0, SpreadingRules()) == pytest.approx({("NEXT", True, 1): 1 / 3})


def test_what_was_superseded_leads_to_what_holds_and_not_back():
    graph = a_graph(2, ("SUPERSEDES", 1, 0, 1.0))
    assert found_shares(graph, 0, SpreadingRules()) == {("SUPERSEDES", False, 1): 1}
    assert found_shares(graph, 1, SpreadingRules()) == {}


def test_a_hub_passes_nothing_and_one_edge_less_is_none():
    star = a_graph(1001, *(("ABOUT", leaf, 0, 1.0) for leaf in range(1, 1001)))
    assert found_shares(star, 0, SpreadingRules(fan_out_max=999)) == {}
    shares = found_shares(star, 0, SpreadingRules(fan_out_max=1000))
    assert len(shares) == 1000
    assert set(shares.values()) == {0.001}
    assert found_shares(star, 7, SpreadingRules(fan_out_max=999)) == {("ABOUT", True, 0): 1}


def test_a_type_without_a_factor_does_not_exist():
    graph = a_graph(3, ("NEXT", 0, 1, 1.0), ("ABOUT", 0, 2, 1.0))
    only = SpreadingRules(factors={"NEXT": (1.0, 0.0), "ABOUT": (0.0, 0.0)})
    assert found_shares(graph, 0, only) == {("NEXT", True, 1): 1}
    assert found_shares(graph, 0, replace(only, factors={})) == {}


@given(graphs(), st.integers(0, 30))
def test_rows_come_in_one_order_whatever_is_settled(graph, settled):
    nodes = np.arange(graph.nodes)
    one = transfers(a_view(graph), nodes, unranked, SpreadingRules())
    two = transfers(a_view(graph, settled), nodes, unranked, SpreadingRules())
    for column in ("position", "type", "along", "target", "weight", "share", "fan_out", "passed"):
        assert np.array_equal(getattr(one, column), getattr(two, column)), column


def test_every_edge_type_of_the_graph_has_a_factor():
    assert FACTORS.keys() == {*EDGES, HAS_WORD}


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"hops": 4}, "hops"),
        ({"damping": 1.5}, "damping"),
        ({"threshold": -1.0}, "threshold"),
        ({"threshold": float("nan")}, "threshold"),
        ({"factors": {"NEXT": (1.0, -1.0)}}, "NEXT"),
    ],
)
def test_a_rule_out_of_range_is_named(wrong, named):
    with pytest.raises(InvalidInput, match=named):
        SpreadingRules(**wrong)
