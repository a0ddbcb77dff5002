"""The connections of one SQLite file, one for each thread, and none closed while it is used."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable
from weakref import WeakSet

from ..held.of_parents import begins_anew, leave

#: How long `close` waits for what other threads are doing, and so long again for what it stops.
_CLOSE_S, _LOOK_S = 5.0, 0.002


class ThreadConnection:
    """A thread's connection, closed when the thread has ended: alone it is part of a cycle.

    It is never closed while the thread is `using` it, which nothing but the thread begins: it
    looks at `is_ending` after that, and `close` at `users` after it has set `is_ending`.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.users = 0
        self.is_ending = False

    def __del__(self) -> None:
        self.connection.close()


class ThreadConnections:
    """Opens a connection for each thread that asks, and in the child of a fork another one."""

    def __init__(self, connect: Callable[[], sqlite3.Connection]) -> None:
        """Open each by `connect`."""
        self._connect = connect
        self._local = threading.local()
        self._open: WeakSet[ThreadConnection] = WeakSet()
        self._opening = threading.Lock()
        _every.add(self)
        begins_anew(self)

    def held(self) -> ThreadConnection:
        """Return the calling thread's connection."""
        held: ThreadConnection | None = getattr(self._local, "held", None)
        if held is None or (held.is_ending and not held.users):
            held = self._local.held = ThreadConnection(self._connect())
            with self._opening:
                self._open.add(held)
        return held

    def use(self) -> ThreadConnection:
        """Return the calling thread's connection, which stays open until `users` is one less."""
        while True:
            held = self.held()
            held.users += 1
            if not held.is_ending or held.users > 1:
                return held
            held.users -= 1
            self._local.held = None

    def close(self) -> None:
        """Close every connection, when what other threads are doing is finished.

        What takes long is interrupted.
        A connection that is used even then is its thread's to close.
        """
        own: ThreadConnection | None = getattr(self._local, "held", None)
        with self._opening:
            every = set(self._open)
            self._open.clear()
        others = every - {own}
        for held in others:
            held.is_ending = True
        busy = _wait_for(others)
        for held in busy:
            held.connection.interrupt()
        for held in every - _wait_for(busy):
            held.connection.close()
        self._local.held = None

    def close_idle(self) -> None:
        """Close what is not used now; each thread opens another one when it needs it.

        SQLite remembers which locks a process has. The child of a fork believes that it has those
        of its parent: with no connection open, both begin with none.
        """
        for held in list(self._open):
            held.is_ending = True
            if not held.users:
                held.connection.close()
                self._open.discard(held)

    def leave_to_parent(self) -> None:
        """Use none of the connections that the parent of a fork has, and close none."""
        for held in self._open:
            leave(held)
        self._local = threading.local()
        self._open = WeakSet()
        self._opening = threading.Lock()


def _wait_for(held: set[ThreadConnection]) -> set[ThreadConnection]:
    """Wait until connections are used no more; return those that still are."""
    until = time.monotonic() + _CLOSE_S
    while (busy := {each for each in held if each.users}) and time.monotonic() < until:
        time.sleep(_LOOK_S)
    return busy


_every: WeakSet[ThreadConnections] = WeakSet()


def _before_fork() -> None:
    for connections in list(_every):
        connections.close_idle()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork)
