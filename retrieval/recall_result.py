"""The answer to a question as callers see it: hits with scores and traces, as values and JSON.

`edge_pattern` writes the Cypher statement that fetches the edges of a trace.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Any

from ..core.results import Line, Listed
from ..core.text import counted, printable, shorten
from ..core.types import Json, MemoryRecord
from ..graph.schema import EDGES
from .ranking.contributions import Evidence, TraceNode
from .ranking.score_trace import TraceSummary, summarise

_SCHEME = "meridia://"
#: What is shown of a node at the end of an edge.
_SHOWN = {"Experience": "text", "Session": "key", "Person": "name"}


def edge_pattern(memory: str, trace: TraceNode) -> str:
    """Return a statement over the edges that carried a score to a memory, given its id.

    It gives one row, where they all are there: the text of the memory, and what its neighbours
    say, its session and its speaker are called.
    """
    matches = {f"(m:Experience {{id: {_text(memory)}}})": "m.text AS memory"}
    for leaf in sorted(trace.leaves(), key=lambda leaf: -abs(leaf.value)):
        matches.update(_edges(leaf))
    return f"MATCH {' MATCH '.join(matches)} RETURN {', '.join(filter(None, matches.values()))}"


def _edges(leaf: TraceNode) -> Iterator[tuple[str, str]]:
    """Yield the patterns of the edges of a leaf, and what each returns."""
    if leaf.steps:
        for step in leaf.steps:
            ends = EDGES[step.type][0]
            source, target = (
                _node("", ends.source, step.source),
                _node("", ends.target, step.target),
            )
            yield f"{source}-[:{step.type}]->{target}", ""
    elif leaf.edge == "NEXT":
        if leaf.source and leaf.source != "?":
            count, before = abs(leaf.offset), leaf.offset < 0
            name = f"{'before' if before else 'after'}_{count}"
            hops = "()".join(["-[:NEXT]->"] * count)
            node = _node(name, "Experience", leaf.source)
            path = f"{node}{hops}(m)" if before else f"(m){hops}{node}"
            yield path, f"{name}.text AS {name}"
    elif leaf.edge:
        label = EDGES[leaf.edge][0].target
        name = label.lower()
        yield f"(m)-[:{leaf.edge}]->({name}:{label})", f"{name}.{_SHOWN[label]} AS {name}"


def _node(name: str, label: str, address: str) -> str:
    return f"({name}:{label} {{id: {_text(address.removeprefix(_SCHEME))}}})"


def _text(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


#: From here on something may answer; below it, probably nothing does (`ranking.confidence`).
MAYBE_MIN = 0.05
#: From here on plans and packs use what was recalled: above most of what is asked of nobody.
_USABLE_MIN = 0.15


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of a memory's text: its characters from `start` to before `end`."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, repr=False)
class Hit:
    """One recalled memory: its text, its score, and the trace that sums to it.

    `make_trace` makes the trace on first use, from numbers of the answer and texts of the memory,
    which must still be open; so does `read_facts`. `find_passage` finds the part of a long text
    that answers. `repeats` are memories of the same speaker with the same words, by time, which are
    not in the answer. `error` is the standard error of a drawn score (policy `sample`);
    `similarity` is 1 − its distance, the cosine with the question (None: there are no vectors).
    """

    memory: MemoryRecord
    rank: int
    score: float
    make_trace: Callable[[], TraceNode] = field(repr=False, compare=False)
    read_facts: Callable[[], Sequence[str]] = field(default=list, repr=False, compare=False)
    repeats: Sequence[MemoryRecord] = ()
    error: float | None = None
    similarity: float | None = None
    find_passage: Callable[[], Passage | None] = field(
        default=lambda: None, repr=False, compare=False
    )

    @cached_property
    def passage(self) -> Passage | None:
        """The part of a long text that was compared with the question; None: it is short."""
        return self.find_passage()

    @cached_property
    def trace(self) -> TraceNode:
        """The reasons for the score, as a tree whose leaves sum to it."""
        return self.make_trace()

    @cached_property
    def facts(self) -> Sequence[str]:
        """The facts that it states, each as a sentence; one that has ended is marked."""
        return self.read_facts()

    @property
    def id(self) -> str:
        """Meridia's own id."""
        return self.memory.id

    @property
    def event_id(self) -> str:
        """The caller's id."""
        return self.memory.event_id

    @property
    def seq(self) -> int:
        """Its journal sequence."""
        return self.memory.seq

    @property
    def address(self) -> str:
        """Its short address: `@12`."""
        return self.memory.address

    @property
    def uri(self) -> str:
        """Its address."""
        return self.memory.uri

    @property
    def person(self) -> str | None:
        """The speaker."""
        return self.memory.person

    @property
    def session(self) -> str | None:
        """The caller's key of its session."""
        return self.memory.session

    @property
    def at(self) -> datetime:
        """When it happened."""
        return self.memory.at

    @property
    def role(self) -> str:
        """The role of its source: user, assistant, tool, note or system."""
        return self.memory.role

    @property
    def kind(self) -> str:
        """Its kind of event."""
        return self.memory.kind

    @property
    def metadata(self) -> Mapping[str, Json]:
        """The metadata that its caller gave."""
        return self.memory.metadata

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain JSON values, without its trace."""
        own = {"rank": self.rank, "score": self.score, "passage": passage_json(self)}
        return own | self.memory.to_dict()

    def __str__(self) -> str:
        return f"{self.rank}. {self.memory}"

    def __repr__(self) -> str:
        short = shorten(f"{self.memory.who}: {printable(self.text)}", 80)
        return f"<Hit {self.rank}, {self.address} {short!r}, score {self.score:.2f}>"

    @property
    def summary(self) -> TraceSummary:
        """The trace in short: a sentence that says why, and the score by places."""
        return summarise(self.trace)

    @property
    def pattern(self) -> str:
        """A Cypher statement that fetches the edges which the trace names, for `query`."""
        return edge_pattern(self.id, self.trace)

    @property
    def base(self) -> float:
        """The score without what facets and profile add."""
        added = [n.value for n in self.trace.leaves() if n.evidence is Evidence.FACETS]
        return self.score - sum(added)

    @property
    def text(self) -> str:
        """The text: a message, or a tool's name, arguments and result."""
        return self.memory.text

    def is_at(self, address: str) -> bool:
        """Return whether an address, an id, the caller's id or a rank in the answer names it."""
        names = (str(self.rank), f"@{self.memory.seq}", self.id, self.event_id)
        return address.removeprefix("meridia://").strip("/") in names


