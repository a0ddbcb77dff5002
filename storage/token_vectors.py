"""Token vectors recorded beside the journal: a few bytes a content word, for late interaction.

Recorded outputs like the other vectors: written once, kept by a rebuild, erased with their text.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from threading import Lock

from ..core.errors import Damaged
from ..core.lazy import np
from ..models.tokens import DIMENSION, Small
from .space_store import SpaceStore

#: Token vectors that are held in memory, of all spaces: 20 MB.
_CACHED_MAX = 160_000


class TokenVectors:
    """The token vectors of one space."""

    def __init__(self, space: SpaceStore) -> None:
        self._space = space.space_scope

    def record(self, model: str, seq: int, rows: Small) -> None:
        """Store the token vectors (n, 128) of one experience."""
        body = _packed(rows)
        row = (self._space.number, model, seq, body, len(rows), zlib.crc32(body))
        self._space.run("tokens/add", row)

    def load(self, model: str, seqs: Sequence[int]) -> dict[int, Small]:
        """Return the token vectors of some experiences by sequence; unknown ones are left out."""
        return {seq: rows for seq, (rows, _) in self.load_stated(model, seqs).items()}

    def load_stated(self, model: str, seqs: Sequence[int]) -> dict[int, tuple[Small, bool]]:
        """Return the same, and of each whether its text is held and may still change or go."""
        values = (self._space.number, model, json.dumps(list(seqs)))
        return {
            seq: (unpacked(body, pieces), bool(held))
            for seq, body, pieces, held in self._space.rows("tokens/load", values)
        }


def _packed(rows: Small) -> bytes:
    # Most steps are small, so that their bits are worth counting; nothing in them is repeated.
    packer = zlib.compressobj(1, zlib.DEFLATED, -15, 8, zlib.Z_HUFFMAN_ONLY)
    return packer.compress(rows.tobytes()) + packer.flush()


def unpacked(body: bytes, pieces: int | None) -> Small:
    """Return what `_packed` was given; where `pieces` is None, they were written as they are.

    Raises `Damaged` for what it did not write.
    """
    try:
        steps = body if pieces is None else zlib.decompress(body, -15, pieces * DIMENSION)
        return np.frombuffer(steps, np.int8).reshape(pieces or -1, DIMENSION)
    except (zlib.error, ValueError):
        raise Damaged("stored token vectors are damaged: run `meridia rebuild`") from None


class TokenVectorCache:
    """Token vectors that were read before. Never those of a held text, which may change or go."""

    def __init__(self) -> None:
        self._cached: dict[tuple[int, str, int], Small] = {}
        self._size = 0
        self._lock = Lock()

    def load(self, space: SpaceStore, model: str, seqs: Sequence[int]) -> dict[int, Small]:
        """Return the token vectors of some experiences by sequence; unknown ones are left out."""
        number, cached = space.space_scope.number, self._cached
        held_rows = {seq: cached.get((number, model, seq)) for seq in seqs}
        loaded = {seq: rows for seq, rows in held_rows.items() if rows is not None}
        missing = [seq for seq, rows in held_rows.items() if rows is None]
        if not missing:
            return loaded
        fresh = TokenVectors(space).load_stated(model, missing)
        with self._lock:
            for seq, (rows, held) in fresh.items():
                if not held and (number, model, seq) not in cached:
                    cached[number, model, seq] = rows
                    self._size += 1 + len(rows)
            oldest = iter(list(cached))
            while self._size > _CACHED_MAX:
                self._size -= 1 + len(cached.pop(next(oldest)))
        return loaded | {seq: rows for seq, (rows, _) in fresh.items()}
