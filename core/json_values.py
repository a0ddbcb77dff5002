"""Plain JSON values, and how the values of the journal are written as such.

Types, and the one order of keys: `codec` reads and writes them.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import BeforeValidator, GetPydanticSchema, PlainSerializer, Strict
from pydantic_core import core_schema

from .time import parse, to_text
from .vocabulary import Payload

#: A `Payload` in an entry: checked to be an object, never looked into, written as it is.
Whole = Annotated[Payload, GetPydanticSchema(lambda *_: core_schema.dict_schema())]


def _read_instant(value: object) -> object:
    return parse(value) if isinstance(value, str) else value


#: A number as it was written: 1 stays 1, 1.0 stays 1.0; true and false are none.
Number = Annotated[int, Strict()] | Annotated[float, Strict()]
#: A number that is always written with a fraction; true, false and text are none.
Real = Annotated[float, Strict()]
#: True or false; 0, 1 and text are neither.
Flag = Annotated[bool, Strict()]
#: An instant, written as `time.to_text` writes it.
Instant = Annotated[datetime, BeforeValidator(_read_instant), PlainSerializer(to_text)]


def sorted_around_payload(value: Any) -> Any:
    """Return JSON values with the keys of objects sorted, but for what a payload holds."""
    if not isinstance(value, dict):
        return [sorted_around_payload(v) for v in value] if isinstance(value, list) else value
    if not all(isinstance(key, str) for key in value):
        return value
    return {
        key: value[key] if key == "payload" else sorted_around_payload(value[key])
        for key in sorted(value)
    }
