"""Open clusters: against every combination of open and closed edges, one by one."""

from __future__ import annotations

from itertools import product

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.traversal.open_clusters import (
    OFFSETS,
    drawn_clusters,
    drawn_shares,
    expected_clusters,
    shares,
)

CHANCES = st.sampled_from([0.0, 0.6, 0.75, 1.0])
MATCHES = st.sampled_from([0.0, 0.0, 0.3, 0.5, 0.5, 1.0])


def reference(values: dict[int, float], chances: dict[tuple[int, int], float]) -> dict[int, float]:
    """Return the expected shares of one message: a graph for each combination of open edges."""
    owed = dict.fromkeys(OFFSETS, 0.0)
    for states in product([False, True], repeat=len(chances)):
        likely, chain = 1.0, nx.Graph()
        chain.add_nodes_from(OFFSETS)
        for (edge, chance), is_open in zip(chances.items(), states, strict=True):
            likely *= chance if is_open else 1 - chance
            if is_open:
                chain.add_edge(*edge)
        cluster = nx.node_connected_component(chain, 0)
        best = max(values[offset] for offset in cluster)
        if best > 0:
            first = next(o for o in OFFSETS if o in cluster and values[o] == best)
            owed[first] += likely * best
    return owed


@given(st.lists(MATCHES, min_size=5, max_size=5), st.lists(CHANCES, min_size=4, max_size=4))
def test_what_is_expected_is_the_sum_over_all_combinations_of_edges(matches, chances):
    values = dict(zip(OFFSETS, matches, strict=True))
    before, after = chances[:2], chances[2:]
    edges = {(-1, 0): before[0], (-2, -1): before[1], (0, 1): after[0], (1, 2): after[1]}
    clusters = expected_clusters(*([np.array([c]) for c in side] for side in (before, after)))
    assert sum(float(p[0]) for p in clusters.values()) == pytest.approx(1)
    found = shares({o: np.array([v]) for o, v in values.items()}, clusters)
    wanted = reference(values, edges)
    for offset in OFFSETS:
        assert float(found[offset][0]) == pytest.approx(wanted[offset], abs=1e-12)


def chain(count: int, seed: int):
    random = np.random.default_rng(seed)
    chances = random.choice([0.6, 0.75, 1.0], count + 4)
    rows = np.arange(count)
    before = [chances[rows + 2], chances[rows + 1]]
    after = [chances[rows + 3], chances[rows + 4]]
    edges = ([rows + 2, rows + 1], [rows + 3, rows + 4])
    values = {o: random.random((3, count)).round(1) for o in OFFSETS}
    return before, after, edges, values


def test_drawn_clusters_come_near_to_what_is_expected_within_their_errors():
    before, after, edges, values = chain(40, 3)
    expected = shares(values, expected_clusters(before, after))
    draws = 4000
    clusters = drawn_clusters(before, after, edges, draws, np.random.default_rng(7))
    for offset, (mean, error) in drawn_shares(values, clusters, draws).items():
        assert np.abs(mean - expected[offset]).max() < 0.05
        far = np.abs(mean - expected[offset]) > 4 * error + 1e-9
        assert far.mean() < 0.02


def test_the_same_seed_draws_the_same_and_another_one_others():
    before, after, edges, values = chain(40, 3)

    def drawn(seed):
        clusters = drawn_clusters(before, after, edges, 50, np.random.default_rng(seed))
        return sum(mean for mean, _ in drawn_shares(values, clusters, 50).values())

    assert np.array_equal(drawn(1), drawn(1))
    assert not np.array_equal(drawn(1), drawn(2))


def test_an_edge_that_is_shared_is_open_for_all_or_for_none():
    """With one draw, two messages reach each other's match over the same edge or not at all."""
    for seed in range(30):
        half = np.array([0.5, 0.5])
        none = np.zeros(2)
        edge, other = np.array([1, 1]), np.array([7, 8])
        clusters = drawn_clusters(
            [half, none],
            [none, none],
            ([edge, other], [other, other]),
            1,
            np.random.default_rng(seed),
        )
        reached = clusters[1, 0]
        assert reached[0] == reached[1]
