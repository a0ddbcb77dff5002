"""What is held in memory of spaces, within one budget.

Every cache of something that belongs to a space is a `SpaceCache` of its file's `SpaceCaches`. When
they hold too much, all that is held of the space that was used longest ago goes, from all of them.
What went is read again when it is asked for: a cache holds nothing that is known nowhere else.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from threading import Lock, RLock
from typing import Any, Generic, TypeAlias, TypeVar
from weakref import WeakValueDictionary, finalize

from ..core.types import Space

T = TypeVar("T")
#: What a small object takes, and one that holds others, bytes: estimates.
_OBJECT_BYTES, _HOLDER_BYTES, _FEW = 80, 400, 64


def weigh(value: Any, *apart: object) -> int:
    """Return about how many bytes a value takes; `apart` are parts that are counted elsewhere.

    Arrays exactly, each once; of many values the first stands for all.
    """
    return _weigh(value, {id(each) for each in apart})


def _weigh(value: Any, counted: set[int]) -> int:
    if id(value) in counted:
        return 0
    counted.add(id(value))
    if (size := getattr(value, "nbytes", None)) is not None:
        return int(size)
    if (names := getattr(value, "__dataclass_fields__", None)) is not None:
        return _HOLDER_BYTES + sum([_weigh(getattr(value, name), counted) for name in names])
    if isinstance(value, Mapping):
        return len(value) * _OBJECT_BYTES + _weigh_all(value.values(), len(value), counted)
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return _weigh_all(value, len(value), counted)
    return _OBJECT_BYTES


def _weigh_all(values: Iterable[Any], count: int, counted: set[int]) -> int:
    if count <= _FEW:
        return _HOLDER_BYTES + sum([_weigh(each, counted) for each in values])
    return count * _weigh(next(iter(values)), counted)


#: One value of a cache, and the bytes that it takes.
_Held: TypeAlias = tuple[Any, int]


@dataclass(slots=True)
class SpaceCaches:
    """The caches of one file: together at most so many bytes and handles of files.

    What one space needs alone may be more. `rules` has by cache how many handles a value holds
    open, what gives a value up (False where it is in use), and whether the cache follows what is
    changed or removed of the space.
    """

    bytes_max: int
    handles_max: int
    bytes: int = 0
    handles: int = 0
    rules: dict[int, tuple[int, Callable[[Any], bool], bool]] = field(default_factory=dict)
    #: By space, the one that was used last at the end: by cache, what it holds.
    _spaces: OrderedDict[Space, dict[int, _Held]] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)

    @property
    def spaces(self) -> list[Space]:
        """The spaces of which anything is held; the one that was used longest ago first."""
        with self._lock:
            return list(self._spaces)

    def clear(self) -> None:
        """Hold nothing any more but what has files open."""
        with self._lock:
            for space, of_space in list(self._spaces.items()):
                for cache in [number for number in of_space if not self.rules[number][0]]:
                    self._take(space, cache)

    def forget(self, space: Space) -> None:
        """Hold of a space only what has files open, or follows what is removed."""
        with self._lock:
            for cache in list(self._spaces.get(space, {})):
                handles, _, follows = self.rules[cache]
                if not (handles or follows):
                    self._take(space, cache)

    def find(self, space: Space, cache: int) -> Any:
        """Return what a cache holds of a space, which is now the one that was used last."""
        with self._lock:
            held = self._spaces.get(space)
            if held is None:
                return None
            self._spaces.move_to_end(space)
            return held.get(cache, (None,))[0]

    def keep(self, space: Space, cache: int, value: Any, size: int) -> None:
        """Hold a value of so many bytes; if they are too many, what was used longest ago goes."""
        with self._lock:
            # The value before may be the same one, so it is not given up.
            self._take(space, cache)
            self._spaces.setdefault(space, {})[cache] = value, size
            self._spaces.move_to_end(space)
            self._count(cache, size, 1)
            others = [each for each in self._spaces if each != space] if self._exceeds() else []
        for other in others:
            with self._lock:
                if not self._exceeds():
                    return
                went = self._take(other, None)
            for number, held in went.items():  # with no lock held
                if not self.rules[number][1](held[0]):
                    self._put_back(other, number, held)

    def remove(self, cache: int, space: Space | None = None) -> list[Any]:
        """Hold nothing of a space, or of all, in a cache; return what was held."""
        with self._lock:
            spaces = list(self._spaces) if space is None else [space]
            return [value for each in spaces for value, _ in self._take(each, cache).values()]

    def _put_back(self, space: Space, cache: int, held: _Held) -> None:
        """Go on holding what is in use."""
        with self._lock:
            of_space = self._spaces.setdefault(space, {})
            self._spaces.move_to_end(space, last=False)
            if cache not in of_space:
                of_space[cache] = held
                self._count(cache, held[1], 1)

    def _take(self, space: Space, cache: int | None) -> dict[int, _Held]:
        of_space = self._spaces.get(space, {})
        numbers = list(of_space) if cache is None else [cache] if cache in of_space else []
        taken = {number: of_space.pop(number) for number in numbers}
        for number, (_, size) in taken.items():
            self._count(number, size, -1)
        if not of_space:
            self._spaces.pop(space, None)
        return taken

    def _count(self, cache: int, size: int, sign: int) -> None:
        self.bytes += sign * size
        self.handles += sign * self.rules[cache][0]

    def _exceeds(self) -> bool:
        return self.bytes > self.bytes_max or self.handles > self.handles_max


class SpaceCache(Generic[T]):
    """One value for each space, while there is room for it.

    `weigh` says how many bytes a value takes, `handles` how many files it holds open. `give_up` is
    called with a value that has to go; it says whether it could, or is in use. A cache `follows`
    where who asks it first takes out of the value what was removed of the space since.
    """

    def __init__(
        self,
        caches: SpaceCaches,
        weigh: Callable[[T], int] = weigh,
        *,
        handles: int = 0,
        give_up: Callable[[T], bool] = lambda _: True,
        follows: bool = False,
    ) -> None:
        self._caches, self._weigh = caches, weigh
        self._locks: WeakValueDictionary[Space, Any] = WeakValueDictionary()
        self._making = Lock()
        self._number = id(self)
        caches.rules[self._number] = handles, give_up, follows
        # Its number may be another's when it is gone.
        finalize(self, caches.remove, self._number).atexit = False

    def get(self, space: Space) -> T | None:
        """Return what is held of a space."""
        value: T | None = self._caches.find(space, self._number)
        return value

    def put(self, space: Space, value: T) -> None:
        """Hold a value of a space, in place of the one before."""
        self._caches.keep(space, self._number, value, self._weigh(value))

    def pop(self, space: Space) -> T | None:
        """Hold no value of a space any more; return the one that was held."""
        return next(iter(self._caches.remove(self._number, space)), None)

    def clear(self) -> list[T]:
        """Hold nothing any more; return what was held."""
        return self._caches.remove(self._number)

    def lock(self, space: Space) -> AbstractContextManager[Any]:
        """Return the lock under which the value of a space is made, and of no other space."""
        with self._making:
            lock: AbstractContextManager[Any] | None = self._locks.get(space)
            if lock is None:
                lock = self._locks[space] = RLock()
            return lock
