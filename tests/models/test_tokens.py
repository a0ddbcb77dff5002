"""Token vectors: which pieces of a text are kept, and how small they become."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.language.analyser import Analyser, content_pieces
from meridia.models.tokens import DIMENSION, compress, expand

WHOLE = 384
texts = st.text(max_size=60) | st.lists(
    st.sampled_from(["the", "boats", "isn't", "東京", "was", "x_y", "painted", "—", " ", "42"])
).map(" ".join)


@pytest.fixture(scope="module")
def analyser() -> Analyser:
    return Analyser("english")


def spans_of(text: str) -> list[tuple[int, int]]:
    """Return every run of at most three characters without blanks, between two marks of its ends.

    The marks stand for no characters, as an encoder's own do.
    """
    return [(0, 0), *(found.span() for found in re.finditer(r"\S{1,3}", text)), (0, 0)]


def rows(seed: int, count: int) -> np.ndarray:
    drawn = np.random.default_rng(seed).normal(size=(count, WHOLE)).astype(np.float32)
    return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)


def test_words_that_say_nothing_by_themselves_and_marks_are_left_out(analyser):
    text = "The boat was it!"
    spans = [(0, 0), (0, 3), (4, 8), (9, 12), (13, 15), (15, 16), (0, 0)]
    assert content_pieces(text, spans, analyser) == [(2, "boat")]


def test_every_piece_of_a_word_has_the_stem_of_the_whole(analyser):
    text = "sailmaker painted"
    spans = [(0, 0), (0, 4), (4, 9), (10, 17), (0, 0)]
    stem = analyser.terms("sailmaker")[0]
    assert content_pieces(text, spans, analyser) == [(1, stem), (2, stem), (3, "paint")]


def test_of_a_word_that_was_cut_off_the_pieces_there_are_count(analyser):
    assert content_pieces("painted boats", [(0, 0), (0, 7), (0, 0)], analyser) == [(1, "paint")]


@given(texts)
def test_pieces_come_in_order_each_once_and_only_from_content_words(text):
    analyser = Analyser("english")
    found = content_pieces(text, spans_of(text), analyser)
    places = [place for place, _ in found]
    assert places == sorted(set(places))
    assert {stem for _, stem in found} <= {
        stem
        for said in re.findall(r"[^\W_]+(?:['’][^\W_]+)*", text)
        for _, stem in analyser.of(text).words(said)
    }
    assert all(stem for _, stem in found)
    # The first piece and the last are no characters.
    assert not {0, len(spans_of(text)) - 1} & set(places)


def test_a_text_without_words_has_no_pieces(analyser):
    for text in ("", "…!?", "the of and"):
        assert content_pieces(text, spans_of(text), analyser) == []


@given(st.integers(0, 2**32 - 1), st.integers(0, 6))
def test_what_is_kept_is_small_and_nearly_of_length_one(seed, count):
    small = compress(rows(seed, count))
    assert small.dtype == np.int8
    assert small.shape == (count, DIMENSION)
    again = expand(small)
    assert again.dtype == np.float32
    assert np.allclose(np.linalg.norm(again, axis=1), 1, atol=0.04)


@given(st.integers(0, 2**32 - 1))
def test_each_row_is_compressed_by_itself(seed):
    several = rows(seed, 4)
    alone = np.concatenate([compress(several[[place]]) for place in range(4)])
    # Rounding of sums may differ by one step.
    assert np.abs(compress(several).astype(int) - alone.astype(int)).max() <= 1


def test_vectors_of_no_length_stay_so():
    assert not compress(np.zeros((2, WHOLE), np.float32)).any()


def test_near_vectors_stay_nearer_than_strangers():
    one, stranger = rows(1, 1), rows(2, 1)
    near = one + 0.3 * rows(3, 1)
    near /= np.linalg.norm(near)
    kept, close, far = (expand(compress(row))[0] for row in (one, near, stranger))
    assert kept @ close > 0.8
    assert kept @ close > kept @ far + 0.3
