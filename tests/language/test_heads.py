"""Heads: weights that one can read, and likelihoods between 0 and 1."""

import json
from pathlib import Path

import pytest

import meridia.language
from meridia.language.heads import Heads, load_heads

_DATA = Path(meridia.language.__file__).parent / "data"


def test_a_likelihood_is_the_logistic_of_the_weighted_sum():
    heads = Heads({"x": -1.0}, {"a": {"x": 2.0}, "b": {"x": -3.0}})
    assert heads.likelihoods({})["x"] == pytest.approx(0.2689, abs=1e-4)
    assert heads.likelihoods({"a": 1.0, "unknown": 9.0})["x"] == pytest.approx(0.7311, abs=1e-4)
    assert 0 <= heads.likelihoods({"b": 1e9})["x"] < 1e-9
    assert heads.likely({"a": 1.0}, 0.8) == {}


@pytest.mark.parametrize("name", ["utterances", "mentions"])
def test_each_file_says_what_it_was_learned_from_and_how_good_it_is(name):
    described = json.loads((_DATA / f"{name}.json").read_text("utf-8"))
    assert "bench/data" in described["learned_from"]
    assert "locomo" not in described["learned_from"].casefold()
    for head in described["heads"].values():
        assert 0.5 < head["figures"]["area"] <= 1
    assert load_heads(name).biases.keys() == described["heads"].keys()
