"""How long what somebody intends stays open, by the time that the sentence names. English only."""

from __future__ import annotations

import re

#: The first that a sentence names, with so many days after which it is over.
_HORIZONS = (
    (re.compile(r"\b(?:today|tonight|this (?:morning|afternoon|evening)|right (?:now|away))\b"), 1),
    (re.compile(r"\btomorrow\b"), 2),
    (re.compile(r"\b(?:(?:this|next|coming) (?:week|weekend)|in a (?:few|couple of) days"
                r"|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)\b"), 14),
    (re.compile(r"\b(?:next|this) month|in a (?:few|couple of) weeks\b"), 62),
    (re.compile(r"\b(?:(?:next|this) (?:summer|spring|fall|autumn|winter|year)|in (?:a few|some)"
                r" months|january|february|april|june|july|august|september|october|november"
                r"|december)\b"), 365),
)  # fmt: skip
#: Of what no time is named.
UNDATED_DAYS = 45


def open_days(sentence: str) -> tuple[int, bool]:
    """Return after how many days what a sentence intends has lapsed, and whether it names a time.

    Days count from when it was said.
    """
    folded = sentence.lower()
    for pattern, days in _HORIZONS:
        if pattern.search(folded):
            return days, True
    return UNDATED_DAYS, False
