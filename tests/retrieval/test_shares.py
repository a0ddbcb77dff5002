"""Sums and trees."""

import numpy as np

from meridia.retrieval.shares import Reason, Share, Step, total


def test_a_total_adds_the_shares_of_each_memory():
    shares = [Share("a", "x", np.array([1.0, 2.0])), Share("b", "y", np.array([0.5, -1.0]))]
    assert total(shares, 2).tolist() == [1.5, 1.0]
    assert total([], 2).tolist() == [0.0, 0.0]


def test_leaves_are_what_a_tree_ends_in():
    tree = Reason("score", 3.0, children=(Reason("a", 1.0), Reason("b", 2.0)))
    assert [leaf.label for leaf in tree.leaves()] == ["a", "b"]
    assert Reason("alone", 1.0).leaves() == [Reason("alone", 1.0)]


def test_a_reason_leaves_out_what_it_has_not():
    assert Reason("a", 1.0).as_json() == {"label": "a", "value": 1.0}
    told = Reason("a", 1.0, "NEXT", "meridia://x", (Reason("b", 1.0),)).as_json()
    assert told == {
        "label": "a",
        "value": 1.0,
        "edge": "NEXT",
        "source": "meridia://x",
        "children": [{"label": "b", "value": 1.0}],
    }


def test_a_reason_of_activation_tells_its_hops_and_edges():
    steps = (Step("ABOUT", "a", "c"), Step("ABOUT", "b", "c"))
    told = Reason("via Concept sail", 1.0, "ABOUT", "meridia://a", steps=steps).as_json()
    assert told["hops"] == 2
    assert told["path"] == [["ABOUT", "a", "c"], ["ABOUT", "b", "c"]]
