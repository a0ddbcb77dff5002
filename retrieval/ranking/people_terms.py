"""Contributions by the people that a question names: what they say, and their sessions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...graph.view import Floats, Ints
from ...storage.sorted_arrays import distinct
from ..candidates import query_targets
from ..candidates.pool import Pool
from ..candidates.query_targets import person_index, target_person
from ..query.question import ParsedQuestion
from .contributions import Contribution, Evidence
from .ranking_weights import RankingWeights


def speaker(pool: Pool, question: ParsedQuestion, weights: RankingWeights) -> list[Contribution]:
    """Give to what the person in the question says.

    What nobody known says, or an owner without a name, counts by the person's share among the
    people of its session: an agent that talks with one person alone talks about them. Where nobody
    is known, the average counts.
    """
    asked = target_person(pool.space, question)
    if asked is None or not len(pool.rows):
        return []
    experiences, name = pool.space.view.experiences, question.people[0].name
    speaker_of = experiences.person[pool.rows]
    people = pool.space.view.people
    nameless = people.index(question.nameless) if question.nameless in people else -1
    speaks = speaker_of == asked
    unknown = ~speaks & ((speaker_of < 0) | (speaker_of == nameless))
    share = np.zeros(len(pool.rows))
    share[unknown] = _share_of_session(pool, asked, experiences.session[pool.rows[unknown]])
    unsaid = unknown & np.isnan(share)
    share[unsaid], known = 0.0, ~unsaid
    said = speaks.astype(np.float64)
    average = float(np.maximum(said, share)[known].mean()) if known.any() else 0.0
    given: Sequence[tuple[Evidence, str, Floats, str | None]] = [
        (Evidence.SPEAKER, f"{name} says it", said, "SPOKEN_BY"),
        (Evidence.SESSION, f"session with {name}", share, "IN_SESSION"),
        (
            Evidence.SPEAKER,
            "nobody known says it: the average",
            np.where(known, 0.0, average),
            None,
        ),
    ]
    return [
        Contribution("speaker", evidence, label, weights.speaker * values, edge)
        for evidence, label, values, edge in given
        if edge == "SPOKEN_BY" or values.any()
    ]


def asker(pool: Pool, question: ParsedQuestion, weights: RankingWeights) -> list[Contribution]:
    """Give to what the person says who asks about themselves."""
    asks = query_targets.asker(pool.space, question)
    if asks is None or not len(pool.rows):
        return []
    experiences = pool.space.view.experiences
    said = (experiences.person[pool.rows] == asks).astype(np.float64)
    values = weights.asker * said
    return [Contribution("speaker", Evidence.SPEAKER, "who asks says it", values, "SPOKEN_BY")]


def participant(
    pool: Pool, question: ParsedQuestion, weights: RankingWeights
) -> list[Contribution]:
    """Give to sessions in which the people of the question speak, by how few such there are.

    Rarity is ln(1 + (S − s + ½) / (s + ½)): s of S sessions are with somebody, nothing if all are.
    What has no session has the average.
    """
    places = {person_index(pool.space, person): person.name for person in question.people}
    named = [place for place in places if place is not None]
    if not named or not len(pool.rows):
        return []
    experiences, count = pool.space.view.experiences, len(pool.space.view.sessions)
    session = experiences.session[pool.rows]
    value = np.zeros(len(pool.rows))
    for place in named:
        theirs = _sessions_of(pool, place)
        often = len(theirs)
        rarity = np.log(1 + (count - often + 0.5) / (often + 0.5)) if often < count else 0.0
        value += rarity * np.isin(session, theirs) / len(named)
    has = session >= 0
    if has.any() and not has.all():
        value[~has] = float(value[has].mean())
    names = " and ".join(name for place, name in places.items() if place is not None)
    values = weights.participant * value
    label = f"session with {names}"
    return [Contribution("speaker", Evidence.SESSION, label, values, "IN_SESSION")]


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
    known = (experiences.person >= 0) & pool.space.visible & wanted[experiences.session]
    pairs = np.unique(
        np.stack([experiences.session[known], experiences.person[known]], axis=1), axis=0
    )
    count = np.bincount(pairs[:, 0], minlength=len(wanted)).astype(np.float64)
    speaks = np.zeros(len(wanted))
    speaks[pairs[pairs[:, 1] == person, 0]] = 1.0
    share: Floats = np.where(count > 0, speaks / np.maximum(count, 1.0), np.nan)[sessions]
    return share
