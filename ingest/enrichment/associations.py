"""Associations: which earlier experiences a new one is related to, and which one it repeats.

Exact cosines over unit vectors, from new to old only. No index, no storage, no clock; what is
found here the journal records, so that a rebuild asks nobody again (features 100 and 102).

The answer does not depend on how the stream was cut into batches, nor on the processor: a float32
matrix product only screens, with room for its rounding, and what passes is computed again in whole
numbers. There each component counts in units of 2**-26, so that products and sums of unit vectors
stay below 2**53 and are exact in any order. Cosines are then rounded to four decimals, and only
the rounded ones are compared.

The association pass: which memories each experience is related to, and which one it repeats.

It follows the vector pass, reads the stored vectors and records what it finds, so that a rebuild
searches nothing again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from ...core.entries import MemoriesAssociated, MemoryReinforced
from ...core.errors import InvalidInput
from ...core.events import EventKind
from ...core.types import Entry, EntryDraft, EntryKind, Space
from ...models.tokens import Embedder, product
from ...storage.projections.text_traits import Trait
from ...storage.space_caches import SpaceCache
from ...storage.store import Store
from ...storage.vectors import VectorIndex, VectorIndexes
from ..enrichment_state import ASSOCIATIONS
from .passes import PassResult, is_captured, position
from .vector_pass import VectorPass

Matrix = NDArray[np.float32]
Exact = NDArray[np.float64]
Places = NDArray[np.int64]

_PLACES = 4
_HALF = 0.00005
_UNIT = 2.0**26
#: A vector's length may be off by so much: vectors are kept as half floats.
_LENGTH_OFF = 0.01
#: Experiences worked on together, cells of one product, and candidates computed exactly at once.
_BLOCK, _CELLS, _EXACT_BLOCK = 64, 1 << 20, 128


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
class AssociationLimits:
    """From which cosine on experiences are related, to how many at most, and are the same."""

    related: float = 0.6
    related_max: int = 10
    near: float = 0.92


STANDARD = AssociationLimits()


@dataclass(frozen=True, slots=True)
class ExperienceVectors:
    """The unit vectors of some experiences, oldest first, as the journal gives them back.

    `rows` (n, d) holds them; `starts` (k,) is the first row of each of the `ids`: a long text has
    several rows. `standing` (k,) holds each one's `Standing`; none means that all are ordinary.
    """

    rows: Matrix
    ids: Sequence[str]
    starts: Places
    standing: NDArray[np.int8] = field(default_factory=lambda: np.zeros(0, np.int8))

    @classmethod
    def of(
        cls, experiences: Sequence[tuple[str, Matrix, Standing]], dimension: int
    ) -> ExperienceVectors:
        """Put together the rows of single experiences; each has one row or more."""
        counts = [len(rows) for _, rows, _ in experiences]
        none = np.zeros((0, dimension), np.float32)
        return cls(
            np.concatenate([none, *(rows for _, rows, _ in experiences)]),
            [id for id, _, _ in experiences],
            np.cumsum([0, *counts[:-1]], dtype=np.int64)[: len(experiences)],
            np.array([standing for *_, standing in experiences], np.int8),
        )

    def edges(self) -> Places:
        """Return where the rows of each experience begin, and where the last one's end."""
        return np.append(self.starts, len(self.rows))

    def subset(self, first: int, end: int) -> ExperienceVectors:
        """Return the experiences from place `first` up to `end`, without copying their rows."""
        edges = self.edges()
        return ExperienceVectors(
            self.rows[edges[first] : edges[end]],
            self.ids[first:end],
            self.starts[first:end] - edges[first],
            self.standing[first:end],
        )

    def rows_of(self, places: Places) -> tuple[Matrix, Places]:
        """Return the rows of the experiences at some places, and where each one's begin."""
        ends = np.where(places + 1 < len(self.starts), places + 1, -1)
        counts = np.where(ends < 0, len(self.rows), self.starts[ends]) - self.starts[places]
        starts = np.cumsum(counts) - counts
        rows = np.repeat(self.starts[places] - starts, counts) + np.arange(counts.sum())
        return self.rows[rows], starts

    def standing_at(self, places: Places) -> NDArray[np.int8]:
        """Return the standing of the experiences at some places."""
        if not len(self.standing):
            return np.zeros(len(places), np.int8)
        return self.standing[places]


