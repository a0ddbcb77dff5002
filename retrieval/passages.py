"""The passage of a long memory that was compared with a question, and its place in the text.

A short text is one passage. In a long one, the passage is known by its number. Without vectors, or
with vectors of other sizes, it is the part with most of the question's words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..models.encoder_ports import Embedder
from ..models.text_chunks import chunk_spans
from ..models.tokens import product
from ..storage.vectors import Matrix
from .candidates.pool import Pool, passage
from .ranking.late_interaction import MaxSimilarities
from .recall_result import Passage

#: How an earlier version split texts, words.
_EARLIER_WORDS = 160
#: So much must words count, for the passage that they match to be the one that is shown.
_WORDS_DECIDE = 0.5


@dataclass(frozen=True, slots=True)
class Compared:
    """Which of `count` passages of a text was compared: the `nth`, from 0; -1 is unknown."""

    nth: int = -1
    count: int = 0


def compared_passages(
    pool: Pool, matched: MaxSimilarities | None, vector: Matrix | None, lexical_confidence: float
) -> dict[int, Compared]:
    """Return by row which passage of a long memory was compared: by words, or else by meaning."""
    index = pool.space.index
    if index is None or matched is None or matched.rows is None or matched.passages is None:
        return {}
    places = index.places(pool.space.view.experiences.seqs[matched.rows])
    starts = np.append(index.starts, len(index.rows))
    compared = {}
    for row, by_words, place in zip(matched.rows, matched.passages, places, strict=True):
        start, end = (starts[place], starts[place + 1]) if place >= 0 else (0, 0)
        if end - start > 1:
            nth = int(by_words)
            if vector is not None and lexical_confidence < _WORDS_DECIDE:
                nth = int(np.argmax(product(index.rows[start:end], vector)))
            compared[int(row)] = Compared(nth, int(end - start))
    return compared


def passage_of(
    terms: Sequence[str], text: str, compared: Compared, chunk_words: int, encoder: Embedder | None
) -> Passage | None:
    """Return the part of a text that was compared with a question; None where it is short.

    `terms` are the stems of the question, `chunk_words` and `encoder` those that split the text.
    """
    for size in (chunk_words, _EARLIER_WORDS):
        spans = chunk_spans(text, size, encoder)
        if len(spans) == 1 and size == chunk_words:
            return None
        if len(spans) == compared.count and 0 <= compared.nth < compared.count:
            return _cut(text, *spans[compared.nth])
    best = passage(text, terms)
    start = text.find(best)
    return _cut(text, start, start + len(best))


def _cut(text: str, start: int, end: int) -> Passage:
    return Passage(text[start:end], start, end)
