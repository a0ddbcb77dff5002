"""The text behind escapes, with the way back to where each character stood.

A secret may be written as JSON inside JSON, percent-encoded, coloured by a terminal, broken by a
line continuation or added up from two strings. This module undoes that for the search only: nobody
ever stores the unescaped text, and it decides nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate
from typing import NamedTuple

from .rules import pattern, rule_file


class UnescapedText(NamedTuple):
    """Unescaped text; `span` leads from positions in it to positions in the original.

    `starts` are the positions of pieces in it, `pieces` their spans in the original, and whether
    the piece is written there as it is.
    """

    text: str
    starts: tuple[int, ...]
    pieces: tuple[tuple[int, int, bool], ...]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the original that `start` to `end` (exclusive) was read from."""
        return self._at(start)[0], self._at(end - 1)[1]

    def _at(self, position: int) -> tuple[int, int]:
        piece = bisect_right(self.starts, position) - 1
        begin, end, verbatim = self.pieces[piece]
        if not verbatim:
            return begin, end
        begin += position - self.starts[piece]
        return begin, begin + 1


def unescape(text: str) -> UnescapedText | None:
    """Return `text` without its escapes, or None where it has none."""
    if not _may_have_escapes(text):
        return None
    pieces: list[tuple[str, tuple[int, int, bool]]] = []
    done = 0
    for escape in pattern("escapes", "escape").finditer(text):
        begin, end = escape.span()
        pieces += [(text[done:begin], (done, begin, True)), (_meaning(escape), (begin, end, False))]
        done = end
    if not done:
        return None
    pieces.append((text[done:], (done, len(text), True)))
    pieces = [piece for piece in pieces if piece[0]]
    texts = [piece[0] for piece in pieces]
    starts = accumulate(map(len, texts[:-1]), initial=0)
    return UnescapedText("".join(texts), tuple(starts), tuple(piece[1] for piece in pieces))


def _may_have_escapes(text: str) -> bool:
    if "\\" in text or "%" in text or "&" in text or "\x1b" in text or not text.isascii():
        return True
    if ('"' in text or "'" in text) and pattern("escapes", "summed").search(text):
        return True
    return "=" in text and ("=3" in text or "=\n" in text or "=\r" in text)


def _meaning(escape: re.Match[str]) -> str:
    """Return the character that an escape stands for; colours and breaks stand for none."""
    name = escape.lastgroup
    if name is None:
        return ""
    value = escape[name]
    if name in {"control", "literal", "entity"}:
        return str(rule_file("escapes")["characters"].get(value, value))
    if "%" in value:  # a letter of several bytes
        return bytes.fromhex(value.replace("%", "")).decode("utf-8", "replace")[:1]
    return chr(int(value, 10 if name == "decimal" else 16))
