"""Statement files: one statement each, with its reason, loaded by name and never made up."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from meridia.storage import statement_loader
from meridia.storage.store import Store

ROOT = Path(statement_loader.__file__).parent
#: Statements; a fragment is a part of those that include it.
FILES = sorted(
    path
    for path in (ROOT / "sql").rglob("*.sql")
    if path.parent.name not in {"migrations", "fragments", "pgvector"}
)
MIGRATIONS = sorted((ROOT / "sql" / "migrations").glob("*.sql"))


def name_of(path: Path) -> str:
    return path.relative_to(ROOT / "sql").with_suffix("").as_posix()


def test_every_file_begins_with_the_reason_for_it():
    for path in FILES + MIGRATIONS:
        assert path.read_text("utf-8").startswith("-- "), path
        assert re.fullmatch(r"-- [A-Z].*[.)]", path.read_text("utf-8").splitlines()[0]), path


def test_every_statement_can_be_prepared(private_file: Store):
    connection = private_file.database.connection
    for path in FILES:
        with savepoint(connection):
            assert plan_of(path, connection), path


@contextmanager
def savepoint(connection: sqlite3.Connection) -> Iterator[None]:
    """Undo everything at the end."""
    connection.execute("SAVEPOINT one")
    try:
        yield
    finally:
        connection.execute("ROLLBACK TO one")
        connection.execute("RELEASE one")


def plan_of(path: Path, connection: sqlite3.Connection) -> list[Any]:
    """Return how SQLite would run a statement, after making what it needs."""
    statement = statement_loader.sql(name_of(path))
    assert not statement.startswith("--")
    statement = statement.replace("{search}", "search_1")
    if path.name == "create_migration_log.sql":
        connection.execute("DROP TABLE migration")
    names = dict.fromkeys(re.findall(r":(\w+)", statement))
    values = names or [None] * (len(set(re.findall(r"\?\d+", statement))) or statement.count("?"))
    return connection.execute(f"EXPLAIN {statement}", values).fetchall()


def test_every_statement_has_a_user():
    folders = [ROOT, ROOT.parent / "graph"]
    code = "".join(p.read_text("utf-8") for folder in folders for p in folder.rglob("*.py"))
    names = [name_of(path) for path in FILES]
    unused = [name for name in names if f'"{name}"' not in code]
    assert unused == []


def test_a_statement_that_is_not_there_is_not_made_up():
    with pytest.raises(FileNotFoundError):
        statement_loader.sql("journal/nothing")


def test_a_file_without_its_reason_is_a_mistake_of_ours(tmp_path, monkeypatch):
    (tmp_path / "bare.sql").write_text("SELECT 1\n")
    monkeypatch.setattr(statement_loader, "_SQL", tmp_path)
    with pytest.raises(AssertionError, match="starts with a comment"):
        statement_loader.sql("bare")


def test_a_dialect_has_its_own_statement_or_that_of_all(tmp_path, monkeypatch):
    for folder, statement in (("", "SELECT 1"), ("postgres", "SELECT 2")):
        path = tmp_path / folder / "words" / "find.sql"
        path.parent.mkdir(parents=True)
        path.write_text(f"-- Why.\n{statement}\n")
    monkeypatch.setattr(statement_loader, "_SQL", tmp_path)
    assert statement_loader.sql("words/find") == "SELECT 1"
    assert statement_loader.sql("words/find", "postgres") == "SELECT 2"
    assert statement_loader.sql("words/find", "other") == "SELECT 1"


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


def test_a_migration_that_forgot_its_last_semicolon_is_not_cut(tmp_path, monkeypatch):
    (tmp_path / "migrations").mkdir()
    (tmp_path / "migrations" / "0001_x.sql").write_text("-- Why.\nSELECT 1;\nSELECT 2\n")
    monkeypatch.setattr(statement_loader, "_SQL", tmp_path)
    statement_loader.migrations.cache_clear()
    try:
        ((_, steps),) = statement_loader.migrations()
    finally:
        statement_loader.migrations.cache_clear()
    assert len(steps) == 2


def test_a_fragment_is_taken_in_by_the_statements_that_share_it():
    filters = statement_loader.sql("fragments/experience_filters")
    for name in ("page", "page_of_person", "page_of_session", "newest", "in_sessions"):
        statement = statement_loader.sql(f"catalog/{name}")
        assert filters in statement
        assert "{" not in statement
    listed = statement_loader.sql("fragments/listed_filters")
    assert listed in statement_loader.sql("catalog/matching")
