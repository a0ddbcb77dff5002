"""Statement files: one statement each, with its reason, loaded by name and never made up."""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from meridia.storage import statement_loader
from meridia.storage.store import Store

SQL = Path(statement_loader.__file__).parent / "sql"
#: Statements; a fragment is a part of those that include it.
NAMES = [
    f"{path.stem}/{name}"
    for path in sorted(SQL.glob("*.sql"))
    if path.stem not in {"fragments", "pgvector", "shared"}
    for name in statement_loader.statements(path.stem)
]
MIGRATIONS = sorted((SQL / "migrations").glob("*.sql"))


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Iterator[Path]:
    """Give a folder that is read in the place of ours: with ours, for threads of other tests."""
    cached = (statement_loader.sql, statement_loader.statements, statement_loader.migrations)
    place = shutil.copytree(SQL, tmp_path / "sql")
    monkeypatch.setattr(statement_loader, "_SQL", place)
    for function in cached:
        function.cache_clear()
    yield place
    monkeypatch.undo()
    for function in cached:
        function.cache_clear()


def test_every_statement_can_be_prepared(private_file: Store):
    connection = private_file.database.connection
    for name in NAMES:
        with savepoint(connection):
            assert plan_of(name, connection), name


@contextmanager
def savepoint(connection: sqlite3.Connection) -> Iterator[None]:
    """Undo everything at the end."""
    connection.execute("SAVEPOINT one")
    try:
        yield
    finally:
        connection.execute("ROLLBACK TO one")
        connection.execute("RELEASE one")


def plan_of(name: str, connection: sqlite3.Connection) -> list[Any]:
    """Return how SQLite would run a statement, after making what it needs."""
    statement = statement_loader.sql(name)
    assert not statement.startswith("--")
    statement = statement.replace("{search}", "search_1")
    if name == "journal/mark_as_ours":
        connection.execute("DROP TABLE migration")
    names = dict.fromkeys(re.findall(r":(\w+)", statement))
    values = names or [None] * (len(set(re.findall(r"\?\d+", statement))) or statement.count("?"))
    return connection.execute(f"EXPLAIN {statement}", values).fetchall()


def test_a_statement_that_is_not_there_is_not_made_up():
    with pytest.raises(KeyError):
        statement_loader.sql("journal/nothing")
    with pytest.raises(KeyError):
        statement_loader.sql("nothing/nothing")


def test_a_statement_without_its_reason_is_a_mistake_of_ours(folder):
    (folder / "words.sql").write_text("-- name: bare\nSELECT 1\n")
    with pytest.raises(AssertionError, match="starts with a comment"):
        statement_loader.sql("words/bare")


def test_migrations_are_numbered_without_a_gap_and_named():
    names = [name for name, _ in statement_loader.migrations()]
    assert names == sorted(names)
    assert [int(name[:4]) for name in names] == list(range(1, len(names) + 1))
    assert all(re.fullmatch(r"\d{4}_[a-z_]+", name) for name in names)


def test_no_statement_of_a_migration_is_left_out():
    for path, (name, steps) in zip(MIGRATIONS, statement_loader.migrations(), strict=True):
        assert path.stem == name
        assert "".join("".join(steps).split()) == "".join(path.read_text("utf-8").split())
        assert all(sqlite3.complete_statement(step) for step in steps)


def test_a_migration_that_forgot_its_last_semicolon_is_not_cut(folder):
    (folder / "migrations" / "9999_x.sql").write_text("-- Why.\nSELECT 1;\nSELECT 2\n")
    *_, (_, steps) = statement_loader.migrations()
    assert len(steps) == 2


def test_a_fragment_is_taken_in_by_the_statements_that_share_it():
    filters = statement_loader.sql("fragments/experience_filters")
    for name in ("page", "page_of_person", "page_of_session", "newest", "in_sessions"):
        statement = statement_loader.sql(f"catalog/{name}")
        assert filters in statement
        assert "{" not in statement
    listed = statement_loader.sql("fragments/listed_filters")
    assert listed in statement_loader.sql("catalog/matching")
