"""Folders of memories that were opened without a path: gone with their process, or soon after.

A process that is killed cleans nothing up: the next one that needs such a folder does. Whoever uses
a folder holds a lock in it, which ends with the process.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from types import ModuleType

_fcntl: ModuleType | None
try:
    import fcntl as _fcntl
except ImportError:  # Windows: there, folders of killed processes stay
    _fcntl = None

_PREFIX, _LOCK = "meridia-private-", "in-use"


class PrivateFolder:
    """One folder that nobody else may read, removed when it is closed."""

    def __init__(self) -> None:
        """Make it, and remove those whose process is gone."""
        remove_abandoned()
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


def remove_abandoned() -> None:
    """Remove the folders of this user that no process uses any more."""
    if _fcntl is None:
        return
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        if not os.path.exists(folder / _LOCK):  # noqa: PTH110 - that of a path raises
            continue  # being made, being removed, or another user's
        with suppress(BlockingIOError, FileNotFoundError):
            if (lock := _hold(folder)) is not None:
                shutil.rmtree(folder, ignore_errors=True)
                os.close(lock)


def _made() -> tuple[Path, int | None]:
    """Make a folder and hold it: another one where somebody took it for abandoned meanwhile."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
        with suppress(BlockingIOError, FileNotFoundError):
            return folder, _hold(folder)


def _hold(folder: Path) -> int | None:
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