@dataclass(frozen=True, slots=True)
class Association:
    """What an experience is related to: ids and cosines, best first, the older of equal ones first.

    `near` is the memory that it repeats and the cosine with the one it was found by: a repetition
    of a repetition counts for the first of them.
    """

    experience: str
    related: tuple[tuple[str, float], ...] = ()
    near: tuple[str, float] | None = None


def canonical(id: str, canonical_ids: Mapping[str, str]) -> str:
    """Return the memory that `id` repeats in the end, or `id`; `known` leads from new to old.

    Raises `InvalidInput` where it leads round in a circle.
    """
    visited = {id}
    while id in canonical_ids:
        id = canonical_ids[id]
        if id in visited:
            raise InvalidInput(f"{id!r} repeats itself by way of others: rebuild what repeats what")
        visited.add(id)
    return id


def associate(
    new: ExperienceVectors,
    earlier: ExperienceVectors,
    canonical_ids: Mapping[str, str],
    limits: AssociationLimits = STANDARD,
) -> list[Association]:
    """Associate every new experience with those before it: the earlier ones, and new ones.

    Both are in the order of the journal. Related are those with a cosine of at least
    `limits.related`, between any of their rows. Repeated is the nearest that is the same
    throughout: every row of either has a row of the other at `limits.near` or nearer, so that a
    text which quotes another and goes on is none. `known` says what the earlier ones repeat.

    Raises `InvalidInput` for vectors that are no unit vectors, and for an id in both.
    """
    _check(new, earlier)
    repeated = dict(canonical_ids)
    associations = []
    for first in range(0, len(new.ids), _BLOCK):
        subset = new.subset(first, min(first + _BLOCK, len(new.ids)))
        block = [_Search(subset, place, limits) for place in range(len(subset.ids))]
        _screen(block, subset, earlier, [len(earlier.ids)] * len(block))
        _screen(block, subset, new, [first + place for place in range(len(block))])
        for search in block:
            near = search.near
            if near is not None:
                near = canonical(near[0], repeated), near[1]
                repeated.setdefault(search.id, near[0])
            associations.append(Association(search.id, search.related, near))
    return associations


