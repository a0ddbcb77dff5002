"""Whom and when a question is about, in the space that it is asked of.

Candidates beyond the best come from there. What is looked up are rows of experiences; nothing is
scored here.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..core.people import Person
from .dates import in_month
from .periods import Period, within
from .pool import Mask, Space
from .postings import Postings
from .question import Question


def periods_of(space: Space, question: Question, found: Postings) -> tuple[Period, ...]:
    """Return the periods of a question; one that is anchored, if its anchor is remembered.

    The anchor is the earliest of the memories that have most of its words, by rarity.
    """
    if question.anchored is None or not question.anchor_terms:
        return question.periods
    score = np.zeros(len(space.view.experiences.seqs))
    for term, rows, rarity in zip(found.terms, found.rows, found.rarity, strict=True):
        if term in question.anchor_terms:
            score[rows] += rarity
    score[~space.visible] = 0.0
    if not score.any():
        return question.periods
    at = space.view.experiences.at[int(np.argmax(score))]
    return (*question.periods, question.anchored.at(float(at)))


def favoured(space: Space, question: Question, periods: Sequence[Period]) -> list[Mask]:
    """Return whose memories are looked at besides the best: the person's asked about, and then's.

    One mask over all experiences each.
    """
    experiences, found = space.view.experiences, []
    asked = asked_about(space, question)
    if asked is not None:
        found.append(experiences.person == asked)
    fits = [within(period, experiences.at) for period in periods]
    fits += [in_month(named, experiences.at) for named in question.dates]
    if fits:
        found.append(np.maximum.reduce(fits) > 0)
    return found


def asked_about(space: Space, question: Question) -> int | None:
    """Return the place among the view's people of whom a question is about, or None."""
    if not question.people or question.asks_of_several:
        return None
    return place_of(space, question.people[0])


def place_of(space: Space, person: Person) -> int | None:
    """Return somebody's place among the view's people, None for whom nothing there is from."""
    people = space.view.people
    return people.index(person.id) if person.id in people else None
