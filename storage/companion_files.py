"""The files beside a journal, and the folders of journals without a path.

`FILE-head` names the entry that was acknowledged last, so that a lost end is noticed. `FILE-copies`
lists the copies that were begun. Locks tell whether the process that uses a file is still there.
"""

from __future__ import annotations

import glob
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial as bound
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from ..core.errors import Refused

_fcntl: ModuleType | None
try:
    import fcntl as _fcntl
except ImportError:  # Windows: what killed processes leave is not told from what is in use
    _fcntl = None

_LINE_BYTES = 128
#: What the names of the files end with.
ANCHORS = ("-head", "-head.lost")


class Acknowledged(NamedTuple):
    """The number of a space in its file, a sequence in it, and the chain's hash there."""

    space: int
    seq: int
    hash: bytes


class HeadAnchor:
    """The newest acknowledged entry of one file, whichever process wrote it."""

    def __init__(self, journal: Path, has: Callable[[Acknowledged], bool]) -> None:
        """Take the journal's path, and what says whether its file has an entry."""
        self._path, self._lost = (Path(f"{journal}{end}") for end in ANCHORS)
        self._has = has
        self._file: int | None = None

    def write(self, newest: Acknowledged) -> None:
        """Note the newest entry; a folder that takes no file has no note."""
        with suppress(OSError):
            if self._file is None:
                self._keep_lost()
                self._file = os.open(self._path, os.O_CREAT | os.O_RDWR, 0o600)
            line = f"{newest.space} {newest.seq} {newest.hash.hex()}"
            os.pwrite(self._file, line.ljust(_LINE_BYTES - 1).encode() + b"\n", 0)

    def lost(self) -> list[Acknowledged]:
        """Return what was acknowledged and is not in the file."""
        noted = (_read(path) for path in (self._lost, self._path))
        return [entry for entry in noted if entry is not None and not self._has(entry)]

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _keep_lost(self) -> None:
        """Set a note aside that names what the file does not have; the first one stays."""
        noted = _read(self._path)
        if noted is not None and not self._lost.exists() and not self._has(noted):
            self._path.rename(self._lost)


def forget_head(journal: Path) -> None:
    """Drop what is noted of a journal: another file takes its name."""
    arrays = journal.parent.glob(f"{glob.escape(journal.name)}-*.arrays*")
    for left in (*(Path(f"{journal}{end}") for end in ANCHORS), *arrays):
        left.unlink(missing_ok=True)


def _read(path: Path) -> Acknowledged | None:
    try:
        space, seq, chained = path.read_text("ascii").split()
        return Acknowledged(int(space), int(seq), bytes.fromhex(chained))
    except (OSError, ValueError):  # none, or half a line of a process that was killed
        return None


_PREFIX, _LOCK = "meridia-private-", "in-use"


class PrivateFolder:
    """One folder that nobody else may read, removed when it is closed."""

    def __init__(self) -> None:
        """Make it, and remove those whose process is gone."""
        remove_abandoned_folders()
        self._process = os.getpid()
        self.path, self._lock = _made()

    def close(self) -> None:
        """Remove the folder with all that is in it; in the child of a fork it stays."""
        if os.getpid() != self._process:
            return
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None
        shutil.rmtree(self.path, ignore_errors=True)


def remove_abandoned_folders() -> None:
    """Remove the folders of this user that no process uses any more."""
    if _fcntl is None:
        return
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        if not os.path.exists(folder / _LOCK):  # noqa: PTH110 - that of a path raises
            continue  # being made, being removed, or another user's
        with suppress(BlockingIOError, FileNotFoundError):
            if (lock := _hold_folder(folder)) is not None:
                shutil.rmtree(folder, ignore_errors=True)
                os.close(lock)


def _made() -> tuple[Path, int | None]:
    """Make a folder and hold it: another one where somebody took it for abandoned meanwhile."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
        with suppress(BlockingIOError, FileNotFoundError):
            return folder, _hold_folder(folder)


def _hold_folder(folder: Path) -> int | None:
    """Lock a folder; None where it is not ours, or where nothing can be locked.

    Raises `BlockingIOError` where another process has it, `FileNotFoundError` where it is gone.
    """
    if _fcntl is None:
        return None
    lock = None
    try:
        lock = os.open(folder / _LOCK, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW, 0o600)
        _fcntl.flock(lock, _fcntl.LOCK_EX | _fcntl.LOCK_NB)
        if not os.fstat(lock).st_nlink:
            raise FileNotFoundError(folder)
    except OSError as error:
        if lock is not None:
            os.close(lock)
        if isinstance(error, BlockingIOError | FileNotFoundError):
            raise
        return None
    return lock


#: What SQLite keeps beside a file.
COMPANIONS = ("-wal", "-shm", *ANCHORS)
_SUFFIX, _LISTED = ".partial", "-copies"


def partial_of(target: Path) -> Path:
    """Return where a copy is until it is whole."""
    return target.with_name(f"{target.name}{_SUFFIX}")


@contextmanager
def begun(journal: Path, target: Path) -> Iterator[Path]:
    """Yield an empty file beside `target` under a lock, so that others leave it alone.

    Raises `OSError` where it cannot be made, and `Refused` where another process is writing it.
    """
    partial = partial_of(target)
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    lock = os.open(partial, os.O_CREAT | os.O_RDWR, 0o600)
    try:
        if not (hold(lock) and is_at(partial, lock)):
            raise Refused(f"another process is writing {target}: try again when it is done")
        _remove(partial, companions_only=True)
        os.ftruncate(lock, 0)
        if partial != partial_of(journal):
            _note(journal, partial)
        yield partial
    finally:
        if is_at(partial, lock) and hold(lock):
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


def hold(lock: int) -> bool:
    """Lock an open file; return whether this process has it."""
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
    """Act on a copy that no process writes; return whether there was one."""
    if _fcntl is None:
        return False
    try:
        lock = os.open(partial, os.O_RDWR | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        is_free = hold(lock) and is_at(partial, lock)
        if is_free:
            act()
        return is_free
    finally:
        os.close(lock)


def is_at(partial: Path, lock: int) -> bool:
    """Return whether an open file still has this name: a copy that is whole has another."""
    try:
        there = partial.stat()
    except OSError:
        return False
    return os.path.samestat(there, os.fstat(lock))


def _remove(partial: Path, *, companions_only: bool = False) -> None:
    for name in ("", *COMPANIONS, "-journal")[companions_only:]:
        with suppress(OSError):
            partial.with_name(partial.name + name).unlink(missing_ok=True)
