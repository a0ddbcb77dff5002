"""The scores of profile `reference` by which its walk finds where to begin.

    semantic = .4 · content + .6 · best anticipated question; content alone where there is none
    metadata = .5 · keyword + .3 · temporal + .2 · entity
    hybrid   = .6 · metadata + .4 · semantic

Every memory of a space is scored, as the source does; there are no candidates. What the source
leaves open is said at each function.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...graph.schema import HAS_WORD
from ...graph.view import Floats, GraphView, Ints
from ...storage.vectors import Matrix
from ..candidates.pool import SpaceView
from ..query.dates import day_match, month_match
from ..query.periods import period_match
from ..query.question import ParsedQuestion
from .anticipated_questions import AnticipatedMatches

CONTENT, ANTICIPATED = 0.4, 0.6
KEYWORD, TEMPORAL, ENTITY = 0.5, 0.3, 0.2
#: What is so old counts 1/e in recency, seconds.
_RECENT_S = 30 * 86_400
#: Edges from a memory to who and what it names.
_NAMES = ("MENTIONS", "INVOLVES", "SPOKEN_BY")


@dataclass(frozen=True, slots=True)
class Scores:
    """Every score of n experiences, an array of n each; `timed` says that a time was named.

    `anticipated` is not a number where no question was. Without vectors `semantic` is `metadata`.
    """

    content: Floats
    anticipated: Floats
    keyword: Floats
    temporal: Floats
    entity: Floats
    metadata: Floats
    semantic: Floats
    hybrid: Floats
    timed: bool


@dataclass(frozen=True, slots=True)
class NamedNodes:
    """What a question names, as nodes of a view: its words, and the people and things in it.

    `words` and `things` say how many there are in the question, in the view or not.
    """

    word_nodes: Ints
    entities: Ints
    words: int
    things: int


def score(
    space: SpaceView,
    question: ParsedQuestion,
    vector: Matrix | None,
    expected: AnticipatedMatches,
    named: NamedNodes,
    alpha: float,
) -> Scores:
    """Score every experience of a space; `alpha` is the weight of metadata in the hybrid score."""
    content = space.similarities(vector).astype(np.float64)
    anticipated = np.full(len(content), np.nan)
    anticipated[expected.rows] = expected.cosines
    when, timed = temporal(space, question)
    keyword, who = keywords(space.view, named), entities(space.view, named)
    metadata = KEYWORD * keyword + TEMPORAL * when + ENTITY * who
    semantic = metadata
    if vector is not None:
        both = CONTENT * content + ANTICIPATED * np.nan_to_num(anticipated)
        semantic = np.where(np.isnan(anticipated), content, both)
    hybrid = alpha * metadata + (1 - alpha) * semantic
    return Scores(content, anticipated, keyword, when, who, metadata, semantic, hybrid, timed)


def keywords(view: GraphView, named: NamedNodes) -> Floats:
    """Return the Jaccard similarity of the stems of a question and those of each experience."""
    nodes = view.experiences.node
    shared = _edge_counts(view, (HAS_WORD,), named.word_nodes)
    either = named.words + view.links(HAS_WORD).degrees(nodes) - shared
    return np.where(shared > 0, shared / np.maximum(either, 1), 0.0)


def temporal(space: SpaceView, question: ParsedQuestion) -> tuple[Floats, bool]:
    """Return how well each experience fits the times that a question names, and if it names any.

    The source says neither how times match nor what recency is. A named day, month or period fits
    by 0 to 1 (the best of several); where none is named, recency e^(−age/30 days) stands in, aged
    by the newest memory to be seen.
    """
    at = space.view.experiences.at
    fits = [day_match(d, at) if d.day is not None else month_match(d, at) for d in question.dates]
    fits += [period_match(period, at) for period in question.periods]
    if fits:
        return np.maximum.reduce(fits), True
    now = int(np.max(at[space.visible], initial=0))
    return np.exp(-np.maximum(now - at, 0) / _RECENT_S), False


def entities(view: GraphView, named: NamedNodes) -> Floats:
    """Return the share of a question's people and things that each experience names too.

    Whose words they are counts as named. The source says only that they overlap.
    """
    return _edge_counts(view, _NAMES, named.entities) / max(named.things, 1)


def _edge_counts(view: GraphView, types: Sequence[str], nodes: Ints) -> Floats:
    """Return how many of some nodes each experience has an edge to."""
    count = len(view.experiences.seqs)
    pairs = [np.zeros((0, 2), np.int64)]
    for type in types:
        edges = view.links(type, outgoing=False).of(nodes)
        rows = view.experience_of[edges.target]
        here = rows >= 0
        pairs.append(np.stack([rows[here], edges.position[here]], axis=1))
    each = np.unique(np.concatenate(pairs), axis=0)
    return np.bincount(each[:, 0], minlength=count).astype(np.float64)
