"""The score of a memory as a sum of contributions, and its trace as a tree for people.

A `Contribution` is what one mechanism adds to many memories at once (an array); a `TraceNode` is
the same for one memory. Nothing adds to a score except through a contribution, so a score is the
sum of its trace.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from ...core.lazy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ...graph.view import Floats, Ints
    from ...traversal.walk import PathsTo
    from ..candidates.pool import Pool

#: What is said of a text that is worded as an answer would be.
WORDING = "an answer's wording"


class Evidence(StrEnum):
    """Where the evidence of a contribution is, seen from the memory that gets it."""

    OWN_WORDS = "own_words"
    #: What it means as a whole, by its vector.
    MEANING = "meaning"
    #: The messages before and after it in its session.
    NEIGHBOUR = "neighbour"
    SESSION = "session"
    SPEAKER = "speaker"
    #: What it shares with other memories: a word, an entity, a likeness.
    TOPIC = "topic"
    TIME = "time"
    #: Its form: how long it is, whether it asks.
    FORM = "form"
    #: What happened to it since: feedback, repetition, age.
    HISTORY = "history"
    #: How it fits the facets and the profile of who asks.
    FACETS = "facets"


@dataclass(frozen=True, slots=True)
class Contribution:
    """The values that one mechanism adds to the scores of a pool.

    `term` groups contributions ("meaning"); `evidence` says where the reason is, `label` says it in
    words; `edge` is the edge type that brought it (None: the memory's own), `source` the row of
    `view.experiences` it came from. `paths` finds the paths by which activation reached a row;
    `unit` is what each counts. `error` is the standard error of values that were drawn. `stem` is
    the word of the question that is meant; the evidence stands `offset` messages after the memory.
    """

    term: str
    evidence: Evidence
    label: str
    values: Floats
    edge: str | None = None
    source: Ints | None = None
    paths: PathsTo | None = None
    unit: float = 1.0
    error: Floats | None = None
    stem: str | None = None
    offset: int = 0

    def moved(self, values: Floats, source: Ints | None, error: Floats | None) -> Contribution:
        """Return the same for other rows; `dataclasses.replace` takes several times as long."""
        kind, meant = (self.term, self.evidence, self.label), (self.stem, self.offset)
        paths, unit = self.paths, self.unit
        return Contribution(*kind, values, self.edge, source, paths, unit, error, *meant)

    def of(self, there: Ints, places: Ints, count: int) -> Contribution:
        """Return the same for `count` rows: those at `places` have what those at `there` had."""
        return self.moved(
            scattered(self.values[there], places, count),
            None if self.source is None else scattered(self.source[there], places, count, -1),
            None if self.error is None else scattered(self.error[there], places, count),
        )


@dataclass(frozen=True, slots=True)
class PathStep:
    """One edge of a path, in its own direction: its type, and the addresses or ids of its ends."""

    type: str
    source: str
    target: str


@dataclass(frozen=True, slots=True)
class TraceNode:
    """One node of a trace: its value is the sum of its children's, or its own at a leaf.

    `steps` are the edges by which activation came from `source`, the first one first. `evidence`
    is of leaves only: where it lies; `word` is the word that is meant, as the text has it, or the
    question where no text has it. `stem`, `offset` and `seq` (of `source`) are for summaries.
    """

    label: str
    value: float
    edge: str | None = None
    source: str | None = None
    children: tuple[TraceNode, ...] = ()
    steps: tuple[PathStep, ...] = ()
    evidence: Evidence | None = None
    word: str | None = None
    stem: str | None = None
    offset: int = 0
    seq: int | None = None

    @property
    def hops(self) -> int:
        """Return how many edges lie between the memory and the evidence; 0: it is its own."""
        return len(self.steps) or abs(self.offset) or int(self.edge is not None)

    def leaves(self) -> list[TraceNode]:
        """Return the leaves, in order."""
        return [leaf for c in self.children for leaf in c.leaves()] if self.children else [self]

    def as_json(self) -> dict[str, Any]:
        """Return the tree as plain JSON values."""
        node: dict[str, Any] = {"label": self.label, "value": self.value}
        if self.evidence:
            node["evidence"] = self.evidence.value
        if self.word:
            node["word"] = self.word
        if self.edge:
            node["edge"] = self.edge
        if self.source:
            node["source"] = self.source
        if self.steps:
            node["hops"] = len(self.steps)
            node["path"] = [[step.type, step.source, step.target] for step in self.steps]
        if self.children:
            node["children"] = [child.as_json() for child in self.children]
        return node


def beside(
    pool: Pool, offset: int, term: str, label: str, values: Floats, **more: Any
) -> Contribution:
    """Return the contribution of messages `offset` places after each memory (0: of itself)."""
    if not offset:
        return Contribution(term, Evidence.OWN_WORDS, label, values, **more)
    near = pool.neighbours(offset)
    return Contribution(
        term, Evidence.NEIGHBOUR, label, values, "NEXT", near, offset=offset, **more
    )


def scattered(values: NDArray[Any], places: Ints, count: int, empty: float = 0.0) -> Any:
    """Return an array of `count` that has the values at their places, and elsewhere `empty`."""
    everywhere = np.full(count, empty, values.dtype)
    everywhere[places] = values
    return everywhere


def total(contributions: Sequence[Contribution], count: int) -> Floats:
    """Return the scores of a pool of `count` memories: the sum of all contributions, in order."""
    scores = np.zeros(count)
    for contribution in contributions:
        scores += contribution.values
    return scores


def standard_errors(contributions: Sequence[Contribution], count: int) -> Floats | None:
    """Return about how far the scores of a pool are from their expectation; None: exactly it.

    The square root of the sum of squares, as if each contribution were drawn by itself.
    """
    drawn = [c.error for c in contributions if c.error is not None]
    return np.sqrt(sum((error**2 for error in drawn), np.zeros(count))) if drawn else None


def best_first(rows: Ints, scores: Floats) -> Ints:
    """Return the order of scored rows: the best first, of equal ones the earlier."""
    return np.lexsort((rows, -scores))
