"""`AsyncMemory`: the operations of `Memory` for asyncio, each run in a worker thread.

Every operation and every group is made from the one of `Memory` of the same name, with the same
parameters and docstring. The types are in `async_memory.pyi`.
"""

from __future__ import annotations

import asyncio
import functools
import os
from collections.abc import Callable, Coroutine, Iterator
from typing import TYPE_CHECKING, Any, Self

from . import memory_groups
from .memory import Memory

if TYPE_CHECKING:
    from .core.settings import Settings

#: For upkeep inside one process.
_LEFT_OUT = frozenset({"adjacency", "background", "enrichment", "parts"})


def _whole(call: Callable[[], Any]) -> Any:
    """Return what a call gives; what it would yield piece by piece, as a list."""
    given = call()
    return list(given) if isinstance(given, Iterator) else given


def _awaited(method: Callable[..., Any]) -> Callable[..., Coroutine[Any, Any, Any]]:
    """Return a method of `AsyncMemory` that runs one of `Memory` in a worker thread."""

    @functools.wraps(method)
    async def run(self: AsyncMemory, /, *given: Any, **named: Any) -> Any:
        return await asyncio.to_thread(_whole, lambda: method(self.memory, *given, **named))

    return run


class AsyncOperations:
    """The operations of one group, such as `reasons`, each to be awaited."""

    def __init__(self, group: Callable[[], Any]) -> None:
        self._group = group

    def __getattr__(self, name: str) -> Callable[..., Coroutine[Any, Any, Any]]:
        async def run(*given: Any, **named: Any) -> Any:
            return await asyncio.to_thread(
                _whole, lambda: getattr(self._group(), name)(*given, **named)
            )

        return run

    async def __call__(self, *given: Any, **named: Any) -> Any:
        """Call the group itself, as `feedback` is."""
        return await self.__getattr__("__call__")(*given, **named)


class AsyncMemory:
    """A memory for asyncio. Use `await AsyncMemory.open(...)`, or `async with` it.

    `memory` is the one underneath. Operations may run at the same time, in any number of tasks.
    """

    def __init__(self, memory: Memory) -> None:
        """Await what `memory` does; closing closes it."""
        self.memory = memory

    @classmethod
    async def open(
        cls,
        path: str | os.PathLike[str] | None = None,
        space: str = "default",
        settings: Settings | None = None,
        *,
        enrich: str = "background",
    ) -> Self:
        """Open or create a memory: see `Memory.open`."""
        return cls(await asyncio.to_thread(Memory.open, path, space, settings, enrich=enrich))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def in_space(self, space: str) -> Self:
        """Return this memory looking at another space; both share all parts, and one close."""
        return type(self)(await asyncio.to_thread(self.memory.in_space, space))

    def __getattr__(self, name: str) -> Any:
        return memory_groups.moved(self, name)


def _group(name: str) -> property:
    return property(lambda self: AsyncOperations(lambda: getattr(self.memory, name)))


for _name, _member in vars(Memory).items():
    if _name.startswith("_") or _name in _LEFT_OUT or _name in vars(AsyncMemory):
        continue
    if isinstance(_member, property):
        setattr(AsyncMemory, _name, _group(_name))
    elif callable(_member):
        setattr(AsyncMemory, _name, _awaited(_member))
