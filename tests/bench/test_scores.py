"""Rankers are measured as the words for it promise; a table of scores can be read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.scores import measure, score, table
from meridia.evaluation.questions import ALL, EvaluationQuestion

CUTS = (1, 2)
ids = st.sampled_from("abcdef")


def test_recall_is_the_share_of_the_evidence_within_a_cut():
    measured = measure("cab", frozenset("ab"), CUTS)
    assert measured == {"recall@1": 0.0, "recall@2": 0.5, "all@2": 0.0, "MRR": 0.5}


def test_all_counts_only_when_nothing_is_missing():
    assert measure("bac", frozenset("ab"), CUTS)["all@2"] == 1.0


def test_what_was_not_ranked_is_not_found():
    assert set(measure("", frozenset("a"), CUTS).values()) == {0.0}
    assert measure("ab", frozenset("az"), CUTS)["recall@2"] == 0.5


@given(st.permutations("abcdef"), st.sets(ids, min_size=1), st.integers(1, 5))
def test_a_deeper_cut_never_finds_less(ranked, evidence, cut):
    measured = measure(ranked, frozenset(evidence), (cut, cut + 1))
    assert 0 <= measured[f"recall@{cut}"] <= measured[f"recall@{cut + 1}"] <= 1
    assert 0 < measured["MRR"] <= 1


def test_means_are_taken_over_all_questions_and_over_those_of_a_group():
    asked = [
        EvaluationQuestion("good", frozenset("a"), ("one",)),
        EvaluationQuestion("bad", frozenset("c"), ("one", "other")),
    ]
    scores = score(lambda question: "abc", asked, CUTS)
    assert {group: row["recall@1"] for group, row in scores.items()} == {
        ALL: 0.5,
        "one": 0.5,
        "other": 0.0,
    }
    assert scores["other"]["MRR"] == pytest.approx(1 / 3)


def test_a_table_names_a_ranker_once_and_tells_percentages():
    groups = {ALL: {"MRR": 0.5}, "cause": {"MRR": 0.125}}
    assert table({"chance": groups}, ["MRR"]).splitlines() == [
        "ranker  questions   MRR",
        "chance  all        50.0",
        "        cause      12.5",
    ]
