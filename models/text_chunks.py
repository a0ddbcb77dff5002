"""Passages: the parts of a long text that are encoded, and judged, one by one."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .encoder_ports import Embedder, TokenEmbedder

#: Parts of a long text share this share of their words with the next one.
_OVERLAP = 0.2
#: So do parts that are short of words because their words have many pieces, as code has.
_OVERLAP_DENSE = 0.05
#: A word, or as much of a longer run as is about one.
_WORD = re.compile(r"\S{1,24}")
#: A text has at most this many parts, some 150,000 characters; beyond, every n-th is kept, so that
#: its end counts too.
_CHUNKS_MAX = 256
#: The encoder's marks before and after a text.
_MARKS = 2


def split_chunks(text: str, chunk_words: int, encoder: Embedder | None = None) -> list[str]:
    """Split a text into overlapping parts of at most `chunk_words` words; a short one is whole."""
    return [text[start:end] for start, end in chunk_spans(text, chunk_words, encoder)]


def chunk_spans(
    text: str, chunk_words: int, encoder: Embedder | None = None
) -> list[tuple[int, int]]:
    """Return where each part of a text begins and ends, in characters.

    With an encoder that has word pieces, no part has more of them than it encodes. What is written
    without spaces counts as a word every few characters.
    """
    words = [match.span() for match in _WORD.finditer(text)]
    pieces_max, pieces = len(text) + 1, np.zeros(len(words) + 1, np.int64)
    if isinstance(encoder, TokenEmbedder) and len(text) > encoder.pieces_max - _MARKS:
        pieces_max = encoder.pieces_max - _MARKS
        ends = [end for _, end in words]
        pieces[1:] = np.searchsorted(np.array(encoder.piece_starts(text), np.int64), ends)
    if len(words) <= chunk_words and pieces[-1] <= pieces_max:
        return [(0, len(text))]
    parts, start, end = [], 0, 0
    while end < len(words):
        fitting = int(np.searchsorted(pieces, pieces[start] + pieces_max, side="right")) - 1
        end = min(start + chunk_words, max(fitting, start + 1), len(words))
        parts.append((words[start][0], words[end - 1][1]))
        overlap = _OVERLAP if end - start == chunk_words else _OVERLAP_DENSE
        start += max(1, round((end - start) * (1 - overlap)))
    if len(parts) > _CHUNKS_MAX:
        picked = np.linspace(0, len(parts) - 1, _CHUNKS_MAX).round().astype(int)
        parts = [parts[place] for place in picked]
    return parts


def embed(texts: Sequence[str], embedder: Embedder, chunk_words: int) -> list[NDArray[np.float32]]:
    """Return for each text the unit vectors of its parts, shape (parts, dimension)."""
    if not texts:
        return []
    chunks = [split_chunks(text, chunk_words, embedder) for text in texts]
    vectors = embedder.embed([chunk for text_chunks in chunks for chunk in text_chunks])
    ends = np.cumsum([len(text_chunks) for text_chunks in chunks])[:-1]
    return np.split(vectors, ends)
