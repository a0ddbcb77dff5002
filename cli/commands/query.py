"""`meridia query` and `meridia schema`: the graph through Cypher, read-only."""

from __future__ import annotations

import csv
import io
import sys
from pathlib import Path
from typing import Any

import click

from ...core.errors import InvalidInput, NotFound
from ...core.ports import Table
from ...core.text import json_line, printable
from ...graph.schema import CYPHER, EDGE_PROPERTIES, EDGES, LABELS, comment, cypher
from ..options import SharedOptions, engine_option, pairs_option, standard_input, wait_option
from ..render import (
    console,
    errors,
    paged_command,
    print_answer,
    print_json,
    progress,
    remark,
    table,
)

_NAMED = CYPHER / "named"


@paged_command()
@click.argument("statement", required=False)
@click.option("--named", metavar="NAME", help="Run a named query; --list shows them.")
@click.option("--list", "list_", is_flag=True, help="List the named queries.")
@pairs_option("--param", "parameters", "A parameter; V is JSON or text.")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
@click.option("--limit", type=click.IntRange(1, 1_000_000), help="Row limit.  [default: 1000]")
@click.option(
    "--timeout", type=click.FloatRange(0.001, 86_400), help="Time limit, seconds.  [default: 10]"
)
@wait_option
@engine_option
@click.option("--all-spaces", is_flag=True, help="On Neo4j: see the whole database.")
def query_command(
    shared: SharedOptions,
    statement: str | None,
    named: str | None,
    list_: bool,
    as_csv: bool,
    limit: int | None,
    timeout: float | None,
    engine: str | None,
    **given: Any,
) -> None:
    """Query the graph in Cypher, read-only.

    A statement that could do anything but read this graph is refused before it runs, and one in a
    shared Neo4j sees its own space only. STATEMENT may be - for standard input.

    \b
    Examples:
      meridia query 'MATCH (p:Person)<-[:SPOKEN_BY]-(e) RETURN p.name AS who, count(e) AS said'
      meridia query --named last_messages --param person=Dana
    """  # noqa: D301 - click takes the \b for "do not wrap"
    if list_:
        queries = named_queries()
        rows = list(queries.items())
        print_answer(shared, lambda: queries, lambda: table(["query", "answers"], rows))
        return
    text = _statement(statement, named)
    limits = {"graph.query_timeout_s": timeout, "graph.query_rows_max": limit}
    settings = {"graph.engine": engine, **limits}
    with shared.memory(settings) as memory, progress("bringing the graph up to date") as move:
        result = memory.query(text, progress=move, **given)
    show_rows(result, shared.as_json, as_csv)


def _statement(statement: str | None, named: str | None) -> str:
    if (statement is None) == (named is None):
        raise InvalidInput("give a statement, or --named NAME; --list shows the named queries")
    if named is not None:
        if named not in named_queries():
            raise NotFound(f"there is no named query {named!r}: `meridia query --list` shows them")
        return cypher(f"named/{named}")
    return standard_input() if statement == "-" else str(statement)


def named_queries() -> dict[str, str]:
    """Return every named query and what it answers."""
    return {path.stem: comment(path) for path in sorted(Path(_NAMED).glob("*.cypher"))}


def show_rows(result: Table, as_json: bool = False, as_csv: bool = False) -> None:
    """Print a query's rows as a table, JSON or CSV; notes and cuts go to standard error."""
    for note in result.notes:
        remark(note)
    if as_json:
        print_json(result.as_json())
    elif as_csv:
        text = io.StringIO()
        writer = csv.writer(text)
        writer.writerow(map(_field, result.columns))
        writer.writerows(map(_field, row) for row in result.rows)
        sys.stdout.write(text.getvalue())
    else:
        table(list(result.columns), [list(row) for row in result.rows])
        rows = f"{len(result.rows)} row{'' if len(result.rows) == 1 else 's'}"
        errors.print(rows, style="dim")
    if result.truncated:
        errors.print("rows were cut at the limit: increase --limit, or add LIMIT", style="yellow")


def _field(value: Any) -> Any:
    """Return a value as CSV holds it: what JSON has a form of its own for, in that form."""
    if isinstance(value, str):
        return printable(value)
    return json_line(value) if isinstance(value, (dict, list, bool)) else value


@paged_command()
@engine_option
def schema_command(shared: SharedOptions, engine: str | None) -> None:
    """Show the graph's labels, edge types and properties.

    It also shows how many of each the space has.
    """
    with shared.memory({"graph.engine": engine}) as memory:
        counts = memory.graph.counts()
    labels: list[list[Any]] = [
        [label.name, counts.get(label.name, 0), ", ".join(["id", *label.properties])]
        for label in LABELS.values()
    ]
    edges: list[list[Any]] = [
        [name, counts.get(name, 0), ", ".join(f"(:{e.source})→(:{e.target})" for e in pairs)]
        for name, pairs in EDGES.items()
    ]
    if shared.as_json:
        print_json(
            {
                "labels": [
                    dict(zip(("label", "nodes", "properties"), r, strict=True)) for r in labels
                ],
                "edges": [dict(zip(("type", "edges", "ends"), r, strict=True)) for r in edges],
                "edge_properties": list(EDGE_PROPERTIES),
            }
        )
        return
    table(["label", "nodes", "properties"], labels)
    console.print()
    table(["edge", "edges", "ends"], edges)
    console.print(f"\nevery edge has {', '.join(EDGE_PROPERTIES)}", style="dim")
