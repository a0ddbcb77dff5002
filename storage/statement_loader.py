"""Loads SQL statements by name from the files in the folder `sql`.

A file holds one statement (migrations: several, run in one transaction) under a first-line
comment that says why it exists. What several statements share stands once, under `fragments`:
`{include fragments/NAME}` takes it in. Nothing else is formatted in but names from a closed list. A
database that speaks another dialect has its own files, of the same names, in a folder of its own.
"""

from __future__ import annotations

import re
import sqlite3
from functools import cache
from pathlib import Path

_SQL = Path(__file__).parent / "sql"
DIALECT = "sqlite"
_INCLUDE = re.compile(r"\{include (fragments/\w+)\}")


@cache
def sql(name: str, dialect: str = DIALECT) -> str:
    """Return the SQL statement `name`, such as `journal/append`, without its comment.

    `sql/<dialect>/<name>.sql` where there is one, else the statement for all, `sql/<name>.sql`.
    """
    own = _SQL / dialect / f"{name}.sql"
    path = own if own.exists() else _SQL / f"{name}.sql"
    text = without_comment(path.read_text("utf-8"), "--")
    return _INCLUDE.sub(lambda include: sql(include[1], dialect), text)


@cache
def migrations() -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return every migration in order: its name and its statements."""
    files = sorted((_SQL / "migrations").glob("*.sql"))
    return tuple((file.stem, tuple(_split(file.read_text("utf-8")))) for file in files)


def without_comment(text: str, mark: str) -> str:
    """Return a statement without its first line, a comment that begins with `mark`."""
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
