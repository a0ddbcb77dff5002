"""A table of scores can be read."""

from bench.scores import table
from meridia.evaluation.scores import ALL


def test_a_table_names_a_ranker_once_and_tells_percentages():
    groups = {ALL: {"MRR": 0.5}, "cause": {"MRR": 0.125}}
    assert table({"chance": groups}, ["MRR"]).splitlines() == [
        "ranker  questions   MRR",
        "chance  all        50.0",
        "        cause      12.5",
    ]
