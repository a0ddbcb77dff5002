"""Counterfactuals: the rank of a memory without one edge, and why a memory is not in an answer.

An edge is removed from an immutable view, never from the graph, and the whole question is computed
again, because an edge also changes the scores of other memories. A missing memory has the first
reason that applies: it did not exist yet, it was filtered out, it was not a candidate, or others
scored more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from itertools import pairwise

import numpy as np

from ...core.codec import JsonObject, to_object
from ...core.events import EventKind, is_restricted
from ...core.time import to_text
from ...core.types import Filters, Json, MemoryRecord, Space
from ...graph.view import Experiences, GraphView, Ints
from ...language.questions.question import ParsedQuestion
from ...storage.projections.text_traits import is_inactive
from ...storage.store import Store
from ..candidates.pool import SpaceSnapshot
from ..ranked import Ranked
from ..ranking.contributions import Contribution, best_first
from ..ranking.formula import session_lengths
from ..ranking.score_trace import strongest_paths
from ..recall_record import RecallInputs
from ..rerank.reranker import is_safe


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge of the graph by its type and the ids of its two ends."""

    type: str
    source: str
    target: str


@dataclass(frozen=True, slots=True)
class Counterfactual:
    """The rank and score of a memory, with and without an edge.

    `rank_without` is None if it would not have been a candidate. `description` is the edge in
    words.
    """

    edge: Edge
    description: str
    rank: int
    score: float
    rank_without: int | None
    score_without: float | None

    def as_json(self) -> dict[str, Json]:
        """Return it as plain JSON values."""
        return {
            "edge": to_object(self.edge) | {"description": self.description},
            "rank": self.rank,
            "score": self.score,
            "rank_without": self.rank_without,
            "score_without": self.score_without,
        }


#: An edge by its type and the dense indices of its ends.
Link = tuple[str, int, int]


def rank_and_score(ranked: Ranked, row: int) -> tuple[int, float] | None:
    """Return rank and score of an experience among all candidates; None if it was none."""
    rows = ranked.pool.rows
    place = int(np.searchsorted(rows, row))
    if place >= len(rows) or rows[place] != row:
        return None
    order = best_first(rows, ranked.scores)
    return int(np.flatnonzero(order == place)[0]) + 1, float(ranked.scores[place])


def without(snapshot: SpaceSnapshot, link: Link) -> SpaceSnapshot:
    """Return the view of a space that a question would have without one edge."""
    type, source, target = link
    view = snapshot.view.without(type, source, target)
    if view is snapshot.view:
        return snapshot
    lengths = session_lengths(view) if type == "IN_SESSION" else snapshot.session_words
    now, then = view.experiences.session, snapshot.view.experiences.session
    during = np.where(now == then, snapshot.during, now)
    norms = np.full(len(snapshot.norms), np.nan)
    return replace(snapshot, view=view, norms=norms, session_words=lengths, during=during)


def links_of(ranked: Ranked, row: int) -> list[Link]:
    """Return every edge that the trace of a candidate names, each once, in the trace's order."""
    view, place = ranked.pool.space.view, int(np.searchsorted(ranked.pool.rows, row))
    links: dict[Link, None] = {}
    for contribution in ranked.contributions:
        if contribution.edge is not None and contribution.values[place] != 0:
            links |= dict.fromkeys(_links(view, contribution, row, place))
    paths = strongest_paths(ranked.contributions, np.array([place]), np.array([row]))
    for path in paths.get(row, ()):
        links |= dict.fromkeys(path.links())
    return list(links)


def _links(view: GraphView, contribution: Contribution, row: int, place: int) -> Iterator[Link]:
    node = int(view.experiences.node[row])
    if contribution.source is not None:
        nodes = chain(view.experiences, row, int(contribution.source[place]))
        ordered = nodes if contribution.offset > 0 else nodes[::-1]
        yield from (("NEXT", a, b) for a, b in pairwise(ordered))
    elif contribution.edge is not None:
        ends: Ints = view.links(contribution.edge).of(np.array([node], np.int64)).target
        yield from ((contribution.edge, node, end) for end in ends.tolist())


