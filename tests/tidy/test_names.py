"""Names that a reader meets: each says one thing, in the field's words, and leads somewhere."""

from __future__ import annotations

import ast
import re
from collections import Counter
from inspect import cleandoc

from tests.tidy.tree import ROOT, files, modules, relative, syntax

FILE_NAMES_MAX = 2
#: Names in docstrings: of something in the code, but for placeholders and ignored foreign fields.
_QUOTED = re.compile(r"`([A-Za-z_]\w+)(?:\.[A-Za-z_]\w*)*`")
_PLACEHOLDERS = frozenset(
    "a12 MERIDIA_SECTION_NAME AWS_SECRET_KEY event_summary session_summary updated_at".split()
)
#: Documents that are not in the project, and rows of their tables.
_CITED = re.compile(
    r"\b(?:FACTS|FIELD|RECALL|DESIGN|STYLE|NEO4J|F[12])(?:\.md\b| rows? \d+| D\d+| \()"
)
_DOCUMENT = re.compile(r"(?<![\w/.:-])(docs/[\w.-]+\.md|[A-Z]{3,}\.md)\b")


def classes_of(tree):
    """Return the names of the classes that a module defines."""
    return [node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]


def repeated(names, most=1):
    """Return the names that occur too often."""
    return sorted(name for name, times in Counter(names).items() if times > most)


def citations_in(text):
    """Return what a text cites of documents that are not there."""
    named = [name for name in _DOCUMENT.findall(text) if not leads_somewhere(name)]
    return [match.group() for match in _CITED.finditer(text)] + named


def docstrings_of(tree):
    """Return the docstrings of a module, its classes and its functions."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return [
        text
        for node in ast.walk(tree)
        if isinstance(node, documented) and (text := ast.get_docstring(node))
    ]


def words_in_code(tree):
    """Return every identifier of a module, and the words of its texts but for docstrings."""
    documented = set(docstrings_of(tree))
    words = {
        name
        for node in ast.walk(tree)
        for field in ("id", "attr", "arg", "name", "asname", "module")
        if isinstance(name := getattr(node, field, None), str)
    }
    texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    texts = [text for text in texts if isinstance(text, str) and cleandoc(text) not in documented]
    return {word for text in [*words, *texts] for word in re.findall(r"\w+", text)}


def unknown_names(texts, words):
    """Return the names that texts quote and that no code has."""
    quoted = {name for text in texts for name in _QUOTED.findall(text)}
    return sorted(quoted - words - _PLACEHOLDERS)


def leads_somewhere(name):
    """Say whether a document is in the project, by its path or its name."""
    return (
        (ROOT / name).is_file()
        or (ROOT / "docs" / name).is_file()
        or bool([path for path in files() if path.name == name.rpartition("/")[2]])
    )


def test_a_class_name_is_defined_once():
    assert repeated(name for path in modules() for name in classes_of(syntax(path))) == []


def test_a_file_name_stands_twice_at_most():
    names = [path.name for path in modules() if not path.name.startswith("__")]
    assert repeated(names, FILE_NAMES_MAX) == []


def test_documents_that_are_cited_exist():
    suffixes = {".py", ".md", ".sql", ".cypher", ".toml", ".yml"}
    texts = [
        path
        for path in files()
        if path.suffix in suffixes and not relative(path).startswith("tests/")
    ]
    cited = {relative(path): citations_in(path.read_text("utf-8")) for path in texts}
    assert {name: lines for name, lines in cited.items() if lines} == {}


def test_names_that_docstrings_quote_exist():
    every = modules(shipped_only=False)
    words = set().union(*(words_in_code(syntax(path)) for path in every))
    words |= {word for path in files() for word in re.findall(r"\w+", relative(path))}
    stale = {relative(path): unknown_names(docstrings_of(syntax(path)), words) for path in every}
    assert {name: names for name, names in stale.items() if names} == {}


def test_each_of_these_checks_can_fail():
    stale = ast.parse('def f(rows):\n    """Return `rows` by `gone`."""')
    assert unknown_names(docstrings_of(stale), words_in_code(stale)) == ["gone"]
    tree = ast.parse("class Told: pass\nclass Told: pass")
    assert repeated(classes_of(tree)) == ["Told"]
    assert repeated(["a.py"] * 3, FILE_NAMES_MAX) == ["a.py"]
    assert citations_in("as FACTS row 12 and docs/nowhere.md say, see README.md") == [
        "FACTS row 12",
        "docs/nowhere.md",
    ]
