"""Sizes that a reader can hold: of modules, functions, parameter lists and lines."""

from __future__ import annotations

import ast
import re
from collections import Counter

from tests.tidy.tree import files, modules, relative, syntax

MODULE_LINES_MAX = 600
FUNCTION_LINES_MAX = 50
PARAMETERS_MAX = 6
LINE_CHARS_MAX = 100
FOLDER_MODULES_MAX = 30

#: Module → why it may be longer.
LONG_MODULES: dict[str, str] = {
    "memory.py": "the one public class: a third of it is what its operations say of themselves",
}
#: Function → why it may be longer.
LONG_FUNCTIONS: dict[str, str] = {}
#: Function → why it may take more.
MANY_PARAMETERS = {
    "memory.py remember": "what is known of a message, each by name",
    "memory.py upsert": "what is known of a message, each by name",
    "memory.py forget": "one argument a filter",
    "memory.py recall": "one a filter, each by name",
    "ingest/enrichment/register.py step": "what happened, when, and to whom",
    "memory.py list": "one a filter, each by name",
    "ingest/message_event.py message_event": "what `remember` was given",
}
_PRAGMA = re.compile(r"\s+# (?:noqa|type: ignore|pragma)\b.*$")


def functions(path):
    """Yield the functions and methods of a module."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return [node for node in ast.walk(syntax(path)) if isinstance(node, kinds)]


def lines_of(function):
    """Return how many lines a function has without its docstring."""
    count = function.end_lineno - function.lineno + 1
    if ast.get_docstring(function) is not None:
        count -= function.body[0].end_lineno - function.body[0].lineno + 1
    return count


def parameters_of(function):
    """Return the names of a function's parameters, without `self` and `cls`."""
    given = function.args
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    return [one.arg for one in every if one.arg not in {"self", "cls"}]


EVERY = [(path, function) for path in modules() for function in functions(path)]


def test_modules_are_short_and_every_exception_is_still_needed():
    sizes = {relative(path): len(path.read_text("utf-8").splitlines()) for path in modules()}
    assert {name for name, lines in sizes.items() if lines > MODULE_LINES_MAX} == set(LONG_MODULES)


def test_functions_are_short_and_every_exception_is_still_needed():
    long = {f"{relative(p)} {f.name}" for p, f in EVERY if lines_of(f) > FUNCTION_LINES_MAX}
    assert long == set(LONG_FUNCTIONS)


def test_functions_take_few_parameters_and_every_exception_is_still_needed():
    # A command has a parameter for each of its options, and click gives each by name.
    others = [(p, f) for p, f in EVERY if not f.name.endswith("_command")]
    many = {f"{relative(p)} {f.name}" for p, f in others if len(parameters_of(f)) > PARAMETERS_MAX}
    assert many == set(MANY_PARAMETERS)


def test_a_folder_holds_few_modules():
    folders = Counter(relative(path.parent) for path in modules() if path.name != "__init__.py")
    assert {name: n for name, n in folders.items() if n > FOLDER_MODULES_MAX} == {}


def test_most_functions_are_much_shorter_than_they_may_be():
    lines = sorted(lines_of(function) for _, function in EVERY)
    assert lines[len(lines) * 9 // 10] <= 25


def test_a_line_fits_on_a_screen():
    wide = [
        f"{relative(path)}:{number}"
        for path in files()
        if path.suffix in {".py", ".sql", ".cypher"}
        for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1)
        if len(_PRAGMA.sub("", line)) > LINE_CHARS_MAX and " " in line.strip()
    ]
    assert wide == []