class _Search:
    """What one new experience has found so far. The older are offered before the younger."""

    def __init__(self, vectors: ExperienceVectors, place: int, limits: AssociationLimits) -> None:
        self.id = vectors.ids[place]
        self.near: tuple[str, float] | None = None
        self._standing = vectors.standing_at(np.array([place]))[0]
        self._rows = _whole(vectors.rows_of(np.array([place]))[0])
        self._limits = limits
        #: A float32 product of unit vectors is off by less, summed in whatever order (the bound is
        #: d units of roundoff; a tenth more is for lengths that are not quite 1).
        self._slack: float = 1.1 * (vectors.rows.shape[1] + 8) * 2.0**-24
        self._related: list[tuple[str, float]] = []

    @property
    def related(self) -> tuple[tuple[str, float], ...]:
        """The best so far: ids and cosines."""
        return tuple(self._related)

    def offer(self, source: ExperienceVectors, first: int, screened: Matrix) -> None:
        """Look at the experiences of `source` from place `first`, whose cosines are about these."""
        if self._standing == Standing.ECHO:
            return
        places = np.flatnonzero(screened >= min(self._related_bar(), self._near_bar()))
        places = places[source.standing_at(first + places) != Standing.ECHO]
        most = self._limits.related_max
        bar = self._related_bar()
        if len(places) > most > 0:
            best = np.partition(screened[places], -most)[-most]
            bar = max(bar, float(best) - 2 * (self._slack + _HALF))
        for start in range(0, len(places), _EXACT_BLOCK):
            some = places[start : start + _EXACT_BLOCK]
            about = screened[some]
            repeatable = source.standing_at(first + some) <= Standing.MANUAL
            bar = max(bar, self._related_bar())
            some = some[(about >= bar) | (repeatable & (about >= self._near_bar()))]
            if len(some):
                self._compare(source, first + some)

    def _related_bar(self) -> float:
        """Return what a screened cosine must reach to be worth computing, to be related."""
        if len(self._related) < self._limits.related_max:
            return self._limits.related - _HALF - self._slack
        # An equal one is younger than those there are: only a better one counts.
        worst = self._related[-1][1] if self._related else math.inf
        return worst + _HALF - self._slack

    def _near_bar(self) -> float:
        """Return what a screened cosine must reach to be worth computing, to be repeated."""
        if self._standing != Standing.ORDINARY:
            return math.inf
        least = self._limits.near - _HALF if self.near is None else self.near[1] + _HALF
        return least - self._slack

    def _compare(self, source: ExperienceVectors, places: Places) -> None:
        cosines, sames = self._exact(source, places)
        repeatable = source.standing_at(places) <= Standing.MANUAL
        for place, cosine, same, fit in zip(places, cosines, sames, repeatable, strict=True):
            if cosine >= self._limits.related:
                self._related.append((source.ids[place], float(cosine)))
            if self._standing == Standing.ORDINARY and fit and same >= self._limits.near:
                candidate = source.ids[place], float(same)
                self.near = max(self.near or candidate, candidate, key=itemgetter(1))
        self._related.sort(key=itemgetter(1), reverse=True)
        del self._related[self._limits.related_max :]

    def _exact(self, source: ExperienceVectors, places: Places) -> tuple[Exact, Exact]:
        """Return the cosines of the nearest rows, and those of the rows farthest from the other."""
        rows, starts = source.rows_of(places)
        products = product(_whole(rows), self._rows.T) / (_UNIT * _UNIT)
        by_own = np.maximum.reduceat(products, starts, axis=0)
        by_other = np.minimum.reduceat(products.max(axis=1), starts)
        same = np.minimum(by_own.min(axis=1), by_other)
        return by_own.max(axis=1).round(_PLACES), same.round(_PLACES)


