"""Parts and vectors: every word of a text is in some part, and each text gets its own rows."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from meridia.models.tokens import Encoded, embed, split_chunks
from tests.fakes import FakeEmbedder, OneByOne


@given(st.integers(0, 600), st.integers(1, 60))
def test_parts_are_short_overlap_and_cover_the_text_to_its_end(count, chunk_words):
    words = [f"w{i}" for i in range(count)]
    chunks = split_chunks(" ".join(words), chunk_words)
    assert all(len(chunk.split()) <= chunk_words for chunk in chunks)
    assert len(chunks) <= 256
    assert chunks[0].split() == words[:chunk_words]
    assert chunks[-1].split()[-1:] == words[-1:]
    if len(chunks) < 256:
        assert {word for chunk in chunks for word in chunk.split()} == set(words)
    for first, second in pairwise(chunks):
        assert first != second


@given(st.text(max_size=100))
def test_a_short_text_is_taken_as_it_is(text):
    assert split_chunks(text, 160) == [text]


class Pieces(OneByOne, FakeEmbedder):
    """An encoder whose word pieces are of two characters."""

    pieces_max = 20

    def encode(self, text: str) -> Encoded:
        raise AssertionError(text)

    def piece_starts(self, text):
        words = re.finditer(r"\S+", text)
        return [start for word in words for start in range(word.start(), word.end(), 2)]


@given(st.lists(st.text("ab;", min_size=1, max_size=30), max_size=60), st.integers(1, 20))
def test_no_part_has_more_pieces_than_are_encoded_and_nothing_is_lost(words, chunk_words):
    words = [f"{number}{word}" for number, word in enumerate(words, 10)]
    text, encoder = " ".join(words), Pieces()
    parts = split_chunks(text, chunk_words, encoder)
    assert all(len(encoder.piece_starts(part)) <= 18 for part in parts)
    place = 0
    for part in parts:
        start = text.index(part, max(0, place - len(part)))
        assert not text[place:start].strip()
        place = start + len(part)
    assert not text[place:].strip()


def test_of_a_very_long_text_parts_are_taken_from_all_over():
    words = [str(i) for i in range(200_000)]
    starts = [int(chunk.split()[0]) for chunk in split_chunks(" ".join(words), 160)]
    assert (len(starts), starts[0]) == (256, 0)
    assert starts[-1] >= 200_000 - 160
    gaps = np.diff(starts)
    assert gaps.max() - gaps.min() <= 128  # one part more or less


@given(st.lists(st.integers(0, 40), min_size=1, max_size=6))
def test_each_text_gets_the_vectors_of_its_own_parts(lengths):
    texts = [" ".join(f"t{i}w{j}" for j in range(length)) for i, length in enumerate(lengths)]
    embedder = FakeEmbedder()
    rows_by_text = embed(texts, embedder, 16)
    assert len(rows_by_text) == len(texts)
    for text, vectors in zip(texts, rows_by_text, strict=True):
        assert np.array_equal(vectors, FakeEmbedder().embed(split_chunks(text, 16)))


def test_all_parts_are_asked_for_in_one_call():
    embedder = FakeEmbedder()
    embed(["one two three", "four"], embedder, 2)
    assert embedder.asked == ["one two", "three", "four"]


def test_no_texts_have_no_vectors():
    assert embed([], FakeEmbedder(), 16) == []


def test_a_long_text_without_spaces_has_parts_too():
    assert len(split_chunks("東京は雨です。" * 1000, 160)) > 1
