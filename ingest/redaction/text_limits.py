"""Cut texts to a length, at the end, and say how much is gone.

Cutting is the last thing done to a text: before it, everything secret in it has been replaced.
"""

from __future__ import annotations

from typing import Any

from .json_fields import map_texts
from .scanner import CUT, MARK

#: A limit below this would leave little more than the words that say what was cut.
CUT_CHARS = 64
_SUFFIX_CHARS = 32


def cut(text: str, most: int) -> str:
    """Return `text` in at most `most` characters, the last of which say how many are gone.

    A mark in the text stays whole or goes. A text no longer than what would be said of it stays as
    it is.
    """
    if len(text) <= max(most, _SUFFIX_CHARS):
        return text
    before = CUT.search(text)
    gone = int(before[1]) if before else 0
    body = text[: before.start()] if before else text
    end = max(0, most - len(_suffix(gone + len(body))))
    for mark in MARK.finditer(body):
        if mark.start() < end < mark.end():
            end = mark.start()
    return body[:end] + _suffix(gone + len(body) - end)


def _suffix(number: int) -> str:
    return f"… [cut {number} characters]"


def bounded(value: Any, most: int, *, each: bool) -> tuple[Any, int]:
    """Return JSON data with its texts cut to `most` characters each, or in all, and how many were.

    In all, the first texts stay whole and the later ones pay. Keys are not counted.
    """
    left, number = most, 0

    def shorten(text: str, _: None) -> str:
        nonlocal left, number
        shorter = cut(text, most if each else left)
        number += shorter is not text
        left = max(0, left - len(shorter))
        return shorter

    return map_texts(value, shorten, None), number
