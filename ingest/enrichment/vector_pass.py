"""The vector pass: every experience is embedded once by the model in use.

Experiences captured without an embedder, or with another one, are embedded when there is one. Known
texts are not embedded again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import chain
from operator import itemgetter
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...core.entries import MemoriesAssociated, MemoryReinforced, QuestionsAnticipated
from ...core.errors import InvalidInput
from ...core.events import EventKind, captions_of, embedding_text_of, event_of, text_of
from ...core.ids import content_hash
from ...core.types import Entry, EntryDraft, EntryKind, Space
from ...language.analyser import content_pieces
from ...language.runs.tool_calls import Event
from ...models.embedder import EncodingCache
from ...models.tokens import (
    Embedder,
    Encoded,
    Matrix,
    Small,
    TokenEmbedder,
    compress,
    embed,
    joined,
    product,
    split_chunks,
)
from ...storage.projections.text_traits import Trait
from ...storage.sorted_arrays import Ints, largest, places
from ...storage.space_caches import SpaceCache
from ...storage.store import SpaceStore, Store
from ...storage.vectors import TokenVectors, VectorIndex, VectorIndexes, VectorTable
from ..enrichment_state import ASSOCIATIONS, vectors_of
from .passes import NOTHING, PassResult, is_captured, position


class VectorPass:
    """Embeds what experiences say, whole and by the word, and the questions they anticipate."""

    def __init__(
        self,
        file: Store,
        embedder: Callable[[], Embedder | None],
        encodings: EncodingCache,
        chunk_words: int,
        batch: int,
    ) -> None:
        self.batch = batch
        self._file = file
        self._embedder = embedder
        self._encodings = encodings
        self._chunk_words = chunk_words
        self._other_model_allowed: set[Space] = set()

    def allow_other_model(self, space: Space) -> None:
        """Let vectors of the model in use be made beside those of another."""
        self._other_model_allowed.add(space)

    @property
    def name(self) -> str:
        """The projection that says how far the vectors of the model in use have come."""
        return vectors_of(self._embedder())[0]

    @property
    def version(self) -> int:
        """Which edition of the pass this is."""
        return vectors_of(None)[1]

    def until(self, space: Space) -> int:
        """Return the journal's end; without an embedder nothing can be done."""
        return 0 if self._embedder() is None else self._file.journal.head(space).seq

    def concerns(self, entry: Entry) -> bool:
        """Return whether an entry brings a text that is searched by meaning."""
        return isinstance(entry.payload, QuestionsAnticipated) or is_captured(entry)

    def work(self, space: Space, entries: Sequence[Entry]) -> PassResult:
        """Embed what is not embedded yet; `ModelMismatch` when the vectors are another model's."""
        embedder = self._embedder()
        if embedder is None:
            return NOTHING
        texts = {content_hash(text): text for entry in entries for text in _texts(entry)}
        recorded = VectorTable(self._file.space(space))
        if space not in self._other_model_allowed:
            recorded.check_model(embedder.model)
        for text_hash in recorded.embedded_hashes(embedder.model, list(texts)):
            del texts[text_hash]
        tokens: dict[int, Small] = {}
        matrices: dict[str, Matrix] = {}
        if isinstance(embedder, TokenEmbedder):
            events = {
                int(entry.seq): event_of(entry)
                for entry in entries
                if entry.kind is not EntryKind.QUESTIONS_ANTICIPATED
            }
            matrices, tokens = self._by_passage(events, embedder)
            matrices = {hashed: rows for hashed, rows in matrices.items() if hashed in texts}
        missing = {hashed: text for hashed, text in texts.items() if hashed not in matrices}
        embedded = embed(list(missing.values()), embedder, self._chunk_words) if missing else []
        matrices |= dict(zip(missing, embedded, strict=True))

        def write(space_store: SpaceStore) -> None:
            vectors, token_vectors = VectorTable(space_store), TokenVectors(space_store)
            for text_hash, chunk_rows in matrices.items():
                vectors.record(embedder.model, text_hash, chunk_rows)
            for seq, rows in tokens.items():
                token_vectors.record(embedder.model, seq, rows)

        return (), write

    def _by_passage(
        self, events: Mapping[int, Event], encoder: TokenEmbedder
    ) -> tuple[dict[str, Matrix], dict[int, Small]]:
        """Return the vectors of the passages of events, by the hash of their text, and token rows.

        Token rows are by sequence, those of a passage behind a row of zeros; captions have some of
        their own, beside the first passage. First passages are held for other stages.
        """
        texts = {seq: embedding_text_of(event) for seq, event in events.items()}
        passages = {text: split_chunks(text, self._chunk_words, encoder) for text in texts.values()}
        captions = {
            seq: list(captions_of(event)) if text_of(event) else [] for seq, event in events.items()
        }
        firsts = [mine[0] for mine in passages.values()]
        firsts += chain.from_iterable(captions.values())
        self._encodings.prepare(firsts)
        made = dict(
            zip(
                firsts,
                map(self._compressed, firsts, self._encodings.encode_all(firsts)),
                strict=True,
            )
        )
        rest = dict.fromkeys(passage for mine in passages.values() for passage in mine[1:])
        for text, encoded in self._encodings.passing(list(rest)):
            made[text] = self._compressed(text, encoded)
        tokens = {}
        for seq, text in texts.items():
            first, *others = passages[text]
            groups = [np.concatenate([made[t][1] for t in (first, *captions[seq])])]
            tokens[seq] = joined([*groups, *(made[passage][1] for passage in others)])
        vectors = {
            content_hash(text): np.stack([made[passage][0] for passage in mine])
            for text, mine in passages.items()
        }
        return vectors, tokens

    def _compressed(self, text: str, encoded: Encoded) -> tuple[Matrix, Small]:
        """Return the vector of a text, and the rows of its content words."""
        places = [place for place, _ in content_pieces(text, encoded.spans, self._file.analyser)]
        return encoded.vector, compress(encoded.pieces[places])


