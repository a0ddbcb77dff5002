"""Which sentences of a message tell a dream of the night, or a joke that is called one.

What happens in it did not happen; that there was a dream is so ("I had a strange dream"). It goes
on in the sentences behind it, until somebody wakes up. Dreams of the future ("I dreamed of becoming
a pilot") are none of these. English only.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

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
#: Takes back what stands beside it; in a sentence as short as this, what stands before it.
_JOKE = re.compile(
    r"\b(?:just|only|i['’]m|am|totally) (?:kidding|joking)\b|\bapril fools?\b|\bj/?k\b",
    re.IGNORECASE,
)
_SHORT_WORDS = 5


def find_unreal(sentences: Sequence[tuple[str, Sequence[Clause]]]) -> set[int]:
    """Return the places of the sentences, each its text and clauses, that tell what is not so."""
    unreal: set[int] = set()
    dreaming = False
    for place, (text, clauses) in enumerate(sentences):
        if _JOKE.search(text):
            unreal |= {place, place - 1} if len(text.split()) <= _SHORT_WORDS else {place}
            continue
        begins = _DREAM.search(text)
        dreaming = begins is not None or (dreaming and _goes_on(text, clauses))
        only_named = begins is not None and not begins["inside"] and len(clauses) == 1
        if dreaming and not only_named:
            unreal.add(place)
        dreaming = dreaming and not any(end.search(text) for end in (_WAKES, _TURNS))
    return unreal


def _goes_on(text: str, clauses: Sequence[Clause]) -> bool:
    in_the_past = {clause.tense for clause in clauses} <= {Tense.PAST, Tense.PERFECT}
    return in_the_past and _TURNS.search(text) is None