def _screen(
    block: Sequence[_Search],
    block_vectors: ExperienceVectors,
    source: ExperienceVectors,
    ends: Sequence[int],
) -> None:
    """Offer to each search of a block the experiences of `source` before its end."""
    edges = source.edges()
    width = max(1, _CELLS // max(1, len(block_vectors.rows)))
    place, last = 0, max(ends)
    while place < last:
        # As many experiences as have at most so many rows, and at least one.
        end = max(place + 1, int(np.searchsorted(edges, edges[place] + width, "right")) - 1)
        end = min(end, last)
        scores = product(block_vectors.rows, source.rows[edges[place] : edges[end]].T)
        if scores.shape[1] > end - place:
            scores = np.maximum.reduceat(scores, edges[place:end] - edges[place], axis=1)
        if len(scores) > len(block):
            scores = np.maximum.reduceat(scores, block_vectors.starts, axis=0)
        for search, similarities, limit in zip(block, scores, ends, strict=True):
            search.offer(source, place, similarities[: max(0, limit - place)])
        place = end


def _whole(rows: Matrix) -> Exact:
    """Return vectors in whole numbers of units, as float64, which adds them without rounding."""
    return np.rint(rows.astype(np.float64) * _UNIT)


def _check(new: ExperienceVectors, earlier: ExperienceVectors) -> None:
    lengths = np.linalg.norm(new.rows, axis=1)
    wrong = np.flatnonzero(~(np.abs(lengths - 1) <= _LENGTH_OFF))
    if len(wrong):
        row = int(wrong[0])
        raise InvalidInput(f"row {row} has length {lengths[row]:g}: give unit vectors")
    both = set(new.ids).intersection(earlier.ids)
    if both:
        raise InvalidInput(f"{min(both)!r} is given as new and as earlier: give it once")


@dataclass(slots=True)
class _VectorisedExperiences:
    """What is known of the experiences of a space that have vectors, in journal order."""

    until: int = 0
    seqs: list[int] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    standing: list[Standing] = field(default_factory=list)
    repeated: dict[str, str] = field(default_factory=dict)
    #: Up to where the journal was read for `repeated`.
    reinforced: int = 0


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
        self._vectorised: SpaceCache[_VectorisedExperiences] = SpaceCache(file.caches)

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
            return PassResult()
        last = entries[-1].seq
        index = self._indexes.index(space, embedder.model, embedder.dimension, last)
        vectorised = self._catch_up(space, index, last)
        all_vectors = ExperienceVectors(
            index.rows, vectorised.ids, index.starts, np.array(vectorised.standing, np.int8)
        )
        first = int(np.searchsorted(index.seqs, entries[0].seq))
        associations = associate(
            all_vectors.subset(first, len(vectorised.ids)),
            all_vectors.subset(0, first),
            vectorised.repeated,
        )
        happened_at = {entry.id: entry.at for entry in entries}
        drafts = []
        for association in associations:
            key = association.experience
            at = happened_at.get(key)
            drafts += [EntryDraft(key, payload, at) for payload in _payloads(association)]
        return PassResult(drafts)

    def _catch_up(self, space: Space, index: VectorIndex, until: int) -> _VectorisedExperiences:
        """Read what is known of the experiences up to `until`; only what is new is read."""
        vectorised = self._vectorised.get(space)
        if (
            vectorised is None
            or vectorised.until > until
            or not _begins_with(index, vectorised.seqs)
        ):
            vectorised = _VectorisedExperiences()
        journal, reinforced = self._file.journal, EntryKind.MEMORY_REINFORCED
        head = int(journal.head(space).seq)
        for entry in journal.of_kind(space, reinforced, vectorised.reinforced):
            if isinstance(entry.payload, MemoryReinforced):
                vectorised.repeated[entry.payload.experience] = entry.payload.canonical
        vectorised.reinforced = head
        have = set(index.seqs[len(vectorised.seqs) :].tolist())
        for seq, id, kind, traits in self._file.catalog.association_features(
            space, vectorised.until, until
        ):
            if seq in have:
                vectorised.seqs.append(seq)
                vectorised.ids.append(id)
                vectorised.standing.append(_standing(kind, traits))
        vectorised.until = until
        self._vectorised.put(space, vectorised)
        return vectorised


def _begins_with(index: VectorIndex, seqs: Sequence[int]) -> bool:
    """Return whether an index begins with experiences known before; some may have expired since.

    Both are in order, so the last of them stands where it stood only while none is gone.
    """
    return not seqs or (len(seqs) <= len(index.seqs) and index.seqs[len(seqs) - 1] == seqs[-1])


def _standing(kind: str, traits: int) -> Standing:
    if traits & Trait.ECHO:
        return Standing.ECHO
    if traits & Trait.UNFIT:
        return Standing.UNFIT
    return Standing.MANUAL if kind == EventKind.MANUAL_CAPTURE else Standing.ORDINARY


def _payloads(association: Association) -> list[MemoriesAssociated | MemoryReinforced]:
    id, payloads = association.experience, list[MemoriesAssociated | MemoryReinforced]()
    if association.related:
        payloads.append(MemoriesAssociated(id, association.related))
    if association.near is not None:
        canonical, similarity = association.near
        payloads.append(MemoryReinforced(id, canonical, "near", similarity))
    return payloads
