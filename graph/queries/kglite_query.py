"""A user's statement on the embedded engine: planned, judged by its plan, and run read-only."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import kglite

from ...core.errors import InvalidInput, Refused
from ...core.ports import Table
from ...core.types import Space
from ..cypher_loader import cypher
from ..engine_values import json_value, node, relationship
from ..partition import Partition
from ..schema import for_index
from . import catalogue, query_guard
from .column_names import as_written
from .own_names import OF_THE_ENGINE, without_engine_properties, without_own_names
from .query_guard import CheckedStatement


def run_query(
    session: kglite.Session,
    checked: CheckedStatement,
    parameters: Mapping[str, Any],
    timeout_s: float,
    row_limit: int,
) -> Table:
    """Run a statement that the guard admitted by its words.

    Raises `Refused` for a plan that does more than read and for more time than `timeout_s`, and
    `InvalidInput` for what is no statement.
    """
    end = time.monotonic() + timeout_s
    values = dict(parameters)

    def ask(text: str, more: Mapping[str, Any], rows_max: int | None = None) -> Any:
        left_ms = max(1, round((end - time.monotonic()) * 1000))
        return session.cypher(
            text, params={**values, **more}, timeout_ms=left_ms, row_limit=rows_max
        )

    text, called = catalogue.answered(checked.text)
    text = without_engine_properties(without_own_names(text))
    with _statement_errors(timeout_s):
        of_the_file = Partition(Space("")).statement
        values |= catalogue.parameters(called, of_the_file, lambda *asked: ask(*asked).to_list())
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
    """Tell the author of a statement what kglite found wrong with it."""
    try:
        yield
    except kglite.CypherTimeoutError:
        raise query_guard.timeout_refusal(timeout_s) from None
    except kglite.ReadOnlyError as error:
        raise Refused(f"a query only reads the graph, and nothing ran: {error}") from None
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
    return value
