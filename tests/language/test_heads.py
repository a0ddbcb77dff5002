"""Heads: weights that one can read, and likelihoods between 0 and 1."""

import json
from pathlib import Path

import pytest

import meridia.language
from meridia.language.heads import Heads, load_heads, meanings_of, with_meaning
from meridia.language.sentences import sentence_spans
from meridia.models.embedder import MiniLmEmbedder

_DATA = Path(meridia.language.__file__).parent / "data"


def test_a_likelihood_is_the_logistic_of_the_weighted_sum():
    heads = Heads({"x": -1.0}, {"a": {"x": 2.0}, "b": {"x": -3.0}})
    assert heads.likelihoods({})["x"] == pytest.approx(0.2689, abs=1e-4)
    assert heads.likelihoods({"a": 1.0, "unknown": 9.0})["x"] == pytest.approx(0.7311, abs=1e-4)
    assert 0 <= heads.likelihoods({"b": 1e9})["x"] < 1e-9


@pytest.mark.parametrize("name", ["utterances", "mentions"])
def test_each_file_says_what_it_was_learned_from_and_how_good_it_is(name):
    described = json.loads((_DATA / f"{name}.json").read_text("utf-8"))
    assert "bench/data" in described["learned_from"]
    assert "locomo" not in described["learned_from"].casefold()
    for head in described["heads"].values():
        assert 0.5 < head["figures"]["area"] <= 1
    assert load_heads(name).biases.keys() == described["heads"].keys()


def test_what_a_sentence_means_shows_in_its_vector():
    text = "Please keep your answers short. We went to the lake. The cat slept all day."
    encoded = MiniLmEmbedder(1).encode(text)
    spans = sentence_spans(text)
    read = meanings_of(spans, encoded)
    assert read[0]["asked"] > max(each["asked"] for each in read[1:])
    words = {"asked": 0.5, "instruction": 0.5, "withdrawal": 0.1}
    order, story = (with_meaning(words, each) for each in read[:2])
    assert order["asked"] > 2 * story["asked"]
    assert with_meaning(words, {}) == words


def test_a_sentence_without_a_vector_means_nothing_in_particular():
    far = [(0, 4), (9000, 9010)]
    assert meanings_of(far, None) == [{}, {}]
    assert meanings_of(far, MiniLmEmbedder(1).encode("Wait."))[1] == {}
