"""Contributions by the people that a question names: what they say, and their sessions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...graph.view import Floats, Ints
from ...language.questions.question import ParsedQuestion
from ...storage.sorted_arrays import distinct
from ..candidates import query_targets
from ..candidates.pool import Mask, Pool
from ..candidates.query_targets import person_index, target_person
from .contributions import Contribution, Evidence
from .ranking_weights import RankingWeights


def speaker(
    pool: Pool, question: ParsedQuestion, weights: RankingWeights, whole: Pool
) -> list[Contribution]:
    """Add to messages of the person in the question.

    A message of an unknown speaker, or of an owner without a name, counts by the person's share
    among the people of its session: an agent that talks with one person alone talks about them.
    Without known people, the average of the `whole` pool counts.
    """
    asked = target_person(pool.space, question)
    if asked is None or not len(pool.rows):
        return []
    name = question.people[0].name
    speaks, share, is_clear = _speaking(pool, question, asked)
    average = 0.0
    if not is_clear.all():
        others_speak, others_share, others_clear = _speaking(whole, question, asked)
        if others_clear.any():
            average = float(np.maximum(others_speak, others_share)[others_clear].mean())
    rest = np.where(is_clear, 0.0, average)
    own = pool.space.view.experiences.session[pool.rows] >= 0
    given: Sequence[tuple[Evidence, str, Floats, str | None]] = [
        (Evidence.SPEAKER, f"{name} says it", speaks, "SPOKEN_BY"),
        (Evidence.SESSION, f"session with {name}", share * own, "IN_SESSION"),
        (Evidence.SESSION, f"during a session with {name}", share * ~own, None),
        (Evidence.SPEAKER, "nobody known says it: the average", rest, None),
    ]
    return [
        Contribution("speaker", evidence, label, weights.speaker * values, edge)
        for evidence, label, values, edge in given
        if edge == "SPOKEN_BY" or values.any()
    ]


def told_of(
    pool: Pool, question: ParsedQuestion, weights: RankingWeights, rows: Ints
) -> list[Contribution]:
    """Add to what others tell of the person in the question, by name, as to what that one says."""
    if not len(rows):
        return []
    values = weights.speaker * np.isin(pool.rows, rows).astype(np.float64)
    label = f"tells of {question.people[0].name}"
    return [Contribution("speaker", Evidence.OWN_WORDS, label, values)]


def _speaking(pool: Pool, question: ParsedQuestion, asked: int) -> tuple[Floats, Floats, Mask]:
    """Return whether somebody says each memory, their share of its session, and if that is clear.

    The share is of what nobody known says, 0 elsewhere.
    """
    experiences, people = pool.space.view.experiences, pool.space.view.people
    speaker_of = experiences.person[pool.rows]
    nameless = people.index(question.nameless) if question.nameless in people else -1
    speaks = speaker_of == asked
    unknown = ~speaks & ((speaker_of < 0) | (speaker_of == nameless))
    share = np.zeros(len(pool.rows))
    share[unknown] = _share_of_session(pool, asked, pool.space.during[pool.rows[unknown]])
    share[unknown] *= _by_turns(pool, asked, pool.rows[unknown])
    is_clear = ~np.isnan(share)
    return speaks.astype(np.float64), np.where(is_clear, share, 0.0), is_clear


def asker(pool: Pool, question: ParsedQuestion, weights: RankingWeights) -> list[Contribution]:
    """Add to the messages of the asker, if the question is about the asker."""
    asks = query_targets.asker(pool.space, question)
    if asks is None or not len(pool.rows):
        return []
    experiences = pool.space.view.experiences
    values = weights.asker * (experiences.person[pool.rows] == asks).astype(np.float64)
    return [Contribution("speaker", Evidence.SPEAKER, "who asks says it", values, "SPOKEN_BY")]


def participant(
    pool: Pool, question: ParsedQuestion, weights: RankingWeights, whole: Pool
) -> list[Contribution]:
    """Add to sessions in which the people of the question speak, by the rarity of such sessions.

    Rarity is ln(1 + (S − s + ½) / (s + ½)): s of S sessions are with the person, 0 if all are.
    A memory without a session gets the average of the `whole` pool.
    """
    places = {person_index(pool.space, person): person.name for person in question.people}
    named = [place for place in places if place is not None]
    if not named or not len(pool.rows):
        return []
    session = pool.space.during
    by_session = _rarities(pool, named)
    value, has = by_session[session[pool.rows]], session[pool.rows] >= 0
    if not has.all() and (session[whole.rows] >= 0).any():
        value[~has] = by_session[session[whole.rows[session[whole.rows] >= 0]]].mean()
    names = " and ".join(name for place, name in places.items() if place is not None)
    values = weights.participant * value
    label = f"session with {names}"
    return [Contribution("speaker", Evidence.SESSION, label, values, "IN_SESSION")]


def _rarities(pool: Pool, people: Sequence[int]) -> Floats:
    """Return by session how rare the sessions of people are, on average; the last: no session."""
    count = len(pool.space.view.sessions)
    value = np.zeros(count + 1)
    for person in people:
        theirs = _sessions_of(pool, person)
        often = len(theirs)
        rarity = np.log(1 + (count - often + 0.5) / (often + 0.5)) if often < count else 0.0
        value[theirs] += rarity / len(people)
    return value


def _sessions_of(pool: Pool, person: int) -> Ints:
    """Return the sessions in which somebody's experience is visible."""
    experiences = pool.space.view.experiences
    theirs = (experiences.person == person) & pool.space.visible & (experiences.session >= 0)
    return distinct(experiences.session[theirs])


def _share_of_session(pool: Pool, person: int, sessions: Ints) -> Floats:
    """Return somebody's share among the known people of sessions; NaN where nobody is known."""
    experiences = pool.space.view.experiences
    wanted = np.zeros(len(pool.space.view.sessions) + 1, bool)  # the last one: no session, -1
    wanted[sessions] = True
    wanted[-1] = False
    named = (experiences.person >= 0) & pool.space.visible & wanted[experiences.session]
    people = len(pool.space.view.people)
    pairs = distinct(experiences.session[named] * people + experiences.person[named])
    count = np.bincount(pairs // people, minlength=len(wanted)).astype(np.float64)
    speaks = np.zeros(len(wanted))
    speaks[pairs[pairs % people == person] // people] = 1.0
    share: Floats = np.where(count > 0, speaks / np.maximum(count, 1.0), np.nan)[sessions]
    return share


def _by_turns(pool: Pool, person: int, rows: Ints) -> Floats:
    """Return how much likelier than by their share somebody says what has no session of its own.

    People take turns: who speaks just before and just after, in the session of then, is another.
    """
    experiences, during = pool.space.view.experiences, pool.space.during
    theirs, others = np.zeros(len(rows)), np.zeros(len(rows))
    for beside in (rows - 1, rows + 1):
        there = np.clip(beside, 0, len(during) - 1)
        known = (there == beside) & (during[there] == during[rows]) & (during[rows] >= 0)
        known &= (experiences.person[there] >= 0) & (experiences.session[rows] < 0)
        theirs += known & (experiences.person[there] == person)
        others += known & (experiences.person[there] != person)
    return np.where(theirs > 0, np.where(others > 0, 1.0, 0.5), np.where(others > 0, 1.5, 1.0))
