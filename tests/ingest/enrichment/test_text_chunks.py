"""Parts and vectors: every word of a text is in some part, and each text gets its own rows."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from meridia.ingest.enrichment.text_chunks import embed, split_chunks
from tests.fakes import FakeEmbedder


@given(st.integers(0, 600), st.integers(1, 60))
def test_parts_are_short_overlap_and_cover_the_text_to_its_end(count, chunk_words):
    words = [f"w{i}" for i in range(count)]
    chunks = split_chunks(" ".join(words), chunk_words)
    assert all(len(chunk.split()) <= chunk_words for chunk in chunks)
    assert len(chunks) <= 32
    assert chunks[0].split() == words[:chunk_words]
    assert chunks[-1].split()[-1:] == words[-1:]
    if len(chunks) < 32:
        assert {word for chunk in chunks for word in chunk.split()} == set(words)
    for first, second in pairwise(chunks):
        assert first != second


@given(st.text(max_size=100))
def test_a_short_text_is_taken_as_it_is(text):
    assert split_chunks(text, 160) == [text]


def test_of_a_very_long_text_parts_are_taken_from_all_over():
    words = [str(i) for i in range(100_000)]
    starts = [int(chunk.split()[0]) for chunk in split_chunks(" ".join(words), 160)]
    assert (len(starts), starts[0]) == (32, 0)
    assert starts[-1] >= 100_000 - 160
    gaps = np.diff(starts)
    assert gaps.min() > 0.9 * gaps.max()


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
