"""The working set: the newest ten memories of the session that asks (feature 104).

First in, first out. It holds what the session captured and what was referred to in it, both journal
entries; a recall adds nothing. A start node similar to the set starts with more: by weight ·
saliency of its mass, and of what its own words and meaning give, which is a contribution to its
score. Saliency is the mean cosine with the set, 0 to 1. Source: the working set of M6, weight .3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...core.feedback_entries import FeedbackUndone, TrackedFeedback
from ...core.ids import session_id
from ...core.types import EntryKind
from ...graph.view import Floats, Ints
from ...storage.sorted_arrays import distinct
from ...storage.store import Store
from ..candidates.pool import Pool, SpaceView
from .context_norms import first_vectors
from .contributions import Contribution, Evidence, total

SIZE = 10
#: Where the evidence of a start node lies.
_OWN = frozenset({Evidence.OWN_WORDS, Evidence.MEANING})


def with_prior(file: Store, pool: Pool, weight: float) -> tuple[Pool, list[str]]:
    """Return a pool whose start nodes have the prior, and a note that says so.

    Without a session that asks, or with nothing in its set, the pool as it was.
    """
    space = pool.space
    if not weight or space.current_session is None or space.index is None:
        return pool, []
    members = members_of(file, space, space.current_session)
    if not len(members):
        return pool, []
    mass = pool.mass.copy()
    mass[pool.rows] *= 1 + weight * _saliency(space, members, pool.rows)
    note = f"the working set of session {space.current_session} counts: {len(members)} memories"
    return replace(pool, mass=mass), [note]


def contributions(pool: Pool, before: Pool, given: Sequence[Contribution]) -> list[Contribution]:
    """Return what the prior adds to what is `given`; `before` is the pool without it."""
    if pool.mass is before.mass:
        return []
    label = f"is like what session {pool.space.current_session} has in mind"
    mass = before.mass[pool.rows]
    more = np.divide(pool.mass[pool.rows], mass, out=np.ones(len(mass)), where=mass > 0) - 1
    own = total([c for c in given if c.evidence in _OWN], len(pool.rows))
    values = more * np.maximum(own, 0.0)
    return [Contribution("working set", Evidence.SESSION, label, values)]


def members_of(file: Store, space: SpaceView, session: str) -> Ints:
    """Return the rows of the newest ten memories of a session's working set, the oldest first."""
    stream = session_id(space.name, session)
    experiences = space.view.experiences
    last = space.view.until if space.last_seq is None else min(space.view.until, space.last_seq)
    own = np.zeros(0, np.int64)
    if stream in space.view.sessions:
        own = np.flatnonzero(experiences.session == space.view.sessions.index(stream))
    entered = {row: int(experiences.seqs[row]) for row in own.tolist()}
    for seq, ids in _referred(file, space, stream, last):
        memories = file.journal.by_ids(space.name, ids)
        rows = experiences.index_of(np.array([entry.seq for entry in memories], np.int64))
        entered |= dict.fromkeys(rows[rows >= 0].tolist(), seq)
    newest = sorted((row for row in entered if space.visible[row]), key=lambda row: entered[row])
    return np.array(newest[-SIZE:], np.int64)


def _referred(
    file: Store, space: SpaceView, stream: str, last: int
) -> list[tuple[int, tuple[str, ...]]]:
    """Return what was referred to in a session: when, by sequence, and which memories."""
    entries = [
        entry
        for entry in file.journal.of_kind(space.name, EntryKind.FEEDBACK_GIVEN)
        if entry.seq <= last and (space.moment is None or entry.at <= space.moment)
    ]
    undone = {e.payload.undoes for e in entries if isinstance(e.payload, FeedbackUndone)}
    return [
        (int(entry.seq), entry.payload.referenced)
        for entry in entries
        if isinstance(entry.payload, TrackedFeedback)
        and entry.payload.session == stream
        and entry.id not in undone
    ]


def _saliency(space: SpaceView, members: Ints, rows: Ints) -> Floats:
    """Return the mean cosine of each row with the members that have a vector, 0 to 1."""
    assert space.index is not None
    vectors = first_vectors(space.view, space.index, distinct(members)).astype(np.float64)
    vectors = vectors[np.any(vectors != 0, axis=1)]
    if not len(vectors):
        return np.zeros(len(rows))
    mean = vectors.mean(axis=0)
    cosines: Floats = first_vectors(space.view, space.index, rows).astype(np.float64) @ mean
    return np.clip(cosines, 0.0, 1.0)
