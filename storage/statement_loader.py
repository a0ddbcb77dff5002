"""Loads SQL statements by name: `sql/SUBJECT.sql` has those of one subject.

Each statement stands under `-- name: NAME` and a comment that says why it exists. What several
statements share stands once, in `fragments.sql`: `{include fragments/NAME}` takes it in. Nothing
else is formatted in but names from a closed list. A migration is a file of several statements, run
in one transaction.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping
from functools import cache
from pathlib import Path

_SQL = Path(__file__).parent / "sql"
_INCLUDE = re.compile(r"\{include (fragments/\w+)\}")
_NAME = re.compile(r"^-- name: (\w+)\n", re.MULTILINE)


@cache
def sql(name: str) -> str:
    """Return the SQL statement `name`, such as `journal/append`, without its comment.

    Raises `KeyError` for a name that no statement has.
    """
    subject, _, own = name.partition("/")
    text = without_comment(statements(subject)[own], "--")
    return _INCLUDE.sub(lambda include: sql(include[1]), text)


@cache
def statements(subject: str) -> Mapping[str, str]:
    """Return the statements of a subject by name, each with its comment; none without a file."""
    path = _SQL / f"{subject}.sql"
    if not path.exists():
        return {}
    _, *named = _NAME.split(path.read_text("utf-8"))
    return dict(zip(named[::2], named[1::2], strict=True))


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
