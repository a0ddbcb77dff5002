"""Activation: where its edges are read from, the source's walk over them, and TraceRank.

Edges come from arrays in memory, or from a graph engine by one query per hop; each hop asks for the
edges of the nodes that the hop before reached, and returns the columns that the arrays have. If the
engine does not answer, the arrays are used and a note says so. TraceRank uses reinforcements and
facts as of the question's moment: the time that the question is asked as of, else that of the
newest visible memory, so that a repeated question has the same result. Nothing is scored here: how
words spread is decided in `ranking.spreading`, and the signal of the walk is one contribution.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from ...core.entries import FactAsserted, MemoryReinforced
from ...core.errors import MeridiaError
from ...core.ports import GraphStore
from ...core.settings import RecallSettings
from ...core.time import DAY_S
from ...core.types import Entry, EntryKind
from ...core.types import Space as SpaceName
from ...graph.adjacency import Adjacency
from ...graph.view import CypherEdges, Experiences, Floats, GraphView, Ints
from ...language.questions.question import ParsedQuestion
from ...storage.sorted_arrays import distinct, lookup_values
from ...storage.space_caches import SpaceCache
from ...storage.store import Store
from ...traversal.tracerank import (
    LIFETIME_DAYS,
    NodeFactors,
    NodeRanks,
    Reinforcements,
    factors_over,
    unranked,
)
from ...traversal.walk import ActivationPath, EdgeSource, PathsTo, Visit, start_nodes, walk
from .pool import Mask, Pool, SpaceView
from .postings import Postings
from .query_targets import person_index


@dataclass(frozen=True, slots=True)
class ActivationResult:
    """The result of a walk: rows ascending, the signal on arrival, and the paths.

    `notes` are for readers of the answer.
    """

    rows: Ints
    amount: Floats
    paths: PathsTo
    notes: tuple[str, ...] = ()

    def at(self, rows: Ints) -> Floats:
        """Return the signal at each of `rows`, 0 where the walk did not come."""
        return lookup_values(self.rows, self.amount, rows)


def activate(pool: Pool, edges: EdgeSource, history: NodeRanks) -> ActivationResult:
    """Walk from the three best candidates of a pool; each walk is drawn by its random seed."""
    space, view = pool.space, pool.space.view

    def rank(nodes: Ints) -> Floats:
        row, values = view.experience_of[nodes], history(nodes)
        values[(row >= 0) & ~space.visible[row]] = 0.0
        return values

    active = np.ones(len(pool.rows), bool)
    best = start_nodes(pool.rows, pool.mass[pool.rows], active & (pool.mass[pool.rows] > 0))
    random = np.random.default_rng(space.random_seed)
    visits = walk(edges, view.experiences.node[best], random, rank)
    by_row: dict[int, list[Visit]] = defaultdict(list)
    for visit in visits:
        row = int(view.experience_of[visit.node])
        if visit.steps and row >= 0 and space.allowed[row]:
            by_row[row].append(visit)
    rows = np.array(sorted(by_row), np.int64)
    amount = np.array([sum(v.signal for v in by_row[row]) for row in rows.tolist()], np.float64)

    def paths(row: int) -> Iterator[ActivationPath]:
        return iter([path_of(visit) for visit in by_row[row]])

    return ActivationResult(rows, amount, paths)


def path_of(visit: Visit) -> ActivationPath:
    """Return the way of one visit of a walk; its amount is the signal on arrival."""
    capped = sum(step.capped for step in visit.steps)
    note = f"signal {visit.signal:.2f}"
    if capped:
        note += f", the probability of {capped} capped at 1"
    return ActivationPath(
        (visit.start, *(step.node for step in visit.steps)),
        tuple(step.type for step in visit.steps),
        tuple(step.along for step in visit.steps),
        visit.signal,
        note,
    )


#: One reinforcement: its place in the journal, whom it reinforced, when (seconds since 1970), and
#: by what experience.
_Reinforcement = tuple[int, str, float, str]
#: One stated fact: its place in the journal, the experience that states it, its lifetime in days.
_Lifetime = tuple[int, str, float]
_Listed = TypeVar("_Listed", _Reinforcement, _Lifetime)


class TraceRankHistory:
    """TraceRank of the memories of a journal's spaces."""

    def __init__(self, file: Store, adjacency: Adjacency) -> None:
        self._journal = file.journal
        self._adjacency = adjacency
        self._reinforcements: SpaceCache[list[_Reinforcement]] = SpaceCache(file.caches)
        self._lifetimes: SpaceCache[list[_Lifetime]] = SpaceCache(file.caches)

    def ranks(self, space: SpaceView) -> NodeRanks:
        """Return the TraceRank of a space's nodes as a question sees them."""
        factors = self.factors(space)
        return lambda nodes: factors(nodes).total

    def factors(self, space: SpaceView) -> NodeFactors:
        """Return the inputs of TraceRank for a space's nodes, as a question sees them."""
        experiences = space.view.experiences
        newest = int(np.max(experiences.at[space.visible], initial=0))
        now = newest if space.moment is None else int(space.moment.timestamp())
        reinforcements = self._reinforced(space)
        owner = experience_rows(self._adjacency, space, [id for _, id, *_ in reinforcements])
        age = (now - np.array([at for _, _, at, _ in reinforcements], np.float64)) / DAY_S
        valid = (owner >= 0) & (age >= 0)
        repeated = Reinforcements(owner[valid], age[valid])
        return factors_over(space.view, now, repeated, self._lifetime_days(space))

    def repeats(self, space: SpaceView) -> Mask:
        """Return which experiences only repeat another one that may be returned."""
        reinforced = self._reinforced(space)
        repeated = np.zeros(len(space.allowed), np.bool_)
        owners = experience_rows(
            self._adjacency, space, [canonical for _, canonical, *_ in reinforced]
        )
        rows = experience_rows(
            self._adjacency, space, [experience for *_, experience in reinforced]
        )
        stands = (owners >= 0) & (rows >= 0)
        stands[stands] = space.allowed[owners[stands]]
        repeated[rows[stands]] = True
        return repeated

    def _reinforced(self, space: SpaceView) -> list[_Reinforcement]:
        kind = EntryKind.MEMORY_REINFORCED
        return self._until(space.name, _end(space), kind, self._reinforcements, _reinforcement)

    def _lifetime_days(self, space: SpaceView) -> Floats:
        """Return how fast each experience ages, in days: as the shortest-lived fact it states.

        Infinite for what states no fact, or only such as do not change.
        """
        stated = self._until(
            space.name, _end(space), EntryKind.FACT_ASSERTED, self._lifetimes, _lifetime
        )
        days = np.full(len(space.view.experiences.seqs), np.inf)
        rows = experience_rows(self._adjacency, space, [id for _, id, _ in stated])
        lifetimes = np.array([lifetime for *_, lifetime in stated], np.float64)
        np.minimum.at(days, rows[rows >= 0], lifetimes[rows >= 0])
        return days

    def _until(
        self,
        space: SpaceName,
        until: int,
        kind: EntryKind,
        caches: SpaceCache[list[_Listed]],
        read: Callable[[Entry], _Listed | None],
    ) -> list[_Listed]:
        """Return the data of entries of a kind up to `until`; only new entries are read."""
        with caches.lock(space):
            cached = caches.get(space) or []
            if not cached or cached[-1][0] < until:
                after = cached[-1][0] if cached else 0
                entries = self._journal.of_kind(space, kind, after)
                cached += [listed for listed in map(read, entries) if listed is not None]
                caches.put(space, cached)
            return [listed for listed in cached if listed[0] <= until]


