"""The one codec: values of the journal from and to plain JSON.

Keys are the journal's (`emotionalSignature`, `from`); without aliases they are the names of the
fields, in snake_case, as `--json` prints them. What rules derive and decide is the same words again
and again: its text is packed against those, and a third is left.
"""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from datetime import datetime
from enum import Enum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast, get_args

from pydantic import TypeAdapter, ValidationError

from .calls.cleaning import clean_event
from .entries import EntryPayload, ExperienceCaptured, FeedbackGiven
from .errors import Conflict, Damaged, InvalidInput
from .events import OWN_ID, UNDATED, encode_as_given, event_hash, recorded_event
from .events import encode as canonical
from .time import parse, to_text
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


#: What most of these texts have in common. It never changes: without it, what was packed cannot be
#: read. What is near the end is packed best.
_COMMON = (Path(__file__).parent / "data" / "common.bin").read_bytes()
#: Raw deflate in a small window: the common text and one text more fit into it.
_WINDOW = -13


def decode_entry(kind: EntryKind, value: str | Mapping[str, Json]) -> EntryPayload:
    """Return the payload of an entry from canonical text or its JSON object.

    Raises `InvalidInput` that names every field that is wrong, `Damaged` for text that is none.
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
        pass
    try:
        return decode(type, json.loads(text), where)
    except (ValueError, TypeError) as error:  # a flipped byte can make a number of a text
        raise Damaged(f"a stored text is not JSON ({error}): run `meridia verify`") from None


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
    """Return the event of a captured experience's stored payload, or of a held event.

    Raises `Damaged` for what nobody wrote so.
    """
    try:
        return recorded_event(decode_text(ExperienceCaptured, body))
    except InvalidInput as error:
        raise Damaged(f"a stored event cannot be read ({error}): run `meridia verify`") from None


def check_same_content(key: str, stored: EntryPayload, given: EntryPayload, space: str) -> None:
    """Raise `Conflict` where a caller's own id is taken by other content than is given under it.

    The same id with the same content is one entry, acknowledged again.
    """
    if isinstance(stored, ExperienceCaptured) and isinstance(given, ExperienceCaptured):
        # What was decided about an event is no part of its content.
        # Neither are the codes for a terminal that earlier versions kept.
        wanted, what = event_hash(given), "event id"
        is_same = wanted == event_hash(stored)
        if not is_same and stored.event:
            kept = replace(stored, event=clean_event(stored.event, Counter()))
            is_same = wanted == event_hash(kept)
        way_out = "send the same event again, or `upsert` its next version"
    else:
        what, is_same, way_out = "id", stored == given, "or send the same again"
    if not is_same:
        raise Conflict(
            f"{what} {key!r} is already taken in space {space!r} by other content: give a new id, "
            f"{way_out}"
        )


def exported_event(event: Payload, key: str, at: str, *, is_undated: bool) -> Payload:
    """Return an event as an export has it, so that another journal keeps the same of it.

    Where it had no time of its own, `ts` is when it was recorded, and `undated` says so: true where
    nobody knows when it happened. Where it had no id, `id` is Meridia's, and `own_id` is false.
    """
    shown = {**event, "id": key, "ts": at}
    shown |= {} if event.get("ts") else {UNDATED: is_undated}
    return shown if event.get("id") else {**shown, OWN_ID: False}


def is_export_of(given: EntryPayload, stored: EntryPayload, key: str, at: str) -> bool:
    """Say whether an event that is given is the stored one, as an export has that."""
    if not (isinstance(given, ExperienceCaptured) and isinstance(stored, ExperienceCaptured)):
        return False
    if given.event is None or stored.event is None or not given.event.get("ts"):
        return False
    if parse(given.event["ts"]) != parse(at):
        return False
    is_undated = given.event.get(UNDATED) is True
    shown = exported_event(stored.event, key, given.event["ts"], is_undated=is_undated)
    return canonical({**given.event, "ts": ""}) == canonical({**shown, "ts": ""})


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


class JsonObject:
    """A dataclass whose JSON has all its fields."""

    __slots__ = ()

    def as_json(self) -> dict[str, Json]:
        """Return the fields as plain JSON values, by their names."""
        return to_object(cast("DataclassInstance", self))


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
    """Return the text of a value, which the journal keeps and hashes.

    It is canonical, but for an event, whose fields stay in their order.
    """
    written = (
        f'"{name}":{encode_as_given(item) if name in _WHOLE else canonical(item)}'
        for name, item in sorted(encode(value).items())
    )
    return f"{{{','.join(written)}}}"


def pack(text: str) -> str | bytes:
    """Return a text packed, or as it is where that is no longer."""
    packer = zlib.compressobj(6, zlib.DEFLATED, _WINDOW, 6, zdict=_COMMON)
    text_bytes = text.encode("utf-8")
    packed = packer.compress(text_bytes) + packer.flush()
    return packed if len(packed) < len(text_bytes) else text


def unpack(stored: str | bytes | None) -> str | None:
    """Return the text that `pack` was given; None for None.

    Raises `ValueError` for bytes that it did not return.
    """
    if not isinstance(stored, bytes):
        return stored
    try:
        unpacker = zlib.decompressobj(_WINDOW, zdict=_COMMON)
        return (unpacker.decompress(stored) + unpacker.flush()).decode("utf-8")
    except zlib.error as error:
        raise ValueError(f"packed text cannot be read: {error}") from None


@cache
def _adapter(type: Any) -> TypeAdapter[Any]:
    return TypeAdapter(type)