def chain(experiences: Experiences, row: int, source: int) -> list[int]:
    """Return the nodes of experiences in a row, from one to another up to two places away."""
    here = np.array([row], np.int64)
    for offset in (-1, 1, -2, 2):
        if int(experiences.neighbours(here, offset)[0]) == source:
            step = 1 if offset > 0 else -1
            path = [int(experiences.neighbours(here, s)[0]) for s in range(0, offset + step, step)]
            nodes: list[int] = experiences.node[path].tolist()
            return nodes
    return []


class Cause(StrEnum):
    """The reason why a memory is not in an answer."""

    RECALLED = "recalled"
    NOT_THERE = "not there yet"
    FILTERED = "filtered out"
    NO_CANDIDATE = "no candidate"
    OUTRANKED = "outranked"


@dataclass(frozen=True, slots=True)
class TermGap:
    """The value of one term of the score for a memory, and for the last one that was returned."""

    term: str
    its: float
    last: float


@dataclass(frozen=True, slots=True)
class WhyNot(JsonObject):
    """Why a memory was not recalled, in words; for a candidate, also its rank and score.

    `lacked` compares its terms with those of the last one returned, the largest gap first.
    """

    memory: str
    cause: Cause
    because: Sequence[str]
    rank: int | None = None
    score: float | None = None
    last_score: float | None = None
    lacked: Sequence[TermGap] = ()


def why_not(
    file: Store,
    ranked: Ranked,
    inputs: RecallInputs,
    question: ParsedQuestion,
    memory: MemoryRecord,
) -> WhyNot:
    """Return why `memory` is not among the best that were ranked."""
    space = ranked.pool.space
    row = int(space.view.experiences.index_of(np.array([memory.seq], np.int64))[0])
    if row >= 0 and not space.visible[row] and (hidden := _hidden(file, memory)):
        return WhyNot(memory.id, Cause.FILTERED, [hidden])
    if row < 0 or not space.visible[row]:
        missing = _not_there(file, space.name, inputs, memory, row)
        return WhyNot(memory.id, Cause.NOT_THERE, [missing])
    if not space.allowed[row]:
        because = _filtered(file, ranked, inputs.request.filters, memory)
        return WhyNot(memory.id, Cause.FILTERED, because)
    stood = rank_and_score(ranked, row)
    if stood is None:
        because = _no_candidate(file, ranked, inputs, question, row, memory)
        return WhyNot(memory.id, Cause.NO_CANDIDATE, because)
    rank, score = stood
    if rank <= len(ranked.order):
        return WhyNot(memory.id, Cause.RECALLED, [f"it was recalled, at rank {rank}"], rank, score)
    because = [
        f"it was a candidate, at rank {rank} of {len(ranked.pool.rows)}",
        *_words(file, question, memory),
    ]
    outranked = WhyNot(memory.id, Cause.OUTRANKED, because, rank, score)
    return outranked if not len(ranked.order) else _compared(outranked, ranked, row)


def _hidden(file: Store, memory: MemoryRecord) -> str | None:
    """Return why a memory is never a candidate, whatever the question."""
    if not file.catalog.restricted and is_restricted(dict(memory.metadata)):
        return "its metadata restrict who may see it: access.restricted shows such memories"
    if memory.kind == EventKind.SESSION_BOUNDARY:
        return "it is a session boundary, which is never recalled"
    if is_inactive(dict(memory.metadata)):
        return "its metadata call it planned or out of use: ask for its status with `where`"
    return None


def _compared(outranked: WhyNot, ranked: Ranked, row: int) -> WhyNot:
    """Return why a memory was outranked, compared with the last one returned."""
    last = int(ranked.order[-1])
    last_score = float(ranked.scores[last])
    scored = f"it scored {outranked.score:.3f}; the last one returned scored {last_score:.3f}"
    place = int(np.searchsorted(ranked.pool.rows, row))
    return replace(
        outranked,
        because=[outranked.because[0], scored, *outranked.because[1:]],
        last_score=last_score,
        lacked=_term_gaps(ranked, place, last),
    )


