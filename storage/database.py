"""The SQLite file under the journal: connections, migrations, and errors a person understands.

Every thread has its own connection; writers take the lock with BEGIN IMMEDIATE, so several
processes may share a file. This module knows nothing of what the tables mean.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import tempfile
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ..core.codec import unpack
from ..core.errors import (
    InvalidInput,
    MeridiaError,
    NotFound,
    Refused,
    StorageFull,
    Unavailable,
    closed,
    outdated,
)
from ..core.ids import owner_id
from ..core.settings import JournalSettings
from ..core.types import Json
from . import page_cleaner, statement_loader
from .companion_files import Acknowledged, HeadAnchor, PrivateFolder, forget_head
from .connections import ThreadConnections, raise_translated, translated

if TYPE_CHECKING:
    from .postgres.following import Follower

#: What the other layers call a connection; they pass it on and never look inside.
Connection = sqlite3.Connection
Cursor = sqlite3.Cursor
T = TypeVar("T")
#: Half of the usual: an event touches twenty pages, all written before it is acknowledged.
_PAGE_BYTES = 2048


@dataclass(frozen=True, slots=True)
class Replica:
    """A file that follows a shared journal.

    How far it is, the last sequence up to which it has done every forgetting, and when it told so.
    """

    name: str
    seq: int
    cleaned: int
    seen_at: str

    def as_json(self, head: int) -> dict[str, Json]:
        """Return it as plain JSON values, with how far it is behind."""
        shown = {"replica": self.name, "seq": self.seq, "behind": head - self.seq}
        return {**shown, "forgotten_until": self.cleaned, "seen_at": self.seen_at}


class Database:
    """One SQLite file. `path` None makes a private one that disappears on close."""

    def __init__(self, path: Path | None, settings: JournalSettings) -> None:
        self._private = PrivateFolder() if path is None else None
        self.path = self._private.path / "meridia.db" if self._private else Path(path or "")
        self._anchor = None if self._private else HeadAnchor(self.path, self._has)
        self._settings = settings
        self.local = threading.local()
        #: One for each thread.
        self.connections = ThreadConnections(self._connect)
        #: After that nothing is written; an answer that was given may still read its trace.
        self.closed = False
        #: The journal that this file follows, where replicas share one.
        self.sharing: Follower | None = None
        #: Why the file can only be read; None where it can be written.
        self.read_only: MeridiaError | None = None
        #: Whether nobody can write it, so that nothing need be looked for beside it.
        self._is_immutable = False
        try:
            try:
                with translated(self.path):
                    self._create_file()
                    self._refuse_foreign()
                    self._migrate()
            except (Refused, StorageFull) as error:
                self._open_read_only(error)
        except BaseException:
            self.close()
            raise

    @property
    def connection(self) -> sqlite3.Connection:
        """The calling thread's connection."""
        return self.connections.held().connection

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Yield the thread's connection, with SQLite's errors turned into Meridia's."""
        with translated(self.path):
            held = self.connections.use()
            try:
                yield held.connection
            finally:
                held.users -= 1

    def ask(
        self, text: str, values: Sequence[Any] | Mapping[str, Any], take: Callable[[Cursor], T]
    ) -> T:
        """Run a statement as in `reading`, and return what `take` takes of its cursor."""
        try:
            held = self.connections.use()
            try:
                return take(held.connection.execute(text, values))
            finally:
                held.users -= 1
        except (sqlite3.Error, UnicodeError) as error:
            raise_translated(error, self.path)
            raise

    @contextmanager
    def snapshot(self) -> Iterator[sqlite3.Connection]:
        """Yield the thread's connection for several reads of one moment."""
        with self.reading() as connection:
            if connection.in_transaction:
                yield connection
                return
            connection.execute("BEGIN")
            try:
                self._refuse_newer(connection)
                yield connection
            finally:
                connection.execute("COMMIT")

    @contextmanager
    def writing(self, *, shared: bool = False) -> Iterator[sqlite3.Connection]:
        """Hold the write lock: commit on a clean exit, roll back on any error.

        Inside another `writing` of the same thread it joins that transaction, as a part of it
        that can be undone alone. Entries are appended in a `shared` one: where replicas share the
        journal it holds that too, begins with all they wrote, and is committed there first.
        """
        if self.closed:
            raise closed()
        if self.read_only:
            raise self.read_only
        with self.reading() as connection:
            inner, sharing = connection.in_transaction, self.sharing
            if shared and sharing and not inner:
                sharing.prepare()
            connection.execute("SAVEPOINT part" if inner else "BEGIN IMMEDIATE")
            self.local.writing = True
            try:
                if not inner:
                    self._refuse_newer(connection)
                if shared and sharing:
                    sharing.begin(inner=inner)
                yield connection
                if sharing and not inner:
                    sharing.publish()
                connection.execute("RELEASE part" if inner else "COMMIT")
            except BaseException:
                self.rolled_back()
                if sharing and not inner:
                    sharing.give_up()
                _roll_back(connection, inner)
                raise
            finally:
                self.local.writing = inner
            if not inner:
                self.committed()

    @property
    def is_private(self) -> bool:
        """Whether the file disappears on close."""
        return self._private is not None

    @property
    def is_writing(self) -> bool:
        """Whether the calling thread is inside `writing`, so that what it reads may be undone."""
        return getattr(self.local, "writing", False)

    @contextmanager
    def erasing(self, *, shared: bool = False) -> Iterator[sqlite3.Connection]:
        """Write as `writing` does, and fold the log into the file as far as other readers allow.

        What is deleted is overwritten in the file, as always.
        """
        with self.reading() as used:
            with self.writing(shared=shared) as connection:
                yield connection
            used.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def compact(self) -> bool:
        """Remove every trace of deleted rows from file and log; return whether that is done.

        It is not while others read what was there before. Others can write all the time, but for
        a moment; only a file of an older version is rewritten, once.
        """
        try:
            with self.reading() as connection:
                is_clean = connection.execute(statement_loader.sql("forgetting/is_clean"))
                if not is_clean.fetchone()[0]:
                    connection.execute("VACUUM")
                    connection.execute(statement_loader.sql("forgetting/cleaned"))
                if self._is_log_used(connection, "TRUNCATE"):
                    return False
                try:
                    if not self._clean_pages(connection):
                        return False
                except OSError:  # no further process here: all of the file is written anew
                    connection.execute("VACUUM")
                return not self._is_log_used(connection, "TRUNCATE")
        except Unavailable:
            return False

    def _clean_pages(self, connection: sqlite3.Connection) -> bool:
        """Overwrite what moved rows left in pages, under the lock of a connection without a cache.

        Its note has all others read their pages again: they would write back what they hold.
        """
        fresh = self._connect()
        try:

            def holding() -> bool:
                fresh.execute("BEGIN IMMEDIATE")
                return not self._is_log_used(connection, "PASSIVE")

            is_clean = page_cleaner.clean(self.path, holding)
            if fresh.in_transaction:
                fresh.execute(statement_loader.sql("forgetting/cleaned"))
                fresh.execute("COMMIT")
            return is_clean
        finally:
            fresh.close()

    @staticmethod
    def _is_log_used(connection: sqlite3.Connection, mode: str) -> bool:
        """Fold the log into the file; return whether readers kept some of it from that."""
        busy, log, folded = connection.execute(f"PRAGMA wal_checkpoint({mode})").fetchone()
        return bool(busy or log != folded)

    def close(self) -> None:
        """Close every connection; a private file is removed.

        What other threads are doing is finished first. What takes longer is interrupted; a
        connection that is used even then stays open as long as its thread.
        """
        self.closed = True
        self.connections.close()
        if self.sharing:
            self.sharing.close()
        if self._anchor:
            self._anchor.close()
        if self._private:
            self._private.close()

    def note_head(self, space: int, seq: int, chained: bytes) -> None:
        """Remember the newest entry inside `writing`; it is noted outside once committed."""
        self.local.head = Acknowledged(space, seq, chained)

    def lost(self) -> list[Acknowledged]:
        """Return the entries that were acknowledged and are not in the file."""
        return self._anchor.lost() if self._anchor else []

    def committed(self) -> None:
        """Note outside of the file what was committed."""
        head: Acknowledged | None = getattr(self.local, "head", None)
        if head is not None and self._anchor:
            self.local.head = None
            self._anchor.write(head)

    def rolled_back(self) -> None:
        """Note nothing of what was undone."""
        self.local.head = None

    def _has(self, entry: Acknowledged) -> bool:
        values = (entry.space, entry.seq)
        with self.reading() as connection:
            row = connection.execute(statement_loader.sql("journal/hash_at"), values).fetchone()
        return row is not None and row[0] == entry.hash

    def _create_file(self) -> None:
        # A file that is there is not even opened: closing any descriptor of it would give up the
        # locks that other connections of this process hold on it.
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            if self.path.is_dir():
                raise IsADirectoryError
            if not self.path.exists():
                self._create_whole()
                forget_head(self.path)
        except PermissionError:
            raise Refused(
                f"this user may not read and write {self.path}: check its permissions"
            ) from None
        except (OSError, ValueError) as error:
            if isinstance(error, FileExistsError) and self.path.is_file():
                return
            in_its_way = (FileExistsError, IsADirectoryError, NotADirectoryError)
            if isinstance(error, in_its_way) or getattr(error, "errno", None) == errno.ELOOP:
                raise NotFound(f"{self.path} is not a file: name the journal's file") from None
            raise InvalidInput(
                f"{str(self.path)!r} is not a valid file name for a journal: {error}"
            ) from None

    def _create_whole(self) -> None:
        """Make a file with all tables: another process finds all of it, or nothing.

        Where the folder has no room or no links, the file is empty, and gets its tables later.
        """
        if self._private:
            self.path.touch(0o600, exist_ok=False)
            self.path.write_bytes(_empty_file())
            return
        with suppress(OSError):
            made, name = tempfile.mkstemp(prefix=f"{self.path.name}-", dir=self.path.parent)
            try:
                with os.fdopen(made, "wb") as file:
                    file.write(_empty_file())
                    file.flush()
                    os.fsync(made)
                os.link(name, self.path)
                return
            finally:
                Path(name).unlink()
        os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))

    def _open_read_only(self, error: MeridiaError) -> None:
        """Read a whole file beside which nothing can be written: read-only media, a full disk.

        Raises `error` where part of what was written is in a log: that needs files beside it.
        """
        log = Path(f"{self.path}-wal")
        is_readable = not self._private and os.access(self.path, os.R_OK)
        if not is_readable or (log.exists() and log.stat().st_size):
            raise error
        self.read_only, self._is_immutable = error, True
        with translated(self.path):
            self._refuse_foreign()
            version = self.connection.execute("PRAGMA user_version").fetchone()[0]
        if version != len(statement_loader.migrations()):
            raise error

    def _connect(self, *, prepared: bool = True) -> sqlite3.Connection:
        if self.closed and self._private:
            raise closed()
        only_read = f"{self.path.absolute().as_uri()}?mode=ro&immutable=1"
        connection = sqlite3.connect(
            only_read if self._is_immutable else self.path,
            uri=self._is_immutable,
            timeout=self._settings.busy_timeout_s,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=256,
        )
        if prepared:
            try:
                self._prepare(connection)
            except BaseException:
                connection.close()
                raise
        return connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        _add_functions(connection)
        connection.execute("PRAGMA temp_store = MEMORY")
        # Each thread has its own: larger ones would fill a service's memory, and save no time.
        connection.execute("PRAGMA cache_size = -8192")
        if self._is_immutable:
            return
        connection.execute(f"PRAGMA page_size = {_PAGE_BYTES}")
        connection.execute("PRAGMA secure_delete = ON")
        self._use_log(connection)
        # What is committed in a shared journal is taken in again.
        durable = "normal" if self._settings.url else self._settings.synchronous
        synchronous = "off" if self._private else durable
        connection.execute(f"PRAGMA synchronous = {synchronous}")

    def _use_log(self, connection: sqlite3.Connection) -> None:
        """Turn to a write-ahead log; where two make a file at once, SQLite lets neither wait."""
        until, locked = time.monotonic() + self._settings.busy_timeout_s, True
        while locked:
            try:
                locked = not connection.execute("PRAGMA journal_mode = WAL").fetchone()
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                    raise
                time.sleep(0.01)

    def _refuse_foreign(self) -> None:
        """Leave another program's database as it is: look before changing anything."""
        connection = self._connect(prepared=False)
        try:
            connection.execute("BEGIN")  # one moment: another process may be creating the tables
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            ours = connection.execute(
                "SELECT count(*) FROM sqlite_master WHERE name = 'migration'"
            ).fetchone()[0]
        finally:
            connection.close()
        if (tables and not version) or (version and not ours):
            raise Refused(f"{self.path} is another program's database: name another file")

    def _refuse_newer(self, connection: sqlite3.Connection) -> None:
        """Raise `Refused` where a newer version has changed the tables, also under this one."""
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        known = len(statement_loader.migrations())
        if version > known:
            raise outdated(self.path, "schema", version, known)

    def _migrate(self) -> None:
        version = self.connection.execute("PRAGMA user_version").fetchone()[0]
        if version != len(statement_loader.migrations()):
            with self.writing() as connection:
                _bring_forward(connection)


