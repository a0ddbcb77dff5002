"""One subject, one door: what a folder offers, what passes by it, and arguments in bags."""

from __future__ import annotations

import ast
from collections import defaultdict
from functools import cache

from tests.tidy.tree import ROOT, modules, relative, syntax

#: So many modules may be imported by one neighbour alone: it may only become fewer.
LONELY_MAX = 34
#: So many calls may take arguments out of a tuple that was packed for them: it may become fewer.
BAGS_MAX = 9


def name_of(path):
    """Return the dotted name of a module inside the package."""
    return relative(path).removesuffix(".py").removesuffix("/__init__").replace("/", ".")


@cache
def own():
    """Return the modules that are no folders, by their dotted names."""
    return {name_of(path) for path in modules() if path.name != "__init__.py"}


def imported(path):
    """Yield the modules of the package that a module imports."""
    folder = list(path.relative_to(ROOT).parts[:-1])
    for node in ast.walk(syntax(path)):
        if not isinstance(node, ast.ImportFrom) or not node.level:
            continue
        source = [*folder[: len(folder) - node.level + 1], *(node.module or "").split(".")]
        source = ".".join(filter(None, source))
        if source in own():
            yield source
        else:
            names = (f"{source}.{alias.name}".lstrip(".") for alias in node.names)
            yield from (name for name in names if name in own())


@cache
def importers():
    """Return the modules that import each."""
    found = defaultdict(set)
    for path in modules():
        for name in imported(path):
            found[name].add(name_of(path))
    return found


@cache
def offered():
    """Return what each folder's `__all__` names, by the folder's dotted name."""
    doors = {}
    for path in modules():
        if path.name == "__init__.py" and path.parent != ROOT:
            named = [
                ast.literal_eval(node.value)
                for node in syntax(path).body
                if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
            ]
            doors[name_of(path)] = set(named[0]) if named else set()
    return doors


def folder_of(name):
    """Return the folder of a module, and its name there."""
    return name.rpartition(".")[::2]


def test_no_door_is_passed_by():
    passed = sorted(
        f"{who} imports {name}: name {folder_of(name)[1]!r} in __all__ of {folder_of(name)[0]}"
        for name, all_who in importers().items()
        for who in all_who
        if folder_of(who)[0] != (folder := folder_of(name)[0]) and folder
        if folder_of(name)[1] not in offered()[folder]
    )
    assert passed == []


def test_a_door_offers_what_is_there():
    there = own()
    missing = [
        f"{d}.{n}" for d, names in offered().items() for n in names if f"{d}.{n}" not in there
    ]
    assert missing == []


def test_few_modules_are_there_for_one_neighbour_alone():
    lonely = sorted(
        name
        for name, (who, *more) in ((name, sorted(all_who)) for name, all_who in importers().items())
        if not more and folder_of(who)[0] == folder_of(name)[0]
        # `cli.main` loads each command by its name.
        if not name.startswith("cli.commands.")
    )
    assert len(lonely) <= LONELY_MAX, lonely


def bags(path):
    """Yield the calls of a module that unpack a tuple which the same function packed for them."""
    for function in ast.walk(syntax(path)):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        packed = {
            target.id
            for node in ast.walk(function)
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Tuple)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        for node in ast.walk(function):
            if isinstance(node, ast.Call):
                starred = [a.value for a in node.args if isinstance(a, ast.Starred)]
                if any(isinstance(each, ast.Name) and each.id in packed for each in starred):
                    yield f"{relative(path)}:{node.lineno}"


def test_arguments_are_handed_over_by_name_and_not_in_a_bag():
    found = sorted({line for path in modules() for line in bags(path)})
    assert len(found) <= BAGS_MAX, found