def _end(space: SpaceView) -> int:
    """Return the last journal sequence that a question sees."""
    until = space.view.until
    return until if space.last_seq is None else min(until, space.last_seq)


def _reinforcement(entry: Entry) -> _Reinforcement | None:
    if not isinstance(entry.payload, MemoryReinforced):
        return None
    payload = entry.payload
    return int(entry.seq), payload.canonical, entry.at.timestamp(), payload.experience


def _lifetime(entry: Entry) -> _Lifetime | None:
    if not isinstance(entry.payload, FactAsserted):
        return None
    days = LIFETIME_DAYS.get(entry.payload.stability, math.inf)
    return int(entry.seq), entry.payload.experience, days


def experience_rows(adjacency: Adjacency, space: SpaceView, ids: Sequence[str]) -> Ints:
    """Return the rows of `view.experiences` of some experiences; -1 for missing ones."""
    numbers = adjacency.numbers(space.name, sorted(set(ids)))
    nodes = space.view.nodes_of(np.array([numbers.get(id, -1) for id in ids], np.int64))
    return np.where(nodes >= 0, space.view.experience_of[nodes], -1)


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


#: Opens the graph of a space, brought up to date.
OpenGraph = Callable[[SpaceName], GraphStore]


class Activator:
    """Moves activation as the settings say, over whichever source of edges answers."""

    def __init__(
        self,
        file: Store,
        adjacency: Adjacency,
        settings: RecallSettings,
        graph: OpenGraph | None,
    ) -> None:
        self._adjacency = adjacency
        self._settings = settings
        self._graph = graph
        self._histories = TraceRankHistory(file, adjacency)

    def tied(
        self, pool: Pool, postings: Postings, question: ParsedQuestion
    ) -> tuple[Pool, list[str]]:
        """Return a pool with the edges that words and people spread over, and notes."""
        if (open_graph := self._opens) is None:
            return pool, []
        try:
            edges = self._edges(pool.space, open_graph)
            return over_engine(pool, postings, question, edges), []
        except MeridiaError as error:
            return pool, [_in_memory(error)]

    def activate(self, pool: Pool) -> ActivationResult:
        """Walk from a pool's start nodes."""
        space = pool.space
        history = self._histories.ranks(space) if self._settings.tracerank else unranked
        if (open_graph := self._opens) is None:
            return activate(pool, space.view, history)
        try:
            return activate(pool, self._edges(space, open_graph), history)
        except MeridiaError as error:
            return replace(activate(pool, space.view, history), notes=(_in_memory(error),))

    @property
    def _opens(self) -> OpenGraph | None:
        return self._graph if self._settings.traverse == "cypher" else None

    def _edges(self, space: SpaceView, open_graph: OpenGraph) -> CypherEdges:
        store = open_graph(space.name)
        return CypherEdges(store.run, *self._translation(space), space.view.until)

    def _translation(
        self, space: SpaceView
    ) -> tuple[Callable[[Ints], list[str]], Callable[[Sequence[str]], Ints]]:
        """Return how dense indices become ids, and ids become dense indices."""
        view: GraphView = space.view

        def ids(nodes: Ints) -> list[str]:
            numbers = view.numbers[nodes].tolist()
            names = self._adjacency.identify(space.name, numbers)
            return [names[number][0] for number in numbers]

        def nodes(ids: Sequence[str]) -> Ints:
            numbers = self._adjacency.numbers(space.name, ids)
            return view.nodes_of(np.array([numbers.get(id, -1) for id in ids], np.int64))

        return ids, nodes


def _in_memory(error: MeridiaError) -> str:
    return f"activation moved over the edges in memory: the graph did not answer ({error})"
