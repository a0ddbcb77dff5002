"""A cache of the last encoded texts: what several stages read is encoded once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from threading import Lock
from typing import TYPE_CHECKING

from ..core.errors import Unavailable
from .encoder_ports import Embedder, TokenEmbedder

if TYPE_CHECKING:
    from .tokens import Encoded

#: Texts that are encoded before a pause is possible: a few batches of the encoder.
_AT_ONCE = 16


class EncodingCache:
    """Encodes texts with the encoder in use, and holds the last results."""

    def __init__(
        self,
        embedder: Callable[[], Embedder | None],
        texts_max: int,
        pause: Callable[[], None] = lambda: None,
    ) -> None:
        """Hold `texts_max` encodings; `pause` is called between one batch and the next."""
        self._embedder, self._texts_max, self._pause = embedder, texts_max, pause
        self._held: OrderedDict[tuple[str, str], Encoded] = OrderedDict()
        self._lock = Lock()

    def encode(self, text: str) -> Encoded | None:
        """Return a text's encoding; None without an encoder that tells word pieces apart."""
        encoder = self._embedder()
        return self._encoded(encoder, [text])[0] if isinstance(encoder, TokenEmbedder) else None

    def prepare(self, texts: Iterable[str]) -> None:
        """Encode texts together, for who asks for them next; errors are raised only then."""
        encoder, wanted = self._embedder(), list(dict.fromkeys(filter(None, texts)))
        if isinstance(encoder, TokenEmbedder):
            with suppress(Exception):
                self._encoded(encoder, wanted)

    def encode_all(self, texts: Sequence[str]) -> list[Encoded]:
        """Return the encoding of each text.

        Raises `Unavailable` without an encoder that tells word pieces apart.
        """
        return self._encoded(self._required(), texts)

    def passing(self, texts: Sequence[str]) -> Iterator[tuple[str, Encoded]]:
        """Yield each text with its encoding, in any order, and hold nothing."""
        encoder = self._required()
        for batch in self._batches(texts):
            yield from zip(batch, encoder.encode_all(batch), strict=True)

    def _encoded(self, encoder: TokenEmbedder, texts: Sequence[str]) -> list[Encoded]:
        keys = [(encoder.model, text) for text in texts]
        with self._lock:
            held_now = {key: self._held[key] for key in keys if key in self._held}
            for key in held_now:
                self._held.move_to_end(key)
        for batch in self._batches([key[1] for key in dict.fromkeys(keys) if key not in held_now]):
            made = zip(batch, encoder.encode_all(batch), strict=True)
            fresh = {(encoder.model, text): encoded for text, encoded in made}
            held_now |= fresh
            with self._lock:
                self._held |= fresh
                while len(self._held) > self._texts_max:
                    self._held.popitem(last=False)
        return [held_now[key] for key in keys]

    def _batches(self, texts: Sequence[str]) -> Iterable[Sequence[str]]:
        """Yield texts in batches of about one length, with a pause between them."""
        ordered = sorted(texts, key=len) if len(texts) > _AT_ONCE else texts
        for start in range(0, len(ordered), _AT_ONCE):
            self._pause()
            yield ordered[start : start + _AT_ONCE]

    def _required(self) -> TokenEmbedder:
        encoder = self._embedder()
        if not isinstance(encoder, TokenEmbedder):
            raise Unavailable("the sentence encoder was turned off while it was in use")
        return encoder
