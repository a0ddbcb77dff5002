"""Daydreaming: proposes pairs of memories; a person decides which become associations.

A proposal is a line of the trace stream: two ids and a number. It is in no journal and no graph,
and no recall uses it. An approved pair is an association (`RELATED`); approvals and rejections are
journal entries.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from enum import StrEnum
from itertools import combinations
from typing import TYPE_CHECKING

from ..core.calls.arguments import checked
from ..core.entries import MemoriesAssociated
from ..core.errors import InvalidInput, NotFound
from ..core.ids import derived
from ..core.lazy import np
from ..core.settings import DaydreamSettings
from ..core.time import from_text
from ..core.types import EntryDraft, EntryKind, Json, MemoryRecord, Space
from ..core.vocabulary import word_of
from ..graph.adjacency import Adjacency
from ..models.tokens import Embedder
from ..storage.projections.text_traits import hiding_traits
from ..storage.store import Store
from ..storage.trace import TraceEntry

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..graph.view import GraphView
    from ..storage.vectors import VectorIndexes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..graph.view import GraphView, Ints
    from ..storage.vectors import VectorIndex

_BRIDGES = ("ABOUT", "MENTIONS")
#: What more memories name than this tells nothing of two of them.
_SHARED_MAX = 20
#: From this cosine on, memories are associated (`RELATED`).
_NEAR = 0.6


@dataclass(frozen=True, slots=True)
class Pair:
    """Two rows of experiences, the earlier first, and how much it may be worth to link them."""

    earlier: int
    later: int
    insight: float


def pairs_of(
    view: GraphView,
    index: VectorIndex,
    allowed: NDArray[np.bool_],
    since: int,
    insight_min: float,
    limit: int,
) -> list[Pair]:
    """Return the best pairs of which one came after sequence `since`, best first.

    Each memory is in one pair at most. `allowed` is a mask over the experiences.
    """
    bridges = _bridges(view, allowed, since)
    earlier, later = np.array(list(bridges), np.int64).reshape(-1, 2).T
    cosines = (_vectors(view, index, earlier) * _vectors(view, index, later)).sum(axis=1)
    insight = np.array(list(bridges.values())) * np.clip(cosines / _NEAR, 0.0, 1.0)
    # What is as near as this is associated already.
    enough = np.flatnonzero((insight >= insight_min) & (cosines < _NEAR))
    chosen, taken = list[Pair](), set[int]()
    for place in enough[np.lexsort((later[enough], earlier[enough], -insight[enough]))]:
        first, second = int(earlier[place]), int(later[place])
        if taken.isdisjoint({first, second}) and len(chosen) < limit:
            chosen.append(Pair(first, second, float(insight[place])))
            taken |= {first, second}
    return chosen


def _bridges(
    view: GraphView, allowed: NDArray[np.bool_], since: int
) -> dict[tuple[int, int], float]:
    """Return the bridge of each pair that shares something, tells of two sessions, and is new."""
    session, fresh = view.experiences.session, view.experiences.seqs > since
    count = math.log(max(int(allowed.sum()), 2))
    missing: dict[tuple[int, int], float] = defaultdict(lambda: 1.0)
    for rows in _sharing(view, allowed):
        for earlier, later in combinations(rows, 2):
            if session[earlier] != session[later] and (fresh[earlier] or fresh[later]):
                missing[earlier, later] *= math.log(len(rows)) / count
    return {pair: 1 - product for pair, product in missing.items()}


def _sharing(view: GraphView, allowed: NDArray[np.bool_]) -> Iterator[list[int]]:
    """Yield the rows, ascending, that name each topic and thing that few name."""
    nodes = np.flatnonzero(view.experience_of < 0)
    for type in _BRIDGES:
        edges = view.links(type, outgoing=False).of(nodes)
        rows = view.experience_of[edges.target]
        usable = (rows >= 0) & allowed[rows]
        position, rows = edges.position[usable], rows[usable]
        starts = np.flatnonzero(np.diff(position, prepend=-1))
        for group in np.split(rows, starts[1:]):
            distinct_rows = sorted(set(group.tolist()))
            if 2 <= len(distinct_rows) <= _SHARED_MAX:
                yield distinct_rows


def _vectors(view: GraphView, index: VectorIndex, rows: Ints) -> NDArray[np.float64]:
    """Return the first vector of each row's experience; zeros where there is none."""
    vectors = np.zeros((len(rows), index.rows.shape[1]))
    places = index.places(view.experiences.seqs[rows])
    vectors[places >= 0] = index.rows[index.starts[places[places >= 0]]]
    return vectors


