"""The text behind escapes, with the way back to where each character stood.

A secret may be written as JSON inside JSON, percent-encoded, coloured by a terminal, broken by a
line continuation or added up from two strings. This module undoes that for looking only: nobody
ever keeps the plain view, and it decides nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate

from ..core.lazy_pattern import LazyPattern

_SUM = r"[ \t]{0,8}[+.\\]?\s{0,80}(?<=[\s+.\\])[\"']"
#: Two strings that are written as a sum: "a" + "b".
_SUMMED = LazyPattern(rf"[\"']{_SUM}")
#: One of the signs that escapes begin with, and then what makes it one.
_ESCAPE = LazyPattern(
    r"[\x1b\\=%&\"'\u00ad\u200b-\u200f\u2060\ufeff](?:"
    r"(?<=\\)\\{0,15}(?:"
    r"(?:u001b|x1b|e|033)\[[0-9;?]{0,16}[A-Za-z]"
    r"|\r?\n[ \t]{0,99}"
    r"|u(?P<unicode>[0-9a-fA-F]{4})"
    r"|x(?P<byte>[0-9a-fA-F]{2})"
    r"|(?P<control>[nrt])"
    r"|(?P<literal>[\"'/\\`=:&@?;-]))"
    r"|(?<=%)(?P<percent>[0-9a-fA-F]{2})"
    r"|(?<==)(?:(?P<quoted>3[dD])|(?<=[^\n]{70}=)\r?\n)"
    r"|(?<=&)(?P<entity>quot|apos|amp|lt|gt|#\d{2,3}|#[xX][0-9a-fA-F]{2});"
    r"|(?<=\x1b)\[[0-9;?]{0,16}[A-Za-z]"
    rf"|(?<=[\"']){_SUM}"
    r"|(?<=[\u00ad\u200b-\u200f\u2060\ufeff]))"
)
_CONTROL = {"n": "\n", "r": "\r", "t": "\t"}
_ENTITIES = {"quot": '"', "apos": "'", "amp": "&", "lt": "<", "gt": ">"}


@dataclass(frozen=True, slots=True)
class PlainView:
    """Unescaped text; `span` leads from positions in it to positions in the original."""

    text: str
    _starts: tuple[int, ...]
    _pieces: tuple[tuple[int, int, bool], ...]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the original that `start` to `end` (exclusive) was read from."""
        return self._at(start)[0], self._at(end - 1)[1]

    def _at(self, position: int) -> tuple[int, int]:
        piece = bisect_right(self._starts, position) - 1
        begin, end, verbatim = self._pieces[piece]
        if not verbatim:
            return begin, end
        begin += position - self._starts[piece]
        return begin, begin + 1


def plain_view(text: str) -> PlainView | None:
    """Return `text` without its escapes, or None where it has none."""
    if not _may_have_escapes(text):
        return None
    shown: list[str] = []
    pieces: list[tuple[int, int, bool]] = []
    done = 0
    for escape in _ESCAPE.finditer(text):
        begin, end = escape.span()
        if done < begin:
            shown.append(text[done:begin])
            pieces.append((done, begin, True))
        meant = _meaning(escape)
        if meant:
            shown.append(meant)
            pieces.append((begin, end, False))
        done = end
    if not done:
        return None
    if done < len(text):
        shown.append(text[done:])
        pieces.append((done, len(text), True))
    starts = tuple(accumulate((len(part) for part in shown[:-1]), initial=0))
    return PlainView("".join(shown), starts, tuple(pieces))


def _may_have_escapes(text: str) -> bool:
    if "\\" in text or "%" in text or "&" in text or "\x1b" in text or not text.isascii():
        return True
    if ('"' in text or "'" in text) and _SUMMED.search(text):
        return True
    return "=" in text and ("=3" in text or "=\n" in text or "=\r" in text)


def _meaning(escape: re.Match[str]) -> str:
    name = escape.lastgroup
    if name is None:
        return ""
    value = escape[name]
    if name in {"unicode", "byte", "percent", "quoted"}:
        return chr(int(value, 16))
    if name == "control":
        return _CONTROL[value]
    if name == "entity" and value.startswith("#"):
        return chr(int("0" + value[1:].lower(), 16) if value[1] in "xX" else int(value[1:]))
    return _ENTITIES.get(value, value)
