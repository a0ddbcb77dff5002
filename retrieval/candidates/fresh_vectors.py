"""Vectors made within a question, of memories that enrichment has not come to yet.

Only of what the question's words find best and of what is newest: so what was said a moment ago is
compared by meaning like everything else. Of a long text, the part with most of the words is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...language.analyser import Analyser, content_pieces
from ...models.encoder_ports import Embedder, TokenEmbedder
from ...models.encoding_cache import EncodingCache
from ...models.tokens import Encoded, Small, compress
from ...storage.store import Store
from .pool import FreshVectors, SpaceView

#: How many are encoded at most: of the best by words, and of the newest.
_BEST_MAX, _NEWEST_MAX = 8, 4
#: Of each at most so many characters; of all together so many, but for the first.
_CHARS_MAX, _ALL_CHARS_MAX = 320, 1200
#: Encodings that are held for the next question.
_CACHED_MAX = 256
#: Places of one word that are looked at in a long text.
_PLACES_MAX = 50


class FreshEncoder:
    """Encodes what has no vector yet within a question, and holds the last encodings."""

    def __init__(self, file: Store) -> None:
        self._file = file
        self._caches: dict[str, EncodingCache] = {}

    def with_fresh(
        self, space: SpaceView, matches: Sequence[tuple[int, float]], terms: Sequence[str]
    ) -> SpaceView:
        """Return a space with vectors of what has none among the best matches and the newest.

        A question asked again encodes exactly what it encoded then: `space.encoded`.
        """
        if space.encoder is None or space.index is None or not space.unread:
            return space
        wanted = _wanted(space, matches) if space.encoded is None else space.encoded
        memories = self._file.catalog.fetch(space.name, wanted)
        texts = {seq: passage(memories[seq].text, terms) for seq in wanted if seq in memories}
        if space.encoded is None:
            texts = _affordable(texts)
        return replace(
            space, fresh=self._encoded(space, space.encoder, dict(sorted(texts.items())))
        )

    def _encoded(
        self, space: SpaceView, encoder: Embedder, texts: dict[int, str]
    ) -> FreshVectors | None:
        texts = {seq: text for seq, text in texts.items() if text.strip()}
        if not texts:
            return None
        cache = self._caches.get(encoder.model)
        if cache is None:
            cache = self._caches[encoder.model] = EncodingCache(lambda: encoder, _CACHED_MAX)
        seqs = np.array(list(texts), np.int64)
        rows = space.view.experiences.index_of(seqs)
        if not isinstance(encoder, TokenEmbedder):
            return FreshVectors(rows, encoder.embed(list(texts.values())), {})
        encoded = cache.encode_all(list(texts.values()))
        tokens = {
            int(row): _tokens(text, each, self._file.analyser)
            for row, text, each in zip(rows, texts.values(), encoded, strict=True)
        }
        return FreshVectors(rows, np.stack([each.vector for each in encoded]), tokens)


def passage(text: str, terms: Sequence[str]) -> str:
    """Return a text, or of a long one the part that has most of some words' stems."""
    if len(text) <= _CHARS_MAX:
        return text
    folded = text.casefold() if len(text.casefold()) == len(text) else text
    places = sorted((place, term) for term in terms for place in _places(folded, term.casefold()))
    best, most = 0, 0
    for first, (start, _) in enumerate(places):
        inside = {
            term
            for place, term in places[first : first + _PLACES_MAX]
            if place < start + _CHARS_MAX // 2
        }
        if len(inside) > most:
            best, most = start, len(inside)
    start = max(0, best - _CHARS_MAX // 4)
    start = text.rfind(" ", 0, start) + 1 if start else 0
    return text[start : start + _CHARS_MAX]


def _places(text: str, term: str) -> list[int]:
    places: list[int] = []
    place = text.find(term)
    while place >= 0 and len(places) < _PLACES_MAX:
        places.append(place)
        place = text.find(term, place + 1)
    return places


def _wanted(space: SpaceView, matches: Sequence[tuple[int, float]]) -> list[int]:
    """Return what has no vector yet: of the best matches, and of the newest memories."""
    assert space.index is not None
    seqs = space.view.experiences.seqs
    first = int(np.searchsorted(seqs, space.index.until, side="right"))
    rows = space.view.experiences.index_of(np.array([seq for seq, _ in matches], np.int64))
    rows = rows[rows >= first]
    best = rows[space.allowed[rows]][:_BEST_MAX]
    newest = first + np.flatnonzero(space.allowed[first:])[::-1][:_NEWEST_MAX]
    return list(dict.fromkeys(seqs[np.concatenate([best, newest])].tolist()))


def _affordable(texts: dict[int, str]) -> dict[int, str]:
    """Return the first texts, as many as a question has time for."""
    chosen: dict[int, str] = {}
    used = 0
    for seq, text in texts.items():
        used += len(text)
        if chosen and used > _ALL_CHARS_MAX:
            break
        chosen[seq] = text
    return chosen


def _tokens(text: str, encoded: Encoded, analyser: Analyser) -> Small:
    """Return the token vectors of a text as enrichment keeps them."""
    places = [place for place, _ in content_pieces(text, encoded.spans, analyser)]
    return compress(encoded.pieces[places])
