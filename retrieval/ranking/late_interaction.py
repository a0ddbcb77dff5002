"""Late interaction: each word of a question is compared with its nearest word in a memory.

Vectors of whole texts cannot tell "adopted a puppy" from "adopted a plan". Token vectors, recorded
with the memories, are compared for a few memories only (ColBERT: Khattab and Zaharia 2020,
arXiv:2004.12832). The texts given to the encoder are part of the recall record, so that a replay
encodes them again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ...core.people import Gazetteer
from ...core.settings import RecallSettings
from ...graph.view import Floats, Ints
from ...language.analyser import Analyser, content_pieces, word_pieces
from ...language.questions.question import asked_about, rewrite_in_first_person, words_of_form
from ...models.tokens import (
    DIMENSION,
    Embedder,
    Encoded,
    Matrix,
    SelectiveEmbedder,
    Small,
    TokenEmbedder,
    compress,
    expand,
    for_questions,
    product,
)
from ...storage.sorted_arrays import distinct, places
from ...traversal.open_clusters import OFFSETS
from ..candidates.pool import Pool
from ..candidates.postings import Postings

#: Kinds of pieces: of a content word, of a function word, and of the encoder's marks.
CONTENT_WORD, FUNCTION_WORD, SPECIAL_TOKEN = "c", "l", "w"
#: Pieces of memories that are compared at once: 8 MB as floats.
_PIECES_AT_ONCE = 16_384
#: Pieces of the content words of a sentence.
_SENTENCE_PIECES = 5


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
    memories, where they are needed, `passages` which part of each was compared, from 0, `sentences`
    what `nearest_sentences` found of each.
    """

    stems: Sequence[str]
    weights: Floats
    at: Mapping[int, Floats]
    rows: Ints | None = None
    passages: Ints | None = None
    sentences: Floats | None = None


def question_tokens(
    text: str, encoded: Encoded, model: str, analyser: Analyser, names: frozenset[str]
) -> QuestionTokens:
    """Return the pieces of a question's content words, people's names left out."""
    analyser = analyser.of(text)
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


def max_similarities(
    asked: QuestionTokens, counts: Floats, stored: Mapping[int, Small], rows: Ints
) -> tuple[Floats, Ints]:
    """Return each piece's largest cosine with each memory, and which passage of it was compared.

    Shapes (pieces, *rows.shape) and rows.shape. A long memory is judged by its best passage: that
    which the words match best, each as much as it `counts`, together with the question as a whole.
    `stored` holds token vectors by row; a memory without any, and the row -1, have 0.
    """
    stored_rows = [row for row in distinct(rows.ravel()).tolist() if len(stored.get(row, ()))]
    if not stored_rows or not len(asked.stems):
        return np.zeros((len(asked.stems), *rows.shape)), np.zeros(rows.shape, np.int64)
    parts = [
        _best_passages(asked, counts, [stored[row] for row in some])
        for some in _blocks(stored_rows, stored)
    ]
    best = np.concatenate([similarities for similarities, _ in parts], axis=1)
    passages = np.concatenate([chosen for _, chosen in parts])
    place = places(stored_rows, rows)
    return np.where(place >= 0, best[:, place], 0.0), np.where(place >= 0, passages[place], 0)


def _blocks(rows: Sequence[int], stored: Mapping[int, Small]) -> Iterator[list[int]]:
    """Yield some rows at a time, of at most so many pieces: a long text has thousands."""
    block, pieces = list[int](), 0
    for row in rows:
        if block and pieces + len(stored[row]) > _PIECES_AT_ONCE:
            yield block
            block, pieces = [], 0
        block.append(row)
        pieces += len(stored[row])
    yield block


def _best_passages(
    asked: QuestionTokens, counts: Floats, vectors: Sequence[Small]
) -> tuple[Floats, Ints]:
    """Return each piece's largest cosine with the best passage of each memory, and its number."""
    small = np.concatenate(vectors)
    cosines = product(asked.rows, expand(small).T)
    firsts = np.cumsum([0, *(len(rows) for rows in vectors[:-1])])
    if small.any(axis=1).all():  # most texts are one passage
        return np.maximum.reduceat(cosines, firsts, axis=1), np.zeros(len(vectors), np.int64)
    starts = distinct(np.concatenate([firsts, np.flatnonzero(~small.any(axis=1))]))
    of_passages = np.maximum.reduceat(cosines, starts, axis=1)
    words = len(counts)
    fits = counts @ of_passages[:words] + of_passages[words:].sum(axis=0) / max(
        len(of_passages) - words, 1
    )
    first_of = np.searchsorted(starts, firsts)
    ends = [*first_of[1:].tolist(), len(starts)]
    chosen = first_of.copy()
    for memory in np.flatnonzero(np.diff(first_of, append=len(starts)) > 1).tolist():
        chosen[memory] += np.argmax(fits[first_of[memory] : ends[memory]])
    return of_passages[:, chosen], chosen - first_of


