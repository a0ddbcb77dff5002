"""The files of a graph in process: opened, given up, thrown away; errors turned into Meridia's."""

from __future__ import annotations

import glob
import os
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal

import kglite

from ..core.errors import MeridiaError, Refused, StorageFull, Unavailable

#: What kglite raises over a file that it cannot make sense of; a log's damage comes as OSError.
_UNREADABLE = (kglite.FileFormatError, kglite.InternalError, RuntimeError)
_NOT_OURS = (PermissionError, IsADirectoryError, NotADirectoryError, FileExistsError)
_UMASK = threading.Lock()


class _KeepLogError(Exception):
    """Leaves a session's block without a checkpoint: the log holds what was committed."""


def release(session: kglite.Session) -> None:
    """Give up the writer's lease without rewriting the whole file."""
    try:
        with session:
            raise _KeepLogError
    except _KeepLogError:
        pass


def open_session(path: Path, durable: Literal["normal", "off"]) -> kglite.Session:
    """Open the file; one that cannot be read is thrown away, since it can be projected again."""
    with translated(path):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            return _open_once(path, durable)
        except _UNREADABLE:
            discard(path)
        except OSError as error:
            if error.errno is not None:
                raise
            discard(path)
        return _open_once(path, durable)


def _open_once(path: Path, durable: Literal["normal", "off"]) -> kglite.Session:
    with files_of_the_owner_only(), warnings.catch_warnings():
        # A log cut off by a crash is no news: what it lacks is projected again.
        warnings.simplefilter("ignore", UserWarning)
        # Checkpoints are ours to write: kglite's own thread would create files anybody can read.
        session = kglite.open_session(str(path), durable=durable, auto_checkpoint_wal_mib=0)
    _remove_torn_logs(path)
    return session


def discard(path: Path) -> None:
    """Remove a graph's files, the log first: without it the checkpoint is older, but whole."""
    with translated(path):
        Path(f"{path}-wal").unlink(missing_ok=True)
        path.unlink(missing_ok=True)
        _remove_torn_logs(path)


def _remove_torn_logs(path: Path) -> None:
    """Remove what kglite cut off and keeps aside: it holds memories where nobody would look."""
    for torn in path.parent.glob(f"{glob.escape(path.name)}-wal.torn-*"):
        torn.unlink(missing_ok=True)


@contextmanager
def files_of_the_owner_only() -> Iterator[None]:
    """Let nobody else read the files created meanwhile; the umask belongs to the process."""
    with _UMASK:
        before = os.umask(0o077)
        try:
            yield
        finally:
            os.umask(before)


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn errors of kglite and of the file system into Meridia's."""
    try:
        yield
    except kglite.WriterLeaseHeldError:
        raise
    except (kglite.FileIoError, OSError) as error:
        raise _translate(error, path) from error
    except (kglite.KgError, RuntimeError, ValueError) as error:
        raise MeridiaError(f"the graph in {path} failed: {error}") from error


def _translate(error: Exception, path: Path) -> MeridiaError:
    message = str(error)
    if "No space left" in message or "quota" in message or "File too large" in message:
        return StorageFull(f"{path} cannot grow: free space and repeat it ({message})")
    if isinstance(error, _NOT_OURS) or "Permission denied" in message:
        return Refused(f"{path} may not be read and written by this user ({message})")
    return Unavailable(f"the graph in {path} cannot be used: {message}")


def empty(path: Path) -> None:
    """Leave nothing in a file, if it is there."""
    with suppress(FileNotFoundError):
        os.truncate(path, 0)


def bytes_of(path: Path) -> int:
    """Return how large a file is; 0 where there is none."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
