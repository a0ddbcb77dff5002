"""The snapshot of a space that a question reads: a consistent set of view, vectors and statistics.

It is immutable, and a function of the space's graph and vectors alone: every process prepares the
same snapshot for the same journal sequence.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import fields, replace
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from ..core.calls.where import alternatives_of
from ..core.errors import InvalidInput
from ..core.ids import session_id
from ..core.types import Filters
from ..core.types import Space as SpaceName
from ..graph.view import Experiences, GraphView, Ints
from ..models.tokens import Embedder
from ..storage.projections.text_traits import hiding_traits
from ..storage.store import Store
from ..storage.vectors import VectorIndex
from .candidates.pool import SpaceSnapshot, SpaceView, VectorCandidates
from .ranking.formula import information_high, session_lengths, sessions_then
from .recall_record import RecallRequest, SnapshotRef


def build_snapshot(
    view: GraphView, index: VectorIndex | None, read: int | None = None
) -> SpaceSnapshot:
    """Compute the statistics that questions need from a view and its vectors.

    Without `read`, the rules have read every experience of the view.
    """
    rows: Ints | None = np.zeros(0, np.int64)
    if index is not None:
        rows = view.experiences.index_of(index.seqs)
        if np.array_equal(rows, np.arange(len(view.experiences.seqs))):
            rows = None
    read = view.until if read is None else min(read, view.until)
    rare = max(information_high(view, read), 1e-9)
    return SpaceSnapshot(
        view=view,
        index=index,
        norms=np.full(len(view.experiences.seqs), np.nan),
        vector_rows=rows,
        session_words=session_lengths(view),
        during=sessions_then(view.experiences, len(view.sessions)),
        information=rare,
        read=read,
    )


def space_view(
    file: Store,
    name: SpaceName,
    snapshot: SpaceSnapshot,
    request: RecallRequest,
    matches: Sequence[tuple[int, float]] | None = None,
    candidates: VectorCandidates | None = None,
) -> SpaceView:
    """Return a space as a question sees it; both others are of a question asked before."""
    experiences = snapshot.view.experiences
    conditions = chain.from_iterable(alternatives_of(request.filters.where))
    asks_status = any(str(each["key"]).rpartition(".")[2] == "status" for each in conditions)
    hidden = hiding_traits(restricted=file.catalog.restricted, inactive=asks_status)
    visible = experiences.traits & int(hidden) == 0
    if request.moment is not None:
        if request.moment.tzinfo is None:
            raise InvalidInput("as_of has no timezone: add one, such as +00:00")
        visible &= experiences.at <= request.moment.timestamp()
    if request.last_seq is not None:
        visible &= experiences.seqs <= request.last_seq
    # Asked again later, a correction that came in between is none yet.
    until = snapshot.view.until
    last_seq = until if request.last_seq is None else min(until, request.last_seq)
    corrected = file.catalog.superseded(name, request.moment, last_seq)
    if corrected:
        visible &= ~_those(experiences, [seq for seq, *_ in corrected])
    allowed = visible
    if request.filters.narrows():
        allowed = visible & _left(file, name, snapshot.view, request.filters)
    held = {field.name: getattr(snapshot, field.name) for field in fields(SpaceSnapshot)}
    return SpaceView(
        **held,
        name=name,
        full_text=file.space(name).full_text.index(),
        visible=visible,
        allowed=allowed,
        matches=matches,
        candidates=candidates,
        random_seed=request.seed,
        hints=request.hints,
        moment=request.moment,
        last_seq=request.last_seq,
        now=request.now.timestamp(),
        current_session=request.current_session,
        finds=request.finds,
    )


def _left(file: Store, name: SpaceName, view: GraphView, filters: Filters) -> NDArray[np.bool_]:
    """Return which experiences filters leave: by the columns in memory, as far as they tell."""
    columns = view.experiences
    left = np.ones(len(columns.seqs), bool)
    if filters.person is not None:
        people = set(file.catalog.members(name, filters.person))
        left &= _is_among(columns.person, view.people, people)
    if filters.session is not None:
        left &= _is_among(columns.session, view.sessions, {session_id(name, filters.session)})
    if filters.seq_max is not None:
        left &= columns.seqs <= filters.seq_max
    unsure = np.zeros(len(left), bool)
    for bound, sign in ((filters.since, 1), (filters.until, -1)):
        if bound is not None:
            second = math.floor(bound.timestamp())
            left &= sign * columns.at >= sign * second
            unsure |= columns.at == second  # a column has whole seconds
    others = replace(filters, person=None, session=None, since=None, until=None, seq_max=None)
    if replace(others, where=None) == Filters():
        checked = replace(filters, where=None) if (left & unsure).any() else None
    else:
        checked = replace(filters, where=None)
    if checked is not None:
        left &= _those(columns, file.catalog.matching(name, checked))
    if filters.where:
        left &= _those(columns, file.catalog.having(columns.seqs[left].tolist(), filters))
    return left


def _is_among(column: Ints, names: Sequence[str], wanted: Collection[str]) -> NDArray[np.bool_]:
    """Return which rows have one of some names; -1 is none."""
    among = np.zeros(len(column), bool)
    for name in wanted:
        if name in names:
            among |= column == names.index(name)
    return among


def snapshot_ref_of(snapshot: SpaceSnapshot, embedder: Embedder | None) -> SnapshotRef:
    """Return how much of a space there was to see; vectors only where they were asked for."""
    seqs, index = snapshot.view.experiences.seqs, snapshot.index
    read = snapshot.read if len(seqs) and seqs[-1] > snapshot.read else None
    reference = SnapshotRef(snapshot.view.until, len(seqs), read=read)
    if index is None or embedder is None:
        return reference
    return replace(
        reference,
        model=embedder.model,
        dimension=embedder.dimension,
        until=index.until,
        vectors=len(index.rows),
    )


def _those(experiences: Experiences, seqs: Sequence[int]) -> NDArray[np.bool_]:
    """Return which of the experiences have one of some journal sequences."""
    rows = experiences.index_of(np.array(seqs, np.int64))
    those = np.zeros(len(experiences.seqs), bool)
    those[rows[rows >= 0]] = True
    return those
