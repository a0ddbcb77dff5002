"""A user's statement on Neo4j: planned, judged by its plan, and run read-only, within its time.

Neo4j looks at its clock between rows, never while it works out one expression or plans, and counts
no memory meanwhile. Lists that are written as long ones, or as lists in lists, and values that are
written so that they double are refused; another statement of the kind is left behind in a thread of
its own when its time is long over. Its connection is closed with the driver; what the server goes
on with, only its administrator can end.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import neo4j
from neo4j import exceptions, graph, spatial
from neo4j import time as neo4j_time

from ...core.errors import InvalidInput, Refused
from ...core.ports import Table
from ..schema import Partition, public_labels, public_properties
from . import query_guard, rewriting
from .confinement import PARAMETER, confined, unknown_names
from .query_guard import CLOSING, OPENING, CheckedStatement, json_value, node, relationship
from .rewriting import as_written, public_map, without_own_names

#: How long Neo4j may need to notice that a statement's time is over, seconds.
_OVER_S = 5.0
#: How many items an expression may go through where the statement says how many.
_ITEMS_MAX = 10_000_000
_BRANCHES = frozenset({"WHEN", "THEN", "ELSE"})
_RANGE = re.compile(r"\((-?\d{1,19}),(-?\d{1,19})(?:,(-?\d{1,19}))?\)")
_TIMED_OUT = "Neo.ClientError.Transaction.TransactionTimedOut"
_OUT_OF_MEMORY = "OutOfMemoryError"
#: Notes about labels, types and properties that the whole database lacks.
_NAMES_NOBODY_HAS = frozenset({"01N50", "01N51", "01N52"})
#: What Neo4j found wrong with a statement, before or while it ran.
_MISTAKES = (
    "Neo.ClientError.Statement.",
    "Neo.ClientError.Procedure.",
    "Neo.DatabaseError.Statement.",
)


@dataclass(frozen=True, slots=True)
class Confined:
    """A statement that the guard admitted by its words, as it is sent.

    `refusal` is raised once the server found no mistake in it: that is told first. `partition` is
    the one that it is confined to, None for the whole database; `called` are the procedures of it
    that are answered from there.
    """

    checked: CheckedStatement
    text: str
    values: Mapping[str, Any]
    partition: Partition | None = None
    called: frozenset[str] = frozenset()
    refusal: Refused | None = None


def confine(checked: CheckedStatement, values: Mapping[str, Any], partition: Partition) -> Confined:
    """Return a statement as it is sent so that it sees `partition` only."""
    refusal: Refused | None = None
    text, called = rewriting.answered(checked.text)
    try:
        text = confined(without_own_names(text), partition)
    except Refused as error:  # a mistake in the statement is told first, by the server
        text, refusal = checked.text, error
    values = {**values, PARAMETER: partition.id}
    return Confined(checked, text, values, partition, called, refusal)


def run_query(
    open_session: Callable[[], neo4j.Session], statement: Confined, timeout_s: float, row_limit: int
) -> Table:
    """Run a statement; raise `Refused` where it does more than read, or takes longer.

    Raises `InvalidInput` for text that is not Cypher.
    """
    parts = list(query_guard.tokens(statement.checked.text))
    _check_lists(parts)
    _check_growth(parts)
    answer: Future[Table] = Future()

    def ask() -> None:
        try:
            with open_session() as session:
                answer.set_result(_run(session, statement, timeout_s, row_limit))
        except BaseException as error:  # noqa: BLE001 - told to who asked, in their own thread
            answer.set_exception(error)

    threading.Thread(target=ask, name="meridia-query", daemon=True).start()
    with _statement_errors(timeout_s):
        try:
            return answer.result(timeout_s + _OVER_S)
        except TimeoutError:
            raise query_guard.timeout_refusal(timeout_s) from None


def _check_lists(parts: Sequence[query_guard.Token]) -> None:
    """Refuse ranges of numbers that are too long for one expression, alone or inside each other.

    After UNWIND they are rows, which the clock ends.
    """
    open_: list[tuple[str, int]] = [("", 1)]
    for place, token in enumerate(parts):
        if token.text in OPENING:
            open_.append((token.text, open_[-1][1]))
        elif token.text in CLOSING and len(open_) > 1:
            open_.pop()
        elif token.keyword == "RANGE" and (place == 0 or parts[place - 1].keyword != "UNWIND"):
            bracket, times = open_[-1]
            items = times * _length(parts[place + 1 :])
            if items > _ITEMS_MAX:
                raise Refused(
                    f"the statement evaluates {items:,} items in one expression, where Neo4j does "
                    f"not check the time limit; the limit is {_ITEMS_MAX:,}: UNWIND the range"
                )
            if bracket in {"(", "["}:
                open_[-1] = bracket, items


def _length(parts: Sequence[query_guard.Token]) -> int:
    """Return the length of the range whose arguments follow, or 1 where they are no numbers."""
    written = "".join(token.text for token in parts[:10])
    match = _RANGE.match(written)
    if match is None:
        return 1
    first, last, step = (int(number or 1) for number in match.groups())
    return max(1, (last - first) // step + 1) if step else 1


def _check_growth(parts: Sequence[query_guard.Token]) -> None:
    """Refuse a `reduce` that takes twice what it had: forty times over, that fills any memory.

    Of branches of CASE only one is taken.
    """
    for place, token in enumerate(parts[:-2]):
        if token.keyword != "REDUCE" or parts[place + 1].text != "(":
            continue
        carried, taken, depth, inside = parts[place + 2].name, 0, 0, False
        for before, following in zip(parts[place:], parts[place + 1 :], strict=False):
            depth += (following.text in OPENING) - (following.text in CLOSING)
            if depth == 0:
                break
            inside = inside or (depth == 1 and following.text == "|")
            if following.keyword in _BRANCHES:
                taken = 0
            is_name = following.kind in query_guard.NAMES and before.text != "."
            taken += inside and is_name and following.name == carried
            if taken > 1:
                raise Refused(
                    f"reduce uses {carried} more than once: it may double at each step, and Neo4j "
                    "does not limit that memory. Use it once, or UNWIND the list"
                )


def row(record: neo4j.Record) -> list[Any]:
    """Return a record as JSON values."""
    return [json_value(value, _from_neo4j) for value in record.values()]


def _run(session: neo4j.Session, statement: Confined, timeout_s: float, row_limit: int) -> Table:
    text, values = statement.text, _values(session, statement, timeout_s)
    try:
        summary = _plan(session, text, values, timeout_s)
    except exceptions.ClientError:
        # Told of what its author wrote, and at the place where it stands there.
        _plan(session, statement.checked.text, values, timeout_s)
        raise
    if statement.refusal is not None:
        raise statement.refusal
    plan: Any = summary.plan or {}
    query_guard.check_neo4j_plan(summary.query_type, plan)
    if statement.checked.explain:
        return Table(["step", "operation", "estimated_rows"], query_guard.plan_steps(plan))
    # Not a managed transaction: a statement that fails is not tried again.
    with session.begin_transaction(timeout=timeout_s) as running:
        answer = _limited(running.run(text, values), row_limit, statement)
    return replace(answer, columns=as_written(statement.checked.text, answer.columns))


def _values(session: neo4j.Session, statement: Confined, timeout_s: float) -> dict[str, Any]:
    """Return the parameters, with the rows of the procedures that it calls."""
    values = dict(statement.values)
    if statement.partition is None or not statement.called:
        return values
    own = statement.partition.parameters({})
    with session.begin_transaction(timeout=timeout_s) as reading:

        def ask(text: str, more: Mapping[str, Any]) -> list[dict[str, Any]]:
            rows = reading.run(text, {**own, **more})
            return [dict(zip(rows.keys(), map(_from_neo4j, r.values()), strict=True)) for r in rows]

        return values | rewriting.parameters(statement.called, statement.partition.statement, ask)


def _plan(
    session: neo4j.Session, text: str, values: Mapping[str, Any], timeout_s: float
) -> neo4j.ResultSummary:
    with session.begin_transaction(timeout=timeout_s) as planning:
        return planning.run(f"EXPLAIN {text}", dict(values)).consume()


@contextmanager
def _statement_errors(timeout_s: float) -> Iterator[None]:
    """Turn Neo4j's complaints about a statement into errors for its author."""
    try:
        yield
    except exceptions.Neo4jError as error:
        code = error.code or ""
        if code.startswith(_TIMED_OUT):
            raise query_guard.timeout_refusal(timeout_s) from None
        if code.endswith(_OUT_OF_MEMORY):
            raise Refused("the statement needs more memory than Neo4j allows: narrow it") from None
        if code.endswith(".AccessMode"):
            raise Refused(f"a query can only read: {error.message}") from None
        if code.startswith(_MISTAKES):
            raise InvalidInput(f"statement: {error.message}") from None
        raise


