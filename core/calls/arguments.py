"""Arguments of public methods, compared with their annotations before anything is done with them.

So a wrong one is an `InvalidInput` that names it, and no error from deep inside. It looks at the
type and no deeper: whether a text is the name of something, the method itself says. Annotations
are read as text: a checker of pydantic's would import every class that they name.
"""

from __future__ import annotations

import ast
import functools
import operator
import os
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar, cast

from ..errors import InvalidInput

C = TypeVar("C", bound=Callable[..., Any])

_INTEGER_MAX = 2**63 - 1
#: What no file name holds.
_NO_PATH = re.compile("[\0\ud800-\udc7f\udd00-\udfff]")


def _is_series(value: object) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping))


def _is_path(value: Any) -> bool:
    return isinstance(value, (str, os.PathLike))


def _is_number(value: Any) -> bool:
    return hasattr(value, "__float__") and not _is_truth(value)


def _is_truth(value: object) -> bool:
    return isinstance(value, bool) or type(value).__name__ == "bool"


#: What an annotation asks for → how an error calls it, how it is recognised, what is made of it.
_Kind = tuple[str, Callable[[Any], bool], Callable[[Any], Any]]


def _same(value: Any) -> Any:
    return value


_TEXT: _Kind = ("text", lambda value: isinstance(value, str), _same)
_LIST: _Kind = ("a list", _is_series, list)
_CALL: _Kind = ("a function", callable, _same)
_ANY: _Kind = ("anything", lambda _: True, _same)
_KINDS: dict[str, _Kind] = {
    "None": ("None", lambda value: value is None, _same),
    "str": _TEXT,
    "Space": _TEXT,
    "int": (
        "a whole number",
        lambda value: hasattr(value, "__index__") and not _is_truth(value),
        operator.index,
    ),
    "float": ("a number", _is_number, float),
    "bool": ("True or False", _is_truth, bool),
    "datetime": ("a datetime", lambda value: isinstance(value, datetime), _same),
    "os.PathLike": ("a path", _is_path, Path),
    "Path": ("a path", _is_path, Path),
    "BinaryIO": ("an open binary file", lambda value: hasattr(value, "read"), _same),
    "When": ("a time", lambda _: True, _same),  # looked at by `core.time.read_time`
    "Mapping": ("a mapping", lambda value: isinstance(value, Mapping), _same),
    "Sequence": _LIST,
    "Collection": _LIST,
    "Iterable": ("an iterable of several", _is_series, _same),
    "Progress": _CALL,
    "Callable": _CALL,
    "TokenCounter": _CALL,
    "OnAnswer": _CALL,
    "Any": _ANY,
    "Json": _ANY,
    "HasContent": ("a message", lambda value: hasattr(value, "content"), _same),
    "HasId": ("something with an id", lambda value: hasattr(value, "id"), _same),
}


def checked(of: C) -> C:
    """Have a function, or the public methods that a class defines, check their arguments."""
    if not isinstance(of, type):
        return cast("C", _checked(of))
    for name, member in list(vars(of).items()):
        if name.startswith("_") and name != "__call__":
            continue
        if isinstance(member, classmethod):
            setattr(of, name, classmethod(_checked(member.__func__)))
        elif hasattr(member, "__code__"):
            setattr(of, name, _checked(member))
    return of


def _checked(method: Callable[..., Any]) -> Callable[..., Any]:
    names = method.__code__.co_varnames[: method.__code__.co_argcount]
    asked = method.__annotations__

    @functools.wraps(method)
    def call(*arguments: Any, **named: Any) -> Any:
        given = [_read(n, asked.get(n), value) for n, value in zip(names, arguments, strict=False)]
        named = {name: _read(name, asked.get(name), value) for name, value in named.items()}
        return method(*given, *arguments[len(given) :], **named)

    return call


def _read(name: str, annotation: str | None, value: Any) -> Any:
    """Return an argument as its annotation asks for it; `InvalidInput` where it is something else.

    An instance of any other class in the annotation stays as it is.
    """
    if annotation is None:
        return value
    wanted = []
    for head, elements in _alternatives(annotation):
        called, is_kind, made = _KINDS.get(head) or _instance_of(head)
        if is_kind(value):
            if called == "a path" and _NO_PATH.search(str(value)):
                raise InvalidInput(
                    f"{name} is not a valid path: it contains NUL or half of a surrogate pair"
                )
            if head != "When":
                if isinstance(value, datetime) and value.tzinfo is None:
                    raise InvalidInput(f"{name} has no timezone: add one, such as +00:00")
                if isinstance(value, int) and not 0 <= value <= _INTEGER_MAX:
                    raise InvalidInput(f"{name} {value} is out of range: 0 to {_INTEGER_MAX}")
            if head in {"Sequence", "Collection"}:
                return [_read(f"{name}[{n}]", elements, element) for n, element in enumerate(value)]
            return made(value)
        wanted += [called] * (called != "None" and called not in wanted)
    shown = "None" if value is None else f"of type {type(value).__name__}"
    raise InvalidInput(f"{name} is {shown}: give {' or '.join(wanted)}")


def _instance_of(name: str) -> _Kind:
    return name, lambda value: any(c.__name__ == name for c in type(value).__mro__), _same


@functools.cache
def _alternatives(annotation: str) -> tuple[tuple[str, str | None], ...]:
    """Return the parts that `|` separates: each its name, and what stands in brackets after it."""
    node = ast.parse(annotation, mode="eval").body
    alternatives: list[tuple[str, str | None]] = []
    while isinstance(node, ast.BinOp):
        alternatives.insert(0, _alternative(node.right))
        node = node.left
    return (_alternative(node), *alternatives)


def _alternative(node: ast.expr) -> tuple[str, str | None]:
    if isinstance(node, ast.Subscript):
        return ast.unparse(node.value), ast.unparse(node.slice)
    return ast.unparse(node), None
