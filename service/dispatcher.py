"""Runs operations for callers over one open memory: checks access, space and time limit.

HTTP and MCP both use it, so that both have the same limits.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

from ..core.errors import InvalidInput, NotFound, Refused
from ..core.settings import ServiceSettings
from ..core.types import Space
from ..memory import Memory
from ..storage.api_keys import EVERY_SPACE, Access, ApiKey
from ..storage.connections import Locked
from .documents import Document
from .operations import Operation, Parameters
from .problems import RequestRefused

DEFAULT_SPACE = "default"
#: Who asks where no key is needed: the user of this machine.
LOCAL = ApiKey("local", "no key", Access.ADMIN, (EVERY_SPACE,), "")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks, and with which right."""

    key: ApiKey

    def space(self, wanted: str | None) -> Space:
        """Return the space that is meant; `Refused` where the key does not open it."""
        if wanted is None:
            (first, *rest) = self.key.spaces
            if rest:
                raise InvalidInput(f"name a space: this key opens {', '.join(self.key.spaces)}")
            wanted = DEFAULT_SPACE if first == EVERY_SPACE else first
        if not self.key.opens(wanted):
            raise Refused(
                f"this key does not open that space: it opens {', '.join(self.key.spaces)}"
            )
        return Space(wanted)

    def require(self, access: Access) -> None:
        """Raise `Refused` where the key does not allow so much."""
        if self.key.access < access:
            raise Refused(
                f"this needs {access.name.lower()} access, and the key has "
                f"{self.key.access.name.lower()}"
            )


class Dispatcher:
    """Runs operations in a bounded pool of threads over one open memory."""

    def __init__(self, memory: Memory, settings: ServiceSettings, *, needs_keys: bool) -> None:
        """Work over a memory; without `needs_keys`, who sends none may do everything."""
        self.memory = memory
        self.settings = settings
        self.needs_keys = needs_keys
        #: Of this file: nothing of other replicas is asked for to know a caller.
        self._keys = memory.parts.api_keys
        #: Hears of every write after its commit.
        self.on_write: Callable[[], None] = lambda: None
        self._pool = ThreadPoolExecutor(settings.threads, "meridia-request")
        self._waiting = 0
        self._counting = threading.Lock()

    def caller(self, authorization: str | None) -> Caller:
        """Return who sent an `Authorization` header; or raise `RequestRefused`."""
        if authorization is None:
            if self.needs_keys:
                raise RequestRefused("unauthenticated", "send `Authorization: Bearer KEY`")
            return Caller(LOCAL)
        scheme, _, text = authorization.partition(" ")
        key = None
        if scheme.lower() == "bearer":
            key = self._keys.check(text.strip())
        if key is None:
            raise RequestRefused("unauthenticated", "the key is malformed, unknown or revoked")
        return Caller(key)

    def memory_for(self, caller: Caller, space: str | None, access: Access) -> Memory:
        """Return the memory looking at a space, where the caller may do so much in it.

        `NotFound` for a space that nothing was written to and that the key does not name.
        """
        caller.require(access)
        name = caller.space(space)
        is_named = name in caller.key.spaces or name == DEFAULT_SPACE
        is_there = is_named or self.memory.parts.journal.holds(name)
        if access is Access.READ and not is_there and name not in self.memory.spaces():
            raise NotFound(f"space {name!r} does not exist")
        return self.memory.in_space(name)

    def spaces(self, caller: Caller) -> list[Space]:
        """Return the spaces that the caller's key opens, sorted."""
        return sorted(space for space in self.memory.spaces() if caller.key.opens(space))

    def run(self, operation: Operation, caller: Caller, given: Parameters) -> Document:
        """Run an operation in this thread."""
        memory = self.memory_for(caller, given.space, operation.access)
        with self.memory.background.resting():
            answer = self._when_free(lambda: operation.run(memory, given))
        if not operation.is_reading:
            self.on_write()
        return answer

    def _when_free(self, work: Callable[[], T]) -> T:
        """Do what needs the journal's lock, again where another process held it for too long."""
        wait_s = self.memory.settings.journal.busy_timeout_s
        until = time.monotonic() + self.settings.timeout_s - wait_s
        while True:
            try:
                return work()
            except Locked:
                if time.monotonic() >= until:
                    raise

    async def run_async(self, operation: Operation, caller: Caller, given: Parameters) -> Document:
        """Run an operation in the pool, within the time limit."""
        return await self.work(lambda: self.run(operation, caller, given))

    async def work(self, work: Callable[[], T]) -> T:
        """Run anything in the pool, within the time limit; what runs then, runs to its end."""
        with self._counting:
            if self._waiting >= self.settings.queue_max:
                raise RequestRefused("busy", "too many requests are waiting: try again later", 1)
            self._waiting += 1

        def counted() -> T:
            try:
                return work()
            finally:
                with self._counting:
                    self._waiting -= 1

        future = asyncio.get_running_loop().run_in_executor(self._pool, counted)
        future.add_done_callback(_ignore)
        try:
            return await asyncio.wait_for(asyncio.shield(future), self.settings.timeout_s)
        except TimeoutError:
            raise RequestRefused(
                "timed_out",
                f"the request took longer than {self.settings.timeout_s:g} s; a write may still "
                "be done: send it again with the same id",
                1,
            ) from None

    def close(self) -> None:
        """Finish what was begun."""
        self._pool.shutdown(wait=True)


def _ignore(future: asyncio.Future[Any]) -> None:
    """Look at an outcome that nobody may be waiting for, so that nothing complains of it."""
    if not future.cancelled():
        future.exception()
