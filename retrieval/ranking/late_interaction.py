"""Late interaction: each content word of a question is compared with its nearest word in a memory.

Vectors of whole texts are too coarse to tell "adopted a puppy" from "adopted a plan". It is
computed for a few memories only, from token vectors that were recorded with them (the term is
ColBERT's: Khattab and Zaharia 2020, arXiv:2004.12832).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ...core.text import Analyser
from ...graph.view import Floats, Ints
from ...models.products import product
from ...models.tokens import (
    DIMENSION,
    Encoded,
    Matrix,
    Small,
    compress,
    content_pieces,
    expand,
    word_pieces,
)
from ...storage.sorted_arrays import distinct, places
from ...traversal.open_clusters import OFFSETS
from ..candidates.pool import Pool
from ..candidates.postings import Postings

#: Kinds of pieces: of a content word, of a function word, and of the encoder's marks.
CONTENT_WORD, FUNCTION_WORD, SPECIAL_TOKEN = "c", "l", "w"


@dataclass(frozen=True, slots=True)
class QuestionTokens:
    """The content words of a question: a row of token vectors, and the stem, a piece.

    `model` names the encoder; only token vectors of the same one are compared. `rewritten` are all
    pieces of the question in the first person, `kinds` a letter for each. `competence` says how far
    the encoder can read the question, 0 to 1.
    """

    rows: Matrix
    stems: Sequence[str]
    model: str
    rewritten: Matrix = field(default_factory=lambda: np.zeros((0, DIMENSION), np.float32))
    kinds: str = ""
    competence: float = 1.0

    def all_pieces(self) -> QuestionTokens:
        """Return the same with the rewritten pieces after those of the content words."""
        return replace(
            self,
            rows=np.concatenate([self.rows, self.rewritten]),
            stems=[*self.stems, *self.kinds],
        )


@dataclass(frozen=True, slots=True)
class MaxSimilarities:
    """Each piece's largest cosine with each memory, and with those beside it in its session.

    `at` has an array of shape (pieces, memories) for each offset, 0 being the memory itself;
    `weights` (pieces,) add up to 1. For rewritten pieces, `stems` are their kinds. `rows` are the
    memories, where they are needed.
    """

    stems: Sequence[str]
    weights: Floats
    at: Mapping[int, Floats]
    rows: Ints | None = None


def question_tokens(
    text: str, encoded: Encoded, model: str, analyser: Analyser, names: frozenset[str]
) -> QuestionTokens:
    """Return the pieces of a question's content words, people's names left out."""
    name_stems = {stem for name in names for stem in analyser.terms(name)}
    pieces = [
        (place, stem)
        for place, stem in content_pieces(text, encoded.spans, analyser)
        if stem not in name_stems
    ]
    rows = encoded.pieces[[place for place, _ in pieces]]
    return QuestionTokens(expand(compress(rows)), [stem for _, stem in pieces], model)


def with_rewritten_tokens(
    asked: QuestionTokens, text: str, encoded: Encoded, analyser: Analyser
) -> QuestionTokens:
    """Return the question's tokens together with every piece of its rewritten text.

    Punctuation is left out; the encoder's marks around a text stand for the whole of it.
    """
    content_words = {place for place, _ in content_pieces(text, encoded.spans, analyser)}
    function_words = set(word_pieces(text, encoded.spans)) - content_words
    special = {place for place, (start, end) in enumerate(encoded.spans) if start == end}
    places = sorted(content_words | function_words | special)
    kinds = [
        CONTENT_WORD
        if p in content_words
        else FUNCTION_WORD
        if p in function_words
        else SPECIAL_TOKEN
        for p in places
    ]
    rows = expand(compress(encoded.pieces[places]))
    return replace(asked, rewritten=rows, kinds="".join(kinds))


def weights(stems: Sequence[str], rarity: Mapping[str, float], unseen: float) -> Floats:
    """Return what each piece counts: the rarity of its word, adding up to 1."""
    rarities = np.array([rarity.get(stem, unseen) for stem in stems])
    total = float(rarities.sum())
    return rarities / total if total > 0 else rarities


def max_similarities(asked: QuestionTokens, stored: Mapping[int, Small], rows: Ints) -> Floats:
    """Return the largest cosine of each piece with any of each memory's, shape (pieces, rows).

    `stored` holds token vectors by row; a memory without any, and the row -1, have 0.
    """
    stored_rows = [row for row in distinct(rows.ravel()).tolist() if len(stored.get(row, ()))]
    if not stored_rows or not len(asked.stems):
        return np.zeros((len(asked.stems), *rows.shape))
    vectors = [stored[row] for row in stored_rows]
    starts = np.cumsum([0, *(len(memory_vectors) for memory_vectors in vectors[:-1])])
    cosines = product(asked.rows, expand(np.concatenate(vectors)).T)
    best = np.maximum.reduceat(cosines, starts, axis=1)
    place = places(stored_rows, rows)
    return np.where(place >= 0, best[:, place], 0.0)


def nearest_words(
    pool: Pool,
    asked: QuestionTokens,
    postings: Postings,
    load: Callable[[Sequence[int]], Mapping[int, Small]],
) -> tuple[MaxSimilarities, MaxSimilarities] | None:
    """Look up each word's nearest in a pool and beside it; None where no words are recorded.

    Of the content words, and of every piece of the question in the first person. `load` returns
    the token vectors of experiences by sequence.
    """
    rows = np.stack([pool.neighbours(offset) for offset in OFFSETS])
    wanted = distinct(rows.ravel())
    seqs, index = pool.space.view.experiences.seqs, pool.space.index
    # Words of what has no vector yet would count or not by who enriched it, and when.
    until = 0 if index is None else index.until
    wanted = wanted[(wanted >= 0) & (seqs[wanted] <= until)]
    row_of = dict(zip(seqs[wanted].tolist(), wanted.tolist(), strict=True))
    stored = {row_of[seq]: vectors for seq, vectors in load(list(row_of)).items()}
    if pool.space.fresh is not None:
        stored |= pool.space.fresh.tokens
    if not stored:
        return None
    rarity = dict(zip(postings.terms, postings.rarity.tolist(), strict=True))
    unseen = float(np.log(1 + len(seqs) / 0.5))
    similarities = max_similarities(asked.all_pieces(), stored, rows).swapaxes(0, 1)
    words, pieces = len(asked.stems), len(asked.kinds)
    counts = weights(asked.stems, rarity, unseen)
    own = dict(zip(OFFSETS, similarities[:, :words], strict=True))
    rewritten = dict(zip(OFFSETS, similarities[:, words:], strict=True))
    even = np.full(pieces, 1 / max(pieces, 1))
    of_words = MaxSimilarities(asked.stems, counts, own, pool.rows)
    return of_words, MaxSimilarities(asked.kinds, even, rewritten)
