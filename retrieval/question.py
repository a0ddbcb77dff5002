"""What a question says before anything is looked up: words, people, times, form."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from ..core.people import Gazetteer, Person
from ..core.text import Analyser
from .dates import NamedDate, named_dates
from .periods import Anchored, Period, anchored, periods

_WHEN = re.compile(
    r"^\W*when\b|\b(?:what|which)\s+(?:year|month|date|day)\b|\bhow\s+long\b", re.IGNORECASE
)
_TOGETHER = re.compile(r"\b(?:both|in common|and)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Question:
    """A question taken apart.

    `terms` are its distinct stems without people's names, `pairs` neighbouring ones; `people`
    those it names, in order; `asks_of_several`: about what they share, so no speaker is preferred.
    `periods` are reckoned from when it was asked, `anchored` from what its `anchor_terms` tell of.
    """

    text: str
    terms: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]
    people: tuple[Person, ...]
    dates: tuple[NamedDate, ...]
    asks_when: bool
    asks_of_several: bool
    periods: tuple[Period, ...] = ()
    anchored: Anchored | None = None
    anchor_terms: tuple[str, ...] = ()

    def told(self) -> dict[str, list[str]]:
        """Return how the question was read, for people: what was found in it, by kind."""
        times = [named.told() for named in self.dates] + [period.told() for period in self.periods]
        if self.anchored is not None:
            times.append(self.anchored.label)
        form = ["asks when"] * self.asks_when + ["asks of several people"] * self.asks_of_several
        found = {
            "words": list(self.terms),
            "people": [person.name for person in self.people],
            "times": times,
            "form": form,
        }
        return {kind: parts for kind, parts in found.items() if parts}


def analyse(text: str, analyser: Analyser, gazetteer: Gazetteer, now: datetime) -> Question:
    """Take a question apart that is asked at the time `now`; any text is one, even an empty one."""
    kept = _stems(text, analyser, gazetteer)
    anchor = anchored(text)
    people = tuple(gazetteer.named_in(text))
    return Question(
        text=text,
        terms=tuple(dict.fromkeys(kept)),
        pairs=tuple(dict.fromkeys(pairwise(kept))),
        people=people,
        dates=named_dates(text),
        asks_when=bool(_WHEN.search(text)),
        asks_of_several=len(people) > 1 and bool(_TOGETHER.search(text)),
        periods=periods(text, now),
        anchored=anchor,
        anchor_terms=tuple(_stems(anchor.anchor, analyser, gazetteer)) if anchor else (),
    )


def _stems(text: str, analyser: Analyser, gazetteer: Gazetteer) -> list[str]:
    """Return the stems of a text in order, without stop words and people's names."""
    return [
        word.stem
        for word in analyser.words(text)
        if word.stem is not None and word.surface not in gazetteer.words
    ]
