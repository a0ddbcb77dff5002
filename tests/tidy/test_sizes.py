"""Sizes that a reader can hold: of modules, functions, parameter lists and lines."""

from __future__ import annotations

import ast
import re

import pytest

from tests.tidy.tree import files, modules, relative, syntax

MODULE_LINES_MAX = 400
FUNCTION_LINES_MAX = 50
PARAMETERS_MAX = 6
LINE_CHARS_MAX = 100

#: Module → why it may be longer.
LONG_MODULES: dict[str, str] = {}
#: Function → why it may be longer.
LONG_FUNCTIONS: dict[str, str] = {}
#: Function → why it may take more.
MANY_PARAMETERS = {
    "memory.py remember": "what is known of a message, each by name",
    "memory.py recall": "one a filter, each by name",
    "retrieval/reader.py list": "one a filter, each by name",
    "core/events.py said": "what `remember` was given",
    "cli/commands/lists.py list_command": "one an option",
    "cli/commands/feedback.py feedback_command": "one an option",
    "cli/commands/packs.py reconstitute_command": "one an option",
    "cli/commands/plan.py plan_command": "one an option",
    "cli/commands/query.py query_command": "one an option",
    "cli/commands/recall.py recall_command": "one an option",
}
_PRAGMA = re.compile(r"\s+# (?:noqa|type: ignore|pragma)\b.*$")

each_module = pytest.mark.parametrize("path", modules(), ids=relative)


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


@each_module
def test_a_module_is_short_enough_to_read(path):
    lines = len(path.read_text("utf-8").splitlines())
    assert lines <= MODULE_LINES_MAX or relative(path) in LONG_MODULES


@each_module
def test_a_function_is_short_enough_to_see_at_once(path):
    long = {
        f"{relative(path)} {one.name}": lines_of(one)
        for one in functions(path)
        if lines_of(one) > FUNCTION_LINES_MAX
    }
    assert not long.keys() - LONG_FUNCTIONS.keys(), long


@each_module
def test_a_function_takes_few_parameters(path):
    many = {
        f"{relative(path)} {one.name}"
        for one in functions(path)
        if len(parameters_of(one)) > PARAMETERS_MAX
    }
    assert not many - MANY_PARAMETERS.keys()


def test_every_exception_is_still_needed():
    long = {relative(p) for p in modules() if len(p.read_text().splitlines()) > MODULE_LINES_MAX}
    every = [(path, one) for path in modules() for one in functions(path)]
    slow = {f"{relative(p)} {f.name}" for p, f in every if lines_of(f) > FUNCTION_LINES_MAX}
    many = {f"{relative(p)} {f.name}" for p, f in every if len(parameters_of(f)) > PARAMETERS_MAX}
    assert LONG_MODULES.keys() <= long
    assert LONG_FUNCTIONS.keys() <= slow
    assert MANY_PARAMETERS.keys() <= many
    reasons = [*LONG_MODULES.values(), *LONG_FUNCTIONS.values(), *MANY_PARAMETERS.values()]
    assert all(reasons)


def test_most_functions_are_much_shorter_than_they_may_be():
    lines = sorted(lines_of(one) for path in modules() for one in functions(path))
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
