"""The graph in Neo4j, through the official driver: one partition of a database that others share.

Every node of Meridia carries its journal and space (`partition.py`); only those are counted, read
or removed. Nodes and edges of other programs and journals stay as they are. Two processes may
project the same space: the second to commit finds the cursor moved and writes nothing of its batch.
"""

from __future__ import annotations

import copy
import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar
from urllib.parse import urlsplit

import neo4j
from neo4j import exceptions

from ..core.errors import InvalidInput, MeridiaError, Refused, Unavailable
from ..core.ports import START, Additions, GraphChange, Head, Table
from . import batch_writer
from .queries import query_guard
from .queries.neo4j_query import Confined, confine, row, run_query
from .queries.query_guard import check_parameters
from .schema import (
    BOOKKEEPING,
    EDGES,
    OWN_LABEL,
    Partition,
    cypher,
    for_index,
    for_label,
    not_ours,
)

_ENGINE = "neo4j"
_OF_EDGES = {"partition", *(name for edges in EDGES.values() for name in edges[0].properties)}
#: The version of a projection that is being dropped, whoever began that.
_DROPPING = 0
_SCHEMES = ("bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc")
_CONNECT_SECONDS_MAX, _ACQUIRE_SECONDS_MAX, _RETRY_SECONDS_MAX = 5.0, 20.0, 15.0
_SCHEMA_EXISTS = ("EquivalentSchemaRuleAlreadyExists", "IndexWithNameAlreadyExists")
#: Pauses before the schema is created again where another process is creating it.
_SCHEMA_WAITS_S = (0.0, 2.0)

_Answer = TypeVar("_Answer")


