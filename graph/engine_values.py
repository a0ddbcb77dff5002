"""Results of an engine as JSON values that are the same on every engine.

Instants become UTC text, numbers that JSON lacks become null, a node becomes its labels and
properties. Values that only one engine has are converted by its adapter first.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date, datetime, time
from typing import Any

from ..core.errors import InvalidInput
from ..core.time import to_text
from ..core.types import Json

_SURROGATE = re.compile("[\ud800-\udfff]")
_INTEGER_MIN, _INTEGER_MAX = -(2**63), 2**63 - 1


def json_value(  # noqa: PLR0911 - one return a type
    value: Any, translate: Callable[[Any], Any] = lambda value: value
) -> Json:
    """Return `value` as JSON; `translate` turns an engine's own values into Python's first."""
    match translate(value):
        case None | bool() | int() | str() as same:
            return same
        case float() as number:
            return number if math.isfinite(number) else None
        case datetime(tzinfo=zone) as instant if zone is not None:
            return to_text(instant)
        case date() | time() as local:
            return local.isoformat()
        case bytes() | bytearray() as raw:
            return raw.hex()
        case Mapping() as fields:
            return {str(key): json_value(item, translate) for key, item in fields.items()}
        case list() | tuple() | set() | frozenset() as parts:
            return [json_value(item, translate) for item in parts]
        case other:
            return str(other)


def node(labels: Sequence[str], properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return a node as both engines show it."""
    return {"labels": sorted(labels), "properties": dict(properties)}


def relationship(type: str, properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return an edge as both engines show it."""
    return {"type": type, "properties": dict(properties)}


def check_parameters(parameters: Mapping[str, Any], used: Collection[str] = ()) -> None:
    """Raise `InvalidInput` for a used one without a value, and what not every engine can take."""
    for name in sorted({*used} - {*parameters, "space"}):
        raise InvalidInput(
            f"statement: parameter ${name} has no value: give it one (--param {name}=…)"
        )
    for name, value in parameters.items():
        try:
            _check(name, value)
        except RecursionError:
            raise InvalidInput(f"parameter {name!r} holds itself, or nests too deeply") from None


def _check(name: str, value: Any) -> None:
    if isinstance(value, Mapping):
        for key, item in value.items():
            _check(f"{name}.{key}", item)
    elif isinstance(value, list | tuple):
        for item in value:
            _check(name, item)
    elif problem := _problem(value):
        raise InvalidInput(f"parameter {name!r}: {problem}")


def _problem(value: Any) -> str | None:
    match value:
        case None | bool():
            return None
        case str():
            return "it holds half of a surrogate pair" if _SURROGATE.search(value) else None
        case int():
            fits = _INTEGER_MIN <= value <= _INTEGER_MAX
            return None if fits else f"{value} does not fit into 64 bits"
        case float():
            return None if math.isfinite(value) else f"{value} is no number"
        case datetime():
            return None if value.tzinfo else "add a timezone to the time"
        case other:
            return f"{type(other).__name__} is no JSON value or time"
