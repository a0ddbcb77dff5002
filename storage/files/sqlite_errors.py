"""SQLite's errors as Meridia's: locked, full, damaged, not allowed."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from types import TracebackType

from ...core.errors import Damaged, MeridiaError, Refused, StorageFull
from ...core.text import lone_surrogate
from .lock_holder import locked

_UNREADABLE = ("Could not decode", "no such", "malformed", "user-defined function raised")
_FULL = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_FSYNC}
_FULL |= {sqlite3.SQLITE_IOERR_TRUNCATE, sqlite3.SQLITE_IOERR_SHMSIZE}


class translated:  # noqa: N801 - read as a verb, and quicker than a generator
    """Turn SQLite's errors into Meridia's: locked, full, damaged, not allowed."""

    __slots__ = ("_path",)

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, _kind: object, error: BaseException | None, _traceback: TracebackType | None
    ) -> None:
        if error is not None:
            raise_translated(error, self._path)


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
        return Damaged(f"{path} is damaged or no SQLite database ({error}): restore a backup")
    if primary in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN):
        if path.exists() and not os.access(path, os.R_OK):
            return Refused(f"{path} may not be read by this user")
        return Refused(f"{path} cannot be opened for writing ({error})")
    return MeridiaError(f"{path}: {error}")
