"""The encoders that ship, and the fake one of the tests, are what the ports ask for."""

from __future__ import annotations

from meridia.models.embedder import MiniLmEmbedder
from meridia.models.tokens import TokenEmbedder


def test_the_encoder_that_ships_encodes_word_pieces():
    assert isinstance(MiniLmEmbedder(), TokenEmbedder)
