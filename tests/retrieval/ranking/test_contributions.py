"""Sums and trees."""

from dataclasses import fields

import numpy as np

from meridia.retrieval.ranking.contributions import (
    Contribution,
    Evidence,
    PathStep,
    TraceNode,
    best_first,
    total,
)


def test_a_total_adds_the_shares_of_each_memory():
    contributions = [
        Contribution("a", Evidence.FORM, "x", np.array([1.0, 2.0])),
        Contribution("b", Evidence.TIME, "y", np.array([0.5, -1.0])),
    ]
    assert total(contributions, 2).tolist() == [1.5, 1.0]
    assert total([], 2).tolist() == [0.0, 0.0]


def test_leaves_are_what_a_tree_ends_in():
    tree = TraceNode("score", 3.0, children=(TraceNode("a", 1.0), TraceNode("b", 2.0)))
    assert [leaf.label for leaf in tree.leaves()] == ["a", "b"]
    assert TraceNode("alone", 1.0).leaves() == [TraceNode("alone", 1.0)]


def test_a_reason_leaves_out_what_it_has_not():
    assert TraceNode("a", 1.0).as_json() == {"label": "a", "value": 1.0}
    told = TraceNode("a", 1.0, "NEXT", "meridia://x", (TraceNode("b", 1.0),)).as_json()
    assert told == {
        "label": "a",
        "value": 1.0,
        "edge": "NEXT",
        "source": "meridia://x",
        "children": [{"label": "b", "value": 1.0}],
    }


def test_a_reason_of_activation_tells_its_hops_and_edges():
    steps = (PathStep("ABOUT", "a", "c"), PathStep("ABOUT", "b", "c"))
    told = TraceNode("via Concept sail", 1.0, "ABOUT", "meridia://a", steps=steps).as_json()
    assert told["hops"] == 2
    assert told["path"] == [["ABOUT", "a", "c"], ["ABOUT", "b", "c"]]


def test_what_is_moved_to_other_rows_keeps_all_else():
    one, none = np.ones(1), None
    given = Contribution(
        "words", Evidence.NEIGHBOUR, "says", one, "NEXT", none, none, 2.0, none, "boat", -1
    )
    moved = given.moved(np.zeros(3), none, none)
    kept = [field.name for field in fields(given) if field.name != "values"]
    assert [getattr(moved, name) for name in kept] == [getattr(given, name) for name in kept]
    assert moved.values.shape == (3,)


def test_of_equal_scores_the_earlier_memory_comes_first():
    rows, scores = np.array([4, 7, 9]), np.array([1.0, 2.0, 1.0])
    assert best_first(rows, scores).tolist() == [1, 0, 2]
    assert best_first(rows[::-1], np.ones(3)).tolist() == [2, 1, 0]
