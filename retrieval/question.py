"""What a question says before anything is looked up: words, people, form."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from ..core.people import Gazetteer, Person
from ..core.text import Analyser
from .dates import NamedDate, named_dates

_WHEN = re.compile(
    r"^\W*when\b|\b(?:what|which)\s+(?:year|month|date|day)\b|\bhow\s+long\b", re.IGNORECASE
)
_TOGETHER = re.compile(r"\b(?:both|in common|and)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Question:
    """A question taken apart.

    `terms` are its distinct stems without people's names, `pairs` neighbouring ones; `people`
    those it names, in order; `asks_of_several`: about what they share, so no speaker is preferred.
    """

    text: str
    terms: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]
    people: tuple[Person, ...]
    dates: tuple[NamedDate, ...]
    asks_when: bool
    asks_of_several: bool


def analyse(text: str, analyser: Analyser, gazetteer: Gazetteer) -> Question:
    """Take a question apart; any text is one, even an empty one."""
    kept = [
        word.stem
        for word in analyser.words(text)
        if word.stem is not None and word.surface not in gazetteer.words
    ]
    people = tuple(gazetteer.named_in(text))
    return Question(
        text=text,
        terms=tuple(dict.fromkeys(kept)),
        pairs=tuple(dict.fromkeys(pairwise(kept))),
        people=people,
        dates=named_dates(text),
        asks_when=bool(_WHEN.search(text)),
        asks_of_several=len(people) > 1 and bool(_TOGETHER.search(text)),
    )
