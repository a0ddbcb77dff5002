"""Cut texts to a length, at the end, and say how much is gone.

Cutting is the last thing done to a text: before it, everything secret in it has been replaced.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .secrets import CUT, MARK

#: A limit below this would leave little more than the words that say what was cut.
CUT_CHARS = 64
_SUFFIX_CHARS = 32


def cut(text: str, most: int) -> str:
    """Return `text` in at most `most` characters, the last of which say how many are gone.

    A mark in the text is kept whole or not at all. A text no longer than what would be said of it
    stays as it is.
    """
    if len(text) <= max(most, _SUFFIX_CHARS):
        return text
    before = CUT.search(text)
    gone = int(before[1]) if before else 0
    body = text[: before.start()] if before else text
    keep = max(0, most - len(_suffix(gone + len(body))))
    for mark in MARK.finditer(body):
        if mark.start() < keep < mark.end():
            keep = mark.start()
    return body[:keep] + _suffix(gone + len(body) - keep)


def _suffix(number: int) -> str:
    return f"… [cut {number} characters]"


def bounded(part: Any, most: int, *, each: bool) -> tuple[Any, int]:
    """Return plain JSON with its texts cut to `most` characters each, or in all, and how many were.

    In all, the first texts are kept and the later ones pay. Keys are not counted.
    """
    holder: list[Any] = [part]
    todo: list[tuple[Any, Any, Any]] = [(holder, 0, part)]
    left, number = most, 0
    while todo:
        into, place, value = todo.pop()
        if isinstance(value, str):
            shorter = cut(value, most if each else left)
            into[place] = shorter
            number += shorter is not value
            left = max(0, left - len(shorter))
        elif isinstance(value, Mapping):
            fresh = into[place] = dict(value)
            todo.extend((fresh, key, item) for key, item in reversed(list(value.items())))
        elif isinstance(value, list):
            items = into[place] = list(value)
            todo.extend((items, index, value[index]) for index in reversed(range(len(value))))
    return holder[0], number