def _limited(result: neo4j.Result, row_limit: int, statement: Confined) -> Table:
    columns = result.keys()
    rows = [row(record) for record in result.fetch(row_limit)]
    truncated = result.peek() is not None
    summary = result.consume()
    notifications = [status for status in summary.gql_status_objects if status.is_notification]
    notes = [
        status.status_description
        for status in notifications
        if statement.partition is None or status.gql_status not in _NAMES_NOBODY_HAS
    ]
    if statement.partition is not None and not statement.refusal:
        unknown = unknown_names(rewriting.answered(statement.checked.text)[0])
        notes += [f"{name!r} is not a label, type or property of Meridia" for name in unknown]
    return Table(columns, rows, truncated, tuple(dict.fromkeys(notes)))


def _from_neo4j(value: Any) -> Any:  # noqa: PLR0911 - one return a type
    match value:
        case graph.Node():
            return node(public_labels(value.labels), public_properties(value))
        case graph.Relationship():
            return relationship(value.type, public_properties(value))
        case graph.Path():
            return {"nodes": value.nodes, "relationships": value.relationships}
        case neo4j_time.DateTime() | neo4j_time.Date() | neo4j_time.Time():
            return value.to_native()
        case neo4j_time.Duration():
            return value.iso_format()
        case spatial.Point():
            return {"srid": value.srid, "coordinates": list(value)}
        case dict():
            return public_map(value)
        case _:
            return value