def _not_there(
    file: Store, space: Space, inputs: RecallInputs, memory: MemoryRecord, row: int
) -> str:
    request = inputs.request
    for seq, _, correction in file.catalog.superseded(space, request.moment, request.last_seq):
        if seq == memory.seq:
            return f"it was corrected: @{correction} stands in its place"
    if row < 0:
        last = inputs.snapshot_ref.seq
        return f"it is journal {memory.seq}; the answer saw the journal up to {last}"
    if request.last_seq is not None and memory.seq > request.last_seq:
        return f"it is journal {memory.seq}; the question was asked as of {request.last_seq}"
    asked = "then" if request.moment is None else to_text(request.moment)
    return f"it happened at {to_text(memory.at)}; the question was asked as of {asked}"


def _filtered(file: Store, ranked: Ranked, filters: Filters, memory: MemoryRecord) -> list[str]:
    """Name every filter that leaves the memory out by itself."""
    reasons = []
    for field in fields(Filters):
        wanted = getattr(filters, field.name)
        if wanted is None:
            continue
        alone = replace(Filters(), **{field.name: wanted})
        if memory.seq not in file.catalog.matching(ranked.pool.space.name, alone):
            reasons.append(f"the filter {field.name} = {wanted} leaves it out")
    return reasons or ["the filters of the question leave it out"]


def _no_candidate(
    file: Store,
    ranked: Ranked,
    inputs: RecallInputs,
    question: ParsedQuestion,
    row: int,
    memory: MemoryRecord,
) -> list[str]:
    if inputs.settings.rerank and not is_safe(dict(memory.metadata)):
        return ["its metadata say that it is not for everybody who asks in the space"]
    if inputs.settings.profile == "reference":
        return [f"the walk did not come to it: it recalled {len(ranked.pool.rows)} memories"]
    pool, wanted = ranked.pool, max(inputs.settings.candidates, inputs.request.limit)
    reasons = _words(file, question, memory)
    if set(question.terms) & set(file.analyser.terms(memory.text)):
        reasons.append(f"{wanted} others match the question's words better")
    if inputs.settings.profile == "simple":
        return reasons
    if inputs.texts is None:
        reasons.append("meaning was not asked")
    elif pool.space.index is None or not (pool.space.index.seqs == memory.seq).any():
        reasons.append("it had no vector then")
    else:
        nearer = pool.space.allowed & (pool.similarity[:] > pool.similarity[row])
        place = int(nearer.sum()) + 1
        reasons.append(f"in meaning it is number {place}; the nearest {wanted} are candidates")
    reasons.append(
        "it stands beside no such candidate in its session, and no activation reached it"
    )
    return reasons


def _words(file: Store, question: ParsedQuestion, memory: MemoryRecord) -> list[str]:
    """Return a sentence on the words of the question that a memory has, and those it lacks."""
    spellings = file.analyser.spellings(memory.text)
    has = [f"“{spellings[term]}”" for term in question.terms if term in spellings]
    lacks = [f"“{question.spell(term)}”" for term in question.terms if term not in spellings]
    if not question.terms:
        return ["the question has no words to look for but names and small words"]
    if not has:
        return [f"it has no word of the question: {', '.join(lacks)}"]
    without = f", but not {', '.join(lacks)}" if lacks else ", which are all that were looked for"
    return [f"of the question's words it has {', '.join(has)}{without}"]


def _term_gaps(ranked: Ranked, place: int, last: int) -> list[TermGap]:
    """Compare two candidates term by term, what the first lacks most first."""
    terms: dict[str, list[float]] = {}
    for contribution in ranked.contributions:
        pair = terms.setdefault(contribution.term, [0.0, 0.0])
        pair[0] += float(contribution.values[place])
        pair[1] += float(contribution.values[last])
    gaps = [TermGap(term, its, other) for term, (its, other) in terms.items() if its or other]
    return sorted(gaps, key=lambda gap: gap.its - gap.last)