@dataclass(frozen=True, slots=True, repr=False)
class Recall(Listed[Hit]):
    """An answered question: a sequence of its hits. `notes` say what was missing.

    `confidence`, 0 to 1, says how sure it is that any memory of the space answers the question;
    below `recall.confidence_min` the answer is not `confident`. `certainty` says it in words:
    "sure", "maybe", or "probably nothing". `reading` has the words, people and times that were
    read from the question. `max_score`, 0 to 1, is the best 1 − distance of the candidates, without
    facets and profile; None if these were not used. `unread` counts memories that are not enriched
    yet: they were found by words, and only partly by meaning.
    `lateral` was added by lateral thinking: no part of the answer, and not what was asked for.
    """

    id: str
    question: str
    hits: Sequence[Hit]
    profile: str
    seq: int
    confidence: float = 0.0
    confident: bool = False
    notes: Sequence[str] = ()
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    reading: Mapping[str, Sequence[str]] = field(default_factory=dict)
    max_score: float | None = None
    lateral: Sequence[Hit] = ()
    unread: int = 0

    @property
    def certainty(self) -> str:
        """Whether a memory answers: "sure", "maybe", or "probably nothing"."""
        if self.confident:
            return "sure"
        return "maybe" if self.confidence >= MAYBE_MIN else "probably nothing"

    @property
    def doubt(self) -> str:
        """What is said before results that are not sure: "maybe nothing here answers this"."""
        maybe = self.certainty.removesuffix(" nothing")
        return "" if self.confident else f"{maybe} nothing here answers this"

    @property
    def usable(self) -> Sequence[Hit]:
        """The hits that plans and packs use; none if hardly anything answers."""
        return self.hits if self.confident or self.confidence >= _USABLE_MIN else ()

    @property
    def _items(self) -> Sequence[Hit]:
        return self.hits

    def _line(self, item: Hit) -> Line:
        passage = item.passage
        return replace(item.memory.line, passage=" ".join(passage.text.split()) if passage else "")

    def _heading(self) -> str:
        count = counted(len(self.hits), "memory", "memories")
        sure = f", {self.doubt}" if self.doubt and self.hits else ""
        notes = "".join(f"; {note}" for note in self.notes)
        question = shorten(self.question, 100)
        return f"“{question}”: {count}, confidence {self.confidence:.2f}{sure}{notes}"

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain JSON values, without its traces: `as_json` has them."""
        return {
            "recall": self.id,
            "question": self.question,
            "confidence": self.confidence,
            "confident": self.confident,
            "notes": list(self.notes),
            "hits": [hit.to_dict() for hit in self.hits],
        }


def as_json(recall: Recall) -> dict[str, Any]:
    """Return a recall as plain JSON values: the documented shape of `recall --json`."""
    return {
        "recall": recall.id,
        "question": recall.question,
        "profile": recall.profile,
        "seq": recall.seq,
        "confidence": recall.confidence,
        "confident": recall.confident,
        "certainty": recall.certainty,
        "doubt": recall.doubt,
        "max_score": recall.max_score,
        "unread": recall.unread,
        "notes": list(recall.notes),
        "reading": {kind: list(values) for kind, values in recall.reading.items()},
        "hits": [_hit(hit) for hit in recall.hits],
        **({"lateral": [_hit(hit) for hit in recall.lateral]} if recall.lateral else {}),
    }


def passage_json(hit: Hit) -> dict[str, Any] | None:
    """Return the passage of a hit as plain JSON values; None where its text is short."""
    return None if hit.passage is None else asdict(hit.passage)


def _hit(hit: Hit) -> dict[str, Any]:
    return {
        "rank": hit.rank,
        "score": hit.score,
        "error": hit.error,
        "similarity": hit.similarity,
        "base": hit.base,
        "id": hit.id,
        "event_id": hit.event_id,
        "seq": hit.memory.seq,
        "uri": hit.memory.uri,
        "kind": hit.memory.kind,
        "at": hit.memory.at.isoformat(),
        "person": hit.memory.person,
        "tool": hit.memory.tool,
        "session": hit.memory.session,
        "text": hit.text,
        "passage": passage_json(hit),
        "artifacts": [
            {"kind": a.kind, "uri": a.uri, "description": a.description}
            for a in hit.memory.artifacts
        ],
        "repeats": [
            {"id": m.id, "event_id": m.event_id, "seq": m.seq, "at": m.at.isoformat()}
            for m in hit.repeats
        ],
        "facts": list(hit.facts),
        "why": hit.summary.sentence,
        "trace": hit.trace.as_json(),
        "pattern": hit.pattern,
    }


def record_of(recall: Recall, question: str) -> dict[str, Any]:
    """Return the stored form of a recall; its reasons are computed again on request.

    `question` is the recall's as it may be kept.
    """
    return {
        "question": question,
        "profile": recall.profile,
        "seq": recall.seq,
        "notes": list(recall.notes),
        "hits": [hit.memory.seq for hit in recall.hits],
    }
