"""Contributions that depend on a setting or on feedback, and lateral thinking.

Significance, recency, centrality and diversity improved no benchmark, so their weight is 0 by
default. Feedback is bounded, disappears when it is undone, and adds no candidate. The search of
another system (Graphiti) adds candidates and takes nothing from others. The working set (feature
104) is the newest ten memories of the asking session, first in, first out: a start node gains its
mean cosine with the set times the weight. Lateral thinking (feature 105) adds, with a probability,
a memory at the end of a random walk of 2 or 3 edges from the answer; the answer does not change.
Its seed is the recall's id, so that a replay finds the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ...core.entries import FeedbackUndone, TrackedFeedback
from ...core.ids import session_id
from ...core.settings import RecallSettings
from ...core.time import DAY_S
from ...core.types import EntryKind
from ...graph.view import Floats, Ints
from ...storage.projections.catalog import Catalog
from ...storage.sorted_arrays import distinct
from ...storage.store import Store
from ...storage.vectors import VectorIndex
from ...traversal.tracerank import memrank
from ...traversal.walk import ActivationPath, wander
from ..candidates.pool import Pool, SpaceView
from .contributions import Contribution, Evidence, best_first, total
from .formula import first_vectors

#: However often a memory was shown and not referred to, it loses no more than for this.
IGNORED_MIN = -25


def strength(given: int, ignored: int) -> float:
    """Return how strongly feedback speaks for a memory, between -1 and 1, from hundredths.

    s / (1 + |s|): one "useful" is a half, and no number of them is more than 1.
    """
    sum_ = (given + max(ignored, IGNORED_MIN)) / 100
    return sum_ / (1 + abs(sum_))


def feedback(file: Store, pool: Pool, most: float) -> list[Contribution]:
    """Return what feedback gives to the memories of a pool: at most `most`, up or down.

    Only feedback given by the moment of the question counts.
    """
    space = pool.space
    seqs = space.view.experiences.seqs[pool.rows].tolist()
    bounds = [bound for bound in (space.view.until, space.last_seq) if bound is not None]
    sums = file.space(space.name).feedback.sums(seqs, min(bounds), space.moment)
    if not sums:
        return []
    strengths = [strength(*sums.get(seq, (0, 0))) for seq in seqs]
    label, values = "what was said of it before", most * np.array(strengths)
    return [Contribution("feedback", Evidence.HISTORY, label, values, unit=most)]


def with_finds(pool: Pool) -> Pool:
    """Return a pool with what other systems found of what may be returned."""
    if not pool.space.finds:
        return pool
    seqs = np.array([seq for seq, _ in pool.space.finds], np.int64)
    rows = pool.space.view.experiences.index_of(seqs)
    rows = rows[rows >= 0]
    return pool.with_rows(rows[pool.space.allowed[rows]]) if len(rows) else pool


def graphiti_finds(pool: Pool, weight: float) -> list[Contribution]:
    """Return what the finds gain: `weight` times the score that their source gives, 0 to 1."""
    if not pool.space.finds:
        return []
    scores = dict(pool.space.finds)
    seqs = pool.space.view.experiences.seqs[pool.rows].tolist()
    values = weight * np.clip([scores.get(seq, 0.0) for seq in seqs], 0.0, 1.0)
    label = "Graphiti's search finds a fact of it"
    return [Contribution("graphiti", Evidence.MEANING, label, values)]


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


def working_set(pool: Pool, before: Pool, given: Sequence[Contribution]) -> list[Contribution]:
    """Return the contributions of the prior beyond `given`; `before` is the pool without it."""
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
    """Return the references of a session: when, by sequence, and to which memories."""
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


HOPS = (2, 3)
SIMILARITY_MAX, DECAY_MIN = 0.7, 0.2
#: Associations: not what merely stood beside it, or was said by the same person.
_TYPES = ("ABOUT", "MENTIONS", "REFERENCES", "RELATED")
_WAYS = [(type, along) for type in _TYPES for along in (True, False)]
#: A node that more memories share is no association.
_FAN_OUT_MAX = 65
_WALKS = 20
#: The recalled memories that a walk may begin at.
_STARTS = 5


def find_laterally(
    space: SpaceView, recalled: Ints, probability: float
) -> tuple[int, Contribution] | None:
    """Return the row of one memory and its contribution; None where no walk finds one.

    `recalled` are the rows of the answer, best first. The score is the signal on arrival.
    """
    if not probability or not len(recalled):
        return None
    random = np.random.default_rng([space.random_seed, 105])
    if random.random() >= probability:
        return None
    view = space.view
    now = int(np.max(view.experiences.at[space.visible], initial=0))
    for _ in range(_WALKS):
        start = int(view.experiences.node[random.choice(recalled[:_STARTS])])
        path = wander(view, start, int(random.choice(HOPS)), _WAYS, random, _FAN_OUT_MAX)
        row = -1 if path is None else int(view.experience_of[path.nodes[-1]])
        if path is None or row < 0 or row in recalled or not space.allowed[row]:
            continue
        passed = view.experience_of[np.array(path.nodes, np.int64)]
        if not space.visible[passed[passed >= 0]].all():
            continue
        age_days = (now - int(view.experiences.at[row])) / DAY_S
        if decay(age_days) >= DECAY_MIN and _nearest(space, row, recalled) <= SIMILARITY_MAX:
            return row, _share(path)
    return None


def _share(path: ActivationPath) -> Contribution:
    label, values = "lateral thinking came to it", np.array([path.amount])
    return Contribution("lateral", Evidence.TOPIC, label, values, paths=lambda _: iter([path]))


def decay(age_days: float) -> float:
    """Return the decay of a memory: .05 + .95 / (1 + e^((age - 28) / 7)), age in days.

    Source: the recall decay of M6, with the floor that its text states (docs/decisions.md).
    """
    return 0.05 + 0.95 / (1 + float(np.exp(min((age_days - 28) / 7, 700.0))))


def _nearest(space: SpaceView, row: int, recalled: Ints) -> float:
    """Return the largest cosine of a memory with those recalled; 0 without vectors."""
    if space.index is None:
        return 0.0
    (vector,) = first_vectors(space.view, space.index, np.array([row], np.int64))
    return float((first_vectors(space.view, space.index, recalled) @ vector).max(initial=0.0))


#: Memories that diversity puts into a new order.
_DIVERSE_MAX = 100


def contributions(
    pool: Pool, given: Sequence[Contribution], catalog: Catalog, settings: RecallSettings
) -> list[Contribution]:
    """Return the contributions that the settings switch on, beside those that are `given`."""
    added: list[Contribution] = []
    if settings.significance:
        seqs = pool.space.view.experiences.seqs[pool.rows].tolist()
        by_seq = catalog.significances(pool.space.name, seqs)
        added.append(significance(pool, by_seq, settings.significance))
    if settings.recency:
        added.append(recency(pool, settings.recency_days, settings.recency))
    if settings.memrank:
        added.append(centrality(pool, settings.memrank))
    if settings.diversity and pool.space.index is not None:
        scores = total([*given, *added], len(pool.rows))
        added.append(diversity(pool, pool.space.index, scores, settings.diversity))
    return added


def significance(pool: Pool, by_seq: Mapping[int, float], weight: float) -> Contribution:
    """Give by the significance of a memory at capture, 0 to 1, by sequence."""
    seqs = pool.space.view.experiences.seqs[pool.rows].tolist()
    values = np.array([by_seq.get(seq, 0.0) for seq in seqs], np.float64)
    return Contribution(
        "significance", Evidence.HISTORY, "was significant when it happened", weight * values
    )


def recency(pool: Pool, half_life_days: float, weight: float) -> Contribution:
    """Add ½^(age / half-life), by event time; a future event counts as now."""
    days = (pool.space.now - pool.space.view.experiences.at[pool.rows]) / DAY_S
    values = weight * 0.5 ** (np.maximum(days, 0.0) / half_life_days)
    return Contribution("recency", Evidence.TIME, "happened lately", values)


def centrality(pool: Pool, weight: float) -> Contribution:
    """Give by MemRank over associations; the most central visible memory gets the whole weight."""
    ranks = memrank(pool.space.view, pool.space.visible)
    values = weight * ranks[pool.rows] / max(float(ranks.max(initial=0.0)), 1e-300)
    return Contribution(
        "centrality", Evidence.TOPIC, "much is associated with it (MemRank)", values
    )


def diversity(pool: Pool, index: VectorIndex, scores: Floats, weight: float) -> Contribution:
    """Subtract from a memory its largest cosine with better ones (MMR), greedily.

    Source: Carbonell and Goldstein 1998, with a sum for the mix. Only the best hundred are
    compared; all others stay behind them.
    """
    best = best_first(pool.rows, scores)[:_DIVERSE_MAX]
    vectors = first_vectors(pool.space.view, index, pool.rows[best]).astype(np.float64)
    taken = np.zeros(len(pool.rows))
    near, left = np.zeros(len(best)), np.ones(len(best), bool)
    for _ in range(len(best)):
        now = np.where(left, scores[best] - weight * near, -np.inf)
        chosen = int(np.argmax(now))
        left[chosen] = False
        taken[best[chosen]] = weight * near[chosen]
        near = np.where(left, np.maximum(near, vectors @ vectors[chosen]), near)
    behind = np.ones(len(pool.rows), bool)
    behind[best] = False
    if behind.any() and len(best):
        lowest = float(np.min(scores[best] - taken[best]))
        taken[behind] = max(0.0, float(np.max(scores[behind])) - lowest + 1e-6)
    return Contribution(
        "diversity", Evidence.OWN_WORDS, "says what stands before it already", -taken
    )
