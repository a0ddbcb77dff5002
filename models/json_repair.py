"""Get the JSON object out of what a model wrote around it.

Models wrap JSON in sentences and code fences, leave commas before closing brackets, and stop in
the middle when their tokens run out. That much is put right, and said. What is not there is not
made up: keys, values and quotes are never guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pydantic_core import from_json

from ..core.types import Json

PROSE, FENCE, COMMA, CUT_OFF = "prose", "fence", "trailing comma", "cut off"

_FENCE = re.compile(r"```[\w-]*[ \t]*\n(.*?)(?:\n[ \t]*```|\Z)", re.DOTALL)
#: A string, kept as it is, or a comma with only a closing bracket behind it.
_STRING_OR_COMMA = re.compile(r'"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])', re.DOTALL)

#: Where the text stops within a number, nobody knows which number it was to be.
_NUMBER_AT_END = re.compile(r"[-+.\deE]+\Z")


def read_object(text: str) -> tuple[dict[str, Json], tuple[str, ...]] | None:
    """Return the JSON object in `text` and what had to be put right; None when there is none.

    Of several objects the first whole one counts. An object that is cut off counts only where no
    whole one is, and without the value in which it was cut.
    """
    for body, repairs in _bodies(text):
        for candidate, more in ((body, ()), (_without_commas(body), (COMMA,))):
            parsed = _parse(candidate)
            if parsed is not None:
                return parsed, repairs + more
    return _cut_off(text)


def _bodies(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the places where an object may stand, the likeliest first."""
    stripped = text.strip().removeprefix("\ufeff")
    yield stripped, ()
    for fenced in _FENCE.finditer(stripped):
        whole = fenced.group(0).strip() == stripped
        yield fenced.group(1).strip(), (FENCE,) if whole else (PROSE, FENCE)
    for start, end in _spans(stripped):
        yield stripped[start:end], (PROSE,)


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the outermost pairs of brackets. A part of an object is never taken for the whole."""
    position = 0
    while (start := text.find("{", position)) >= 0:
        end = _end(text, start)
        if end is None:
            return
        yield start, end
        position = end


def _end(text: str, start: int) -> int | None:
    """Return the position behind the bracket that closes the one at `start`."""
    depth, quoted, escaped = 0, False, False
    for position in range(start, len(text)):
        char = text[position]
        if escaped:
            escaped = False
        elif quoted:
            escaped, quoted = char == "\\", char != '"'
        elif char == '"':
            quoted = True
        elif char in "{[":
            depth += 1
        elif char in "}]":
            depth -= 1
            if depth == 0:
                return position + 1
    return None


def _without_commas(text: str) -> str:
    return _STRING_OR_COMMA.sub(lambda match: "" if match.group() == "," else match.group(), text)


def _parse(text: str) -> dict[str, Json] | None:
    try:
        value = from_json(text, allow_inf_nan=False)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _cut_off(text: str) -> tuple[dict[str, Json], tuple[str, ...]] | None:
    start = text.find("{")
    if start < 0 or _end(text, start) is not None:
        return None
    whole_values = _NUMBER_AT_END.sub("", text[start:])
    try:
        value = from_json(whole_values, allow_inf_nan=False, allow_partial=True)
    except ValueError:
        return None
    return (value, (CUT_OFF,)) if isinstance(value, dict) and value else None
