"""Reads JSON that comes from outside: files that others may have made, changed or broken.

Python's reader takes numbers that no journal holds, and ends in a traceback over what is nested
too deeply; here both are a clear error.
"""

from __future__ import annotations

import json
import math
from typing import Any

from ..errors import InvalidInput

#: How deep lists and objects may be nested, and the whole numbers that every store takes.
_DEPTH_MAX = 200
_INTEGER_MIN, _INTEGER_MAX = -(2**63), 2**63 - 1


def read_json(text: str | bytes, where: str, *, any_number: bool = False) -> Any:
    """Return the value that a text holds; `InvalidInput` names `where` it stands.

    Texts that are not UTF-8, numbers that are not finite or do not fit into 64 bits, and more than
    200 levels are refused; `any_number` takes every number.
    """
    hooks = {} if any_number else _HOOKS
    try:
        value = json.loads(text, **hooks)
    except RecursionError:
        raise _nested(where) from None
    except ValueError as error:
        raise InvalidInput(f"{where} is not JSON: {error}") from None
    level, depth = [value], 0
    while level:
        depth += 1
        if depth > _DEPTH_MAX:
            raise _nested(where)
        level = [item for each in level for item in _items(each)]
    return value


def read_json_object(text: str | bytes, where: str, *, any_number: bool = False) -> dict[str, Any]:
    """Return the same, where it is to be an object."""
    value = read_json(text, where, any_number=any_number)
    if not isinstance(value, dict):
        raise InvalidInput(f"{where} does not hold a JSON object")
    return value


def _items(value: Any) -> list[Any]:
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [item for item in inside if isinstance(item, dict | list)]


def _number(text: str) -> float:
    if not math.isfinite(number := float(text)):
        raise ValueError(f"{text[:20]} is not a finite number")
    return number


def _integer(text: str) -> int:
    if len(text) > len(str(_INTEGER_MIN)) or not _INTEGER_MIN <= int(text) <= _INTEGER_MAX:
        raise ValueError(f"{text[:20]} does not fit into 64 bits")
    return int(text)


def _nested(where: str) -> InvalidInput:
    return InvalidInput(f"{where} is not readable: more than {_DEPTH_MAX} levels are nested")


_HOOKS: dict[str, Any] = {
    "parse_constant": _number,
    "parse_float": _number,
    "parse_int": _integer,
}