def _texts(entry: Entry) -> list[str]:
    if isinstance(entry.payload, QuestionsAnticipated):
        return list(entry.payload.questions)
    return [embedding_text_of(event_of(entry))]


# Associations: which earlier experiences a new one is related to, and which one it repeats.
#
# Exact cosines over unit vectors, from new to old only. No index, no storage, no clock; what is
# found here the journal records, so that a rebuild asks nobody again (features 100 and 102).
#
# The answer does not depend on how the stream was cut into batches, nor on the processor: a float32
# matrix product only screens, with room for its rounding, and what passes is computed again in
# whole numbers. There each component counts in units of 2**-26, so that products and sums of unit
# vectors stay below 2**53 and are exact in any order. Cosines are then rounded to four decimals,
# and only the rounded ones are compared.
#
# The association pass: which memories each experience is related to, and which one it repeats.
#
# It follows the vector pass, reads the stored vectors and records what it finds, so that a rebuild
# searches nothing again.

Exact = NDArray[np.float64]
Places = NDArray[np.int64]
#: Returns the memory that another one repeats, if it does.
Repeated = Callable[[str], str | None]

#: From which cosine on experiences are related, to how many at most, and are the same.
RELATED, RELATED_MAX, NEAR = 0.6, 10, 0.92
_PLACES = 4
_HALF = 0.00005
_UNIT = 2.0**26
#: A vector's length may be off by so much: vectors are kept as half floats.
_LENGTH_OFF = 0.01
#: Experiences worked on together, cells of one product, and candidates computed exactly at once.
_BLOCK, _CELLS, _EXACT_BLOCK = 64, 1 << 21, 128
#: Rows that a screen is asked about at once; of more, a product of whole rows costs as little.
SCREENED_AT_ONCE = 8
#: Of what a screen lets through, so many times as many as may be related are compared first.
_LIKELY = 4


class Standing(IntEnum):
    """What may come of an experience's vectors."""

    #: It is related to others, and repeats or is repeated.
    ORDINARY = 0
    #: Put down on purpose: never a repetition, but it may be repeated.
    MANUAL = 1
    #: Fails hygiene: it is related to others, never a repetition and never repeated.
    UNFIT = 2
    #: Came out of a recall or a pack: nothing relates to it, and it to nothing.
    ECHO = 3


