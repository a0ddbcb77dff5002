"""Folders of memories that were opened without a path: gone with their process, or soon after.

A process that is killed cleans nothing up: the next one that needs such a folder does. Whoever uses
a folder holds a lock in it, which ends with the process.
"""

from __future__ import annotations

import os
import shutil
import tempfile
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
        self.path = Path(tempfile.mkdtemp(prefix=_PREFIX))
        self._lock = _hold(self.path)

    def close(self) -> None:
        """Remove the folder with all that is in it."""
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
        lock = _hold(folder)
        if lock is not None:
            shutil.rmtree(folder, ignore_errors=True)
            os.close(lock)


def _hold(folder: Path) -> int | None:
    """Lock a folder; None where another process has it, or where it is not ours."""
    if _fcntl is None:
        return None
    try:
        lock = os.open(folder / _LOCK, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW, 0o600)
    except OSError:
        return None
    try:
        _fcntl.flock(lock, _fcntl.LOCK_EX | _fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        return None
    return lock
