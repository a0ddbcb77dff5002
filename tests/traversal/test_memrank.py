"""Row 103: MemRank is PageRank over associations, with a damping of .85."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.traversal.tracerank import memrank
from tests.traversal.typed_graphs import a_graph, a_view, graphs


@given(graphs(), st.data())
def test_row_103_it_is_the_pagerank_of_what_can_be_seen(graph, data):
    seen = data.draw(st.lists(st.booleans(), min_size=graph.nodes, max_size=graph.nodes))
    steps = np.zeros((graph.nodes, graph.nodes))
    for type, source, target, weight in graph.edges:
        if type == "RELATED" and source != target and seen[source] and seen[target]:
            steps[source, target] += weight
            steps[target, source] += weight
    there = np.flatnonzero(seen)
    steps, count = steps[np.ix_(there, there)], len(there)
    stuck = steps.sum(axis=1) == 0
    steps[stuck] = 1.0
    steps /= steps.sum(axis=1, keepdims=True)
    # The stationary distribution, solved for instead of iterated.
    expected = np.zeros(graph.nodes)
    expected[there] = np.linalg.solve(
        np.eye(count) - 0.85 * steps.T, np.full(count, 0.15 / max(count, 1))
    )
    assert memrank(a_view(graph), np.array(seen)) == pytest.approx(expected, abs=1e-9)


def test_what_much_is_associated_with_ranks_first_and_without_associations_all_are_equal():
    star = a_graph(4, *(("RELATED", leaf, 0, 0.8) for leaf in (1, 2, 3)))
    everybody = np.ones(4, bool)
    assert np.argmax(memrank(a_view(star), everybody)) == 0
    assert memrank(a_view(a_graph(4)), everybody).tolist() == [0.25] * 4
