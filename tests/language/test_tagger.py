"""The tagger: one label a word, from letters alone or with the encoder's states."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from meridia.language import tagging as tagger

FIGURES = Path(tagger.__file__).parent / "data" / "tagger.json"


@given(st.lists(st.text(min_size=1, max_size=12), max_size=12), st.booleans())
def test_every_word_gets_one_tag_and_one_label(words: list[str], encoded: bool):
    states = np.zeros((len(words), 2, tagger.STATE_DIMENSION), np.float32) if encoded else None
    tags, names = tagger.tag(words, states)
    assert len(tags) == len(names) == len(words)


def test_letters_alone_tag_a_plain_sentence():
    tags, _ = tagger.tag("The dogs walked to the old house .".split(), None)
    assert tags == ["DT", "NNS", "VBD", "IN", "DT", "JJ", "NN", "."]


def test_states_of_words_are_those_of_their_pieces():
    pieces = np.arange(4, dtype=np.float32)[:, None].repeat(tagger.STATE_DIMENSION, axis=1)
    states = tagger.word_states([(0, 2), (3, 7)], pieces, [(0, 0), (0, 2), (3, 5), (5, 7)])
    assert states[0, 0, 0] == states[0, 1, 0] == 1
    assert states[1, 0, 0] == 2
    assert states[1, 1, 0] == 2.5


def test_the_figures_ship_with_the_weights():
    described = json.loads(FIGURES.read_text("utf-8"))
    assert described["tags"]["figures"]["right"] > 0.94
    assert set(described["names"]["figures"]) >= {"precision", "recall"}
