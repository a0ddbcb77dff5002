"""What is held of a large space as arrays, in files that processes map instead of reading tables.

A file is a projection of the tables, and may be dropped at any time. It counts only while the entry
that it names is in the journal, and nothing of its space was changed or removed since it was read:
what changes a text drops the files in the same transaction, and they are begun and put in place
under the same lock. So nothing that was forgotten stays in one.
"""

from __future__ import annotations

import json
import math
import mmap
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass
from functools import partial
from pathlib import Path
from threading import Lock, Thread
from typing import Any, BinaryIO

from ..core.errors import MeridiaError, Unavailable
from ..core.lazy import np
from ..core.types import Json
from . import companion_files
from .space_scope import OfSpace, SpaceScope

#: What there are files of; of "norms", earlier versions had one.
_PARTS = "edges", "norms", "terms", "vectors"
_MAGIC, _LENGTH_BYTES, _ALIGNED = b"meridia arrays 1\n", 8, 64
#: Of a smaller space the tables are read as fast; a file is written anew when it has grown so much.
_SIZE_MIN, _GROWTH = 5_000, 1.25
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)


class ArrayFiles:
    """The files of all spaces of one journal, and the threads that write them."""

    def __init__(self) -> None:
        self.size_min = _SIZE_MIN
        #: What a part of a space was read from: the size of its file, the last changes before it.
        self.read: dict[tuple[int, str], tuple[int, list[int]]] = {}
        #: Writes parts whose files a change dropped: once, at the end.
        self._waiting: dict[tuple[int, str], Callable[[], None]] = {}
        self._writers: list[Thread] = []
        self._lock = Lock()

    def close(self) -> None:
        """Write what waits, and wait until what was begun is written."""
        for writer in self._writers:
            writer.join()
        while self._waiting:
            self._waiting.popitem()[1]()

    def offer(
        self, scope: SpaceScope, part: str, about: dict[str, Any], make: Callable[[], Any]
    ) -> None:
        """Write a part behind the caller, where that is worth it."""
        place, size, changes = (scope.number, part), about["size"], about["changes"]
        write = partial(_write, scope, _path(scope, part), about, make)
        with self._lock:
            read = self.read.get(place)
            if read is None or size < self.size_min:
                return
            if read[1] != changes:
                self._waiting[place] = write
            elif size >= _GROWTH * read[0]:
                self.read[place] = size, changes
                writer = Thread(target=write, name="meridia-arrays")
                self._writers = [each for each in self._writers if each.is_alive()] + [writer]
                writer.start()


class SpaceArrays(OfSpace):
    """The files of one space."""

    def __init__(self, space: SpaceScope, files: ArrayFiles) -> None:
        super().__init__(space)
        self._files = files

    @property
    def has_files(self) -> bool:
        """Whether any part of the space is in a file."""
        return any(_path(self._space, part).exists() for part in _PARTS)

    def load(self, part: str, edition: str, kinds: Collection[type]) -> Any:
        """Return what `offer` was given of this edition, made of dataclasses of some kinds.

        Lists come back as tuples, and arrays cannot be written to. None where there is no file, or
        one that does not count. Called before the part is read otherwise.
        """
        number, changes = self._space.number, _last_changes(self._space)
        self._files.read[number, part] = 0, changes
        with suppress(OSError, ValueError, LookupError, TypeError):
            about, described, arrays = _mapped(_path(self._space, part))
            if (about["edition"], about["changes"]) == (edition, changes) and self._has(about):
                value = _value(described, arrays, {kind.__name__: kind for kind in kinds})
                self._files.read[number, part] = about["size"], changes
                return value
        return None

    def _has(self, about: Mapping[str, Any]) -> bool:
        """Return whether the journal goes on from the entry at which a file was written."""
        seq, chained = about["head"]
        row = self._space.row("journal/hash_at", seq)
        return row is not None and row[0].hex() == chained

    def offer(self, part: str, edition: str, make: Callable[[], Any], size: int) -> None:
        """Write a part for other processes, if it has grown enough, or was changed, since a file.

        Called inside of the snapshot in which it was brought up to date. `make` returns what is
        made of arrays, dataclasses, mappings, sequences, texts and numbers, and `size` counts what
        it holds. Nothing is written of what was read inside of a transaction.
        """
        if not self._space.database.is_writing:
            about = {"edition": edition, "changes": _last_changes(self._space), "size": size}
            self._files.offer(self._space, part, about, make)


