"""The built-in vector source: exact comparison with every vector, in memory."""

from __future__ import annotations

import numpy as np

from ...core.calls.arguments import checked
from ...core.ports import VectorFilters, VectorQuery
from ...core.types import Space
from ...storage.store import Store
from ...storage.vectors import VectorIndexes

BUILT_IN = "built-in"


@checked
class BuiltInSource:
    """Searches the vectors recorded beside the journal."""

    name = BUILT_IN

    def __init__(self, file: Store, indexes: VectorIndexes) -> None:
        self._file = file
        self._indexes = indexes

    def is_available(self, space: Space) -> bool:  # noqa: ARG002 - there wherever the file is
        """Say that it is there."""
        return True

    def until(self, space: Space) -> int:
        """Return the end of the journal: it lags behind nothing."""
        return self._file.journal.head(space).seq

    def search(self, query: VectorQuery) -> list[tuple[int, float]]:
        """Return the nearest experiences; see `VectorSource.search`."""
        dimension = len(query.vector)
        index = self._indexes.index(query.space, query.model, dimension, query.until)
        similarities = index.similarities(query.vector)
        allowed = np.ones(len(index.seqs), bool)
        if query.among is not None:
            allowed &= np.isin(index.seqs, np.array(query.among, np.int64))
        if query.filters != VectorFilters():
            like = self._file.catalog.like(query.space, query.filters)
            allowed &= np.isin(index.seqs, np.array(like, np.int64))
        rows = np.flatnonzero(allowed)
        order = rows[np.lexsort((rows, -similarities[rows]))][: query.limit]
        return list(zip(index.seqs[order].tolist(), similarities[order].tolist(), strict=True))
