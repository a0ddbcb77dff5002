"""A cache of the last encoded texts: what several stages read is encoded once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, wait
from functools import lru_cache

from .encoder_ports import Embedder, TokenEmbedder
from .tokens import Encoded


class EncodingCache:
    """Encodes texts with the encoder in use, and holds the last results."""

    def __init__(
        self, embedder: Callable[[], Embedder | None], texts_max: int, threads: int = 1
    ) -> None:
        self._embedder, self._threads = embedder, threads
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

    def prepare(self, texts: Iterable[str]) -> None:
        """Encode texts side by side, for who asks for them next; errors are raised only then."""
        wanted = list(dict.fromkeys(filter(None, texts)))
        if len(wanted) > 1 and self._embedder() is not None:
            with ThreadPoolExecutor(self._threads) as threads:
                try:
                    wait([threads.submit(self.encode, text) for text in wanted])
                except BaseException:
                    # Ctrl-C: Python does not wait for threads whose `join` it interrupted.
                    threads.shutdown(wait=False, cancel_futures=True)
                    raise

    def _encode_with(self, encoder: int, text: str) -> Encoded:
        return self._encoders[encoder].encode(text)
