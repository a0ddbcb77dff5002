"""Which sentences of a message tell a dream of the night: what happens in it did not happen.

That there was one is so: "I had a strange dream." A dream goes on in the sentences behind it,
until somebody wakes up. English only. Dreams of the
future ("I dreamed of becoming a pilot", "my dream is …") are none of these.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from .clauses import Clause, Tense

_DREAM = re.compile(
    r"""
    (?<!never\ )(?<!ever\ )(?<!always\ )\b(?:dreamed|dreamt)\b(?!\ (?:of|big)\b)
    | \b(?:have|had|having)\ (?:an?|the|this|that|another|such\ an?|one\ of\ those)
      \ (?:[\w-]+\ ){0,3}?(?:dreams?|nightmares?)
      (?=\ (?:that|where|in\ which|about|last|again|once|I|we|my|she|he|they|it)\b|[^\w\s]|\s*$)
    | \b(?P<inside>in)\ (?:the|my|that|this|a)\ (?:dream|nightmare)
      (?=\ (?:I|we|he|she|they|it|there|my|our|his|her|the|was)\b|[^\w\s]|\s*$)
    """,
    re.IGNORECASE | re.VERBOSE,
)
#: Ends a dream and is all there is to say of it.
_WAKES = re.compile(r"\b(?:wak(?:e|ing)|woke(?:n)?|alarm)\b", re.IGNORECASE)
_TURNS = re.compile(
    r"\b(?:anyway|anyhow|in real(?:ity| life)|for real|by the way|btw|actually|but)\b",
    re.IGNORECASE,
)


def in_dreams(sentences: Iterable[tuple[str, Sequence[Clause]]]) -> Iterator[bool]:
    """Yield of each sentence of a message, by its text and clauses, whether a dream tells it."""
    dreaming = False
    for text, clauses in sentences:
        begins = _DREAM.search(text)
        dreaming = begins is not None or (dreaming and _goes_on(text, clauses))
        had_one = begins is not None and not begins["inside"] and len(clauses) == 1
        yield dreaming and not had_one
        dreaming = dreaming and not any(end.search(text) for end in (_WAKES, _TURNS))


def _goes_on(text: str, clauses: Sequence[Clause]) -> bool:
    in_the_past = {clause.tense for clause in clauses} <= {Tense.PAST, Tense.PERFECT}
    return in_the_past and _TURNS.search(text) is None
