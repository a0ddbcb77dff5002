"""Loads statements by name from their files: SQL beside this module, Cypher at the package's root.

A file holds one statement (migrations: several, run in one transaction) under a first-line
comment that says why it exists. Nothing is formatted in but names from a closed list.
"""

from __future__ import annotations

import sqlite3
from functools import cache
from pathlib import Path

_SQL = Path(__file__).parent / "sql"
CYPHER = Path(__file__).parent.parent / "cypher"


@cache
def sql(name: str) -> str:
    """Return the SQL statement `name`, such as `journal/append`, without its comment."""
    return _without_comment((_SQL / f"{name}.sql").read_text("utf-8"), "--")


@cache
def cypher(name: str) -> str:
    """Return the Cypher statement `name`, such as `write/upsert_node`, without its comment."""
    return _without_comment((CYPHER / f"{name}.cypher").read_text("utf-8"), "//")


@cache
def comment(path: Path) -> str:
    """Return the first-line comment of a statement file."""
    return path.read_text("utf-8").splitlines()[0].lstrip("-/ ").strip()


@cache
def migrations() -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return every migration in order: its name and its statements."""
    files = sorted((_SQL / "migrations").glob("*.sql"))
    return tuple((file.stem, tuple(_split(file.read_text("utf-8")))) for file in files)


def _without_comment(text: str, mark: str) -> str:
    first, _, rest = text.partition("\n")
    if not first.startswith(mark):
        raise AssertionError(f"a statement file starts with a comment, not {first!r}")
    return rest.strip()


def _split(text: str) -> list[str]:
    statements, pending = [], ""
    for line in text.splitlines():
        pending += line + "\n"
        if line.rstrip().endswith(";") and sqlite3.complete_statement(pending):
            statements.append(pending.strip())
            pending = ""
    return [*statements, pending.strip()] if pending.strip() else statements
