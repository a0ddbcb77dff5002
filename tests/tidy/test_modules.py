"""Every module says what it is for, is tested, and shows on top what it needs."""

from __future__ import annotations

import ast
import re

from tests.tidy.tree import ROOT, modules, relative, syntax

#: Module → the tests that stand for the one of its name, and why.
TESTED_ELSEWHERE = {
    "core/settings_loader.py": ("tests/core/test_settings.py", "how settings are gathered"),
    "__init__.py": ("tests/cli/test_start.py", "its laziness is seen from a fresh process"),
    "ingest/importers/agents.py": (
        "tests/ingest/importers/agents/test_codex.py",
        "read through the importer, a file for each program",
    ),
    "storage/edge_table.py": ("tests/graph/test_adjacency.py", "its rows are read as arrays"),
    "storage/space_scope.py": ("tests/storage/test_store.py", "a part of the store"),
    "storage/upkeep.py": (
        "tests/graph/test_maintenance.py",
        "rebuilt with the graph",
    ),
    "service/documents.py": ("tests/cli/test_lists.py", "the command line prints them"),
    "components.py": ("tests/test_memory.py", "they are opened through the public face"),
    "cli/__main__.py": ("tests/cli/test_start.py", "it is run as a process"),
}
#: Modules that import others by name → why.
BY_NAME = {
    "__init__.py": "the public names are imported on first use",
    "cli/main.py": "a command is imported when it is asked for",
    "models/model_factory.py": "a model's libraries take seconds, and no model is needed",
    "core/lazy.py": "a module is imported when one of its names is used",
    "graph/engines.py": "the driver of Neo4j takes a quarter of a second, and most have none",
    "graph/graphiti/mapping.py": "it takes a second, and most have none",
    "ingest/extraction/entities.py": "spaCy takes seconds, and nobody needs it",
}
FORBIDDEN_NAMES = {"utils", "util", "helpers", "helper", "manager", "managers", "common", "misc"}


def test_file_of(path):
    """Return where the tests of a module stand; groups of commands have no folder there."""
    *folders, name = [part for part in path.relative_to(ROOT).parts if part != "commands"]
    return "/".join(["tests", *folders, f"test_{name}"])


test_file_of.__test__ = False


def imported_by_tests(path):
    """Return whether a test of the same folder, of one above or of its own imports a module."""
    *folders, name = path.relative_to(ROOT).with_suffix("").parts
    parent = ".".join(["meridia", *folders])
    wanted = re.compile(
        rf"from {parent}\.{name} import|import {parent}\.{name}\b"
        rf"|from {parent} import (?:\([^)]*\b{name}\b|.*\b{name}\b)"
    )
    above = [ROOT.joinpath("tests", *folders[:depth]) for depth in range(1, len(folders) + 1)]
    own = ROOT.joinpath("tests", *folders, name)
    tests = [file for folder in [*above, own] for file in folder.glob("test_*.py")]
    return any(wanted.search(file.read_text("utf-8")) for file in tests)


def is_empty(path):
    """Return whether a module is a folder's door and holds nothing else."""
    return path.name == "__init__.py" and path.parent != ROOT


def test_every_module_says_what_it_is_for():
    docstrings = {
        relative(path): ast.get_docstring(syntax(path)) or ""
        for path in modules(shipped_only=False)
        if not relative(path).startswith("tests/")
    }
    assert [name for name, text in docstrings.items() if len(text.split()) < 4] == []
    # A licence header says nothing of what a module is for.
    assert [name for name, text in docstrings.items() if "opyright" in text] == []


def test_every_folder_of_the_package_says_its_question():
    packages = [path for path in modules() if path.name == "__init__.py" and path.parent != ROOT]
    silent = [
        relative(path)
        for path in packages
        if not (ast.get_docstring(syntax(path)) or "").splitlines()[0].endswith("?")
    ]
    assert silent == []


def test_every_module_has_tests_in_the_folder_of_its_name():
    untested = []
    for path in modules():
        wanted, _ = TESTED_ELSEWHERE.get(relative(path), (test_file_of(path), ""))
        file = ROOT / wanted
        tested = file.is_file() and "def test_" in file.read_text("utf-8")
        if not is_empty(path) and not tested and not imported_by_tests(path):
            untested.append(f"{relative(path)}: {wanted}")
    assert untested == []


def test_every_exception_names_a_module_that_is_there():
    there = {relative(path) for path in modules()}
    assert TESTED_ELSEWHERE.keys() | BY_NAME.keys() <= there


def own_imports(path):
    """Yield what a module imports of this package inside of functions."""
    inside = [
        node
        for function in ast.walk(syntax(path))
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef))
        for node in ast.walk(function)
    ]
    for node in inside:
        if isinstance(node, ast.ImportFrom):
            if node.level:
                yield node.module or ""
            elif (node.module or "").partition(".")[0] == "meridia":
                yield node.module
        elif isinstance(node, ast.Import):
            yield from (one.name for one in node.names if one.name.startswith("meridia"))


def test_the_package_imports_itself_on_top_of_modules_only():
    found = {(relative(path), name) for path in modules() for name in own_imports(path)}
    assert found == set()


def test_every_folder_loads_its_modules_on_first_use():
    closed = [
        relative(path)
        for path in modules()
        if path.name == "__init__.py" and path.parent != ROOT
        if "__getattr__ = door(__name__)" not in path.read_text("utf-8")
    ]
    assert closed == []


def test_few_modules_import_others_by_name():
    found = {
        relative(path)
        for path in modules()
        for node in ast.walk(syntax(path))
        if isinstance(node, ast.Attribute) and node.attr in {"import_module", "__import__"}
    }
    assert found == BY_NAME.keys()


def test_neighbours_are_imported_relatively():
    absolute = [
        f"{relative(path)}: {node.module}"
        for path in modules()
        for node in ast.walk(syntax(path))
        if isinstance(node, ast.ImportFrom) and not node.level and node.module
        if node.module.partition(".")[0] == "meridia"
    ]
    assert absolute == []


def test_modules_are_named_after_what_they_are():
    for path in modules():
        names = {part.removesuffix(".py") for part in path.relative_to(ROOT).parts}
        assert not names & FORBIDDEN_NAMES, relative(path)
        assert all(name == name.lower() for name in names), relative(path)


def test_imports_stand_together_at_the_top():
    """A module that took another in has one block of imports."""
    late = []
    for path in modules():
        body = syntax(path).body
        texts = [isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant) for n in body]
        shown = [node for node, is_text in zip(body, texts, strict=True) if not is_text]
        kinds = [isinstance(node, ast.Import | ast.ImportFrom) for node in shown]
        late += [relative(path)] * (kinds != sorted(kinds, reverse=True))
    assert late == []
