"""Compares the lists of a file with lists rebuilt from its journal, in a private copy."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...core.errors import Damaged, StorageFull
from ...core.lazy import np
from ...core.settings import AnalysisSettings, Settings
from ...core.types import Space
from ...models.tokens import expand
from ..store import SpaceStore, Store, open_store
from ..vectors import unpacked
from .backup import copy_file

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: What a person calls a list → the statement that reads all of it, in a fixed order.
_LISTS = {
    "list of experiences": "comparison/experiences",
    "list of people": "comparison/people",
    "who is who": "comparison/identities",
    "names of people": "comparison/names",
    "merges of people": "comparison/merges",
    "list of entities": "comparison/entities",
    "index of facts": "comparison/facts",
    "list of feedback": "comparison/feedback",
    "effects of feedback": "comparison/feedback_effects",
    "list of what entries are about": "comparison/references",
    "nodes": "comparison/nodes",
    "edges": "comparison/edges",
    "full text": "comparison/full_text",
}
_PAGE = 5000


@contextmanager
def private_copy(store: Store) -> Iterator[Store]:
    """Open a copy of a journal's file, as it is now, that disappears afterwards."""
    beside = store.path.parent if os.access(store.path.parent, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix=".meridia-", dir=beside) as folder:
        path = Path(folder) / "copy.db"
        try:
            copy_file(store, path)
        except StorageFull:
            raise StorageFull(
                f"no room on the disk for the copy with which {store.path} is compared: free space"
            ) from None
        settings = Settings(analysis=AnalysisSettings(language=store.analyser.language))
        copy = open_store(path, settings, store.clock)
        try:
            yield copy
        finally:
            copy.close()


def fingerprints(store: Store, space: Space) -> dict[str, str]:
    """Return a hash of each list of a space, full text and edges included, by its name."""
    opened = store.space(space)
    hashes = {}
    for name, statement in _LISTS.items():
        sum_of = hashlib.blake2b(digest_size=16)
        for rows in opened.space_scope.row_parts(statement, _PAGE):
            for row in rows:
                sum_of.update(repr(row).encode("utf-8", "surrogatepass"))
        hashes[name] = sum_of.hexdigest()
    return hashes


#: How far the length of a vector may be from one: half floats, and bytes in steps of 1/127.
_HALF_OFF, _BYTE_OFF = 1e-3, 0.04
_VECTORS_PAGE = 1000


def damaged_vectors(store: SpaceStore) -> tuple[list[int], list[int]]:
    """Return the rows of damaged vectors, and of damaged token vectors."""
    scope = store.space_scope
    parts = scope.row_parts("vectors/all", _VECTORS_PAGE)
    vectors = [row for rows in parts for row, *stored in rows if not _is_vector(*stored)]
    parts = scope.row_parts("tokens/all", _VECTORS_PAGE)
    tokens = [row for rows in parts for row, *stored in rows if not _are_token_vectors(*stored)]
    return vectors, tokens


def drop_damaged(store: SpaceStore) -> int:
    """Drop damaged vectors, so that the next enrichment makes them again; count them."""
    vectors, tokens = damaged_vectors(store)
    if vectors or tokens:
        with store.space_scope.writing():
            store.space_scope.run_many("vectors/drop", [(row,) for row in vectors])
            store.space_scope.run_many("tokens/drop", [(row,) for row in tokens])
            for name in store.cursors.names():
                if name.startswith("vectors"):
                    store.cursors.forget(name)
    return len(vectors) + len(tokens)


def _is_vector(body: bytes, as_recorded: int) -> bool:
    try:
        return bool(as_recorded) and _are_unit_vectors(
            np.frombuffer(body, np.float16).reshape(1, -1), _HALF_OFF
        )
    except ValueError:  # half a number
        return False


def _are_token_vectors(body: bytes, pieces: int | None, as_recorded: int) -> bool:
    try:
        rows = unpacked(body, pieces)
        rows = rows[rows.any(axis=1)]  # a row of zeros stands before each of several passages
        return bool(as_recorded) and _are_unit_vectors(expand(rows), _BYTE_OFF)
    except Damaged:
        return False


def _are_unit_vectors(rows: NDArray[Any], off: float) -> bool:
    with np.errstate(all="ignore"):
        lengths = np.linalg.norm(rows.astype(np.float32), axis=1)
        return bool(np.all(np.abs(lengths - 1) <= off))
