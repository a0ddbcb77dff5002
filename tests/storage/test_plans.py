"""How SQLite finds rows: nothing that is asked often may walk through a whole space.

SQLite has no statistics of a journal and takes a space for a handful of rows; where that misleads
it, a statement names its index.
"""

from __future__ import annotations

import re
import sqlite3

import pytest

from meridia.storage.statement_loader import sql
from meridia.storage.statement_loader import statements as named
from meridia.storage.store import Store
from tests.graph.journal_drafts import HOME, message_draft
from tests.tidy.tree import ROOT

SQL = ROOT / "storage" / "sql"
#: Tables that grow with every event.
LARGE = {"entry", "payload", "experience", "embedding", "token_vectors", "node", "edge", "trace"}
#: What walks through a space, and why that is all right.
WALKS = {
    **dict.fromkeys(
        ["adjacency/clear_edges", "adjacency/clear_nodes", "catalog/clear"], "clears it"
    ),
    **dict.fromkeys(
        ["catalog/counts", "catalog/kinds", "catalog/sessions", "journal/count", "status/nodes"],
        "counts it, for a person who asks",
    ),
    **dict.fromkeys(
        ["status/outcomes", "status/redactions", "status/outlines", "status/statuses"],
        "counts it, for `meridia status`",
    ),
    **dict.fromkeys(["catalog/like", "catalog/matching"], "filters by anything"),
    **dict.fromkeys(
        ["tokens/erase", "vectors/erase", "vectors/models", "forgetting/erase_vectors"],
        "stops at the first row",
    ),
    "catalog/last_recorded_until": "looks from the end, where most times lie",
    **dict.fromkeys(
        ["adjacency/all_edges", "links/all_nodes"], "read once, when a space is opened"
    ),
    **dict.fromkeys(
        [
            *("forgetting/chosen", "forgetting/entries"),
            *("forgetting/erase_tokens", "forgetting/erase_every_vector"),
            "forgetting/erase_whole_trace",
        ],
        "forgets, which is seldom, and looks everywhere",
    ),
    "forgetting/erased_count": "`meridia verify`",
    "references/rebuild": "after a rebuild",
    "journal/lost_payloads": "`meridia verify`",
    "archive/entries": "copies a space",
    **dict.fromkeys(
        [
            *("comparison/edges", "comparison/experiences", "comparison/nodes"),
            *("tokens/all", "vectors/all"),
        ],
        "`meridia verify`",
    ),
    "trace/prune_lines": "prunes it, at the first recall of a process and every fiftieth",
    "trace/since": "what a model cost today, once a process",
}
_STEP = re.compile(r"(?:SCAN|SEARCH) (\w+)(?: USING .*\((.*)\))?")
_NAMED = re.compile(r"\b(?:FROM|JOIN|UPDATE) (\w+)(?: (?:AS )?(?!SET\b|JOIN\b|WHERE\b)(\w+))?")


def statements() -> list[str]:
    """Return the names of all statements that read or write rows."""
    return sorted(
        f"{path.stem}/{name}"
        for path in SQL.glob("*.sql")
        if path.stem not in {"fragments", "pgvector", "shared"}
        for name in named(path.stem)
        if not re.match(r"CREATE|DROP", sql(f"{path.stem}/{name}"))
    )


def walked(connection: sqlite3.Connection, statement: str) -> set[str]:
    """Return the large tables of which a statement would read a whole space, or everything."""
    # An alias is as good as a name, and what is searched by nothing but the space is walked.
    tables = {alias or name: name for name, alias in _NAMED.findall(statement)}
    tables |= {name: name for name in LARGE}
    numbered = len(set(re.findall(r"\?\d+", statement))) or statement.count("?")
    values = dict.fromkeys(re.findall(r":(\w+)", statement), 1) or (1,) * numbered
    steps = connection.execute(f"EXPLAIN QUERY PLAN {statement}", values).fetchall()
    found = (_STEP.match(step[-1]) for step in steps)
    return {
        tables.get(step[1], step[1])
        for step in found
        if step and (step[2] or "space=?") == "space=?"
    } & LARGE


@pytest.fixture
def connection(private_file: Store) -> sqlite3.Connection:
    private_file.journal.append(HOME, [message_draft("one")])
    return private_file.database.connection


def test_a_statement_finds_its_rows_by_an_index(connection):
    for name in statements():
        statement = sql(name)
        assert bool(walked(connection, statement)) == (name in WALKS), name


def test_the_search_knows_a_walk_when_it_sees_one(connection):
    assert walked(connection, "SELECT id FROM entry e WHERE e.space = ?") == {"entry"}
    assert walked(connection, "SELECT body FROM payload") == {"payload"}
    assert not walked(connection, "SELECT body FROM payload WHERE seq = ?")


def test_what_was_read_anew_is_looked_up_by_its_sequence(connection):
    steps = connection.execute(f"EXPLAIN QUERY PLAN {sql('readings/note')}", (1, 0)).fetchall()
    assert [step[-1] for step in steps if "SEARCH old" in step[-1] and "seq=?" in step[-1]]
