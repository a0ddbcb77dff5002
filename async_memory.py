"""`AsyncMemory`: the operations of `Memory` for asyncio, each run in a worker thread.

Every operation is generated from the method of `Memory` of the same name, with its parameters,
types and docstring.
"""

from __future__ import annotations

import asyncio
import builtins
import functools
import os
from collections.abc import Callable, Coroutine, Sequence
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, Self, TypeVar

from .memory import Memory

if TYPE_CHECKING:
    from .core.settings import Settings

P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S")


def _awaited(
    method: Callable[Concatenate[Memory, P], R],
) -> Callable[Concatenate[AsyncMemory, P], Coroutine[Any, Any, R]]:
    """Return a method of `AsyncMemory` that runs one of `Memory` in a worker thread."""

    @functools.wraps(method)
    async def run(self: AsyncMemory, /, *arguments: P.args, **named: P.kwargs) -> R:
        return await asyncio.to_thread(method, self.memory, *arguments, **named)

    return run


class AsyncOperations(Generic[S]):
    """The operations of one service of a memory, such as `reasons`, each to be awaited."""

    def __init__(self, service: Callable[[], S]) -> None:
        self._service = service

    def __getattr__(self, name: str) -> Callable[..., Coroutine[Any, Any, Any]]:
        async def run(*arguments: Any, **named: Any) -> Any:
            return await asyncio.to_thread(
                lambda: getattr(self._service(), name)(*arguments, **named)
            )

        return run

    async def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Call the service itself, as `feedback` is."""
        return await self.__getattr__("__call__")(*arguments, **named)


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

    async def export(self, spaces: Sequence[str] | None = None) -> builtins.list[str]:
        """Return the lines of an archive: see `Memory.export`."""
        return await asyncio.to_thread(lambda: list(self.memory.export(spaces)))

    async def export_events(self, *arguments: Any, **named: Any) -> builtins.list[Any]:
        """Return events in the native form: see `Memory.export_events`."""
        return await asyncio.to_thread(lambda: list(self.memory.export_events(*arguments, **named)))

    async def trace(self, after: int = 0) -> builtins.list[Any]:
        """Return what was done in the space, oldest first: see `Memory.trace`."""
        return await asyncio.to_thread(lambda: list(self.memory.trace(after)))

    close = _awaited(Memory.close)

    remember = _awaited(Memory.remember)
    remember_many = _awaited(Memory.remember_many)
    update = _awaited(Memory.update)
    upsert = _awaited(Memory.upsert)
    capture = _awaited(Memory.capture)
    capture_many = _awaited(Memory.capture_many)
    explain = _awaited(Memory.explain)
    import_file = _awaited(Memory.import_file)
    import_records = _awaited(Memory.import_records)
    forget = _awaited(Memory.forget)
    forget_space = _awaited(Memory.forget_space)
    backup = _awaited(Memory.backup)

    get = _awaited(Memory.get)
    read = _awaited(Memory.read)
    holds = _awaited(Memory.holds)
    resolve = _awaited(Memory.resolve)
    history = _awaited(Memory.history)
    list = _awaited(Memory.list)
    facets = _awaited(Memory.facets)
    recall = _awaited(Memory.recall)
    resume = _awaited(Memory.resume)
    reconstitute = _awaited(Memory.reconstitute)
    relationship = _awaited(Memory.relationship)
    reflect = _awaited(Memory.reflect)
    plan = _awaited(Memory.plan)
    query = _awaited(Memory.query)
    people = _awaited(Memory.people)
    directory = _awaited(Memory.directory)
    entities = _awaited(Memory.entities)
    sessions = _awaited(Memory.sessions)
    spaces = _awaited(Memory.spaces)

    catch_up = _awaited(Memory.catch_up)
    enrich = _awaited(Memory.enrich)
    failures = _awaited(Memory.failures)
    retry = _awaited(Memory.retry)
    project = _awaited(Memory.project)
    release_graph = _awaited(Memory.release_graph)
    graph_counts = _awaited(Memory.graph_counts)
    status = _awaited(Memory.status)
    verify = _awaited(Memory.verify)
    doctor = _awaited(Memory.doctor)
    check_receipt = _awaited(Memory.check_receipt)
    digest = _awaited(Memory.digest)
    rebuild = _awaited(Memory.rebuild)

    reasons = property(lambda self: AsyncOperations(lambda: self.memory.reasons))
    packs = property(lambda self: AsyncOperations(lambda: self.memory.packs))
    planning = property(lambda self: AsyncOperations(lambda: self.memory.planning))
    vector_source = property(lambda self: AsyncOperations(lambda: self.memory.vector_source))
    ideas = property(lambda self: AsyncOperations(lambda: self.memory.ideas))
    sinks = property(lambda self: AsyncOperations(lambda: self.memory.sinks))
    feedback = property(lambda self: AsyncOperations(lambda: self.memory.feedback))
    curation = property(lambda self: AsyncOperations(lambda: self.memory.curation))
    chronicle = property(lambda self: AsyncOperations(lambda: self.memory.chronicle))
