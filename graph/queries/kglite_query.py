"""A user's statement on the embedded engine: planned, judged by its plan, and run read-only.

It runs in a process of its own (`python -m meridia.graph.queries.kglite_query`), on a copy of the
graph, because a statement can take all memory, overflow the stack, or run past its time limit. A
request on standard input is a pickle of a name and its arguments; an answer is one line of JSON on
standard output.
"""

from __future__ import annotations

import json
import os
import pickle
import signal
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import kglite

from ...core.errors import InvalidInput, MeridiaError, Refused
from ...core.ports import Table
from ...core.types import Space
from ..schema import BOOKKEEPING, Partition, cypher, for_index, for_label
from . import query_guard, rewriting
from .query_guard import CheckedStatement, json_value, memory_refusal, node, relationship
from .rewriting import (
    OF_THE_ENGINE,
    as_written,
    public_map,
    without_engine_properties,
    without_own_names,
)


def run_query(
    session: kglite.Session,
    checked: CheckedStatement,
    parameters: Mapping[str, Any],
    timeout_s: float,
    row_limit: int,
) -> Table:
    """Run a statement that the guard admitted by its words.

    Raises `Refused` for a plan that does more than read and for more time than `timeout_s`, and
    `InvalidInput` for text that is not a statement.
    """
    end = time.monotonic() + timeout_s
    values = dict(parameters)

    def ask(text: str, more: Mapping[str, Any], rows_max: int | None = None) -> Any:
        left_ms = max(1, round((end - time.monotonic()) * 1000))
        return session.cypher(
            text, params={**values, **more}, timeout_ms=left_ms, row_limit=rows_max
        )

    text, called = rewriting.answered(checked.text)
    text = without_engine_properties(without_own_names(text))
    with _statement_errors(timeout_s):
        of_the_file = Partition(Space("")).statement
        values |= rewriting.parameters(called, of_the_file, lambda *asked: ask(*asked).to_list())
        try:
            plan = table(ask(f"EXPLAIN {text}", {}))
        except kglite.CypherError:
            ask(f"EXPLAIN {checked.text}", {})  # told of what its author wrote
            raise
        query_guard.check_kglite_operations([row[1] for row in plan.rows])
        if checked.explain:
            return plan
        answer = table(ask(text, {}, row_limit))
    return replace(answer, columns=as_written(checked.text, answer.columns))


def refresh_text_index(session: kglite.Session, statement: str) -> None:
    """Rebuild the full-text index where it has fallen behind and `statement` asks it."""
    if "fulltext" not in statement.lower():
        return
    for index in session.cypher(cypher("schema/list_indexes")).to_list():
        if index["type"] == "FULLTEXT" and index["stale"]:
            # kglite does not keep one current beyond 1,000 changes.
            session.execute(for_index("schema/drop_index", "meridia_text"))
            session.execute(cypher("schema/index_text"))


def table(result: Any) -> Table:
    """Return what kglite answered as plain values."""
    columns = list(result.columns)
    rows = [[json_value(row[name], _from_kglite) for name in columns] for row in result.to_list()]
    diagnostics = result.diagnostics or {}
    total = diagnostics.get("total_rows")
    truncated = total is not None and total > len(rows)
    notes = [note for note in result.warnings if not (truncated and "row_limit" in note)]
    return Table(columns, rows, truncated, tuple(notes))


@contextmanager
def _statement_errors(timeout_s: float) -> Iterator[None]:
    """Turn kglite's complaints about a statement into errors for its author."""
    try:
        yield
    except kglite.CypherTimeoutError:
        raise query_guard.timeout_refusal(timeout_s) from None
    except kglite.ReadOnlyError as error:
        raise Refused(f"a query can only read, and this one did not run: {error}") from None
    except (kglite.CypherError, kglite.SchemaError, kglite.ArgumentError) as error:
        raise InvalidInput(f"statement: {error}") from None


