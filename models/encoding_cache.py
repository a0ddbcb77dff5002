"""A cache of the last encoded texts: what several stages read is encoded once."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from .encoder_ports import Embedder, TokenEmbedder
from .tokens import Encoded


class EncodingCache:
    """Encodes texts with the encoder in use, and holds the last results."""

    def __init__(self, embedder: Callable[[], Embedder | None], texts_max: int) -> None:
        self._embedder = embedder
        # By identity: an encoder need not be hashable, and the cache keeps it alive.
        self._encoders: dict[int, TokenEmbedder] = {}
        self._encode = lru_cache(maxsize=texts_max)(self._encode_with)

    def encode(self, text: str) -> Encoded | None:
        """Return a text's encoding; None without an encoder that tells word pieces apart."""
        embedder = self._embedder()
        if not isinstance(embedder, TokenEmbedder):
            return None
        self._encoders[id(embedder)] = embedder
        return self._encode(id(embedder), text)

    def _encode_with(self, encoder: int, text: str) -> Encoded:
        return self._encoders[encoder].encode(text)