@dataclass(frozen=True, slots=True)
class ExperienceVectors:
    """The unit vectors of some experiences, oldest first, as the journal gives them back.

    `index` has the rows of each, `standing` (k,) each one's `Standing`, and `ids` returns what
    those at some places of it are called.
    """

    index: VectorIndex
    ids: Callable[[Places], Sequence[str]]
    standing: NDArray[np.int8]


def canonical(id: str, repeated: Repeated) -> str:
    """Return the memory that `id` repeats in the end, or `id`.

    Raises `InvalidInput` where what each repeats leads round in a circle.
    """
    visited = {id}
    while (next_id := repeated(id)) is not None:
        id = next_id
        if id in visited:
            raise InvalidInput(f"{id!r} repeats itself by way of others: rebuild what repeats what")
        visited.add(id)
    return id


def associate(
    vectors: ExperienceVectors, first: int, repeated: Repeated
) -> list[MemoriesAssociated | MemoryReinforced]:
    """Associate every experience from place `first` on with those before it.

    They are in the order of the journal. Related are those with a cosine of at least
    `RELATED`, between any of their rows, best first, the older of equal ones first. Repeated is the
    nearest that is the same throughout: every row of either has a row of the other at `NEAR` or
    nearer, so that a text which quotes another and goes on is none. `repeated` says what earlier
    ones repeat: a repetition of a repetition counts for the first of them.

    Raises `InvalidInput` for new vectors that are no unit vectors.
    """
    count = len(vectors.index.seqs)
    _check(vectors.index.rows_of(np.arange(first, count))[0])
    fresh = dict[str, str]()

    def known(id: str) -> str | None:
        return fresh.get(id) or repeated(id)

    associations = list[MemoriesAssociated | MemoryReinforced]()
    for start in range(first, count, _BLOCK):
        end = min(start + _BLOCK, count)
        block = [_Search(vectors, place) for place in range(start, end)]
        _screen(block, vectors.index)
        found = sorted({place for search in block for place in search.found})
        called = dict(zip(found, vectors.ids(np.array(found, np.int64)), strict=True))
        for search in block:
            id = called[search.place]
            if search.related:
                related = tuple((called[place], cosine) for place, cosine in search.related)
                associations.append(MemoriesAssociated(id, related))
            if search.near is not None:
                place, similarity = search.near
                first_id = canonical(called[place], known)
                fresh.setdefault(id, first_id)
                associations.append(MemoryReinforced(id, first_id, "near", similarity))
    return associations


