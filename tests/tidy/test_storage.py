"""Storage hides its database: nobody else has a connection, a number of a space or SQL."""

from __future__ import annotations

import ast

from tests.tidy.tree import modules, relative, syntax

#: What a module outside storage may not name.
HIDDEN = {"Connection", "Database", "SpaceScope", "sql", "sqlite3"}
#: Attributes of `Store` and `SpaceStore` that are for the modules of storage alone, with what
#: may have an attribute of the same name.
PRIVATE = {"database": {"shared", "self"}, "space_scope": set(), "number": {"check"}}

#: So are these of a journal.
OF_JOURNAL = {"scope", "take_in"}


def leaks(tree: ast.Module) -> list[str]:
    """Return what a module names of that which storage hides."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            found += [alias.name for alias in node.names if alias.name in HIDDEN]
        elif isinstance(node, ast.Attribute) and node.attr in PRIVATE:
            owner = node.value.id if isinstance(node.value, ast.Name) else ""
            if owner not in PRIVATE[node.attr]:
                found.append(ast.unparse(node))
        elif isinstance(node, ast.Attribute) and node.attr in OF_JOURNAL:
            found += [ast.unparse(node)] * ast.unparse(node.value).endswith("journal")
    return found


def test_a_leak_is_found():
    code = "from meridia.storage.database import Connection\nstore.database.reading()\n"
    assert leaks(ast.parse(code)) == ["Connection", "store.database"]
    assert leaks(ast.parse("self._journal.scope(space)")) == ["self._journal.scope"]


def test_only_storage_knows_its_database():
    outside = [path for path in modules() if not relative(path).startswith("storage/")]
    assert {relative(path): leaks(syntax(path)) for path in outside if leaks(syntax(path))} == {}
