"""Places of evidence are measured as the words for it promise."""

from meridia.evaluation.questions import ALL, means, measure_places


def test_what_stands_within_a_cut_is_counted_and_the_first_tells_the_rank():
    measured = measure_places([3, 2], 4, (1, 2, 5))
    assert measured == {
        "recall@1": 0.0,
        "recall@2": 0.25,
        "recall@5": 0.5,
        "all@5": 0.0,
        "MRR": 0.5,
    }
    assert measure_places([1], 1, (1,)) == {"recall@1": 1.0, "all@1": 1.0, "MRR": 1.0}
    assert set(measure_places([], 2, (1,)).values()) == {0.0}


def test_means_are_of_all_and_of_each_group():
    rows = [(("one",), {"MRR": 1.0}), (("one", "other"), {"MRR": 0.5})]
    assert means(rows) == {ALL: {"MRR": 0.75}, "one": {"MRR": 0.75}, "other": {"MRR": 0.5}}