class Neo4jStore:
    """A `GraphStore` over a Neo4j database. Threads may share it."""

    name = "neo4j"
    shared = True

    def __init__(
        self,
        uri: str,
        user: str,
        password: str,
        database: str,
        partition: Partition,
    ) -> None:
        """Connect; `InvalidInput` for a wrong address, `Unavailable` where no server lets us in."""
        _check_address(uri)
        # Retries and notifications are ours to tell; a handler keeps them off standard error.
        logging.getLogger("neo4j").addHandler(logging.NullHandler())
        self._where = f"Neo4j at {uri}"
        self._user = user
        self._database = database
        self.removals: Mapping[str, GraphChange] = {}
        self._partition = partition
        self._ready = False
        #: By how far it came: hashes of what this store wrote since the graph was empty.
        self._written: dict[Head, set[int]] = {}
        with self._translated():
            self._driver = neo4j.GraphDatabase.driver(
                uri,
                auth=(user, password),
                connection_timeout=_CONNECT_SECONDS_MAX,
                connection_acquisition_timeout=_ACQUIRE_SECONDS_MAX,
                max_transaction_retry_time=_RETRY_SECONDS_MAX,
            )
        try:
            with self._translated():
                # Asked once, before anything that the driver would try again for seconds.
                self._driver.verify_connectivity()
            self._position()
        except MeridiaError:
            self._driver.close()
            raise

    def beside(self, partition: Partition) -> Neo4jStore:
        """Return the store of another space over the same connections."""
        other = copy.copy(self)
        other._partition, other._written = partition, {}  # noqa: SLF001 - of the same class
        return other

    def ensure_schema(self) -> None:
        """Create constraints and indexes that are missing."""
        if self._ready:
            return
        position = self._position()
        if position is None or not position.is_current(_ENGINE):
            self._create_schema()
        self._ready = True

    def cursor(self) -> Head:
        """Return the last entry applied; sequence 0 when nothing was, or by another version."""
        position = self._position()
        return position.head if position and position.is_current(_ENGINE) else START

    def begun(self) -> int:
        """Return where the journal ended when the graph was begun; 0 where nothing tells that."""
        position = self._position()
        return position.begun if position else 0

    @contextmanager
    def transaction(self) -> Iterator[batch_writer.Batch]:
        """Open a write transaction; it reaches the server, and may be retried, when it ends.

        Raises `Unavailable` when another process moved the cursor meanwhile; then nothing of it
        was written.
        """
        self.ensure_schema()
        before = self._position()
        if before is not None and not before.is_current(_ENGINE):
            self._check_nothing_added()
            self.drop()
            before = None
        writer = batch_writer.Batch()
        yield writer
        if not writer:
            return
        head = before.head if before else START
        label = self._partition.label
        written = set() if before is None else self._written.get(head)
        self.write(lambda run: _commit(run, head, writer, label, written))
        self._written = {} if written is None else {writer.head or head: written}

    def run(self, statement: str, parameters: Mapping[str, Any]) -> Table:
        """Run one of our own read statements; `$space` is added to the parameters."""
        text, values = self._partition.statement(statement), self._partition.parameters(parameters)

        def work(transaction: neo4j.ManagedTransaction) -> Table:
            result = transaction.run(text, values)
            return Table(result.keys(), [row(record) for record in result])

        with self._translated(), self._session(neo4j.READ_ACCESS) as session:
            return session.execute_read(work)

    def query(
        self,
        statement: str,
        parameters: Mapping[str, Any],
        timeout_s: float,
        row_limit: int,
        *,
        all_spaces: bool = False,
    ) -> Table:
        """Plan a user's statement, refuse what is not harmless, and run it read-only; confined."""
        checked = query_guard.check_statement(statement)
        check_parameters(parameters, checked.parameters)
        values = {**parameters, "space": self._partition.space}
        if all_spaces:
            sent = Confined(checked, checked.text, values)
        else:
            sent = confine(checked, values, self._partition)
        with self._translated():
            opened = partial(self._session, neo4j.READ_ACCESS, "WARNING")
            return run_query(opened, sent, timeout_s, row_limit)

    def drop(self) -> None:
        """Remove every node of ours in this space, with its edges, and nothing else.

        Marked first and removed in batches, each under a lock: a drop that is cut off, or that
        another process joins, ends with nothing left.
        """
        if not self.write(self._mark_dropped):
            return
        while self.write(self._drop_some):
            pass

    def additions(self) -> Additions:
        """Return what others added to our nodes, as far as it would go with them."""
        nodes = self.run(cypher("neo4j/added_to_nodes"), {}).rows
        edges = self.run(cypher("neo4j/added_to_edges"), {}).rows
        names = {name for labels, added, _ in nodes for name in not_ours(labels, added)}
        for own, properties, _ in edges:
            names.update(set(properties) - _OF_EDGES if own else ())
        return Additions(sum(int(n) for own, _, n in edges if not own), sorted(names))

    def _check_nothing_added(self) -> None:
        if added := self.additions():
            raise Refused(
                f"another version of Meridia wrote this space to {self._where}, and others added "
                f"to it: {added}. `meridia rebuild` builds it again, without those additions"
            )

    def close(self) -> None:
        """Close every connection."""
        self._driver.close()

    def _position(self) -> batch_writer.Position | None:
        def work(transaction: neo4j.ManagedTransaction) -> batch_writer.Position | None:
            return batch_writer.position(self._runner(transaction))

        with self._translated(), self._session(neo4j.READ_ACCESS) as session:
            return session.execute_read(work)

    def write(self, work: Callable[[batch_writer.Run], _Answer]) -> _Answer:
        """Run statements of ours in a write transaction, which may be tried again."""
        with self._translated(), self._session(neo4j.WRITE_ACCESS) as session:
            return session.execute_write(lambda transaction: work(self._runner(transaction)))

    def _runner(self, transaction: neo4j.ManagedTransaction) -> batch_writer.Run:
        def run(statement: str, parameters: Mapping[str, Any]) -> list[dict[str, Any]]:
            text = self._partition.statement(statement)
            return transaction.run(text, self._partition.parameters(parameters)).data()

        return run

    def _create_schema(self) -> None:
        for wait_s in _SCHEMA_WAITS_S:
            try:
                self.write(_create_schema)
                break
            except MeridiaError as error:
                if not any(code in str(error.__cause__) for code in _SCHEMA_EXISTS):
                    raise
            # Another process creates the same; or a server died and left half of a constraint.
            time.sleep(wait_s)
            if wait_s:
                for name in self.run(cypher("schema/list_ownerless"), {}).rows:
                    with self._translated(), self._session(neo4j.WRITE_ACCESS) as session:
                        session.run(for_index("schema/drop_index", *name)).consume()
        else:
            self.write(_create_schema)
        self.run(cypher("schema/await_indexes"), {})

    def _mark_dropped(self, run: batch_writer.Run) -> bool:
        if batch_writer.position(run) is None:
            return False
        batch_writer.claim(run, _ENGINE)
        batch_writer.move(run, START, _DROPPING, _ENGINE)
        return True

    def _drop_some(self, run: batch_writer.Run) -> int:
        if (
            batch_writer.position(run) is None
            or batch_writer.claim(run, _ENGINE).version != _DROPPING
        ):
            return 0
        removed = batch_writer.remove_some(run)
        if not removed:
            batch_writer.forget(run)
        return removed

    def _session(self, access: str, notifications: str = "OFF") -> neo4j.Session:
        return self._driver.session(
            database=self._database,
            default_access_mode=access,
            notifications_min_severity=neo4j.NotificationMinimumSeverity(notifications),
            # What this process wrote, it reads, also from another member of a cluster.
            bookmark_manager=self._driver.execute_query_bookmark_manager,
        )

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Turn the driver's errors into Meridia's; none ever carries the password."""
        try:
            yield
        except exceptions.Neo4jError as error:
            raise self._translate(error) from error
        except exceptions.ConfigurationError as error:
            raise InvalidInput(f"graph.neo4j_uri: {error}") from None
        except (exceptions.DriverError, OSError) as error:
            raise Unavailable(
                f"{self._where} does not answer: start it, or set graph.neo4j_uri ({error})"
            ) from error

    def _translate(self, error: exceptions.Neo4jError) -> MeridiaError:
        code = error.code or ""
        if isinstance(error, exceptions.Forbidden):
            return Refused(f"{self._where}: user {self._user!r} may not do this: {error.message}")
        if ".Security." in code:
            return Unavailable(
                f"{self._where} refused the login of user {self._user!r} ({error.message}): set "
                "graph.neo4j_user and graph.neo4j_password"
            )
        if "DatabaseNotFound" in code:
            return Unavailable(
                f"{self._where} has no database {self._database!r}: set graph.neo4j_database"
            )
        if code.endswith("ConstraintCreationFailed"):
            return Refused(
                f"{self._where}: other nodes in database {self._database!r} share a node_key under "
                f"our label Meridia: name another one in graph.neo4j_database ({error.message})"
            )
        if isinstance(error, exceptions.TransientError):
            return Unavailable(f"{self._where} is busy, try again: {error.message}")
        return MeridiaError(f"{self._where} failed: {error.message}")


def _create_schema(run: batch_writer.Run) -> None:
    keyed = [cypher("schema/unique_key"), for_label("schema/unique_id", BOOKKEEPING)]
    for statement in (*keyed, *batch_writer.index_statements()):
        run(statement, {})


def _commit(
    run: batch_writer.Run,
    before: Head,
    writer: batch_writer.Batch,
    label: str,
    written: set[int] | None,
) -> None:
    position = batch_writer.claim(run, _ENGINE)
    if position.head != before or not position.is_current(_ENGINE):
        raise Unavailable(
            "another process projected the same space first: nothing of this batch was written; "
            "try again"
        )
    apply = partial(batch_writer.apply_by_key, labels=[OWN_LABEL, label], written=written)
    batch_writer.write(run, writer, _ENGINE, apply)


def _check_address(uri: str) -> None:
    """Raise `InvalidInput` for what the driver would misread, or repeat with its secrets."""
    try:
        parts = urlsplit(uri)
        valid = parts.scheme in _SCHEMES and bool(parts.hostname) and parts.port != 0
    except ValueError:
        valid = False
    if not valid or "@" in uri:
        _, _, shown = uri.rpartition("@")
        raise InvalidInput(
            f"graph.neo4j_uri {shown!r} is not a valid Neo4j address: write it as bolt://host:7687 "
            "or neo4j://host:7687, and put the login into graph.neo4j_user and graph.neo4j_password"
        )
