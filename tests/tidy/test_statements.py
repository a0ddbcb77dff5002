"""Statements live in files: Python holds no SQL and no Cypher."""

from __future__ import annotations

import ast
import re
from collections import Counter

import pytest

from meridia.storage.statement_loader import statements
from tests.tidy.tree import ROOT, modules, relative, syntax

_STATEMENT = re.compile(
    r"\b(?:"
    r"SELECT\s.+?\sFROM\b|INSERT\s+(?:OR\s+\w+\s+)?INTO\b|UPDATE\s+\w+\s+SET\b|DELETE\s+FROM\b"
    r"|(?:CREATE|DROP|ALTER)\s+(?:VIRTUAL\s+)?(?:TABLE|INDEX|TRIGGER|VIEW|CONSTRAINT|FULLTEXT)\b"
    r"|MATCH\s+\w*\s*=?\s*\(|MERGE\s+\(|UNWIND\s+\S+\s+AS\b|RETURN\s+\S+\s+AS\b"
    r")",
    re.DOTALL,
)
#: Module → (how many statements it holds, why).
HELD = {
    "cli/commands/demo.py": (1, "the demo shows the statement that it runs"),
    "service/parameters.py": (1, "an example of a statement in the description"),
    "storage/database.py": (2, "asks SQLite what a file is, before any table is known to exist"),
}


def docstrings(tree):
    """Return the nodes that are docstrings."""
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, kinds) and ast.get_docstring(node) is not None
    }


def statements_in(tree):
    """Return the texts of a module that look like a statement."""
    spoken = docstrings(tree)
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if id(node) not in spoken and _STATEMENT.search(node.value)
    ]


def test_python_holds_no_statements_but_the_listed_ones():
    found = Counter({relative(path): len(statements_in(syntax(path))) for path in modules()})
    assert +found == {module: count for module, (count, _) in HELD.items()}


@pytest.mark.parametrize(
    "text",
    [
        "SELECT a FROM b",
        "INSERT OR IGNORE INTO b VALUES (?)",
        "CREATE VIRTUAL TABLE x USING fts5(a)",
        "MATCH (n:Person) RETURN n",
        "MATCH p = (a)-->(b) RETURN p",
        "UNWIND $rows AS row MERGE (n {id: row.id})",
    ],
)
def test_the_search_knows_a_statement_when_it_sees_one(text):
    assert statements_in(ast.parse(f"x = f{text!r}" if "{" not in text else f"x = {text!r}"))
    assert not statements_in(ast.parse(f'"""{text}"""'))


SQL = ROOT / "storage" / "sql"
CYPHER = ROOT / "cypher"
#: Each statement by its name, with its comment.
SQL_STATEMENTS = {
    f"{path.stem}/{name}": text
    for path in SQL.glob("*.sql")
    for name, text in statements(path.stem).items()
}
CYPHER_STATEMENTS = {
    path.relative_to(CYPHER).with_suffix("").as_posix(): path.read_text("utf-8")
    for path in CYPHER.rglob("*.cypher")
}
MIGRATIONS = {path.stem: path.read_text("utf-8") for path in SQL.glob("migrations/*.sql")}


def test_every_statement_begins_by_saying_why():
    for name, text in {**SQL_STATEMENTS, **MIGRATIONS, **CYPHER_STATEMENTS}.items():
        first, *rest = text.splitlines()
        assert re.fullmatch(r"(--|//) [A-Z`].*", first), name
        assert len(first.split()) >= 4, name
        assert any(line.strip() for line in rest), name


def test_every_statement_is_used():
    code = "\n".join(path.read_text("utf-8") for path in modules())
    code += re.sub(r"\{include (\S+)\}", r'"\1"', "\n".join(SQL_STATEMENTS.values()))
    unused = []
    for name in [*SQL_STATEMENTS, *CYPHER_STATEMENTS]:
        group, _, own = name.partition("/")
        named = f'"{name}"' in code or (f'"{group}/{{' in code and f'"{own}"' in code)
        if group != "named" and not named:
            unused.append(name)
    assert unused == []
