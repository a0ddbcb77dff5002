"""The association pass: which memories each experience is related to, and which one it repeats.

It follows the vector pass, reads the stored vectors and records what it finds, so that a rebuild
searches nothing again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from ...core.entries import MemoriesAssociated, MemoryReinforced
from ...core.events import EventKind
from ...core.types import Entry, EntryDraft, EntryKind, Space
from ...models.encoder_ports import Embedder
from ...storage.projections.text_traits import Trait
from ...storage.space_caches import SpaceCache
from ...storage.store import Store
from ...storage.vectors import VectorIndex, VectorIndexes
from ..enrichment_state import ASSOCIATIONS
from .associations import Association, ExperienceVectors, Standing, associate
from .passes import PassResult, is_captured, position
from .vector_pass import VectorPass


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