def drop(space: SpaceScope) -> None:
    """Remove the files of a space, inside the transaction that changes what they were read from.

    Raises `Unavailable` where one cannot be removed.
    """
    for part in _PARTS:
        path = _path(space, part)
        for each in (path, companion_files.partial_of(path)):
            try:
                each.unlink(missing_ok=True)
            except OSError as error:
                raise Unavailable(f"{each} could not be removed: delete it ({error})") from None


def _path(space: SpaceScope, part: str) -> Path:
    journal = space.database.path
    return journal.with_name(f"{journal.name}-{part}-{space.number}.arrays")


def _last_changes(space: SpaceScope) -> list[int]:
    """Return the last change of a space's graph and of its texts."""
    return [*space.only_row("adjacency/last_change"), *space.only_row("search/last_change")]


def _write(
    space: SpaceScope, path: Path, about: dict[str, Json], make: Callable[[], object]
) -> None:
    """Write a file; where the disk is full or read-only, or the files are dropped, there is none.

    It is begun and put in place under the lock under which all files of the space are dropped.
    """
    with suppress(OSError, MeridiaError):
        begun = companion_files.partial_of(path)
        with space.writing():
            row = space.row("journal/head")
            if row is None or _last_changes(space) != about["changes"]:
                return
            seq, chained = row
            lock = os.open(begun, os.O_CREAT | os.O_RDWR | _NO_LINK, 0o600)
        try:
            if not companion_files.hold(lock):
                return  # another process writes it
            os.ftruncate(lock, 0)
            with open(lock, "wb", closefd=False) as file:
                file.writelines(_packed({**about, "head": [seq, chained.hex()]}, make()))
            os.fsync(lock)
            with space.writing():
                if companion_files.is_at(begun, lock):
                    begun.replace(path)
        finally:
            os.close(lock)


def _packed(about: Mapping[str, Json], value: object) -> Iterator[bytes | memoryview]:
    """Yield a file in parts: what it is about, and arrays, each at a multiple of 64 bytes."""
    arrays: list[Any] = []
    described = _described(value, arrays)
    kinds = [[array.dtype.str, list(array.shape)] for array in arrays]
    text = json.dumps([about, described, kinds], separators=(",", ":")).encode()
    yield (head := _MAGIC + len(text).to_bytes(_LENGTH_BYTES, "little") + text)
    end = len(head)
    for array in arrays:
        yield bytes(gap := -end % _ALIGNED)
        yield array.data
        end += gap + array.nbytes


def _described(value: Any, arrays: list[Any]) -> Any:
    """Return a value as JSON, with the numbers of the arrays that are put aside."""
    if isinstance(value, np.ndarray):
        arrays.append(np.ascontiguousarray(value))
        return {"array": len(arrays) - 1}
    if is_dataclass(value):
        held = {field.name: getattr(value, field.name) for field in fields(value)}
        return {"kind": type(value).__name__, **_described(held, arrays)}
    if isinstance(value, Mapping):
        return {"map": {name: _described(each, arrays) for name, each in value.items()}}
    if isinstance(value, list | tuple):
        return [_described(each, arrays) for each in value]
    return value


def _mapped(path: Path) -> tuple[dict[str, Any], Any, list[Any]]:
    """Return what a file is about, its value as JSON, and its arrays, which lie in the file."""
    with path.open("rb") as file:
        if file.read(len(_MAGIC)) != _MAGIC:
            raise ValueError
        length = int.from_bytes(file.read(_LENGTH_BYTES), "little")
        about, described, kinds = json.loads(file.read(length))
        end, held = file.tell(), _content(file)
    arrays = []
    for kind, shape in kinds:
        end += -end % _ALIGNED
        array = np.frombuffer(held, kind, math.prod(shape), end).reshape(shape)
        arrays.append(array)
        end += array.nbytes
    return about, described, arrays


def _content(file: BinaryIO) -> Any:
    if os.name == "nt":  # a file that is mapped could not be removed
        file.seek(0)
        return file.read()
    return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def _value(described: Any, arrays: Sequence[Any], kinds: Mapping[str, type]) -> Any:
    """Return what `_described` was given; lists are tuples."""
    if isinstance(described, list):
        if set(map(type, described)) == {str}:
            return tuple(described)  # as of many terms
        return tuple(_value(each, arrays, kinds) for each in described)
    if not isinstance(described, dict):
        return described
    if "array" in described:
        return arrays[described["array"]]
    values = {name: _value(each, arrays, kinds) for name, each in described["map"].items()}
    return kinds[described["kind"]](**values) if "kind" in described else values
