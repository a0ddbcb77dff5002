"""Stage vectors: split texts into the parts that are embedded, and make unit vectors of them."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...models.encoder_ports import Embedder

#: Parts of a long text share this share of their words with the next one.
_OVERLAP = 0.2
#: A word, or as much of a longer run as is about one.
_WORD = re.compile(r"\S{1,24}")
#: A text has at most this many parts; beyond, every n-th is kept, so that its end counts too.
_CHUNKS_MAX = 32


def split_chunks(text: str, chunk_words: int) -> list[str]:
    """Split a text into overlapping parts of at most `chunk_words` words; a short one is whole.

    What is written without spaces counts as a word every few characters.
    """
    words = [match.span() for match in _WORD.finditer(text)]
    if len(words) <= chunk_words:
        return [text]
    step = max(1, round(chunk_words * (1 - _OVERLAP)))
    starts = list(range(0, max(1, len(words) - chunk_words + step), step))
    if len(starts) > _CHUNKS_MAX:
        picked = np.linspace(0, len(starts) - 1, _CHUNKS_MAX).round().astype(int)
        starts = [starts[i] for i in picked]
    ends = [min(start + chunk_words, len(words)) - 1 for start in starts]
    return [text[words[a][0] : words[b][1]] for a, b in zip(starts, ends, strict=True)]


def embed(texts: Sequence[str], embedder: Embedder, chunk_words: int) -> list[NDArray[np.float32]]:
    """Return for each text the unit vectors of its parts, shape (parts, dimension)."""
    if not texts:
        return []
    chunks = [split_chunks(text, chunk_words) for text in texts]
    vectors = embedder.embed([chunk for text_chunks in chunks for chunk in text_chunks])
    ends = np.cumsum([len(text_chunks) for text_chunks in chunks])[:-1]
    return np.split(vectors, ends)
