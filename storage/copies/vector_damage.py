"""Finds damaged vectors by their checksum.

Vectors recorded before there were checksums are checked by their length, which must be one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...core.errors import Damaged
from ...core.lazy import np
from ...models.tokens import expand
from ..space_store import SpaceStore
from ..token_vectors import unpacked

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: How far the length of a vector may be from one: half floats, and bytes in steps of 1/127.
_HALF_OFF, _BYTE_OFF = 1e-3, 0.04
_PAGE = 1000


def damaged_vectors(store: SpaceStore) -> tuple[list[int], list[int]]:
    """Return the rows of damaged vectors, and of damaged token vectors."""
    scope = store.space_scope
    values = (scope.number,)
    parts = scope.row_parts("vectors/all", values, _PAGE)
    vectors = [row for rows in parts for row, *stored in rows if not _is_vector(*stored)]
    parts = scope.row_parts("tokens/all", values, _PAGE)
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
        return bool(as_recorded) and _are_unit_vectors(expand(unpacked(body, pieces)), _BYTE_OFF)
    except Damaged:
        return False


def _are_unit_vectors(rows: NDArray[Any], off: float) -> bool:
    with np.errstate(all="ignore"):
        lengths = np.linalg.norm(rows.astype(np.float32), axis=1)
        return bool(np.all(np.abs(lengths - 1) <= off))
