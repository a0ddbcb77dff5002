"""Arguments as models and strict clients write them: flat schemas out, forgiving reading in.

A schema has neither references nor alternatives, which some clients refuse. What comes may have
numbers, objects and lists as text, and null or an empty text where an argument is left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from ..core.errors import InvalidInput
from ..core.events import ROLE_NAMES
from .operations import Operation, Parameters
from .parameters import flat_schema

#: An address as it was cited, in brackets or quotes.
_CITED = re.compile(r"[\[(\"'`\s]*(@\d+)[\])\"'`\s]*")
_ADDRESSES = re.compile(r"@\d+(?:[,;\s]+@\d+)+")
_SHOWN_CHARS = 60


def schema_of(operation: Operation) -> dict[str, Any]:
    """Return the JSON schema of an operation's arguments, without references and alternatives."""
    flat = flat_schema(operation.parameters)
    flat.pop("description", None)
    required = flat.get("required", [])
    order = sorted(flat["properties"], key=lambda name: (name not in required, name == "space"))
    return flat | {"properties": {name: flat["properties"][name] for name in order}}


def read_arguments(operation: Operation, given: Mapping[str, Any]) -> Parameters:
    """Return a caller's arguments, checked; `InvalidInput` says what is wrong and what is right."""
    schema = schema_of(operation)
    accepted, required = schema["properties"], schema.get("required", [])
    takes = f"{operation.name} takes {_listed(accepted, required)}"
    unknown = [str(name)[:_SHOWN_CHARS] for name in given if name not in accepted]
    if unknown:
        raise InvalidInput(f"there is no argument {', '.join(map(repr, unknown))}: {takes}")
    read = {
        name: _read(value, accepted[name])
        for name, value in given.items()
        if not (value is None or (value == "" and name not in required))
    }
    try:
        return operation.parameters.model_validate(read)
    except ValidationError as error:
        problems = error.errors(include_url=False, include_input=False, include_context=False)
        message = "; ".join(
            _problem(tuple(each["loc"]), each["type"], each["msg"]) for each in problems
        )
        raise InvalidInput(f"{message}. {takes}") from None


def _read(value: Any, schema: Mapping[str, Any]) -> Any:
    """Return a value as its type has it, where it was written as another."""
    kind = schema["type"]
    if isinstance(value, str) and kind in ("object", "array"):
        value = _from_text(value.strip(), kind)
    if kind == "array":
        items = value if isinstance(value, list) else [value]
        return [_read(item, schema["items"]) for item in items]
    is_address = kind == "string" and "@" in schema.get("description", "")
    if kind == "string" and isinstance(value, int | float) and not isinstance(value, bool):
        return f"@{value}" if is_address else str(value)
    if is_address and isinstance(value, str) and (cited := _CITED.fullmatch(value)):
        return cited[1]
    if isinstance(value, str) and kind in ("integer", "number", "boolean"):
        return value.strip()
    if isinstance(value, str) and "enum" in schema:
        word = value.strip().lower()
        return next((w for w in (word, ROLE_NAMES.get(word)) if w in schema["enum"]), value)
    return value


def _from_text(text: str, kind: str) -> Any:
    """Return the object or list that a text holds; a text that holds none is the only element."""
    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        read = None
    if kind == "object":
        return text if read is None else read
    if isinstance(read, list):
        return read
    if _ADDRESSES.fullmatch(text):
        return re.split(r"[,;\s]+", text)
    return [text if read is None or not isinstance(read, dict) else read]


def _listed(accepted: Mapping[str, Any], required: list[str]) -> str:
    return ", ".join(f"{name} (required)" if name in required else name for name in accepted)


def _problem(place: tuple[Any, ...], kind: str, message: str) -> str:
    """Return in words what is wrong with one argument."""
    name = ".".join(map(str, place)) or "the arguments"
    if kind == "missing":
        return f"{name} is missing"
    if kind == "extra_forbidden":
        return f"{name} is not known"
    if kind == "dict_type":
        return f'{name} must be a JSON object, such as {{"topic": "sailing"}}'
    return f"{name}: {message.removeprefix('Value error, ').removeprefix('Input ')}"
