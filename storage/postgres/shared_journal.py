"""The journal in PostgreSQL that several replicas share: one head, entries, payloads, leases.

Speaks to the server and translates its errors; what the entries mean is for `following`. Sequences
are global over all spaces, as in a file, so there is one head to lock and not one for each space:
a replica then asks for one row to know whether it lacks anything of any space.

Nothing outlives its transaction on a connection, so that a pool may stand between.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from threading import RLock
from typing import Any, NamedTuple, TypeVar

import psycopg

from ...core.errors import Damaged, InvalidInput, MeridiaError, Refused, Unavailable
from ..statement_loader import sql

#: What `create` makes; another form is of a newer Meridia.
_FORM = 1
_ATTEMPTS = 4
#: Serialization failure, deadlock: nothing was done, and another attempt may succeed.
_AGAIN = frozenset({"40001", "40P01"})
_FATAL = re.compile(r"FATAL:\s*(.+)")
Row = tuple[Any, ...]
_Answer = TypeVar("_Answer")


class SharedHead(NamedTuple):
    """The end of the journal, over all spaces, and the key that its receipts are made with."""

    seq: int
    hash: bytes
    receipt_key: bytes | None


@dataclass(frozen=True, slots=True)
class SharedBatch:
    """What one transaction adds after the entry `base`; `last` and `hash` are those of its end.

    `pages` yields rows as `shared/entries` reads them; `erased` has runs of sequences by space,
    `cursors` how far passes are: space, pass, version, sequence, and the end of this batch.
    """

    base: int
    last: int
    hash: bytes
    pages: Callable[[], Iterable[Sequence[Row]]]
    erased: Sequence[tuple[str, int, int]] = ()
    cursors: Sequence[tuple[str, str, int, int, int]] = ()


class SharedJournal:
    """One journal on one server. Threads may share it; it connects on first use."""

    def __init__(self, url: str, wait_s: float) -> None:
        """Speak to the server at `url`, and wait so long for it and for other writers."""
        logging.getLogger("psycopg").addHandler(logging.NullHandler())  # its errors are ours to say
        self._url, self._wait_s = url, wait_s
        self._lock = RLock()
        self._process = os.getpid()
        #: For one statement at a time, each committed by itself.
        self._asking: psycopg.Connection[Any] | None = None
        #: For the one transaction that holds the head.
        self._writing: psycopg.Connection[Any] | None = None

    @property
    def place(self) -> str:
        """Where it is, without who asks and how."""
        try:
            given = psycopg.conninfo.conninfo_to_dict(self._url)
        except psycopg.Error:
            return "PostgreSQL"
        return f"PostgreSQL at {given.get('host') or 'localhost'}:{given.get('port') or 5432}"

    def ask(self, statement: str, *values: Any) -> list[Row]:
        """Run a statement that may run twice, by itself; return its rows."""

        def run(connection: psycopg.Connection[Any]) -> list[Row]:
            cursor = connection.execute(sql(f"shared/{statement}"), values)
            return cursor.fetchall() if cursor.description else []

        with self._lock:
            return self._tried("_asking", run)

    def head(self) -> SharedHead:
        """Return where the journal ends now."""
        return _head(self.ask("head"))

    def lock(self) -> SharedHead:
        """Begin a transaction that holds the head, and return it; others wait until it ends."""

        def run(connection: psycopg.Connection[Any]) -> SharedHead:
            with connection.pipeline():
                connection.execute(sql("shared/patience"), (f"{round(self._wait_s * 1000)}ms",))
                cursor = connection.execute(sql("shared/lock"))
            return _head(cursor.fetchall())

        return self._tried("_writing", run)

    def publish(self, batch: SharedBatch) -> None:
        """Write a batch in the transaction that holds the head, and commit it.

        Where that is cut, the server is asked what came of it: written is written. Raises
        `Unavailable` where it does not say.
        """
        for attempt in range(_ATTEMPTS):
            try:
                connection = self._opened("_writing")
                with connection.pipeline():
                    _write(connection, batch)
                    connection.commit()
            except psycopg.Error as error:
                self._recover("_writing", error, last=attempt == _ATTEMPTS - 1)
            else:
                return
            if self.lock().seq != batch.base:
                self.release()
                if self.ask("hash_at", batch.last) == [(batch.hash,)]:
                    return
                raise Unavailable(
                    f"{self.place}: another replica wrote at the same time: try again"
                )

    def release(self) -> None:
        """End the transaction that holds the head, and write nothing."""
        try:
            if self._writing is not None:
                self._writing.rollback()
        except psycopg.Error:
            self._drop("_writing")

    def close(self) -> None:
        """Close the connections."""
        for name in ("_asking", "_writing"):
            self._drop(name)

    def _tried(self, name: str, run: Callable[[psycopg.Connection[Any]], _Answer]) -> _Answer:
        """Run something on a connection, again where that was cut or may succeed then."""
        for attempt in range(_ATTEMPTS):
            try:
                return run(self._opened(name))
            except psycopg.Error as error:
                self._recover(name, error, last=attempt == _ATTEMPTS - 1)
        raise AssertionError

    def _opened(self, name: str) -> psycopg.Connection[Any]:
        if self._process != os.getpid():  # a child of a fork: these are its parent's
            self._process, self._asking, self._writing = os.getpid(), None, None
        connection: psycopg.Connection[Any] | None = getattr(self, name)
        if connection is None:
            connection = psycopg.connect(
                self._url,
                autocommit=name == "_asking",
                connect_timeout=max(2, round(self._wait_s)),
                tcp_user_timeout=round(self._wait_s * 1000) + 5000,
                application_name="meridia",
                prepare_threshold=None,
            )
            try:
                self._prepare(connection)
            except BaseException:
                connection.close()
                raise
            setattr(self, name, connection)
        return connection

    def _prepare(self, connection: psycopg.Connection[Any]) -> None:
        """Make the tables where they are missing; `Refused` for those of a newer Meridia."""
        with connection.transaction():
            (is_there,) = connection.execute(sql("shared/is_there")).fetchone() or (False,)
            if not is_there:
                connection.execute(sql("shared/create"))
            form, *_ = connection.execute(sql("shared/head")).fetchone() or (_FORM,)
        if form != _FORM:
            raise Refused(f"{self.place} holds the journal of a newer Meridia: upgrade this one")

    def _recover(self, name: str, error: psycopg.Error, *, last: bool) -> None:
        """Leave a connection ready for another attempt; raise where that makes no sense."""
        connection: psycopg.Connection[Any] | None = getattr(self, name)
        was_open = connection is not None
        if error.sqlstate in _AGAIN and connection is not None and not connection.closed:
            connection.rollback()
        else:
            self._drop(name)
        is_cut = was_open and isinstance(error, psycopg.OperationalError)
        is_cut = is_cut and not isinstance(error, psycopg.errors.LockNotAvailable)
        if last or not (is_cut or error.sqlstate in _AGAIN):
            raise self._translated(error) from None

    def _drop(self, name: str) -> None:
        connection: psycopg.Connection[Any] | None = getattr(self, name)
        setattr(self, name, None)
        if connection is not None and self._process == os.getpid():
            connection.close()

    def _translated(self, error: psycopg.Error) -> MeridiaError:
        """Return an error without what a row holds, and without the address's password."""
        fatal = _FATAL.search(str(error))
        message = error.diag.message_primary or (fatal and fatal[1])
        if isinstance(error, psycopg.errors.LockNotAvailable):
            return Unavailable(f"{self.place}: another replica is still writing: try again")
        if isinstance(error, psycopg.OperationalError):
            return Unavailable(f"{self.place} does not answer{f': {message}' if message else ''}")
        if isinstance(error, psycopg.errors.UniqueViolation):
            return Damaged(
                f"{self.place} already has another entry at this place: run `meridia follow`"
            )
        if isinstance(error, psycopg.DataError):
            return InvalidInput(f"{self.place} cannot store text with NUL characters: remove them")
        if isinstance(error, psycopg.ProgrammingError) and message is None:
            return InvalidInput(
                "journal.url is not a valid address: write postgresql://USER:PASSWORD@HOST/DB"
            )
        return Refused(f"{self.place}: {message or type(error).__name__}")


def _write(connection: psycopg.Connection[Any], batch: SharedBatch) -> None:
    for rows in batch.pages():
        headers = [row[:11] for row in rows]
        payloads = [(row[0], row[1], *row[11:13]) for row in rows if row[12] is not None]
        held = [(row[0], row[1], *row[13:]) for row in rows if row[14] is not None]
        _add(connection, "shared/add_entries", headers)
        _add(connection, "shared/add_payloads", payloads)
        _add(connection, "shared/add_held", held)
    for run in batch.erased:
        connection.execute(sql("shared/erase_payloads"), run)
        connection.execute(sql("shared/erase_held_runs"), run)
    _add(connection, "shared/add_cursors", batch.cursors)
    connection.execute(sql("shared/move_head"), (batch.last, batch.hash))


def _add(connection: psycopg.Connection[Any], statement: str, rows: Sequence[Row]) -> None:
    if rows:
        connection.execute(sql(statement), [list(column) for column in zip(*rows, strict=True)])


def _head(rows: Sequence[Row]) -> SharedHead:
    (_, seq, chained, key), *_ = rows
    return SharedHead(seq, chained, key)