class _Search:
    """What one new experience has found so far. The older are offered before the younger."""

    def __init__(self, vectors: ExperienceVectors, place: int) -> None:
        self.place = place
        self.near: tuple[int, float] | None = None
        self._experiences, self._standing = vectors, vectors.standing[place]
        self.rows = vectors.index.rows_of(np.array([place]))[0]
        self._rows = _whole(self.rows)
        #: A float32 product of unit vectors is off by less, summed in whatever order (the bound is
        #: d units of roundoff; a tenth more is for lengths that are not quite 1).
        self._slack: float = 1.1 * (self.rows.shape[1] + 8) * 2.0**-24
        #: The best so far: places and cosines.
        self.related: list[tuple[int, float]] = []

    @property
    def found(self) -> list[int]:
        """The places of all that it is about."""
        return [self.place, *(place for place, _ in (*self.related, *filter(None, [self.near])))]

    def offer(self, first: int, screened: Matrix, bounds: bool) -> None:
        """Look at the experiences from place `first`: cosines are about these, or at most."""
        if self._standing == Standing.ECHO:
            return
        places = first + np.flatnonzero(screened >= min(self._related_bar(), self._near_bar()))
        places = places[self._experiences.standing[places] != Standing.ECHO]
        cosines, bar = screened[places - first], self._related_bar()
        if bounds and len(places):
            if len(places) > _LIKELY * RELATED_MAX:
                likely = places[largest(cosines, _LIKELY * RELATED_MAX)]
                bar = max(bar, self._worst(self._about(likely)))
                places = places[cosines >= min(bar, self._near_bar())]
            cosines = self._about(places)
        if len(places) > RELATED_MAX:
            bar = max(bar, self._worst(cosines))
        for start in range(0, len(places), _EXACT_BLOCK):
            some = places[start : start + _EXACT_BLOCK]
            about = cosines[start : start + _EXACT_BLOCK]
            repeatable = self._experiences.standing[some] <= Standing.MANUAL
            bar = max(bar, self._related_bar())
            some = some[(about >= bar) | (repeatable & (about >= self._near_bar()))]
            if len(some):
                self._compare(some)

    def _about(self, places: Places) -> Matrix:
        """Return about the cosines of the nearest rows."""
        rows, starts = self._experiences.index.rows_of(places)
        cosines: Matrix = np.maximum.reduceat(product(rows, self.rows.T).max(axis=1), starts)
        return cosines

    def _worst(self, cosines: Matrix) -> float:
        """Return what one of so many must reach to be among the best, to be related."""
        worst = np.partition(cosines, -RELATED_MAX)[-RELATED_MAX]
        return float(worst) - 2 * (self._slack + _HALF)

    def _related_bar(self) -> float:
        """Return what a screened cosine must reach to be worth computing, to be related."""
        if len(self.related) < RELATED_MAX:
            return RELATED - _HALF - self._slack
        # An equal one is younger than those there are: only a better one counts.
        return self.related[-1][1] + _HALF - self._slack

    def _near_bar(self) -> float:
        """Return what a screened cosine must reach to be worth computing, to be repeated."""
        if self._standing != Standing.ORDINARY:
            return math.inf
        least = NEAR - _HALF if self.near is None else self.near[1] + _HALF
        return least - self._slack

    def _compare(self, places: Places) -> None:
        cosines, sames = self._exact(places)
        repeatable = self._experiences.standing[places] <= Standing.MANUAL
        columns = places.tolist(), cosines, sames, repeatable
        for place, cosine, same, fit in zip(*columns, strict=True):
            if cosine >= RELATED:
                self.related.append((place, float(cosine)))
            if self._standing == Standing.ORDINARY and fit and same >= NEAR:
                candidate = place, float(same)
                self.near = max(self.near or candidate, candidate, key=itemgetter(1))
        self.related.sort(key=itemgetter(1), reverse=True)
        del self.related[RELATED_MAX:]

    def _exact(self, places: Places) -> tuple[Exact, Exact]:
        """Return the cosines of the nearest rows, and those of the rows farthest from the other."""
        rows, starts = self._experiences.index.rows_of(places)
        products = product(_whole(rows), self._rows.T) / (_UNIT * _UNIT)
        by_own = np.maximum.reduceat(products, starts, axis=0)
        by_other = np.minimum.reduceat(products.max(axis=1), starts)
        same = np.minimum(by_own.min(axis=1), by_other)
        return by_own.max(axis=1).round(_PLACES), same.round(_PLACES)