def nearest_sentences(asked: Matrix, stored: Mapping[int, Small], rows: Ints) -> Floats:
    """Return how much nearer the nearest sentence of each long text is than by chance.

    A sentence's vector is about the mean of its words'; each few words in a row are taken for one.
    Of k, the best is by chance √(2 ln k) standard deviations above the others. A text of one
    passage has 0: its vector is compared with the question already.
    """
    nearer, question = np.zeros(len(rows)), asked.sum(axis=0)
    question /= max(float(np.linalg.norm(question)), 1e-9)
    for place, row in enumerate(rows.tolist()):
        small = stored.get(row)
        if small is None or len(small) <= _SENTENCE_PIECES or small.any(axis=1).all():
            continue
        sums = np.pad(np.cumsum(expand(small), axis=0, dtype=np.float64), ((1, 0), (0, 0)))
        means = sums[_SENTENCE_PIECES:] - sums[:-_SENTENCE_PIECES]
        cosines = (means @ question) / np.maximum(np.linalg.norm(means, axis=1), 1e-9)
        by_chance = np.sqrt(2 * np.log(max(len(cosines) / _SENTENCE_PIECES, 1.0)))
        nearer[place] = cosines.max() - cosines.mean() - by_chance * cosines.std()
    return nearer


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
    sentences = nearest_sentences(asked.rows, stored, pool.rows)  # of others, parts were chosen
    if pool.space.fresh is not None:
        stored |= pool.space.fresh.tokens
    if not stored:
        return None
    rarity = dict(zip(postings.terms, postings.rarity.tolist(), strict=True))
    unseen = float(np.log(1 + len(seqs) / 0.5))
    words, pieces = len(asked.stems), len(asked.kinds)
    counts = weights(asked.stems, rarity, unseen)
    similarities, passages = max_similarities(asked.all_pieces(), counts, stored, rows)
    similarities = similarities.swapaxes(0, 1)
    own = dict(zip(OFFSETS, similarities[:, :words], strict=True))
    rewritten = dict(zip(OFFSETS, similarities[:, words:], strict=True))
    even = np.full(pieces, 1 / max(pieces, 1))
    stems, own = _stand_ins(asked.stems, own, pool, postings)
    counts = weights(stems, rarity, unseen)
    of_words = MaxSimilarities(stems, counts, own, pool.rows, passages[OFFSETS.index(0)], sentences)
    return of_words, MaxSimilarities(asked.kinds, even, rewritten)


def _stand_ins(
    stems: Sequence[str], own: Mapping[int, Floats], pool: Pool, postings: Postings
) -> tuple[list[str], dict[int, Floats]]:
    """Return words and their nearest words, with the substitutes of those that no memory has.

    Another form of a word of the question, such as 17:05 for 5:05 pm, is an additional word.
    """
    stems, at = list(stems), dict(own)
    for term in pool.space.stand_ins or ():
        place = postings.terms.index(term)
        if term not in stems:
            stems.append(term)
            at = {offset: np.pad(values, ((0, 1), (0, 0))) for offset, values in at.items()}
        mine = np.array([stem == term for stem in stems])
        for offset, has in pool.having([postings.rows[place]], OFFSETS).items():
            at[offset][mine] = np.maximum(at[offset][mine], postings.share[place] * has)
    return stems, at


@dataclass(frozen=True, slots=True)
class QuestionTexts:
    """A question, the same in the first person, and the words of people's names that it has."""

    text: str
    rewritten: str
    names: Sequence[str] = ()


def question_texts(text: str, people: Gazetteer, analyser: Analyser) -> QuestionTexts:
    """Return the texts that are encoded for a question to a space that knows `people`."""
    analyser, about = analyser.of(text), asked_about(text)
    stems = {stem for _, stem in analyser.words(about)}
    words = people.words | words_of_form(about, analyser, people)
    names = sorted(word for word in words if not stems.isdisjoint(analyser.terms(word)))
    return QuestionTexts(text, rewrite_in_first_person(about, people), names)


def encode_question(
    texts: QuestionTexts, embedder: Embedder | None, settings: RecallSettings, analyser: Analyser
) -> tuple[Matrix | None, QuestionTokens | None]:
    """Return the vector of a question in the first person, and the vectors of its own words."""
    if embedder is None:
        return None, None
    text, rewritten, embedder = asked_about(texts.text), texts.rewritten, for_questions(embedder)
    if settings.profile == "reference":
        return embedder.embed([texts.text])[0], None
    if not isinstance(embedder, TokenEmbedder) or not settings.rerank_depth:
        return embedder.embed([rewritten])[0], None
    both = embedder.encode_all([*{text: None, rewritten: None}])
    encoded, rewritten_encoding = both[0], both[-1]
    asked = question_tokens(text, encoded, embedder.model, analyser, frozenset(texts.names))
    if isinstance(embedder, SelectiveEmbedder):
        asked = replace(asked, competence=embedder.competence(text, texts.names))
    return rewritten_encoding.vector, with_rewritten_tokens(
        asked, rewritten, rewritten_encoding, analyser
    )
