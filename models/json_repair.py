"""Extract the JSON object from a model's answer.

Models wrap JSON in sentences and code fences, leave commas before closing brackets, and stop in the
middle when their tokens run out. That is repaired, and recorded. Keys, values and quotes are never
guessed.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import NoReturn

from pydantic_core import from_json

from ..core.types import Json

PROSE, FENCE, COMMA, CUT_OFF = "prose", "fence", "trailing comma", "cut off"

#: How an object begins; brackets in a sentence do not.
_START = re.compile(r'\{\s*["}]')
_FENCE = re.compile(r"```[\w-]*")
#: A string, left as it is, or a comma with only a closing bracket behind it.
_STRING_OR_COMMA = re.compile(r'"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])', re.DOTALL)
#: Where the text stops within a number, nobody knows which number it was to be.
_NUMBER_AT_END = re.compile(r"[-+.\deE]+\Z")


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse)


def read_object(text: str) -> tuple[dict[str, Json], tuple[str, ...]] | None:
    """Return the first JSON object in `text` and what had to be repaired; None when there is none.

    An object that is cut off is returned without the value in which it was cut.
    """
    start = _START.search(text)
    if start is None:
        return None
    before, body = text[: start.start()], text[start.start() :]
    for candidate, repairs in ((body, ()), (_without_commas(body), (COMMA,))):
        with suppress(ValueError, RecursionError):
            value, end = _DECODER.raw_decode(candidate)
            return value, _around(before, candidate[end:]) + repairs
    with suppress(ValueError):
        value = from_json(_NUMBER_AT_END.sub("", body), allow_inf_nan=False, allow_partial=True)
        if value:
            return value, (CUT_OFF,)
    return None


def _around(before: str, after: str) -> tuple[str, ...]:
    """Name what stood around an object."""
    sentences = _FENCE.sub("", before + after).strip("\ufeff \t\r\n")
    return (PROSE,) * bool(sentences) + (FENCE,) * bool(_FENCE.search(before))


def _without_commas(text: str) -> str:
    return _STRING_OR_COMMA.sub(lambda match: "" if match.group() == "," else match.group(), text)
