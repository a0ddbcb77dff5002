"""The cache of encodings: the same text twice is encoded once, until newer ones displace it."""

from __future__ import annotations

import numpy as np
import pytest

from meridia.core.errors import Unavailable
from meridia.models.embedder import EncodingCache
from meridia.models.tokens import Encoded
from tests.fakes import OneByOne


class Counting(OneByOne):
    """An encoder that counts its texts."""

    model, dimension = "counting", 2

    def __init__(self) -> None:
        self.texts: list[str] = []

    def embed(self, texts):
        return np.ones((len(texts), 2), np.float32)

    def encode(self, text):
        self.texts.append(text)
        return Encoded(np.ones(2, np.float32), np.ones((1, 2), np.float32), [(0, len(text))])


def test_the_last_texts_are_not_encoded_again():
    encoder = Counting()
    cache = EncodingCache(lambda: encoder, 2)
    for text in ("a", "b", "a", "c", "b"):
        cache.encode(text)
    assert encoder.texts == ["a", "b", "c", "b"]


def test_another_encoder_is_asked_anew():
    encoders = [Counting(), Counting()]
    encoders[1].model = "other"
    cache = EncodingCache(lambda: encoders[0], 4)
    cache.encode("a")
    encoders.reverse()
    cache.encode("a")
    assert [encoder.texts for encoder in encoders] == [["a"], ["a"]]


def test_without_an_encoder_there_is_nothing():
    assert EncodingCache(lambda: None, 4).encode("a") is None


def test_what_is_prepared_is_encoded_once():
    encoder = Counting()
    cache = EncodingCache(lambda: encoder, 4)
    cache.prepare(["a", "b", "", "a"])
    assert cache.encode("a").spans == cache.encode("b").spans == [(0, 1)]
    assert sorted(encoder.texts) == ["a", "b"]


def test_more_texts_than_are_held_come_in_their_own_order():
    encoder, texts = Counting(), [("x" * (number % 7)) + str(number) for number in range(60)]
    cache = EncodingCache(lambda: encoder, 4)
    assert [each.spans for each in cache.encode_all(texts)] == [[(0, len(t))] for t in texts]
    assert dict(cache.passing(texts[:50])).keys() == set(texts[:50])


def test_there_is_a_pause_between_one_batch_and_the_next():
    pauses: list[int] = []
    encoder = Counting()
    cache = EncodingCache(lambda: encoder, 100, lambda: pauses.append(len(encoder.texts)))
    cache.prepare(map(str, range(40)))
    assert pauses == [0, 16, 32]


def test_an_error_is_raised_where_the_encoding_is_asked_for():
    class Failing(Counting):
        def encode(self, text):
            raise OSError(text)

    cache = EncodingCache(Failing, 4)
    cache.prepare(["a", "b"])
    with pytest.raises(OSError, match="b"):
        cache.encode("b")


def test_without_an_encoder_nothing_is_prepared_and_what_is_needed_is_an_error():
    cache = EncodingCache(lambda: None, 4)
    cache.prepare(["a"])
    with pytest.raises(Unavailable, match="turned off"):
        list(cache.passing(["a"]))
