"""The one codec: values of the journal from and to plain JSON.

Keys are the journal's (`emotionalSignature`, `from`); without aliases they are the names of the
fields, in snake_case, as `--json` prints them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast, get_args

from pydantic import TypeAdapter, ValidationError

from .entries import EntryPayload, ExperienceCaptured, FeedbackGiven
from .errors import InvalidInput
from .events import encode as canonical
from .events import recorded_event
from .time import to_text
from .vocabulary import EntryKind, Json, Payload

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T")

_PAYLOADS: Mapping[EntryKind, Any] = {
    **{type.kind: type for type in get_args(EntryPayload)},
    EntryKind.FEEDBACK_GIVEN: FeedbackGiven,
}
#: Objects that are written as they are: they may nest deeper than the library follows.
_WHOLE = ("event", "skeleton")


def decode_entry(kind: EntryKind, value: str | Mapping[str, Json]) -> EntryPayload:
    """Return the payload of an entry from canonical text or its JSON object.

    Raises `InvalidInput` that names every field that is wrong, `ValueError` for text that is none.
    """
    type = _PAYLOADS[kind]
    if isinstance(value, str):
        return cast("EntryPayload", decode_text(type, value, kind.value))
    return cast("EntryPayload", decode(type, value, kind.value))


def decode_text(type: type[T], text: str, where: str = "") -> T:
    """Return a value of a type from its text; see `decode_entry`."""
    try:
        return cast("T", _adapter(cast("Any", type)).validate_json(text))
    except ValidationError:  # also raised for what nests deeper than the library reads
        return decode(type, json.loads(text), where)


def decode(type: type[T], value: Json, where: str = "") -> T:
    """Return a value of a type from plain JSON; `InvalidInput` names every field that is wrong."""
    try:
        return cast("T", _adapter(cast("Any", type)).validate_python(value))
    except ValidationError as error:
        start = where or type.__name__
        problems = "; ".join(
            f"{'.'.join(map(str, (start, *problem['loc'])))}: {problem['msg']}"
            for problem in error.errors(include_url=False, include_input=False)
        )
        raise InvalidInput(f"not valid: {problems}") from None


def stored_event(body: str) -> Payload:
    """Return the event of a captured experience's stored payload, or of a held event."""
    return recorded_event(decode_text(ExperienceCaptured, body))


def encode(value: object, *, by_alias: bool = True) -> dict[str, Json]:
    """Return the plain JSON object of a value; fields that have their default are left out."""
    raw = {name: event for name in _WHOLE if (event := getattr(value, name, None)) is not None}
    fields: dict[str, Json] = _adapter(cast("Any", type(value))).dump_python(
        value, mode="json", by_alias=by_alias, exclude_defaults=True, exclude=set(raw) or None
    )
    return fields | raw


def to_object(value: DataclassInstance) -> dict[str, Json]:
    """Return all fields of a value as JSON values, by their names: what `--json` prints."""
    return {field.name: _json(getattr(value, field.name)) for field in fields(value)}


def _json(value: Any) -> Json:
    if is_dataclass(value) and not isinstance(value, type):
        return to_object(value)
    if isinstance(value, Enum):
        return cast("Json", value.value)
    if isinstance(value, datetime):
        return to_text(value)
    if isinstance(value, Mapping):
        return {_json(key): _json(item) for key, item in value.items()}
    return [_json(item) for item in value] if isinstance(value, list | tuple) else value


def encode_text(value: object) -> str:
    """Return the canonical text of a value, which the journal keeps and hashes."""
    return canonical(encode(value))


@cache
def _adapter(type: Any) -> TypeAdapter[Any]:
    return TypeAdapter(type)
