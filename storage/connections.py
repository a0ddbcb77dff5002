"""The connections of one SQLite file: one for each thread, none shared with the child of a fork.

SQLite's errors become Meridia's, and an error about a lock names the process that holds it.
"""

from __future__ import annotations

import ctypes
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any
from weakref import WeakSet

from ..core.errors import Damaged, MeridiaError, Refused, StorageFull, Unavailable
from ..core.text import lone_surrogate


def leave(value: object) -> None:
    """Never close what belongs to the parent of this process, not even when the process ends."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(value))


def begins_anew(thing: Any) -> None:
    """Call `leave_to_parent` of a thing in the child of every fork: it has nothing open then."""
    _with_parents.add(thing)


_with_parents: WeakSet[Any] = WeakSet()


def _after_fork_in_child() -> None:
    for thing in list(_with_parents):
        thing.leave_to_parent()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)


_resource: ModuleType | None
try:
    import resource as _resource
except ImportError:  # Windows
    _resource = None

#: Where nothing says how many.
_USUAL = 512


def open_files_max() -> int:
    """Return how many files the process may hold open at once."""
    if _resource is None:
        return _USUAL
    limit = int(_resource.getrlimit(_resource.RLIMIT_NOFILE)[0])
    return _USUAL if limit < 0 else limit


#: The byte of the `-shm` file that is locked by who writes (SQLite's WAL format).
_WRITE_LOCK = 120


class Locked(Unavailable):
    """Another process held the journal's write lock for longer than is waited; nothing was done."""


def locked(journal: Path) -> Locked:
    """Return the error for a wait for the write lock that took too long."""
    holder = lock_holder(journal) or "another process"
    return Locked(f"{journal} is locked by {holder}: try again when it is done")


def lock_holder(journal: Path, locks: Path = Path("/proc/locks")) -> str:
    """Return who writes to a journal, such as "process 4711 (meridia serve)"; "" if not known."""
    try:
        file = Path(f"{journal}-shm").stat()
        listed = locks.read_text("ascii").splitlines()
    except OSError:
        return ""
    wanted = f"{os.major(file.st_dev):02x}:{os.minor(file.st_dev):02x}:{file.st_ino}"
    for fields in map(str.split, listed):
        if fields[3:4] != ["WRITE"] or fields[5:6] != [wanted]:
            continue
        first, last = (int(place) if place.isdigit() else _WRITE_LOCK for place in fields[6:8])
        if first <= _WRITE_LOCK <= last and fields[4].isdigit():
            return _named(int(fields[4]))
    return ""


def _named(process: int) -> str:
    if process == os.getpid():
        return "another thread of this process"
    try:
        words = Path(f"/proc/{process}/cmdline").read_bytes().decode("utf-8", "replace").split("\0")
    except OSError:
        return f"process {process}"
    # The program, of ours also the command; what follows may be the words of a memory.
    names = [Path(word).name for word in words]
    ours = names.index("meridia") if "meridia" in names else None
    shown = names[:1] if ours is None else names[ours : ours + 2]
    return f"process {process} ({' '.join(shown)})"


_UNREADABLE = ("Could not decode", "no such", "malformed", "user-defined function raised")
_FULL = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_FSYNC}
_FULL |= {sqlite3.SQLITE_IOERR_TRUNCATE, sqlite3.SQLITE_IOERR_SHMSIZE}


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into Meridia's: locked, full, damaged, not allowed."""
    try:
        yield
    except (sqlite3.Error, UnicodeError) as error:
        raise_translated(error, path)
        raise


def raise_translated(error: BaseException, path: Path) -> None:
    """Raise Meridia's error for one of SQLite's; do nothing for others."""
    if isinstance(error, sqlite3.Error):
        raise _translate(error, path) from error
    if isinstance(error, UnicodeEncodeError):
        raise lone_surrogate(error) from None
    if isinstance(error, UnicodeDecodeError):
        what = f"{path} is damaged (text that is not UTF-8)"
        raise Damaged(f"{what}: restore a backup") from None


def _translate(error: sqlite3.Error, path: Path) -> MeridiaError:
    code = getattr(error, "sqlite_errorcode", None) or 0
    primary = code & 0xFF
    if primary in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return locked(path)
    if code in _FULL or primary == sqlite3.SQLITE_FULL:
        return StorageFull(
            f"{path} cannot grow (disk full, quota or file-size limit): what was acknowledged is "
            "kept, nothing else is; free space and repeat it"
        )
    unreadable = str(error).startswith(_UNREADABLE)
    if primary in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB) or unreadable:
        return Damaged(f"{path} is damaged or not a SQLite database ({error}): restore a backup")
    if primary in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN):
        if path.exists() and not os.access(path, os.R_OK):
            return Refused(f"this user may not read {path}: check its permissions")
        return Refused(f"{path} cannot be opened for writing ({error}): check its permissions")
    return MeridiaError(f"{path}: {error}")


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
        _every_file.add(self)
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


_every_file: WeakSet[ThreadConnections] = WeakSet()


def _before_fork() -> None:
    for connections in list(_every_file):
        connections.close_idle()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork)
