"""Asks a vector source for candidates; after a failure or a lag, a note says so."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from ...core.errors import MeridiaError
from ...core.ports import VectorQuery, VectorSource
from ...storage.sorted_arrays import largest
from ...storage.vectors import Matrix
from ..candidates.pool import SpaceView, VectorCandidates

#: The name of Graphiti's search, and how many facts it is asked for.
GRAPHITI, _FINDS_MAX = "graphiti", 20
#: Below this share of memories that may come back, they are named to the source.
_SHARE_MIN = 0.5


def named_candidates(
    open_source: Callable[[], VectorSource],
    name: str,
    space: SpaceView,
    text: str,
    vector: Matrix | None,
    limit: int,
) -> tuple[VectorCandidates | None, list[str]]:
    """Return the candidates that a source names, and notes; None: take the nearest at hand.

    What is newer than the source's last delivery is looked for in the vectors at hand.
    """
    index = space.index
    if vector is None or index is None or not len(index.seqs) or not space.allowed.any():
        return None, []
    try:
        source = open_source()
        until = min(source.until(space.name), index.until)
        near = source.search(_query(space, text, vector, limit, until)) if until else ()
    except MeridiaError as error:
        return None, [f"candidates come from the built-in vectors: {name} did not answer ({error})"]
    if not until:
        note = f"candidates come from the built-in vectors: {name} holds none of this space yet"
        return None, [note]
    newer = np.flatnonzero(index.seqs > until)
    if len(newer):
        newer = newer[largest(index.similarities(vector)[newer], limit)]
    seqs = [*(int(seq) for seq, _ in near), *index.seqs[newer].tolist()]
    note = f"{name} lacks the newest memories: they came from the built-in vectors"
    return VectorCandidates(name, seqs), [note] if len(newer) else []


def graphiti_finds(
    open_source: Callable[[], VectorSource], space: SpaceView, text: str, vector: Matrix | None
) -> tuple[Sequence[tuple[int, float]], list[str]]:
    """Return what Graphiti's search finds, by sequence, and a note where it did not answer."""
    if vector is None or space.index is None:
        return (), []
    until, model = space.view.until, space.index.model
    try:
        query = VectorQuery(space.name, text, vector, model, _FINDS_MAX, until)
        return open_source().search(query), []
    except MeridiaError as error:
        return (), [f"answered without Graphiti: {error}"]


def _query(space: SpaceView, text: str, vector: Matrix, limit: int, until: int) -> VectorQuery:
    """Return a query with enough results to remain after the filters."""
    assert space.index is not None
    allowed, model = space.allowed, space.index.model
    share = float(allowed.mean())
    if share >= _SHARE_MIN:
        wanted = math.ceil(limit / share)
        return VectorQuery(space.name, text, vector, model, wanted, until)
    among = space.view.experiences.seqs[allowed].tolist()
    return VectorQuery(space.name, text, vector, model, limit, until, among)