def _from_kglite(value: Any) -> Any:
    """Show nodes and edges without kglite's own numbers, `title` and `type`."""
    if not isinstance(value, dict):
        return value
    if value.keys() == {"id", "labels", "properties"}:
        own = value["properties"]
        return node(value["labels"], {k: v for k, v in own.items() if k not in OF_THE_ENGINE})
    if value.keys() == {"id", "start", "end", "type", "properties"}:
        return relationship(value["type"], value["properties"])
    return public_map(value)


if sys.platform != "win32":
    import resource

#: How long past its time limit a statement may run before the process is ended.
_GRACE_S = 0.5
_MB = 1024 * 1024
_ANSWER_MB_MAX = 64


class QueryWorker:
    """Holds the copy and answers about it, in JSON."""

    def __init__(self) -> None:
        self._session: kglite.Session | None = None

    def load(self, path: str) -> str:
        """Read the copy at `path`."""
        self._session = kglite.open_session(path, write_budget=None)
        return "{}"

    def unload(self) -> str:
        """Unload the copy."""
        self._session = None
        return "{}"

    def follow(self, changes: Sequence[tuple[str, Mapping[str, Any]]]) -> str:
        """Make the changes that the graph had since then."""
        for text, values in changes:
            self._session_of().execute(text, params=dict(values))
        return "{}"

    def ask(
        self,
        checked: CheckedStatement,
        parameters: Mapping[str, Any],
        timeout_s: float,
        row_limit: int,
        memory_mb: int,
    ) -> str:
        """Run a statement on the graph, within limits.

        `last` in the answer says that the process kept so much memory that it is to be ended.
        """
        session = self._session_of()
        # Of the copy only: how far the projection has come is no part of what a query sees.
        hiding = for_label("write/forget_projection", BOOKKEEPING)
        session.execute(hiding, params={"projection": parameters["space"]})
        refresh_text_index(session, checked.text)
        before, more = _address_space(), memory_mb * _MB
        try:
            with _limited(timeout_s, before + more):
                table = run_query(session, checked, parameters, timeout_s, row_limit)
                fields = {name: getattr(table, name) for name in Table.__slots__}
                answer = json.dumps({**fields, "last": _address_space() > before + more / 4})
        except MemoryError:
            raise memory_refusal(memory_mb) from None
        if len(answer) > _ANSWER_MB_MAX * _MB:
            raise Refused(f"the answer is larger than {_ANSWER_MB_MAX} MB: return less")
        return answer

    def _session_of(self) -> kglite.Session:
        if self._session is None:
            raise MeridiaError("no graph was loaded")
        return self._session


@contextmanager
def _limited(timeout_s: float, bytes_max: int) -> Iterator[None]:
    """End this process where it needs more time, or more addresses in all."""
    if sys.platform == "win32":  # there the one that asked keeps the time, and nobody the memory
        yield
        return
    signal.setitimer(signal.ITIMER_REAL, timeout_s + _GRACE_S)
    resource.setrlimit(resource.RLIMIT_AS, (bytes_max, resource.RLIM_INFINITY))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def _address_space() -> int:
    """Return how many bytes of addresses this process uses; 0 where that is not known."""
    try:
        pages = Path("/proc/self/statm").read_text("ascii").split()[0]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def _answer(worker: QueryWorker, name: str, arguments: Sequence[Any]) -> str:
    """Return what a request gives, or its error, as JSON."""
    try:
        return str(getattr(worker, name)(*arguments))
    except MeridiaError as error:
        problem = type(error).__name__, str(error)
    except (kglite.KgError, RuntimeError, ValueError, OSError) as error:
        problem = MeridiaError.__name__, f"the graph failed: {error}"
    return json.dumps({"error": problem})


def main() -> None:
    """Answer requests until the one that asks is gone."""
    kglite.set_query_warning_policy("silent")
    requests = sys.stdin.buffer
    # What the engine prints must not get between the answers.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    worker = QueryWorker()
    while True:
        try:
            name, arguments = pickle.load(requests)  # noqa: S301 - from the process that made this one
        except EOFError:
            return
        answers.write(_answer(worker, name, arguments) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
