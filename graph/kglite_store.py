"""The graph in process: one kglite file for one space, owned by one process at a time.

The file is disposable. It says which version of the engine and of the projection made it; one that
says otherwise, or cannot be read, is thrown away and projected again. Where another process owns
it, this store works on a private copy of its last checkpoint, which is brought up to date in memory
and disappears on close: nothing is ever written to a file owned by another process.
"""

from __future__ import annotations

import glob
import os
import shutil
import threading
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal

import kglite

from ..core.errors import MeridiaError, Refused, StorageFull, Unavailable
from ..core.ports import START, Additions, GraphChange, Head, Table
from ..core.types import Space
from ..storage.companion_files import PrivateFolder
from ..storage.connections import begins_anew, leave
from . import batch_writer
from .queries import query_guard
from .queries.kglite_query import refresh_text_index, table
from .queries.query_guard import check_parameters
from .queries.query_process import QueryProcess
from .schema import Partition

#: What kglite raises over a file that it cannot make sense of; a log's damage comes as OSError.
_UNREADABLE = (kglite.FileFormatError, kglite.InternalError, RuntimeError)
_NOT_OURS = (PermissionError, IsADirectoryError, NotADirectoryError, FileExistsError)
_UMASK = threading.Lock()


class _KeepLogError(Exception):
    """Leaves a session's block without a checkpoint: the log holds what was committed."""


def release(session: kglite.Session) -> None:
    """Release the writer's lease without rewriting the whole file."""
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
    """Remove the torn logs that kglite keeps aside: they still hold memories."""
    for torn in path.parent.glob(f"{glob.escape(path.name)}-wal.torn-*"):
        torn.unlink(missing_ok=True)


@contextmanager
def files_of_the_owner_only() -> Iterator[None]:
    """Create files that only the owner may read; the umask belongs to the whole process."""
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
        return StorageFull(f"{path} cannot grow: free disk space and try again ({message})")
    if isinstance(error, _NOT_OURS) or "Permission denied" in message:
        return Refused(
            f"this user may not read and write {path}: check its permissions ({message})"
        )
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


_ENGINE = f"kglite {kglite.__version__}"
#: A checkpoint rewrites the whole file, and a memory takes seven times as much in the log. So much
#: larger the log becomes first: what is written is some four times the file as it is in the end.
_LOG_SHARE, _LOG_BYTES_MIN = 2, 4 * 1024 * 1024
#: Transactions after which a graph whose file was removed is written again.
_UNWRITTEN_MAX = 50
#: What an open graph takes, bytes: at least, and for each byte of its files.
_BASE_BYTES, _BYTES_EACH = 300_000, 4