def _screen(block: Sequence[_Search], index: VectorIndex) -> None:
    """Offer to each search of a block the experiences before it."""
    edges = np.append(index.starts, len(index.rows))
    counts = [len(search.rows) for search in block]
    own, heads = np.concatenate([search.rows for search in block]), index.rows
    screen = index.screen if len(own) <= SCREENED_AT_ONCE else None
    if screen:
        own, heads = screen.heads_of(own), screen.heads
    width = max(1, _CELLS // len(own))
    place, last = 0, block[-1].place
    while place < last:
        # As many experiences as have at most so many rows, and at least one.
        end = max(place + 1, int(np.searchsorted(edges, edges[place] + width, "right")) - 1)
        end = min(end, last)
        scores = product(own, heads[edges[place] : edges[end]].T)
        if scores.shape[1] > end - place:
            scores = np.maximum.reduceat(scores, edges[place:end] - edges[place], axis=1)
        if len(scores) > len(block):
            scores = np.maximum.reduceat(scores, np.cumsum([0, *counts[:-1]]), axis=0)
        for search, similarities in zip(block, scores, strict=True):
            search.offer(place, similarities[: max(0, search.place - place)], screen is not None)
        place = end


def _whole(rows: Matrix) -> Exact:
    """Return vectors in whole numbers of units, as float64, which adds them without rounding."""
    return np.rint(rows.astype(np.float64) * _UNIT)


def _check(rows: Matrix) -> None:
    lengths = np.linalg.norm(rows, axis=1)
    wrong = np.flatnonzero(~(np.abs(lengths - 1) <= _LENGTH_OFF))
    if len(wrong):
        row = int(wrong[0])
        raise InvalidInput(f"row {row} has length {lengths[row]:g}: give unit vectors")


#: The sequences of experiences that have vectors, in journal order, and the standing of each.
_Standings: TypeAlias = "tuple[Ints, NDArray[np.int8]]"


class AssociationPass:
    """Associates every experience with those before it."""

    name, version = ASSOCIATIONS
    batch = 64

    def __init__(
        self,
        file: Store,
        embedder: Callable[[], Embedder | None],
        indexes: VectorIndexes,
        vectors: VectorPass,
    ) -> None:
        self._file = file
        self._embedder = embedder
        self._indexes = indexes
        self._vector_pass = vectors
        self._standings: SpaceCache[_Standings] = SpaceCache(file.caches, follows=True)

    def until(self, space: Space) -> int:
        """Return how far the vectors have come; without an embedder nothing can be done."""
        return 0 if self._embedder() is None else position(self._file, space, self._vector_pass)

    def concerns(self, entry: Entry) -> bool:
        """Return whether an entry is an experience."""
        return is_captured(entry)

    def work(self, space: Space, entries: Sequence[Entry]) -> PassResult:
        """Return what a run of experiences is related to, each with those before it."""
        embedder = self._embedder()
        if embedder is None:
            return NOTHING
        last = entries[-1].seq
        index = self._indexes.index(space, embedder.model, embedder.dimension, last)
        catalog, journal = self._file.catalog, self._file.journal

        def repeated(id: str) -> str | None:
            entries = journal.by_keys(space, EntryKind.MEMORY_REINFORCED, [id])
            payloads = [e.payload for e in entries if isinstance(e.payload, MemoryReinforced)]
            return payloads[0].canonical if payloads else None

        vectors = ExperienceVectors(
            index,
            lambda places: catalog.ids(space, index.seqs[places].tolist()),
            self._standing_of(space, index.seqs),
        )
        first = int(np.searchsorted(index.seqs, entries[0].seq))
        happened_at = {entry.id: entry.at for entry in entries}
        drafts = [
            EntryDraft(payload.experience, payload, happened_at.get(payload.experience))
            for payload in associate(vectors, first, repeated)
        ]
        return drafts, None

    def _standing_of(self, space: Space, seqs: Ints) -> NDArray[np.int8]:
        """Return how some experiences stand, of which most were asked for before."""
        none = np.zeros(0, np.int64), np.zeros(0, np.int8)
        before, standing = self._standings.get(space) or none
        count = len(before)
        # The last of them stands where it stood only while none before it went.
        if count > len(seqs) or seqs[:count][-1:].tolist() != before[-1:].tolist():
            place = places(before, seqs)
            count = int(np.argmin(place >= 0)) if (place < 0).any() else len(seqs)
            standing = standing[place[:count]]
        if count < len(seqs):
            start, end = int(seqs[count - 1]) if count else 0, int(seqs[-1])
            have = set(seqs[count:].tolist())
            features = self._file.catalog.association_features(space, start, end)
            fresh = [_standing(kind, traits) for seq, kind, traits in features if seq in have]
            standing = np.append(standing, np.array(fresh, np.int8))
        self._standings.put(space, (seqs, standing))
        return standing


def _standing(kind: str, traits: int) -> Standing:
    if traits & Trait.ECHO:
        return Standing.ECHO
    if traits & Trait.UNFIT:
        return Standing.UNFIT
    return Standing.MANUAL if kind == EventKind.MANUAL_CAPTURE else Standing.ORDINARY
