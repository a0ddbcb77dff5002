"""The pool: the experiences that are scored for one question, with their first scores.

Candidates come from words and from meaning. Their neighbours in the session and experiences that
activation reaches are added; nothing outside the pool is scored. Of memories without a vector, the
best by words and the newest are read here, and what likely answers is encoded, so that new memories
are compared by meaning too: of a long text, the parts whose words are most like the question's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from operator import itemgetter
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...core.types import Json
from ...core.types import Space as SpaceName
from ...graph.view import Floats, GraphView, Ints
from ...language.analyser import Analyser, content_pieces
from ...models.embedder import EncodingCache, compared_words
from ...models.tokens import Embedder, Encoded, Small, TokenEmbedder, compress, joined, product
from ...storage.search.term_index import TermIndex
from ...storage.sorted_arrays import distinct, largest
from ...storage.store import Store
from ...storage.vectors import Matrix, VectorIndex

Mask = NDArray[np.bool_]
#: What stands for a term of a question: terms or phrases of the space, and what they count.
StandIns: TypeAlias = Mapping[str, tuple[Sequence[str], float]]
#: A start node's mass: cosines from -.05 to .60 become 0 to 1.
_COSINE_LOW, _COSINE_SPAN = -0.05, 0.65
_SHARPNESS = 3
_OFFSETS = (-2, -1, 1, 2)
#: For more than the first share of a space all cosines are computed at once; for less than the
#: second, no bounds are looked at before.
_MOST, _FEW = 0.2, 0.01


@dataclass(frozen=True, slots=True)
class VectorCandidates:
    """The experiences that a vector source names as near to a question, by sequence."""

    source: str
    seqs: Sequence[int]


@dataclass(frozen=True, slots=True)
class FreshVectors:
    """Vectors of experiences that have none in the index yet, by row of the view, ascending.

    Of a long text there may be several: `rows` has shape (n,), `vectors` (n, dimension), `texts`
    are the parts. `tokens` are token vectors by row.
    """

    rows: Ints
    vectors: Matrix
    tokens: Mapping[int, Small]
    texts: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class SpaceSnapshot:
    """The data of one space in memory; `index` is None until vectors are needed.

    `information` is the 90th percentile of the summed rarity of an experience's words; `norms` the
    length of each vector in its context, not a number until it is needed (`formula.norms`);
    `vector_rows` the row of the experience of each vector (-1: none; None: the nth vector is the
    nth experience's); `session_words` the length of each session, `during` the session of each
    experience, or else the only one that was going on then (-1: none). Experiences up to `read`
    have their words in the view; of later ones full text has them. `encoder` is that of the index,
    for what has no vector yet.
    """

    view: GraphView
    index: VectorIndex | None
    norms: Floats
    vector_rows: Ints | None
    session_words: Floats
    during: Ints
    information: float
    read: int
    encoder: Embedder | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SpaceView(SpaceSnapshot):
    """One space as recall sees it: the graph, the vectors, and which experiences may be seen.

    `visible` are the experiences that existed at the time of the question, `allowed` those that
    may be returned. `matches` are full-text matches (sequence,
    BM25) of a stored recall that is computed again; None: look them up. `candidates` are those of
    a vector source; None: the nearest in `index`. `moment` and `last_seq` are the time and the
    journal sequence that a question is asked as of; ages are counted to `now`, seconds since 1970.
    `current_session` is the session that asks. `finds` are sequences and scores from Graphiti.
    With an `encoder`, some memories without a vector are encoded while the question is answered
    (`fresh`); a replay encodes those of `encoded`. `stand_ins` replace words that no memory has;
    None: not looked up yet.
    """

    name: SpaceName
    full_text: TermIndex
    visible: Mask
    allowed: Mask
    matches: Sequence[tuple[int, float]] | None = None
    candidates: VectorCandidates | None = None
    random_seed: int = 0
    hints: Json = None
    moment: datetime | None = None
    last_seq: int | None = None
    now: float = 0.0
    current_session: str | None = None
    finds: Sequence[tuple[int, float]] = ()
    encoded: Sequence[int] | None = None
    fresh: FreshVectors | None = None
    stand_ins: StandIns | None = None

    @property
    def unread(self) -> int:
        """The number of experiences that no rule has read yet, or that have no vector yet."""
        until = self.read if self.index is None else min(self.read, self.index.until)
        seqs = self.view.experiences.seqs
        return len(seqs) - int(np.searchsorted(seqs, until, side="right"))

    @property
    def has_vectors(self) -> bool:
        """Whether anything can be found by meaning."""
        return self.fresh is not None or (self.index is not None and len(self.index.seqs) > 0)

    def similarities(self, vector: Matrix | None, *, likely: bool = False) -> Matrix:
        """Return the cosine of each experience with a question; 0 where it has no vector.

        With `likely`, for those in the index, an upper bound that very likely holds.
        """
        similarity, rows = np.zeros(len(self.view.experiences.seqs), np.float32), self.vector_rows
        if vector is None:
            return similarity
        if self.index is not None and len(self.index.seqs):
            cosines = (self.index.likely if likely else self.index.similarities)(vector)
            if rows is None:
                return cosines
            similarity[rows[rows >= 0]] = cosines[rows >= 0]
        if self.fresh is not None:
            similarity[self.fresh.rows] = -1.0
            np.maximum.at(similarity, self.fresh.rows, product(self.fresh.vectors, vector))
        return similarity


class Cosines:
    """The cosines of a large space with a question, by row; 0 where there is no vector.

    They are computed for the rows that are asked for, and for those that may be among the best.
    """

    def __init__(self, space: SpaceView, index: VectorIndex, vector: Matrix) -> None:
        self._space, self._index, self._vector = space, index, vector
        self._values = space.similarities(None)
        self._bounded = np.ones(len(self._values), bool)

    @cached_property
    def _bounds(self) -> Matrix:
        """An upper bound of each, which very likely holds."""
        return self._space.similarities(self._vector, likely=True)

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, rows: Any) -> Any:
        self._compute(np.arange(len(self))[rows] if isinstance(rows, slice) else np.asarray(rows))
        return self._values[rows]

    def likely(self, among: Ints, limit: int) -> Ints:
        """Return those of `among` that may be among the `limit` largest."""
        if len(among) <= max(limit, _FEW * len(self)):
            return among
        bounds = self._bounds[among]
        first: Matrix = self[among[largest(bounds, 2 * limit)]]
        return among[bounds >= float(np.partition(first, -limit)[-limit])]

    def _compute(self, rows: Ints) -> None:
        """Compute the cosines of some rows that are not known yet."""
        rows = distinct(rows[self._bounded[rows]])
        if len(rows) > _MOST * len(self):
            self._values = self._space.similarities(self._vector)
            self._bounded[:] = False
            return
        places = self._index.places(self._space.view.experiences.seqs[rows])
        there = places >= 0
        self._values[rows[there]] = self._index.cosines(self._vector, places[there])
        self._bounded[rows] = False


@dataclass(frozen=True, slots=True)
class Pool:
    """Rows of `space.view.experiences` to score, ascending, with calibrated scores.

    `similarity` and `words` have one value for every experience of the space (0: unknown), so
    that a neighbour's is at hand; `mass` is the activation of a start node, 0 to 1.
    """

    space: SpaceView
    rows: Ints
    similarity: Cosines | Matrix
    words: Floats
    mass: Floats
    beside: dict[int, Ints] = field(default_factory=dict)

    def at(self, values: Floats | Matrix | Cosines, offset: int) -> Floats:
        """Return a value of the experience `offset` places away in the session, 0 if none."""
        beside = self.neighbours(offset)
        return np.where(beside >= 0, values[beside].astype(np.float64), 0.0)

    def neighbours(self, offset: int) -> Ints:
        """Return the visible experience `offset` places away in the session of each row, or -1."""
        if not offset:
            return self.rows
        if offset not in self.beside:
            self.beside[offset] = _visible_neighbours(self.space, self.rows, offset)
        return self.beside[offset]

    def having(self, rows_of: Sequence[Ints], offsets: Sequence[int]) -> dict[int, Mask]:
        """Return, by offset, whether the experience at that offset from each row is among some.

        `rows_of` has the rows of each term; shapes are (terms, rows of the pool).
        """
        # The last column stands for no neighbour, -1.
        has = np.zeros((len(rows_of), len(self.similarity) + 1), bool)
        for place, rows in enumerate(rows_of):
            has[place, rows] = True
        return {offset: has[:, self.neighbours(offset)] for offset in offsets}

    def with_rows(self, more: Ints) -> Pool:
        """Return this pool with further rows."""
        rows = distinct(np.concatenate([self.rows, more]))
        return Pool(self.space, rows, self.similarity, self.words, self.mass)


def gather(
    space: SpaceView,
    matches: Sequence[tuple[int, float]],
    vector: Matrix | None,
    candidates: int,
    target_masks: Sequence[Mask] = (),
    competence: float = 1.0,
) -> Pool:
    """Build the pool from full-text matches (sequence, BM25) and a question's unit vector.

    For each of `target_masks`, half as many candidates by meaning are added. Meaning counts
    as far as the encoder can read the question: `competence`, 0 to 1.
    """
    experiences = space.view.experiences
    words = np.zeros(len(experiences.seqs))
    index = space.index
    similarity: Cosines | Matrix = (
        space.similarities(vector)
        if vector is None or index is None or index.screen is None
        else Cosines(space, index, vector)
    )
    match_rows = experiences.index_of(np.array([seq for seq, _ in matches], np.int64))
    scores = np.array([score for _, score in matches], np.float64)
    usable = (match_rows >= 0) & (scores > 0)
    usable[usable] = space.visible[match_rows[usable]]
    words[match_rows[usable]] = scores[usable]
    rows = [match_rows[usable]]
    if vector is not None and space.has_vectors:
        rows.append(_nearest(space, similarity, candidates))
        rows += [_best(similarity, space.allowed & mask, candidates // 2) for mask in target_masks]
    start = distinct(np.concatenate(rows))
    near = [_visible_neighbours(space, start, offset) for offset in _OFFSETS]
    everyone = distinct(np.concatenate([start, *near]))
    everyone = everyone[everyone >= 0]
    mass = _mass(words, similarity if vector is not None else None, start, competence)
    return Pool(space, everyone[space.allowed[everyone]], similarity, words, mass)


def _nearest(space: SpaceView, similarity: Cosines | Matrix, limit: int) -> Ints:
    """Return the rows nearest to a question: of its vector source, or of the vectors at hand."""
    if space.candidates is None:
        return _best(similarity, space.allowed, limit)
    rows = space.view.experiences.index_of(np.array(space.candidates.seqs, np.int64))
    rows = rows[rows >= 0]
    return rows[space.allowed[rows]]


def _best(values: Cosines | Matrix, allowed: Mask, limit: int) -> Ints:
    """Return the rows of the largest values that are allowed, in no order."""
    among = np.flatnonzero(allowed)
    if isinstance(values, Cosines):
        among = values.likely(among, limit)
    return among[largest(values[among], limit)]


def _visible_neighbours(space: SpaceView, rows: Ints, offset: int) -> Ints:
    neighbours = space.view.experiences.neighbours(rows, offset)
    return np.where((neighbours >= 0) & space.visible[neighbours], neighbours, -1)


def _mass(
    words: Floats, similarity: Cosines | Matrix | None, rows: Ints, competence: float
) -> Floats:
    """Return start masses: words and meaning mixed half and half, sharpened, the best one 1."""
    mass = np.zeros(len(words))
    if not len(rows):
        return mass
    top = float(words.max())
    mixed = 0.5 * words[rows] / top if top > 0 else np.zeros(len(rows))
    if similarity is not None:
        near = (similarity[rows].astype(np.float64) - _COSINE_LOW) / _COSINE_SPAN
        mixed = mixed + 0.5 * competence * np.clip(near, 0.0, 1.0)
    best = float(mixed.max())
    mass[rows] = (mixed / best) ** _SHARPNESS if best > 0 else 0.0
    return mass


#: How many are read at most: of the best by words, and of the newest; and their characters.
_BEST_MAX, _NEWEST_MAX, _READ_CHARS_MAX = 8, 32, 120_000
#: Parts that are encoded; characters of each at most, and of all together, but for the last.
_PARTS_MAX, _CHARS_MAX, _ALL_CHARS_MAX = 12, 320, 1200
#: Encodings that are held for the next question.
_CACHED_MAX = 256
#: A word, or as much of a longer run.
_WORD = re.compile(r"\w{1,24}")


class FreshEncoder:
    """Encodes memories without a vector while a question is answered; keeps the last encodings."""

    def __init__(self, file: Store) -> None:
        self._file = file
        self._caches: dict[str, EncodingCache] = {}

    def with_fresh(
        self,
        space: SpaceView,
        question: str,
        terms: Sequence[str],
        matches: Sequence[tuple[int, float]],
        then: Mask,
    ) -> SpaceView:
        """Return a space with vectors of what likely answers among what had none.

        Of the best matches and the newest, the parts nearest to the words that stand for its terms;
        those of the time that the question names, `then`, come first. A replay encodes exactly
        the same memories: `space.encoded`.
        """
        if space.encoder is None or space.index is None or not space.unread:
            return space
        wanted = _wanted(space, matches, then) if space.encoded is None else space.encoded
        asked = asked_words(question, terms, self._file.analyser)
        memories, read, parts = self._file.catalog.fetch(space.name, wanted), 0, []
        rows = space.view.experiences.index_of(np.array(wanted, np.int64)).tolist()
        for row, seq in zip(rows, wanted, strict=True):
            text = memories[seq].text if seq in memories else ""
            if read < _READ_CHARS_MAX and text.strip():
                parts += [(then[row], worth, row, part) for worth, part in passages(text, asked)]
            read += len(text)
        parts.sort(key=itemgetter(0, 1, 2), reverse=True)
        used = np.cumsum([0, *(len(text) for *_, text in parts)])[:-1]
        count = min(_PARTS_MAX, int(np.count_nonzero(used < _ALL_CHARS_MAX)))
        texts = [(row, text) for _, _, row, text in parts[:count]]
        return replace(space, fresh=self._encoded(space.encoder, texts)) if texts else space

    def _encoded(self, encoder: Embedder, parts: list[tuple[int, str]]) -> FreshVectors:
        parts.sort(key=itemgetter(0))
        rows, texts = np.array([row for row, _ in parts]), [text for _, text in parts]
        if not isinstance(encoder, TokenEmbedder):
            return FreshVectors(rows, encoder.embed(texts), {}, texts)
        cache = self._caches.get(encoder.model)
        if cache is None:
            cache = self._caches[encoder.model] = EncodingCache(lambda: encoder, _CACHED_MAX)
        encoded, tokens = cache.encode_all(texts), dict[int, list[Small]]()
        for (row, text), each in zip(parts, encoded, strict=True):
            tokens.setdefault(row, []).append(_tokens(text, each, self._file.analyser))
        vectors = np.stack([each.vector for each in encoded])
        return FreshVectors(rows, vectors, {row: joined(of) for row, of in tokens.items()}, texts)


def asked_words(text: str, terms: Sequence[str], analyser: Analyser) -> dict[str, str]:
    """Return the words of a question by their stems; what stands for one is its own word."""
    words = {stem: word for word, stem in analyser.words(text) if stem}
    return {term: words.get(term, term) for term in terms}


def passages(text: str, asked: Mapping[str, str]) -> list[tuple[float, str]]:
    """Return the parts of a text that likely answer, the likeliest first, each with its worth.

    A short text is one part. `asked` are the words of a question by their stems: in each part, the
    word that is most like one counts, by meaning alone, and by how rare the question's is.
    """
    folded = text.casefold() if len(text.casefold()) == len(text) else text
    found = [(match.start(), match.group()) for match in _WORD.finditer(folded)]
    if not asked or not found:
        return [(0.0, text[:_CHARS_MAX])]
    words = {word: place for place, word in enumerate(dict.fromkeys(word for _, word in found))}
    likeness, rarity = compared_words([*asked.values()], [*words])
    for row, stem in zip(likeness, asked, strict=True):
        row[[stem in word for word in words]] = 1.0
    near = (likeness * rarity)[:, [words[word] for _, word in found]]
    if len(text) <= _CHARS_MAX:
        return [(float(near.max(axis=1).sum()), text)]
    begins = np.array([begin for begin, _ in found])
    ends = np.searchsorted(begins, begins + _CHARS_MAX // 2)
    spans = np.stack([np.arange(len(begins)), ends], axis=1).ravel()
    padded = np.pad(near, ((0, 0), (0, 1)))
    worth = np.maximum.reduceat(padded, spans, axis=1)[:, ::2].sum(axis=0)
    parts: list[tuple[float, str]] = []
    while len(parts) < _PARTS_MAX and worth.max() >= 0:
        best = int(worth.argmax())
        start = max(0, int(begins[best]) - _CHARS_MAX // 4)
        start = text.rfind(" ", 0, start) + 1 if start else 0
        parts.append((float(worth[best]), text[start : start + _CHARS_MAX]))
        worth[np.abs(begins - begins[best]) < _CHARS_MAX // 2] = -1.0
    return parts


def _wanted(space: SpaceView, matches: Sequence[tuple[int, float]], then: Mask) -> list[int]:
    """Return the memories without a vector among the best matches and the newest."""
    assert space.index is not None
    seqs = space.view.experiences.seqs
    first = int(np.searchsorted(seqs, space.index.until, side="right"))
    rows = space.view.experiences.index_of(np.array([seq for seq, _ in matches], np.int64))
    rows = rows[rows >= first]
    rows = rows[np.argsort(~then[rows], kind="stable")]
    best = rows[space.allowed[rows]][:_BEST_MAX]
    newest = first + np.flatnonzero(space.allowed[first:])[::-1][:_NEWEST_MAX]
    return list(dict.fromkeys(seqs[np.concatenate([best, newest])].tolist()))


def _tokens(text: str, encoded: Encoded, analyser: Analyser) -> Small:
    """Return the token vectors of a text as enrichment keeps them."""
    places = [place for place, _ in content_pieces(text, encoded.spans, analyser)]
    return compress(encoded.pieces[places])
