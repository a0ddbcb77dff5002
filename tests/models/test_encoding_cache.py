"""The cache of encodings: the same text twice is encoded once, until newer ones displace it."""

from __future__ import annotations

import os
import signal
import threading
import time

import numpy as np
import pytest

from meridia.models.encoding_cache import EncodingCache
from meridia.models.tokens import Encoded


class Counting:
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
    cache = EncodingCache(lambda: encoders[0], 4)
    cache.encode("a")
    encoders.reverse()
    cache.encode("a")
    assert [encoder.texts for encoder in encoders] == [["a"], ["a"]]


def test_without_an_encoder_there_is_nothing():
    assert EncodingCache(lambda: None, 4).encode("a") is None


def test_what_is_prepared_is_encoded_once_and_side_by_side():
    class Meeting(Counting):
        both = threading.Barrier(2, timeout=30)

        def encode(self, text):
            self.both.wait()
            return super().encode(text)

    encoder = Meeting()
    cache = EncodingCache(lambda: encoder, 4, threads=2)
    cache.prepare(["a", "b", "", "a"])
    assert cache.encode("a").spans == cache.encode("b").spans == [(0, 1)]
    assert sorted(encoder.texts) == ["a", "b"]


def test_an_error_is_raised_where_the_encoding_is_asked_for():
    class Failing(Counting):
        def encode(self, text):
            raise OSError(text)

    cache = EncodingCache(Failing, 4, threads=2)
    cache.prepare(["a", "b"])
    with pytest.raises(OSError, match="b"):
        cache.encode("b")


def test_an_interrupt_leaves_no_thread_that_encodes():
    """Python does not wait for a thread whose `join` it interrupted: the process then aborted."""

    class Interrupting(Counting):
        def encode(self, text):
            time.sleep(0.05)
            if len(self.texts) == 1:
                os.kill(os.getpid(), signal.SIGINT)
            return super().encode(text)

    encoder = Interrupting()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            EncodingCache(lambda: encoder, 40).prepare([str(number) for number in range(40)])
    finally:
        signal.signal(signal.SIGINT, before)
    assert len(encoder.texts) < 9
    encoded = len(encoder.texts)
    time.sleep(0.2)
    assert len(encoder.texts) == encoded
