"""The edges that ranking follows, read from a graph engine by one query a hop.

Words flow over `NEXT` to messages around, over `IN_SESSION` to whole sessions, and people over
`SPOKEN_BY` to what they said. Each hop asks for the edges of the nodes that the one before reached;
what comes back stands in the columns that the arrays in memory have, for the rows that were
reached alone. Nothing is scored here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...graph.view import CypherEdges, Experiences, Ints
from ...storage.sorted_arrays import distinct
from ..query.question import ParsedQuestion
from .pool import Pool
from .postings import Postings
from .query_targets import person_index

#: Sessions and people have as many edges as they have.
_ALL = 2**62


def over_engine(
    pool: Pool, postings: Postings, question: ParsedQuestion, edges: CypherEdges
) -> Pool:
    """Return a pool whose messages, sessions and speakers are tied by the edges of an engine."""
    hops = _Hops(pool, edges)
    around = hops.follow_next(pool.rows)
    hops.follow_next(around)
    named = [person_index(pool.space, person) for person in question.people]
    people = [place for place in named if place is not None]
    theirs = hops.spoken_by(people)
    hops.find_sessions(distinct(np.concatenate([pool.rows, *postings.rows, theirs])))
    hops.find_speakers(pool.rows)
    if people:
        hops.find_speakers(hops.members(hops.sessions_without_speaker(pool.rows, question)))
    space = pool.space
    view = replace(space.view, experiences=hops.columns)
    return replace(pool, space=replace(space, view=view), beside={})


class _Hops:
    """Columns of experiences that are filled as edges are read."""

    def __init__(self, pool: Pool, edges: CypherEdges) -> None:
        self._view, self._edges = pool.space.view, edges
        experiences = self._view.experiences
        nothing = [np.full(len(experiences.seqs), -1, np.int64) for _ in range(4)]
        self._before, self._after, self._session, self._person = nothing
        self._sessions = {id: place for place, id in enumerate(self._view.sessions)}
        self._people = {id: place for place, id in enumerate(self._view.people)}

    @property
    def columns(self) -> Experiences:
        """The experiences with the columns that were read."""
        return replace(
            self._view.experiences,
            before=self._before,
            after=self._after,
            session=self._session,
            person=self._person,
        )

    def follow_next(self, rows: Ints) -> Ints:
        """Read what follows and precedes messages; return those rows."""
        position, way, target = self._hop([("NEXT", True), ("NEXT", False)], rows)
        beside = self._view.experience_of[target]
        for column, of_way in ((self._after, way == 0), (self._before, way == 1)):
            column[rows[position[of_way]]] = beside[of_way]
        return distinct(beside[beside >= 0])

    def spoken_by(self, people: Sequence[int]) -> Ints:
        """Read what some people said, and return those rows."""
        ids = [self._view.people[place] for place in people]
        position, target = self._from_ids("SPOKEN_BY", ids)
        rows = self._view.experience_of[target]
        self._person[rows] = np.array(people, np.int64)[position]
        return rows

    def find_sessions(self, rows: Ints) -> None:
        """Read the session of each row."""
        self._find("IN_SESSION", rows, self._session, self._sessions)

    def find_speakers(self, rows: Ints) -> None:
        """Read the speaker of each row."""
        self._find("SPOKEN_BY", rows, self._person, self._people)

    def sessions_without_speaker(self, rows: Ints, question: ParsedQuestion) -> Ints:
        """Return the sessions of what nobody known says."""
        nameless = self._people.get(question.nameless or "", -1)
        unknown = (self._person[rows] < 0) | (self._person[rows] == nameless)
        sessions = self._session[rows[unknown]]
        return distinct(sessions[sessions >= 0])

    def members(self, sessions: Ints) -> Ints:
        """Read which messages some sessions have, and return those rows."""
        position, target = self._from_ids(
            "IN_SESSION", [self._view.sessions[session] for session in sessions.tolist()]
        )
        rows = self._view.experience_of[target]
        self._session[rows] = sessions[position]
        return rows

    def _find(self, type: str, rows: Ints, column: Ints, places: dict[str, int]) -> None:
        position, _, target = self._hop([(type, True)], rows)
        names = self._edges.ids(target)
        column[rows[position]] = np.array([places.get(name, -1) for name in names], np.int64)

    def _from_ids(self, type: str, ids: Sequence[str]) -> tuple[Ints, Ints]:
        """Return the edges against their direction from some nodes: position, target."""
        nodes = self._edges.nodes(ids)
        hop = self._edges.hop([(type, False)], nodes, _ALL)
        return hop.position, hop.target

    def _hop(self, ways: Sequence[tuple[str, bool]], rows: Ints) -> tuple[Ints, Ints, Ints]:
        hop = self._edges.hop(ways, self._view.experiences.node[rows], _ALL)
        return hop.position, hop.way, hop.target
