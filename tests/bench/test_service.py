"""The service beside the library: both answer the same questions, and both are timed."""

from __future__ import annotations

import pytest

from bench.service import compare, percentile, timed
from bench.synthetic import Language, built, opened


def test_a_percentile_is_of_the_sorted_times():
    assert percentile([0.004, 0.001, 0.002, 0.003], 0.5) == 3
    assert percentile([0.001] * 10, 0.95) == 1


def test_every_question_is_asked_once():
    asked = []
    assert len(timed(asked.append, ["a", "b", "c"], 2)) == 3
    assert sorted(asked) == ["a", "b", "c"]


@pytest.mark.thorough
def test_both_are_measured_over_one_journal(tmp_path):
    language = Language()
    path = built(100, tmp_path, language)
    with opened(path, language) as space:
        questions = space.questions(4)
    measured = compare(path, questions, 2)
    assert set(measured) == {"library", "service", "ratio"}
    assert all(value > 0 for measures in measured.values() for value in measures.values())
