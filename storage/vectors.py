"""Vectors of texts and tokens, recorded beside the journal, and exact search over a space's.

A vector is a recorded output, keyed by space, model and text: it is written once, kept by a rebuild
and erased with its text. Vectors of different models are never compared.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import TYPE_CHECKING, TypeAlias

from ..core.errors import Damaged, ModelMismatch
from ..core.lazy import np
from ..core.types import Space
from ..models.tokens import DIMENSION, Small, product
from .search.full_text import ALL_TEXTS
from .sorted_arrays import places
from .space_caches import SpaceCache
from .store import SpaceStore, Store

if TYPE_CHECKING:
    from numpy.typing import NDArray


#: Token vectors that are held in memory, of all spaces: 20 MB.
_CACHED_MAX = 160_000


class TokenVectors:
    """The token vectors of one space."""

    def __init__(self, space: SpaceStore) -> None:
        self._space = space.space_scope

    def record(self, model: str, seq: int, rows: Small) -> None:
        """Store the token vectors (n, 128) of one experience."""
        body = _packed(rows)
        self._space.run("tokens/add", model, seq, body, len(rows), zlib.crc32(body))

    def load(self, model: str, seqs: Sequence[int]) -> dict[int, tuple[Small, bool]]:
        """Return the token vectors of some experiences by sequence; unknown ones are left out.

        And of each whether its text is held and may still change or go.
        """
        return {
            seq: (unpacked(body, pieces), bool(held))
            for seq, body, pieces, held in self._space.rows("tokens/load", model, seqs)
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
        fresh = TokenVectors(space).load(model, missing)
        with self._lock:
            for seq, (rows, held) in fresh.items():
                if not held and (number, model, seq) not in cached:
                    cached[number, model, seq] = rows
                    self._size += 1 + len(rows)
            oldest = iter(list(cached))
            while self._size > _CACHED_MAX:
                self._size -= 1 + len(cached.pop(next(oldest)))
        return loaded | {seq: rows for seq, (rows, _) in fresh.items()}


Matrix: TypeAlias = "NDArray[np.float32]"
Ints: TypeAlias = "NDArray[np.int64]"
#: Stored as half floats: half the size, and recall does not notice (docs/benchmarks.md).
_STORED = "float16"


class VectorTable:
    """The vectors recorded for one space."""

    def __init__(self, space: SpaceStore) -> None:
        self._space = space.space_scope

    def record(self, model: str, text_hash: str, parts: Matrix) -> None:
        """Store the vectors of one text's parts, inside the caller's transaction."""
        for index, vector in enumerate(parts):
            stored = vector.astype(_STORED).tobytes()
            self._space.run("vectors/add", model, text_hash, index, stored, zlib.crc32(stored))

    def embedded_hashes(self, model: str, hashes: Sequence[str]) -> set[str]:
        """Return which of some texts have vectors of this model."""
        return {row[0] for row in self._space.rows("vectors/embedded_hashes", model, hashes)}

    def of_texts(self, model: str, hashes: Sequence[str]) -> dict[str, Matrix]:
        """Return the vectors of some texts by hash, shape (parts, dimension); unknown: left out."""
        vectors_by_hash: dict[str, list[bytes]] = {}
        for text_hash, vector in self._space.rows("vectors/of_texts", model, hashes):
            vectors_by_hash.setdefault(text_hash, []).append(vector)
        return {
            text_hash: np.frombuffer(b"".join(parts), _STORED).reshape(len(parts), -1).astype("f4")
            for text_hash, parts in vectors_by_hash.items()
        }

    def between(self, model: str, after: int, until: int) -> tuple[Ints, Matrix]:
        """Return the vectors of experiences after a sequence and up to another, in journal order.

        The sequence of each row, shape (n,), and the rows, shape (n, dimension).
        """
        rows = self._space.rows("vectors/load", model, after, until)
        stored = np.frombuffer(b"".join(row[1] for row in rows), _STORED)
        seqs = np.fromiter((row[0] for row in rows), np.int64, len(rows))
        return seqs, stored.reshape(len(rows), -1 if rows else 0).astype(np.float32)

    def check_model(self, model: str) -> None:
        """Raise `ModelMismatch` when the space holds vectors, and none of this model."""
        has, other = self._space.only_row("vectors/models", model=model)
        if other is not None and not has:
            raise ModelMismatch(
                f"the space's vectors come from {other}, but the model in use is {model}: add "
                "its vectors with `meridia enrich --reembed`, use the other model again, or set "
                "embedding.enabled = false"
            )


class RowBuffer:
    """Rows with room behind them, so that what is new is mostly written and rarely moved.

    Whoever holds some of the rows keeps them as they are: only what was handed out last grows in
    place, and anything shorter is copied.
    """

    def __init__(self, dimension: int) -> None:
        self.rows: Matrix = np.zeros((0, dimension), np.float32)
        self._held = self.rows
        self._lock = Lock()

    def appended(self, before: Matrix, fresh: Matrix) -> Matrix:
        """Return `before` and `fresh` as one."""
        with self._lock:
            end = len(before) + len(fresh)
            if not len(before):
                # Most often all that a space has, and nothing comes after it.
                self._held = self.rows = fresh
                return fresh
            if before is not self.rows or end > len(self._held):
                self._held = np.empty((end + end // 4, fresh.shape[1]), np.float32)
                self._held[: len(before)] = before
            self._held[len(before) : end] = fresh
            self.rows = self._held[:end]
            return self.rows


#: From so many rows on a screen is used, of so many directions, taken from so many of the rows.
SCREENED_MIN, _DIRECTIONS, _SAMPLED = 40_000, 96, 8_192
#: Directions are taken anew when there are so many times as many rows.
_OUTGROWN = 4
#: What the square of a length may be off by, and so much more that products are off by less.
_ROUNDED = 3e-4
#: The product of what is left of two vectors is hardly ever more than half that of its lengths.
_HALF = 0.5


@dataclass(frozen=True, slots=True)
class Screen:
    """Bounds the cosines of many rows at a quarter of the cost, so that few are computed.

    `heads` (n, 97) are the rows in the directions of `basis` (dimension, 96), in which they differ
    most, and the length of what is left of each. The product of two heads is at least that of their
    rows (Cauchy and Schwarz). What it lets through is compared as if there were no screen: the
    directions decide what is saved, never what is found. There were `taken` rows when they were
    chosen.
    """

    basis: Matrix
    heads: Matrix
    taken: int
    buffer: RowBuffer | None = None

    @staticmethod
    def of(rows: Matrix) -> Screen:
        """Return a screen of some rows."""
        sample = rows[:: 1 + len(rows) // _SAMPLED].astype(np.float64)
        _, directions = np.linalg.eigh(product(sample.T, sample))
        basis = np.ascontiguousarray(directions[:, -_DIRECTIONS:], np.float32)
        buffer = RowBuffer(basis.shape[1] + 1)
        screen = Screen(basis, buffer.rows, len(rows), buffer)
        return screen.extended(rows)

    def extended(self, rows: Matrix) -> Screen:
        """Return this screen with further rows."""
        buffer = self.buffer or RowBuffer(self.heads.shape[1])
        heads = buffer.appended(self.heads, self.heads_of(rows))
        return replace(self, heads=heads, buffer=buffer)

    def having(self, numbers: Ints | slice) -> Screen:
        """Return the screen of some of the rows."""
        return replace(self, heads=self.heads[numbers], buffer=None)

    def likely(self, query: Matrix) -> Matrix:
        """Return what the cosine of each row with a unit vector very likely is at most."""
        (head,) = self.heads_of(query[None])
        head[-1] *= _HALF
        return product(self.heads, head)

    def heads_of(self, rows: Matrix) -> Matrix:
        """Return the heads of some rows."""
        inside = product(rows, self.basis)
        left = np.einsum("ij,ij->i", rows, rows) - np.einsum("ij,ij->i", inside, inside)
        return np.column_stack([inside, np.sqrt(np.maximum(left, 0) + _ROUNDED)])


@dataclass(frozen=True, slots=True)
class VectorIndex:
    """Unit vectors of a space in journal order, up to and including sequence `until`.

    `rows` has shape (n, dimension). `seqs` (m ≤ n) names the experiences that have vectors, and
    `starts` the first row of each: a long text has several rows. `model` is whose vectors they are.
    Many rows have a `screen`. Immutable.
    """

    rows: Matrix
    seqs: NDArray[np.int64]
    starts: NDArray[np.int64]
    until: int
    model: str = ""
    buffer: RowBuffer | None = None
    changes: int = 0
    screen: Screen | None = None

    @staticmethod
    def empty(dimension: int) -> VectorIndex:
        """Return an index of nothing."""
        none = np.zeros(0, np.int64)
        buffer = RowBuffer(dimension)
        return VectorIndex(buffer.rows, none, none, 0, buffer=buffer)

    def without(self, seqs: Collection[int], changes: int) -> VectorIndex:
        """Return this index without some experiences, after so many changes of texts."""
        stays = ~np.isin(self.seqs, np.array(sorted(seqs), np.int64))
        if stays.all():
            return replace(self, changes=changes)
        numbers, starts = self._numbers(np.flatnonzero(stays))
        return replace(
            self,
            rows=self.rows[numbers],
            seqs=self.seqs[stays],
            starts=starts,
            buffer=None,
            changes=changes,
            screen=self.screen and self.screen.having(numbers),
        )

    def extended(self, table: VectorTable, model: str, until: int) -> VectorIndex:
        """Return this index with the vectors recorded for sequences up to `until`."""
        if until <= self.until:
            return self
        seqs_of_rows, fresh = table.between(model, self.until, until)
        if not len(fresh):
            return replace(self, until=until, model=model)
        seqs, starts = np.unique(seqs_of_rows, return_index=True)
        buffer = self.buffer or RowBuffer(fresh.shape[1])
        rows, screen = buffer.appended(self.rows, fresh), self.screen
        if len(rows) >= max(SCREENED_MIN, _OUTGROWN * (screen.taken if screen else 0)):
            screen = Screen.of(rows)
        elif screen:
            screen = screen.extended(fresh)
        return VectorIndex(
            rows,
            np.concatenate([self.seqs, seqs]),
            np.concatenate([self.starts, starts + len(self.rows)]),
            until,
            model,
            buffer,
            self.changes,
            screen,
        )

    def alone(self) -> VectorIndex:
        """Return this index without the room behind its rows."""
        return replace(self, buffer=None, screen=self.screen and self.screen.having(slice(None)))

    def upto(self, until: int) -> VectorIndex:
        """Return this index as it was at an earlier sequence, sharing its rows."""
        if until >= self.until:
            return self
        count = int(np.searchsorted(self.seqs, until, side="right"))
        end = int(self.starts[count]) if count < len(self.starts) else len(self.rows)
        return replace(
            self,
            rows=self.rows[:end],
            seqs=self.seqs[:count],
            starts=self.starts[:count],
            until=until,
            screen=None if end < SCREENED_MIN else self.screen and self.screen.having(slice(end)),
        )

    def similarities(self, query: Matrix) -> Matrix:
        """Return each experience's best cosine with a unit vector, in [-1, 1], shape (m,)."""
        return _best(product(self.rows, query), self.starts)

    def likely(self, query: Matrix) -> Matrix:
        """Return what each of those very likely is at most; without a screen, those themselves."""
        if self.screen is None:
            return self.similarities(query)
        return _best(self.screen.likely(query), self.starts)

    def cosines(self, query: Matrix, places: Ints) -> Matrix:
        """Return the best cosine of the experiences at some places with a unit vector."""
        rows, starts = self.rows_of(places)
        return _best(product(rows, query), starts)

    def rows_of(self, places: Ints) -> tuple[Matrix, Ints]:
        """Return the rows of the experiences at some places, and where each one's begin."""
        numbers, starts = self._numbers(places)
        return self.rows[numbers], starts

    def _numbers(self, places: Ints) -> tuple[Ints, Ints]:
        """Return which rows those are, and the same."""
        ends = np.take(self.starts, places + 1, mode="clip")
        ends[places == len(self.starts) - 1] = len(self.rows)
        counts = ends - self.starts[places]
        starts = np.cumsum(counts) - counts
        return np.repeat(self.starts[places] - starts, counts) + np.arange(counts.sum()), starts

    def places(self, seqs: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the place of each sequence in `seqs`, -1 where it has no vector."""
        return places(self.seqs, seqs)


def _best(scores: Matrix, starts: Ints) -> Matrix:
    """Return the best of each experience's rows."""
    if len(starts) == len(scores):
        return scores
    best: Matrix = np.maximum.reduceat(scores, starts)
    return best


#: Before the model's name in a file: how an index is written.
_SCREENED = "screened "


class VectorIndexes:
    """The newest index of each space and model: one copy, extended by what is new, for all."""

    def __init__(self, store: Store) -> None:
        self._store = store
        #: By space and model.
        self._newest: SpaceCache[Mapping[str, VectorIndex]] = SpaceCache(store.caches, follows=True)

    def index(self, space: Space, model: str, dimension: int, until: int) -> VectorIndex:
        """Return the vectors recorded for sequences up to `until`; earlier ones must be recorded.

        Raises `ModelMismatch` when the space holds vectors, and none of this model.
        """
        store = self._store.space(space)
        table = VectorTable(store)
        with self._newest.lock(space), self._store.snapshot():
            held = self._newest.get(space) or {}
            before, arrays = held.get(model), store.arrays
            if before is None:
                before = arrays.load("vectors", _SCREENED + model, (VectorIndex, Screen))
            changed, last = store.full_text.changed(0 if before is None else before.changes)
            if before is None or ALL_TEXTS in changed:
                table.check_model(model)
                before = replace(VectorIndex.empty(dimension), changes=last)
            elif changed:
                before = before.without(changed, last)
            newest = before.extended(table, model, until)
            if newest is not held.get(model):
                self._newest.put(space, {**held, model: newest})
                arrays.offer("vectors", _SCREENED + model, newest.alone, len(newest.seqs))
        return newest.upto(until)

    def forget(self, space: Space) -> None:
        """Drop what is held of a space; it is read again when it is asked for."""
        self._newest.pop(space)