class KgliteStore:
    """A `GraphStore` over a kglite file. Threads may share it; one writes at a time."""

    name = "kglite"
    shared = False

    def __init__(self, path: Path, space: Space, query_memory_mb: int = 1024) -> None:
        """Open or create the file at `path`, or a private copy where another process owns it.

        `query_memory_mb` is what a user's statement may use beside the graph.

        Raises `Refused` where the file may not be written, `StorageFull`, or `Unavailable`.
        """
        # Warnings come with the answers; printed ones would disturb whoever called us.
        kglite.set_query_warning_policy("silent")
        self._partition = Partition(space)
        self.removals: Mapping[str, GraphChange] = {}
        self._shared_path, self._query_memory_mb, self._ready = path, query_memory_mb, False
        #: None where it is at rest; and the folder of a copy.
        self._opened: kglite.Session | None = None
        self._folder: PrivateFolder | None = None
        self.leave_to_parent()
        self._ensure_open()
        begins_anew(self)

    @property
    def private(self) -> bool:
        """Whether another process owns the file, so that this store is a copy in memory."""
        return self._folder is not None

    @property
    def bytes(self) -> int:
        """About what it takes in memory."""
        return _BASE_BYTES + _BYTES_EACH * bytes_of(self._path)

    def rest(self) -> bool:
        """Close the file until its next use; return whether that was possible."""
        if not self._writing.acquire(blocking=False):
            return False
        try:
            with self._counting:
                if self._users:
                    return False
                opened, self._opened = self._opened, None
            if opened is not None:
                self._close(opened)
            return True
        finally:
            self._writing.release()

    @contextmanager
    def _using(self) -> Iterator[kglite.Session]:
        """Yield the open file; it stays open meanwhile."""
        with self._counting:
            self._users += 1
        try:
            yield self._ensure_open()
        finally:
            with self._counting:
                self._users -= 1

    def leave_to_parent(self) -> None:
        """Begin at rest, in the child of a fork: the parent owns what is open."""
        leave((self._opened, self._folder))
        self._opened = self._folder = None
        self._path = self._shared_path
        #: Held by who writes, and to open and close the file.
        self._writing = threading.RLock()
        self._users, self._counting = 0, threading.Lock()
        #: Transactions after which a graph whose file was removed is written again.
        self._unwritten = 0
        self._queries = QueryProcess(self._writing, self._query_memory_mb)

    def _ensure_open(self) -> kglite.Session:
        if (opened := self._opened) is not None:
            return opened
        with self._writing:
            if self._opened is None:
                self._ready = False
                self._opened = self._open()
                if not self._is_ours(self._opened):
                    self.drop()
            return self._opened

    def ensure_schema(self) -> None:
        """Create constraints and indexes that are missing."""
        with self._writing, self._using() as session, translated(self._path):
            if not self._ready:
                for statement in batch_writer.schema_statements():
                    session.execute(statement)
                self._ready = True

    def cursor(self) -> Head:
        """Return the last entry applied; sequence 0 when nothing was."""
        position = self._position()
        return position.head if position and position.is_current(_ENGINE) else START

    def begun(self) -> int:
        """Return where the journal ended when the graph was begun; 0 where nothing tells that."""
        position = self._position()
        return position.begun if position else 0

    def _position(self) -> batch_writer.Position | None:
        with self._using() as session, translated(self._path):
            return batch_writer.position(self._reader(session))

    @contextmanager
    def transaction(self) -> Iterator[batch_writer.Batch]:
        """Open the one write transaction, which is written when it ends; others wait meanwhile."""
        # The lock first: with it nobody drops what is open.
        with self._writing, self._using() as session:
            self.ensure_schema()
            batch = batch_writer.Batch()
            yield batch
            with translated(self._path):
                if batch:
                    self._write(session, batch)
                self._checkpoint_if_due(session)

    def _write(self, session: kglite.Session, batch: batch_writer.Batch) -> None:
        changes: list[tuple[str, Mapping[str, Any]]] = []
        opened = session.begin()

        def run(statement: str, parameters: Mapping[str, Any]) -> list[dict[str, Any]]:
            text, values = (
                self._partition.statement(statement),
                self._partition.parameters(parameters),
            )
            rows: list[dict[str, Any]] = opened.cypher(text, params=values).to_list()
            changes.append((text, values))
            return rows

        try:
            batch_writer.claim(run, _ENGINE)
            batch_writer.write(run, batch, _ENGINE, batch_writer.apply)
        except BaseException:
            opened.rollback()
            raise
        opened.commit()
        self._queries.follow(changes)

    def run(self, statement: str, parameters: Mapping[str, Any]) -> Table:
        """Run one of our own read statements; `$space` is added to the parameters."""
        with self._using() as session, translated(self._path):
            with self._writing:
                refresh_text_index(session, statement)
            values = self._partition.parameters(parameters)
            return table(session.cypher(self._partition.statement(statement), params=values))

    def query(
        self,
        statement: str,
        parameters: Mapping[str, Any],
        timeout_s: float,
        row_limit: int,
        *,
        all_spaces: bool = False,  # noqa: ARG002 - the file holds one space
    ) -> Table:
        """Plan, judge and run a user's statement, read-only, in another process."""
        checked = query_guard.check_statement(statement)
        check_parameters(parameters, checked.parameters)
        if "db.index.vector" in checked.text:
            raise Refused(
                "the embedded graph has no vectors: search by meaning with `meridia recall`, or "
                "set graph.engine to neo4j"
            )
        values = {**parameters, "space": self._partition.space}
        with self._using(), translated(self._path):
            return self._queries.ask(self._back_up, checked, values, timeout_s, row_limit)

    def drop(self) -> None:
        """Throw the file away and start an empty one."""
        with self._writing:
            self._queries.kill()
            if self._opened is not None:
                release(self._opened)
            discard(self._path)
            self._ready = False
            self._opened = self._open()
            if self._opened.node_count():
                raise Unavailable(
                    f"another process opened {self._path} while it was being emptied: try again"
                )

    def scrub(self) -> None:
        """Leave nothing of what was removed in the files.

        They go; the graph stays open, and is written anew when it is closed or has grown. Until
        then, what a crash loses is projected again.
        """
        with self._writing, self._using() as session, translated(self._path):
            self._unwritten = _UNWRITTEN_MAX
            try:
                empty(Path(f"{self._path}-wal"))
                discard(self._path)
            except Unavailable:  # where open files cannot be removed
                with files_of_the_owner_only():
                    session.save()

    def additions(self) -> Additions:
        """Return nothing: no other program writes into the file."""
        return Additions()

    def close(self) -> None:
        """Close the file, so that other processes may own it; what was committed stays."""
        with self._writing:
            if opened := self._opened:
                self._opened = None
                self._close(opened)

    def _close(self, opened: kglite.Session) -> None:
        if not self._queries.release():
            self._queries.kill()
        with translated(self._path):
            if self._folder is not None:
                release(opened)
                self._folder.close()
                self._folder, self._path = None, self._shared_path
            else:
                # Folds the log in: opening a file with any log costs more than this.
                with files_of_the_owner_only(), suppress(kglite.FileIoError):  # a full disk
                    opened.close()

    def _open(self) -> kglite.Session:
        if any(p.exists() and not os.access(p, os.W_OK) for p in (self._path.parent, self._path)):
            # Media that are only read.
            return self._open_copy()
        try:
            return open_session(self._path, "off" if self.private else "normal")
        except kglite.WriterLeaseHeldError:
            return self._open_copy()

    def _open_copy(self) -> kglite.Session:
        self._folder = PrivateFolder()
        copy = self._folder.path / "graph.kgl"
        with translated(self._path):
            # The owner replaces its checkpoint in one step, so a copy is always a whole one.
            if self._path.exists():
                shutil.copyfile(self._path, copy)
        self._path = copy
        return open_session(copy, "off")

    def _back_up(self, path: Path) -> None:
        """Write the graph as it is to a file that only the owner may read."""
        self.ensure_schema()
        with self._using() as session, files_of_the_owner_only():
            session.backup(str(path))

    def _is_ours(self, session: kglite.Session) -> bool:
        """Return whether the file is empty, or was made for this space by this version."""
        with translated(self._path):
            position = batch_writer.position(self._reader(session))
            return position.is_current(_ENGINE) if position else session.node_count() == 0

    def _reader(self, session: kglite.Session) -> batch_writer.Run:
        def read(statement: str, parameters: Mapping[str, Any]) -> list[dict[str, Any]]:
            values = self._partition.parameters(parameters)
            answer = session.cypher(self._partition.statement(statement), params=values)
            rows: list[dict[str, Any]] = answer.to_list()
            return rows

        return read

    def _checkpoint_if_due(self, session: kglite.Session) -> None:
        """Fold the log into the file once it has grown."""
        if is_removed := not self._path.exists():
            self._unwritten -= 1
        log = bytes_of(Path(f"{self._path}-wal"))
        has_grown = log > max(_LOG_BYTES_MIN, _LOG_SHARE * bytes_of(self._path))
        if (has_grown or (is_removed and self._unwritten <= 0)) and not self.private:
            with files_of_the_owner_only():
                session.save()
