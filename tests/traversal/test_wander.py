"""The walk of a few edges that lateral thinking takes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.traversal.walk import wander
from tests.traversal.typed_graphs import a_graph, a_view, graphs

WAYS = [(type, along) for type in ("ABOUT", "NEXT", "RELATED") for along in (True, False)]


@given(graphs(), st.integers(1, 3), st.integers(0, 2**32))
def test_a_walk_takes_edges_that_are_there_and_visits_no_node_twice(graph, hops, seed):
    view = a_view(graph)
    path = wander(view, 0, hops, WAYS, np.random.default_rng(seed), 65)
    assert path == wander(view, 0, hops, WAYS, np.random.default_rng(seed), 65)
    if path is None:
        return
    assert path.hops == hops
    assert len(set(path.nodes)) == len(path.nodes)
    edges = {(type, source, target): weight for type, source, target, weight in graph.edges}
    assert path.amount == pytest.approx(np.prod([edges[link] for link in path.links()]))


def test_no_step_leads_on_from_a_hub_or_from_nothing():
    view = a_view(a_graph(4, ("RELATED", 0, 1, 0.7), ("RELATED", 0, 2, 0.7)))
    random = np.random.default_rng(1)
    assert wander(view, 0, 1, WAYS, random, 1) is None
    assert wander(view, 3, 1, WAYS, random, 65) is None
    assert wander(view, 1, 3, WAYS, random, 65) is None