#: Trace lines: one a pair, and one each time that it was looked for pairs.
_KIND, _PROPOSED, _DONE = "daydream", "proposed", "done"
#: Fewer memories are nothing to daydream of; and so many pairs come of it each time.
_MEMORIES_MIN, _PAIRS_MAX = 3, 5


class IdeaState(StrEnum):
    """Where an idea stands."""

    PROPOSED = "proposed"
    APPROVED = "approved"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Idea:
    """Two memories that may belong together, and how much it may be worth, 0 to 1."""

    id: str
    earlier: MemoryRecord
    later: MemoryRecord
    insight: float
    state: IdeaState

    def as_json(self) -> dict[str, Json]:
        """Return it as plain JSON values."""
        memories = {
            name: {"id": m.id, "uri": m.uri, "at": m.at.isoformat(), "text": m.text}
            for name, m in (("earlier", self.earlier), ("later", self.later))
        }
        return {"idea": self.id, "state": self.state.value, "insight": self.insight} | memories


@checked
class IdeaService:
    """The ideas of one space."""

    def __init__(
        self,
        file: Store,
        space: Space,
        adjacency: Adjacency,
        indexes: VectorIndexes,
        embedder: Callable[[], Embedder | None],
        settings: DaydreamSettings,
    ) -> None:
        self._file = file
        self._space = space
        self._adjacency = adjacency
        self._indexes = indexes
        self._embedder = embedder
        self._settings = settings

    def propose_if_due(self) -> list[Idea]:
        """Propose pairs if there are enough new memories and the last time is long enough ago."""
        last = _last(self._lines())
        since = 0 if last is None else int(last.detail["until"])
        if last is not None:
            pause = timedelta(seconds=self._settings.interval_s)
            if self._file.clock() - from_text(last.at) < pause:
                return []
        view = self._adjacency.view(self._space, None)
        fresh = int((view.experiences.seqs > since).sum())
        return self.propose() if fresh >= self._settings.memories_min else []

    def propose(self) -> list[Idea]:
        """Look for pairs with what came since the last time, and return those that are new.

        Raises `InvalidInput` where embedding is off. What is enriched already is looked at.
        """
        embedder = self._embedder()
        if embedder is None:
            raise InvalidInput("ideas need vectors: turn embedding.enabled on")
        lines = self._lines()
        last = _last(lines)
        view = self._adjacency.view(self._space, None)
        index = self._indexes.index(self._space, embedder.model, embedder.dimension, view.until)
        allowed = self._allowed(view)
        pairs = pairs_of(
            *(view, index, allowed),
            0 if last is None else int(last.detail["until"]),
            self._settings.insight_min,
            _PAIRS_MAX if int(allowed.sum()) >= _MEMORIES_MIN else 0,
        )
        ideas = self._ideas(view, pairs)
        earlier = {line.detail["idea"] for line in lines if line.decision == _PROPOSED}
        new = [idea for idea in ideas if idea.id not in earlier]
        for idea in new:
            detail = {"idea": idea.id, "earlier": idea.earlier.id, "insight": idea.insight}
            self._file.trace.write(self._space, _KIND, _PROPOSED, idea.later.id, detail)
        done = {"until": int(view.until), "pairs": len(pairs)}
        self._file.trace.write(self._space, _KIND, _DONE, None, done)
        return sorted(new, key=_sort_key)

    def _allowed(self, view: GraphView) -> NDArray[np.bool_]:
        """Return which experiences may be in an idea: none that is restricted or was corrected."""
        seqs = view.experiences.seqs
        hidden = hiding_traits(restricted=self._file.catalog.restricted)
        allowed: NDArray[np.bool_] = view.experiences.traits & int(hidden) == 0
        superseded = [seq for seq, *_ in self._file.catalog.superseded(self._space, None, None)]
        return allowed & ~np.isin(seqs, superseded)

    def _ideas(self, view: GraphView, pairs: Sequence[Pair]) -> list[Idea]:
        """Return what pairs of rows are as ideas."""
        seqs = view.experiences.seqs
        rows = np.array([row for pair in pairs for row in (pair.earlier, pair.later)], np.int64)
        memories, ideas = self._file.catalog.fetch(self._space, seqs[rows].tolist()), []
        for pair in pairs:
            earlier, later = (memories[int(seqs[row])] for row in (pair.earlier, pair.later))
            id = derived("idea", self._space, earlier.id, later.id)
            ideas.append(Idea(id, earlier, later, round(pair.insight, 4), IdeaState.PROPOSED))
        return ideas

    def listed(self, state: IdeaState | str | None = IdeaState.PROPOSED) -> list[Idea]:
        """Return the ideas in one state, or all; the most insightful first.

        `state` is proposed, approved or rejected. One of whose memories was forgotten is gone.
        """
        state = word_of(IdeaState, state, "state")
        lines = [line for line in self._lines() if line.decision == _PROPOSED]
        states = self._states([line.detail["idea"] for line in lines])
        ideas = {}
        for line in lines:
            id = line.detail["idea"]
            try:
                earlier, later = self._find(line.detail["earlier"]), self._find(line.subject)
            except NotFound:
                continue
            ideas[id] = Idea(id, earlier, later, line.detail["insight"], states[id])
        chosen = [idea for idea in ideas.values() if state in (None, idea.state)]
        return sorted(chosen, key=_sort_key)

    def approve(self, id: str) -> Idea:
        """Store an idea as an association; `NotFound` for one that was never proposed."""
        idea = self._find_idea(id)
        related = ((idea.earlier.id, idea.insight),)
        return self._decide(idea, IdeaState.APPROVED, related)

    def reject(self, id: str) -> Idea:
        """Take an idea off the list; `InvalidInput` for one that was approved."""
        idea = self._find_idea(id)
        if idea.state is IdeaState.APPROVED:
            raise InvalidInput(f"idea {id} was already approved: it is in the graph")
        return self._decide(idea, IdeaState.REJECTED, ())

    def _decide(self, idea: Idea, state: IdeaState, related: tuple[tuple[str, float], ...]) -> Idea:
        payload = MemoriesAssociated(idea.later.id, related)
        self._file.journal.append(self._space, [EntryDraft(f"{idea.id}#{state}", payload)])
        return replace(idea, state=state)

    def _find_idea(self, id: str) -> Idea:
        for idea in self.listed(None):
            if idea.id == id:
                return idea
        raise NotFound(
            f"there is no idea {id!r} in space {self._space!r}: `meridia ideas` lists them"
        )

    def _states(self, ids: Sequence[str]) -> dict[str, IdeaState]:
        """Return where ideas stand: approved for good, else as decided, else proposed."""
        decisions = (IdeaState.REJECTED, IdeaState.APPROVED)
        keys = [f"{id}#{state}" for id in ids for state in decisions]
        kind = EntryKind.MEMORIES_ASSOCIATED
        decided = {e.key for e in self._file.journal.by_keys(self._space, kind, keys)}
        states = dict.fromkeys(ids, IdeaState.PROPOSED)
        for state in decisions:
            states |= {id: state for id in ids if f"{id}#{state}" in decided}
        return states

    def _find(self, id: str | None) -> MemoryRecord:
        return self._file.catalog.find(self._space, id or "")

    def _lines(self) -> list[TraceEntry]:
        return self._file.trace.of_kind(self._space, _KIND)


def _last(lines: Sequence[TraceEntry]) -> TraceEntry | None:
    """Return the line of the last time that pairs were looked for."""
    done = [line for line in lines if line.decision == _DONE]
    return done[-1] if done else None


def _sort_key(idea: Idea) -> tuple[float, str]:
    return -idea.insight, idea.id
