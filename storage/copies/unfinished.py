"""Copies of a journal that were begun: those whose process was killed are found, and removed.

A copy is a readable journal: left behind, it would keep what is forgotten later. Which were begun
stands in a file beside the journal. Whoever writes one holds a lock on it, which ends with its
process.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial as bound
from pathlib import Path
from types import ModuleType

from ...core.errors import Refused
from ..files import head_anchor

_fcntl: ModuleType | None
try:
    import fcntl as _fcntl
except ImportError:  # Windows: there, copies of killed processes are not told from others
    _fcntl = None

#: What SQLite keeps beside a file.
COMPANIONS = ("-wal", "-shm", *head_anchor.COMPANIONS)
_SUFFIX, _LISTED = ".partial", "-copies"


def partial_of(target: Path) -> Path:
    """Return where a copy is until it is whole."""
    return target.with_name(f"{target.name}{_SUFFIX}")


@contextmanager
def begun(journal: Path, target: Path) -> Iterator[Path]:
    """Give an empty file beside `target`, which nobody else takes for left behind.

    Raises `OSError` where it cannot be made, and `Refused` where another process is writing it.
    """
    partial = partial_of(target)
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    lock = os.open(partial, os.O_CREAT | os.O_RDWR, 0o600)
    try:
        if not (_hold(lock) and _is_at(partial, lock)):
            raise Refused(f"{target} is being written by another process: wait for it")
        _remove(partial, companions_only=True)
        os.ftruncate(lock, 0)
        if partial != partial_of(journal):
            _note(journal, partial)
        yield partial
    finally:
        if _is_at(partial, lock) and _hold(lock):
            _remove(partial)
        os.close(lock)
        _tidy(journal)


def abandoned(journal: Path) -> list[Path]:
    """Return copies of a journal that were begun, and that no process writes any more."""
    return [partial for partial in _every(journal) if _if_free(partial, lambda: None)]


def remove_abandoned(journal: Path) -> None:
    """Remove those copies, and forget those that are gone."""
    for copy in _every(journal):
        _if_free(copy, bound(_remove, copy))
    _tidy(journal)


def _every(journal: Path) -> list[Path]:
    listed = [Path(line) for line in _lines(journal)]
    return list(dict.fromkeys([*listed, partial_of(journal)]))


def _list(journal: Path) -> Path:
    return journal.with_name(f"{journal.name}{_LISTED}")


def _lines(journal: Path) -> list[str]:
    with suppress(OSError, UnicodeDecodeError):
        return _list(journal).read_text("utf-8").splitlines()
    return []


def _tidy(journal: Path) -> None:
    """Leave in the list what is still there."""
    left = [line for line in _lines(journal) if Path(line).exists()]
    with suppress(OSError):
        if left:
            _list(journal).write_text("".join(f"{line}\n" for line in left), "utf-8")
        else:
            _list(journal).unlink(missing_ok=True)


def _note(journal: Path, partial: Path) -> None:
    """Note a copy that is begun; beside read-only media nothing is noted, nor forgotten."""
    with suppress(OSError, UnicodeEncodeError):
        file = os.open(_list(journal), os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
        with os.fdopen(file, "a", encoding="utf-8") as listed:
            listed.write(f"{partial.absolute()}\n")


def _hold(lock: int) -> bool:
    """Lock an open file; say whether this process has it."""
    if _fcntl is None:
        return True
    try:
        _fcntl.flock(lock, _fcntl.LOCK_EX | _fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True


def _if_free(partial: Path, act: Callable[[], None]) -> bool:
    """Do something with a copy that nobody writes; say whether it was there and nobody did."""
    if _fcntl is None:
        return False
    try:
        lock = os.open(partial, os.O_RDWR | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        is_free = _hold(lock) and _is_at(partial, lock)
        if is_free:
            act()
        return is_free
    finally:
        os.close(lock)


def _is_at(partial: Path, lock: int) -> bool:
    """Say whether an open file still has this name: a copy that is whole has another."""
    try:
        there = partial.stat()
    except OSError:
        return False
    return os.path.samestat(there, os.fstat(lock))


def _remove(partial: Path, *, companions_only: bool = False) -> None:
    for name in ("", *COMPANIONS, "-journal")[companions_only:]:
        with suppress(OSError):
            partial.with_name(partial.name + name).unlink(missing_ok=True)
