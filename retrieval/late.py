"""Late interaction: each content word of a question looks for its nearest word in a memory.

Where the vectors of whole texts blur, this tells "adopted a puppy" from "adopted a plan". It is
worked out for a few memories only, from token vectors that were recorded with them
(RECALL.md's term is ColBERT's: Khattab and Zaharia 2020, arXiv:2004.12832).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..core.ordered import distinct, places
from ..core.products import product
from ..core.text import Analyser
from ..core.tokens import (
    DIMENSION,
    Encoded,
    Matrix,
    Small,
    compress,
    content_pieces,
    expand,
    word_pieces,
)
from ..graph.view import Floats, Ints

#: Kinds of pieces: of a content word, of a little word, and what stands for the whole question.
CONTENT, LITTLE, WHOLE = "c", "l", "w"


@dataclass(frozen=True, slots=True)
class Asked:
    """The content words of a question: a row of token vectors, and the stem, a piece.

    `model` names the encoder; only token vectors of the same one are compared. `voiced` are all
    pieces of the question in the voice of whom it asks about, `kinds` a letter for each.
    """

    rows: Matrix
    stems: Sequence[str]
    model: str
    voiced: Matrix = field(default_factory=lambda: np.zeros((0, DIMENSION), np.float32))
    kinds: str = ""

    def everything(self) -> Asked:
        """Return the same with the voiced pieces behind those of the content words."""
        return replace(
            self,
            rows=np.concatenate([self.rows, self.voiced]),
            stems=[*self.stems, *self.kinds],
        )


@dataclass(frozen=True, slots=True)
class Nearest:
    """Each piece's largest cosine with each memory, and with those beside it in its session.

    `at` has an array of shape (pieces, memories) for each offset, 0 being the memory itself;
    `weights` (pieces,) add up to 1. For voiced pieces, `stems` are their kinds.
    """

    stems: Sequence[str]
    weights: Floats
    at: Mapping[int, Floats]

    def shared(self, window: Sequence[int]) -> dict[int, Floats]:
        """Return the largest cosine within a window, at the offset that it comes from.

        Of equal ones the first in order of `window` has it, the others have 0 there.
        """
        best = np.maximum.reduce([self.at[offset] for offset in window])
        found, taken = {}, np.zeros(best.shape, bool)
        for offset in window:
            mine = ~taken & (self.at[offset] >= best)
            found[offset] = np.where(mine, best, 0.0)
            taken |= mine
        return found


def asked_of(
    text: str, encoded: Encoded, model: str, analyser: Analyser, names: frozenset[str]
) -> Asked:
    """Return the pieces of a question's content words, people's names left out."""
    called = {stem for name in names for stem in analyser.terms(name)}
    pieces = [
        (place, stem)
        for place, stem in content_pieces(text, encoded.spans, analyser)
        if stem not in called
    ]
    rows = encoded.pieces[[place for place, _ in pieces]]
    return Asked(expand(compress(rows)), [stem for _, stem in pieces], model)


def in_voice(asked: Asked, text: str, encoded: Encoded, analyser: Analyser) -> Asked:
    """Return what is asked for together with every piece of the question's voiced text.

    Punctuation is left out; the encoder's marks around a text stand for the whole of it.
    """
    content = {place for place, _ in content_pieces(text, encoded.spans, analyser)}
    little = set(word_pieces(text, encoded.spans)) - content
    whole = {place for place, (start, end) in enumerate(encoded.spans) if start == end}
    places = sorted(content | little | whole)
    kinds = [CONTENT if p in content else LITTLE if p in little else WHOLE for p in places]
    rows = expand(compress(encoded.pieces[places]))
    return replace(asked, voiced=rows, kinds="".join(kinds))


def weights(stems: Sequence[str], rarity: Mapping[str, float], unseen: float) -> Floats:
    """Return what each piece counts: the rarity of its word, adding up to 1."""
    found = np.array([rarity.get(stem, unseen) for stem in stems])
    total = float(found.sum())
    return found / total if total > 0 else found


def nearest(asked: Asked, stored: Mapping[int, Small], rows: Ints) -> Floats:
    """Return the largest cosine of each piece with any of each memory's, shape (pieces, rows).

    `stored` holds token vectors by row; a memory without any, and the row -1, have 0.
    """
    known = [row for row in distinct(rows.ravel()).tolist() if len(stored.get(row, ()))]
    if not known or not len(asked.stems):
        return np.zeros((len(asked.stems), *rows.shape))
    kept = [stored[row] for row in known]
    starts = np.cumsum([0, *(len(one) for one in kept[:-1])])
    cosines = product(asked.rows, expand(np.concatenate(kept)).T)
    best = np.maximum.reduceat(cosines, starts, axis=1)
    place = places(known, rows)
    return np.where(place >= 0, best[:, place], 0.0)
