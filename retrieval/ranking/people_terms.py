"""Contributions by the people that a question names: what they say, and their sessions."""

from __future__ import annotations

import numpy as np

from ..candidates.pool import Mask, Pool
from ..candidates.query_targets import person_index, target_person
from ..query.question import ParsedQuestion
from .contributions import Contribution, Evidence
from .ranking_weights import RankingWeights


def speaker(pool: Pool, question: ParsedQuestion, weights: RankingWeights) -> list[Contribution]:
    """Give to what the person in the question says, and to sessions with that person alone.

    What an agent and its tools say in a session with one person, they say for that person.
    """
    asked = target_person(pool.space, question)
    if asked is None:
        return []
    person, name = pool.space.view.experiences.person, question.people[0].name
    speaks = person[pool.rows] == asked
    answers = (
        (person[pool.rows] < 0)
        & _in_session_with(pool, person == asked)
        & ~_in_session_with(pool, (person >= 0) & (person != asked))
    )
    return [
        Contribution("speaker", evidence, label, np.where(where, weights.speaker, 0.0), edge)
        for evidence, label, where, edge in (
            (Evidence.SPEAKER, f"{name} says it", speaks, "SPOKEN_BY"),
            (Evidence.SESSION, f"session with {name} alone", answers, "IN_SESSION"),
        )
    ]


def session_participant(
    pool: Pool, question: ParsedQuestion, weights: RankingWeights
) -> list[Contribution]:
    """Give by how many of the people that a question names speak in the session of a memory."""
    places = {person_index(pool.space, person): person.name for person in question.people}
    named = [place for place in places if place is not None]
    if not named:
        return []
    person = pool.space.view.experiences.person
    speak = np.zeros(len(pool.rows))
    for place in named:
        speak += _in_session_with(pool, person == place)
    names = " and ".join(name for place, name in places.items() if place is not None)
    label = f"session with {names}"
    return [
        Contribution(
            "speaker",
            Evidence.SESSION,
            label,
            weights.session_participant * speak / len(named),
            "IN_SESSION",
        )
    ]


def _in_session_with(pool: Pool, who: Mask) -> Mask:
    """Return which candidates stand in a session in which an experience of `who` is visible."""
    session = pool.space.view.experiences.session
    theirs = session[who & pool.space.visible & (session >= 0)]
    return np.isin(session[pool.rows], theirs)
