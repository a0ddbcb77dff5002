"""The people and times that a question is about, as rows of experiences in its space.

They yield further candidates. How well the time of a memory fits a named date or period is a figure
from 0 to 1, which the formula weighs. Nothing is scored here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np

from ...core.ids import owner_id
from ...core.people import Person
from ...core.time import DAY_S
from ...graph.view import Floats, Ints
from ...language.analyser import Analyser
from ...language.marks import OTHER
from ...language.questions.dates import PartialDate
from ...language.questions.periods import Period
from ...language.questions.question import ParsedQuestion
from ...language.questions.time_order import anchor_time
from ...language.sentences import split_sentences
from ...storage.projections.catalog import Catalog
from ...storage.sorted_arrays import distinct
from .pool import Mask, Pool, SpaceView
from .postings import Postings, rows_of

#: Events are reported soon afterwards, seconds; such a report fits a little less.
_REPORTED_WITHIN_S, _REPORTED_LATER_FIT = 10 * 86_400, 0.6


def month_match(named: PartialDate, at: Ints) -> Floats:
    """Return 1 where a time (seconds since 1970) falls in the named month, else 0."""
    months = at.astype("datetime64[s]").astype("datetime64[M]").astype(np.int64)
    fits = months % 12 + 1 == named.month
    if named.year is not None:
        fits &= months // 12 + 1970 == named.year
    return np.where(fits, 1.0, 0.0)


def day_match(named: PartialDate, at: Ints) -> Floats:
    """Return how near a time is to the named day: 1 on it, .6 up to ten days after, .3 two before.

    People report an event mostly on the day or soon after. 0 when no day was named.
    """
    if named.day is None:
        return np.zeros(len(at))
    days = at // DAY_S
    best = np.zeros(len(at))
    years = [named.year] if named.year is not None else _years(at)
    for year in years:
        day = named.in_year(year)
        if day is None:
            continue
        after = days - int(day.timestamp()) // DAY_S
        fit = np.select(
            [after == 0, (after > 0) & (after <= 10), (after < 0) & (after >= -2)],
            [1.0, 0.6, 0.3],
            0.0,
        )
        best = np.maximum(best, fit)
    return best


def _years(at: Ints) -> list[int]:
    years = at.astype("datetime64[s]").astype("datetime64[Y]").astype(np.int64) + 1970
    return [int(year) for year in distinct(years)]


def period_match(period: Period, at: Ints) -> Floats:
    """Return how well times (seconds since 1970) fit: 1 in the period, .6 up to ten days later."""
    starts, ends = np.array(period.spans).T
    last = np.searchsorted(starts, at, side="right") - 1  # that has begun; -1: none
    behind = np.where(last >= 0, at - ends[last], np.inf)
    return np.select([behind < 0, behind < _REPORTED_WITHIN_S], [1.0, _REPORTED_LATER_FIT], 0.0)


#: A memory mentions an anchor if it has this share of the weight of the best one's words; so many
#: mentions are read, earliest first.
_MENTION_SHARE, _MENTIONS_MAX = 0.9, 200
#: Of so many memories the texts are read for whom they tell of.
_READ_MAX = 100
#: So many memories are looked at that came soonest after or before an event.
_BESIDE_EVENTS = 25


def resolve_periods(
    space: SpaceView,
    question: ParsedQuestion,
    postings: Postings,
    catalog: Catalog,
) -> tuple[Period, ...]:
    """Return the periods of a question; one that is anchored, if its anchor is remembered."""
    if question.anchored_period is None:
        return question.periods
    at = _time_of(space, question.anchor_terms, postings, catalog)
    period = None if at is None else question.anchored_period.at(at)
    return (*question.periods, period) if period else question.periods


def beside_events(
    space: SpaceView, question: ParsedQuestion, postings: Postings, catalog: Catalog
) -> Ints:
    """Return the rows nearest in time to the events of a question, before or after as it asks."""
    told = [_time_of(space, terms, postings, catalog) for terms in question.event_terms]
    times = [time for time in told if time is not None]
    if not times or len(times) < len(told):
        return np.zeros(0, np.int64)
    signs = [[1 if after else -1] for after, _ in question.around]
    later = (space.view.experiences.at - np.reshape(times, (-1, 1))) * signs
    rows = np.flatnonzero(space.allowed & (later >= 0).all(axis=0))
    return np.sort(rows[np.argsort(later[0, rows], kind="stable")][:_BESIDE_EVENTS])


def _time_of(
    space: SpaceView, terms: Sequence[str], postings: Postings, catalog: Catalog
) -> float | None:
    """Return when something happened that has these words; None where nothing has any.

    It is told by one of the memories that have most of them, by rarity (see `anchor_time`).
    """
    score = np.zeros(len(space.view.experiences.seqs))
    for term, rows, rarity in zip(postings.terms, postings.rows, postings.rarity, strict=True):
        if term in terms:
            score[rows] += rarity
    score[~space.visible] = 0.0
    if not score.any():
        return None
    experiences = space.view.experiences
    rows = np.flatnonzero(score >= _MENTION_SHARE * score.max())
    rows = rows[np.argsort(experiences.at[rows], kind="stable")][:_MENTIONS_MAX]
    seqs = experiences.seqs[rows].tolist()
    memories = catalog.fetch(space.name, seqs)
    texts = [memories[seq].text if seq in memories else "" for seq in seqs]
    return anchor_time(list(zip(experiences.at[rows].tolist(), texts, strict=True)))


def target_masks(
    space: SpaceView, question: ParsedQuestion, periods: Sequence[Period]
) -> list[Mask]:
    """Return whose memories are looked at besides the best: the person's asked about, and then's.

    One mask over all experiences each.
    """
    experiences, masks = space.view.experiences, []
    asked = target_person(space, question)
    if asked is None:
        asked = asker(space, question)
    if asked is not None:
        masks.append(experiences.person == asked)
    fits = [period_match(period, experiences.at) for period in periods]
    fits += [month_match(named, experiences.at) for named in question.dates]
    if fits:
        then = np.maximum.reduce(fits) > 0
        masks += [then & mask for mask in masks]
        masks.append(then)
    return masks


def happened_then(
    space: SpaceView,
    question: ParsedQuestion,
    periods: Sequence[Period],
    analyser: Analyser,
    look_up: Callable[[Sequence[str]], Postings],
) -> Mask:
    """Return the visible experiences at the times that a question names, to the day.

    Where it names people, those that are theirs or mention them
    (`look_up` finds their names); where it asks of who asks, theirs.
    """
    experiences = space.view.experiences
    then = np.zeros(len(experiences.at), bool)
    if not (periods or question.dates):
        return then
    for period in periods:
        then |= period_match(period, experiences.at) == 1
    for named in question.dates:
        match = month_match if named.day is None else day_match
        then |= match(named, experiences.at) == 1
    asks = asker(space, question)
    people = [asks] * (asks is not None)
    people += [person_index(space, person) for person in question.people]
    if people:
        theirs = np.isin(experiences.person, [person for person in people if person is not None])
        for person in question.people:
            for name in analyser.readings(person.name):
                rows = np.concatenate(look_up(name).rows)
                theirs |= np.bincount(rows, minlength=len(then)) == len(name)
        then &= theirs
    return then & space.visible


def told_of(pool: Pool, question: ParsedQuestion, analyser: Analyser, catalog: Catalog) -> Ints:
    """Return the rows in which others tell of the person asked about, by the name as asked.

    What is said to that person names them too ("Hey Ana!"), but tells nothing of them. Of a large
    pool nothing is read: its best are looked at again.
    """
    space, rows, asked = pool.space, pool.rows, target_person(pool.space, question)
    if asked is None or len(rows) > _READ_MAX:
        return np.zeros(0, np.int64)
    written = question.text.casefold()
    name = [word for word in question.people[0].name.split() if word.casefold() in written]
    has = np.zeros(len(space.view.experiences.at), bool)
    for stems in analyser.readings(" ".join(name)):
        has[rows_of(space.view, space.full_text.phrase(stems))] = True
    has &= space.view.experiences.person != asked
    rows = rows[has[rows]]
    memories = catalog.fetch(space.name, space.view.experiences.seqs[rows].tolist())
    tells = re.compile(rf"{re.escape(' '.join(name))}(?:['’]s)?\s+[^\W\d_]", re.IGNORECASE)
    told = [
        seq
        for seq, memory in memories.items()
        if tells.search(memory.text)
        and any(
            tells.search(sentence) and not OTHER.search(sentence)
            for sentence in split_sentences(memory.text)
        )
    ]
    return space.view.experiences.index_of(np.array(told, np.int64))


def target_person(space: SpaceView, question: ParsedQuestion) -> int | None:
    """Return the place among the view's people of whom a question is about, or None."""
    if not question.people or question.asks_of_several:
        return None
    return person_index(space, question.people[0])


def asker(space: SpaceView, question: ParsedQuestion) -> int | None:
    """Return the row of the asker among the view's people, if the question is about the asker.

    The asker is the owner of the space, or else the only person who ever spoke.
    """
    if not question.asks_of_asker:
        return None
    people, owner = space.view.people, owner_id(space.name)
    if owner in people:
        return people.index(owner)
    return 0 if len(people) == 1 else None


def person_index(space: SpaceView, person: Person) -> int | None:
    """Return somebody's place among the view's people, None for whom nothing there is from."""
    people = space.view.people
    return people.index(person.id) if person.id in people else None
