"""Vectors in a PostgreSQL with the extension pgvector: one table for all journals and spaces.

Speaks to the server and translates its errors; decides nothing about what is written. No message
says what a row holds, and none says a password.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from threading import RLock
from typing import Any

import psycopg
from pgvector import HalfVector
from pgvector.psycopg import register_vector

from ...core.errors import InvalidInput, Refused, Unavailable
from ...core.ports import VectorQuery
from ...core.settings import PostgresSettings
from ..statement_loader import sql
from .sink_state import Judged, RowOrigin, VectorRow

#: The first pgvector that goes on looking where filters leave too little.
_PGVECTOR_MIN = (0, 8)
#: The longest list of candidates that an hnsw index keeps.
_EF_MAX = 1000
#: Why the server let nobody in, as the library tells it.
_FATAL = re.compile(r"FATAL:\s*(.+)")
#: Kind of index → the statement that creates it.
_INDEXES = {"hnsw": "pgvector/index_hnsw", "ivfflat": "pgvector/index_ivfflat"}
#: An ivfflat index is worth its training from so many rows a list on.
_ROWS_PER_LIST = 10
#: An experience of several vectors takes several places of a list of the nearest.
_ROWS_PER_EXPERIENCE = 2


class PgVectorTable:
    """The table `meridia_vectors` of one server. Threads may share it; it connects on first use."""

    def __init__(self, settings: PostgresSettings) -> None:
        """Speak to the server of the settings."""
        # What goes wrong is ours to tell; a handler keeps it off standard error.
        logging.getLogger("psycopg").addHandler(logging.NullHandler())
        self._settings = settings
        self._lock = RLock()
        self._open: psycopg.Connection[Any] | None = None
        self._indexed: set[int] = set()

    def upsert(
        self,
        of: RowOrigin,
        rows: Sequence[VectorRow],
        judged: Sequence[Judged] = (),
        span: tuple[int, int] = (0, 0),
    ) -> None:
        """Write vectors, and what became known of others, in one transaction.

        Other rows of the `span` (sequences after the first, up to the second) are removed.
        """
        given = asdict(of)
        values = [
            {name: getattr(row, name) for name in VectorRow.__slots__ if name != "embedding"}
            | {"dimension": len(row.embedding), "embedding": HalfVector(row.embedding)}
            | given
            for row in rows
        ]
        with self._connection() as connection, connection.transaction():
            cursor = connection.cursor()
            runs = {"first": [span[0] + 1], "last": [span[1]]}
            cursor.execute(sql("pgvector/forget"), given | runs)
            if values:
                cursor.executemany(sql("pgvector/upsert"), values)
            if judged:
                cursor.executemany(sql("pgvector/judge"), [asdict(j) | given for j in judged])
        for dimension in {len(row.embedding) for row in rows} - self._indexed:
            self._index(dimension)

    def search(self, partition: str, query: VectorQuery) -> list[tuple[int, float]]:
        """Return the sequences and cosines of the nearest experiences, best first."""
        dimension, filters = len(query.vector), query.filters
        rows = max(1, query.limit) * _ROWS_PER_EXPERIENCE
        values = asdict(filters) | {
            "engagement": filters.engagement and str(filters.engagement),
            "vector": HalfVector(query.vector),
            "partition": partition,
            "model": query.model,
            "until": query.until,
            "among": None if query.among is None else [int(seq) for seq in query.among],
            "limit": query.limit,
            "rows": rows,
        }
        probes = max(1, round(self._settings.lists**0.5))
        reach = {"ef": str(min(rows, _EF_MAX)), "probes": str(probes)}
        statement = sql("pgvector/search").replace("{dimension}", str(dimension))
        with self._connection() as connection, connection.transaction():
            connection.execute(sql("pgvector/tune"), reach)
            return [(seq, score) for seq, score in connection.execute(statement, values)]

    def forget(self, partition: str, erased: Sequence[tuple[int, int]]) -> int:
        """Remove the rows of runs of sequences, for good; return how many there were."""
        runs = {"first": [a for a, _ in erased], "last": [b for _, b in erased]}
        return self._remove("pgvector/forget", {"partition": partition} | runs)

    def drop(self, partition: str) -> int:
        """Remove all rows of a partition, for good; return how many there were."""
        return self._remove("pgvector/drop", {"partition": partition})

    def count(self, partition: str) -> int:
        """Return how many experiences of a partition are there."""
        return int(self._value("pgvector/count", partition))

    def digest(self, partition: str) -> str:
        """Return one value for all that is there of a partition, read back from the server."""
        return str(self._value("pgvector/digest", partition))

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            if self._open is not None:
                self._open.close()
                self._open = None

    def _value(self, statement: str, partition: str) -> Any:
        with self._connection() as connection:
            return _only_row(connection, statement, {"partition": partition})[0]

    def _remove(self, statement: str, values: Mapping[str, Any]) -> int:
        with self._connection() as connection:
            removed = connection.execute(sql(statement), values).rowcount
            if removed:
                with self._unlimited(connection):
                    connection.execute(sql("pgvector/vacuum"))
            return removed

    def _index(self, dimension: int) -> None:
        """Create the index that the settings name, once it is worth it, and drop the other."""
        kind, lists = self._settings.index, self._settings.lists

        def statement(name: str, **more: str) -> str:
            text = sql(name).replace("{dimension}", str(dimension))
            for key, value in {"lists": str(lists), **more}.items():
                text = text.replace(f"{{{key}}}", value)
            return text

        with self._connection() as connection, self._unlimited(connection):
            for other in _INDEXES.keys() - {kind}:
                connection.execute(statement("pgvector/drop_index", kind=other))
            if kind == "ivfflat":
                (rows,) = _only_row(connection, "pgvector/rows", {"dimension": dimension})
                if rows < lists * _ROWS_PER_LIST:
                    return
            if kind != "none":
                connection.execute(statement(_INDEXES[kind]))
        self._indexed.add(dimension)

    @contextmanager
    def _connection(self) -> Iterator[psycopg.Connection[Any]]:
        """Yield the one connection, opened on first use and reopened after an error."""
        with self._lock:
            try:
                if self._open is None or self._open.closed:
                    self._open = self._connect()
                yield self._open
            except psycopg.Error as error:
                # Opened again, it creates a table that is gone.
                if isinstance(error, psycopg.errors.UndefinedTable) or self._is_broken():
                    self.close()
                raise self._translated(error) from None

    @contextmanager
    def _unlimited(self, connection: psycopg.Connection[Any]) -> Iterator[None]:
        """Run statements without a time limit: they depend on the size of the table."""
        connection.execute(sql("pgvector/limit"), {"ms": "0"})
        try:
            yield
        finally:
            if not connection.closed:
                limit = {"ms": str(round(self._settings.timeout_s * 1000))}
                connection.execute(sql("pgvector/limit"), limit)

    def _is_broken(self) -> bool:
        return self._open is not None and self._open.broken

    def _connect(self) -> psycopg.Connection[Any]:
        seconds = self._settings.timeout_s
        connection = psycopg.connect(
            self._settings.url,
            autocommit=True,
            connect_timeout=max(2, round(seconds)),
            tcp_user_timeout=round(seconds * 1000),
            application_name="meridia",
            options=f"-c statement_timeout={round(seconds * 1000)} -c timezone=UTC "
            "-c synchronous_commit=on",
        )
        try:
            self._prepare(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _prepare(self, connection: psycopg.Connection[Any]) -> None:
        """Make the table where it is missing; `Refused` for a pgvector that is too old."""
        version, is_there = _only_row(connection, "pgvector/installed")
        if not (version and is_there):
            with connection.transaction():
                connection.execute(sql("pgvector/create"))
            version, _ = _only_row(connection, "pgvector/installed")
        if tuple(int(n) for n in version.split(".")[:2]) < _PGVECTOR_MIN:
            raise Refused(f"{self._where}: pgvector is {version}; 0.8 or newer is needed")
        register_vector(connection)

    @property
    def _where(self) -> str:
        try:
            given = psycopg.conninfo.conninfo_to_dict(self._settings.url)
        except psycopg.Error:
            return "PostgreSQL"
        return f"PostgreSQL at {given.get('host') or 'localhost'}:{given.get('port') or 5432}"

    def _translated(self, error: psycopg.Error) -> InvalidInput | Refused | Unavailable:
        """Return an error without what a row holds, and without the address's password."""
        fatal = _FATAL.search(str(error))
        message = error.diag.message_primary or (fatal and fatal[1])
        if isinstance(error, psycopg.errors.InsufficientPrivilege):
            return Refused(f"{self._where}: {message}")
        if isinstance(error, psycopg.errors.UndefinedFile | psycopg.errors.FeatureNotSupported):
            return Refused(f"{self._where} has no pgvector: install the extension `vector` there")
        if isinstance(error, psycopg.errors.UndefinedColumn | psycopg.errors.UndefinedTable):
            return Refused(
                f"{self._where}: "
                "the table meridia_vectors is missing or has other columns: drop it if "
                "it exists, and run `meridia sinks rebuild`"
            )
        if isinstance(error, psycopg.OperationalError):
            return Unavailable(f"{self._where} does not answer{f': {message}' if message else ''}")
        if isinstance(error, psycopg.ProgrammingError) and message is None:
            return InvalidInput(
                "postgres.url is not a valid address: write postgresql://USER:PASSWORD@HOST/DB"
            )
        return Refused(f"{self._where} rejected the data ({type(error).__name__})")


def _only_row(
    connection: psycopg.Connection[Any], statement: str, values: Mapping[str, Any] | None = None
) -> tuple[Any, ...]:
    row: tuple[Any, ...] | None = connection.execute(sql(statement), values).fetchone()
    assert row is not None, statement
    return row
