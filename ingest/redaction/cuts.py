"""A text that is too long is kept as its beginning, its length and its end.

What says how much is gone stands between the two; texts that were cut in earlier versions have it
at their end. A mark in the text stays whole or goes.
"""

from __future__ import annotations

import re

#: What stands in the place of a secret, and of what was cut out of a text.
MARK = re.compile(r"\[REDACTED:([a-z][a-z_]{0,39})\]")
CUT = re.compile(r"… \[cut (\d+) characters\](?: …|\Z)")
#: As long as the words that say how much was cut.
_CUT_CHARS = 32
#: No secret is longer than this: half of one may stand so near to where a text was split.
_MARGIN_CHARS = 65_536


def cut(text: str, most: int) -> str:
    """Return `text` in at most `most` characters, beginning and end, with how many are gone.

    A text no longer than what would be said of it stays as it is.
    """
    if len(text) <= max(most, _CUT_CHARS):
        return text
    before = CUT.search(text)
    gone = int(before[1]) if before else 0
    head, tail = (text[: before.start()], text[before.end() :]) if before else (text, text)
    length = gone + (len(head) + len(tail) if before else len(text))
    room = max(0, most - len(_note(length)))
    half = min(len(tail), room // 2)
    head = _beginning(head, room - half)
    tail = _end(tail, half)
    return head + _note(length - len(head) - len(tail)) + tail


def ends_of(text: str, most: int) -> tuple[str, ...]:
    """Return the parts of a text of which `cut` keeps something: two of a very long one.

    They reach so far beyond what is kept that no secret ends, or begins, in what is left out.
    """
    half = most // 2 + _MARGIN_CHARS
    return (text,) if len(text) <= 2 * half else (text[:half], text[-half:])


def joined_ends(ends: tuple[str, ...], length: int) -> str:
    """Return the parts of a text of `length` characters as one, without what was left out."""
    if len(ends) == 1:
        return ends[0]
    head = _beginning(ends[0], max(0, len(ends[0]) - _MARGIN_CHARS))
    tail = _end(ends[1], max(0, len(ends[1]) - _MARGIN_CHARS))
    return head + _note(max(0, length - len(head) - len(tail))) + tail


def _beginning(text: str, chars: int) -> str:
    for mark in MARK.finditer(text, max(0, chars - 60), chars + 60):
        if mark.start() < chars < mark.end():
            return text[: mark.start()]
    return text[:chars]


def _end(text: str, chars: int) -> str:
    start = len(text) - chars
    for mark in MARK.finditer(text, max(0, start - 60), start + 60):
        if mark.start() < start < mark.end():
            return text[mark.end() :]
    return text[start:]


def _note(number: int) -> str:
    return f"… [cut {number} characters] …"