def _bring_forward(connection: sqlite3.Connection) -> None:
    """Bring the tables from their version to this one."""
    wanted = statement_loader.migrations()
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version == 0:
        connection.execute(statement_loader.sql("journal/mark_as_ours"))
    for _, steps in wanted[version:]:
        for step in steps:
            connection.execute(step)
    connection.execute(f"PRAGMA user_version = {len(wanted)}")


def _add_functions(connection: sqlite3.Connection) -> None:
    connection.create_function("unpack", 1, unpack, deterministic=True)
    connection.create_function("owner_id", 1, owner_id, deterministic=True)
    connection.create_function("checksum", 1, zlib.crc32, deterministic=True)


@cache
def _empty_file() -> bytes:
    """Return a file with all tables and nothing in them: every new one is a copy of it."""
    with _empty() as connection:
        image = bytearray(connection.serialize())
    image[18:20] = b"\2\2"  # versions for writing and reading: with a write-ahead log
    return bytes(image)


@contextmanager
def _empty() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.execute(f"PRAGMA page_size = {_PAGE_BYTES}")
        _add_functions(connection)
        _bring_forward(connection)
        yield connection


def lost_columns(connection: sqlite3.Connection) -> list[str]:
    """Return the columns, as `table.column`, that a journal has and this file has not."""
    return sorted(_wanted_columns() - _columns(connection))


@cache
def _wanted_columns() -> frozenset[str]:
    with _empty() as connection:
        return _columns(connection)


def _columns(connection: sqlite3.Connection) -> frozenset[str]:
    rows = connection.execute(statement_loader.sql("journal/columns"))
    return frozenset(f"{table}.{column}" for table, column in rows)


def _roll_back(connection: sqlite3.Connection, inner: bool) -> None:
    """Undo the open transaction, unless SQLite has done so itself (as after a full disk)."""
    if not connection.in_transaction:
        return
    if inner:
        connection.execute("ROLLBACK TO part")
        connection.execute("RELEASE part")
    else:
        connection.execute("ROLLBACK")
