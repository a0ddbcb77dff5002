"""Whether a message says by a set phrase that its praise is not meant: "Oh great, my car …".

Who complains so tells what happened, and likes nothing of it. Only phrases that are nearly always
meant so; English only.
"""

from __future__ import annotations

import re

_PHRASE = re.compile(
    r"""
    (?:^|[.!?]\ )(?:(?:oh|ah|well|wow),?\ |just\ )+(?:great|wonderful|fantastic|perfect|lovely)
      ,\ (?:my|our|the|another|now|it|they|he|she|someone)\b
    | \boh\ (?:joy|goody)\b | \blucky\ (?:me|us)\b | \bjust\ my\ luck\b
    | \b(?:another|again)\b[^.!?]*[.!?]\ (?:just|exactly)\ what\ (?:I|we)\ (?:needed|wanted)\b
    | \byeah,?\ living\ the\ dream\b | \bwhat\ could\ (?:possibly\ )?go\ wrong\b
    | \bbecause\ (?:who|everyone|everybody)\ (?:doesn't\ )?(?:loves?|needs?|wants?)\b
    | (?:^|[.!?]\ )(?:yeah,?\ right|sure,\ because|as\ if)\b | (?<!\w)/s\s*$
    """,
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)


def is_ironic(text: str) -> bool:
    """Say whether a message praises what it complains of."""
    return _PHRASE.search(text) is not None
