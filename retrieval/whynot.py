"""Why a memory was not among the results of an answer: the first reason that kept it out.

In order: it was not there yet, it was filtered out, it was no candidate, others scored more. It
reads what was ranked, and ranks nothing itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from enum import StrEnum

import numpy as np

from ..core.time import to_text
from ..core.types import Filters, Json, Memory
from ..graph.journal_file import JournalFile
from .counterfactual import standing
from .kept import Inputs
from .question import Question
from .recall import Ranked
from .rerank import is_safe

#: Terms that a trace calls by another name.
_NAMES = {"spread": "activation"}


class Cause(StrEnum):
    """What kept a memory out of an answer."""

    RECALLED = "recalled"
    NOT_THERE = "not there yet"
    FILTERED = "filtered out"
    NO_CANDIDATE = "no candidate"
    OUTRANKED = "outranked"


@dataclass(frozen=True, slots=True)
class Lacked:
    """What one term of the score gave to a memory, and to the last one that was returned."""

    term: str
    its: float
    last: float


@dataclass(frozen=True, slots=True)
class WhyNot:
    """Why a memory was not recalled, in words; where it was a candidate, how it stood.

    `lacked` compares it with the last one returned, what it lacked most first.
    """

    memory: str
    cause: Cause
    because: Sequence[str]
    rank: int | None = None
    score: float | None = None
    last_score: float | None = None
    lacked: Sequence[Lacked] = ()

    def as_json(self) -> dict[str, Json]:
        """Return it as plain JSON values."""
        return {
            "memory": self.memory,
            "cause": self.cause.value,
            "because": list(self.because),
            "rank": self.rank,
            "score": self.score,
            "last_score": self.last_score,
            "lacked": [{"term": one.term, "its": one.its, "last": one.last} for one in self.lacked],
        }


def why_not(
    file: JournalFile, ranked: Ranked, inputs: Inputs, question: Question, memory: Memory
) -> WhyNot:
    """Return why `memory` is not among the best that were ranked."""
    space = ranked.pool.space
    row = int(space.view.experiences.index_of(np.array([memory.seq], np.int64))[0])
    if row < 0 or not space.visible[row]:
        return WhyNot(memory.id, Cause.NOT_THERE, [_not_there(inputs, memory, row)])
    if not space.allowed[row]:
        told = _filtered(file, ranked, inputs.request.filters, memory)
        return WhyNot(memory.id, Cause.FILTERED, told)
    stood = standing(ranked, row)
    if stood is None:
        told = _no_candidate(file, ranked, inputs, question, row, memory)
        return WhyNot(memory.id, Cause.NO_CANDIDATE, told)
    rank, score = stood
    if rank <= len(ranked.order):
        return WhyNot(memory.id, Cause.RECALLED, [f"it was recalled, at rank {rank}"], rank, score)
    last = int(ranked.order[-1])
    last_score = float(ranked.scores[last])
    told = [
        f"it was a candidate, at rank {rank} of {len(ranked.pool.rows)}",
        f"it scored {score:.3f}; the last one returned scored {last_score:.3f}",
    ]
    place = int(np.searchsorted(ranked.pool.rows, row))
    lacked = _lacked(ranked, place, last)
    return WhyNot(memory.id, Cause.OUTRANKED, told, rank, score, last_score, lacked)


def _not_there(inputs: Inputs, memory: Memory, row: int) -> str:
    request = inputs.request
    if row < 0:
        return f"it is journal {memory.seq}; the answer saw the journal up to {inputs.sight.seq}"
    if request.last_seq is not None and memory.seq > request.last_seq:
        return f"it is journal {memory.seq}; the question was asked as of {request.last_seq}"
    asked = "then" if request.moment is None else to_text(request.moment)
    return f"it happened at {to_text(memory.at)}; the question was asked as of {asked}"


def _filtered(file: JournalFile, ranked: Ranked, filters: Filters, memory: Memory) -> list[str]:
    """Name every filter that leaves the memory out by itself."""
    found = []
    for field in fields(Filters):
        wanted = getattr(filters, field.name)
        if wanted is None:
            continue
        alone = replace(Filters(), **{field.name: wanted})
        if memory.seq not in file.catalog.matching(ranked.pool.space.name, alone):
            found.append(f"the filter {field.name} = {wanted} leaves it out")
    return found or ["the filters of the question leave it out"]


def _no_candidate(
    file: JournalFile,
    ranked: Ranked,
    inputs: Inputs,
    question: Question,
    row: int,
    memory: Memory,
) -> list[str]:
    if inputs.settings.rerank and not is_safe(dict(memory.metadata)):
        return ["its metadata say that it is not for everybody who asks in the space"]
    if inputs.settings.profile == "reference":
        return [f"the walk did not come to it: it recalled {len(ranked.pool.rows)} memories"]
    pool, wanted = ranked.pool, max(inputs.settings.candidates, inputs.request.limit)
    said = set(file.analyser.terms(memory.text))
    shared = [term for term in question.terms if term in said]
    if shared:
        words = ", ".join(f"“{term}”" for term in shared)
        found = [f"it shares {words} with the question, and {wanted} others match its words better"]
    else:
        found = ["it shares no word with the question"]
    if inputs.settings.profile == "simple":
        return found
    if inputs.vector is None:
        found.append("meaning was not asked")
    elif pool.space.index is None or not (pool.space.index.seqs == memory.seq).any():
        found.append("it had no vector then")
    else:
        nearer = pool.space.allowed & (pool.similarity > pool.similarity[row])
        place = int(nearer.sum()) + 1
        found.append(f"in meaning it is number {place}; the nearest {wanted} are candidates")
    found.append("it stands beside no such candidate in its session, and no activation reached it")
    return found


def _lacked(ranked: Ranked, place: int, last: int) -> list[Lacked]:
    """Compare two candidates term by term, what the first lacks most first."""
    terms: dict[str, list[float]] = {}
    for share in ranked.shares:
        pair = terms.setdefault(_NAMES.get(share.term, share.term), [0.0, 0.0])
        pair[0] += float(share.values[place])
        pair[1] += float(share.values[last])
    found = [Lacked(term, its, other) for term, (its, other) in terms.items() if its or other]
    return sorted(found, key=lambda one: one.its - one.last)
