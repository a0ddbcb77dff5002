"""Messages in their context: the length of a vector with half of each neighbour's."""

from dataclasses import replace

import numpy as np
import pytest
from fakes import FakeEmbedder

from meridia import Memory
from meridia.core.settings import Settings
from meridia.core.types import Filters
from meridia.retrieval.candidates.pool import Pool
from meridia.retrieval.ranking.formula import norms
from meridia.retrieval.recall_record import RecallRequest
from meridia.retrieval.space_snapshot import space_view


@pytest.fixture
def memory():
    with Memory(None, "s", Settings(), embedder=FakeEmbedder()) as opened:
        for place in range(20):
            opened.remember(f"word{place} word{place % 3} boat", session=f"s{place % 2}")
        yield opened


def _state(memory: Memory):
    memory.enrich()
    enriched = memory.enrichment.cursor(memory.space)
    return memory._components.recalls.snapshot(
        memory.space, memory._components.embedder(), enriched
    )


def _by_hand(snapshot, row: int, visible=None) -> float:
    def vector(place: int):
        return snapshot.index.rows[place].astype(np.float64)

    session = snapshot.view.experiences.session
    mine = [i for i in np.flatnonzero(session == session[row]) if visible is None or visible[i]]
    at = mine.index(row)
    total = vector(row).copy()
    if at > 0:
        total += 0.5 * vector(mine[at - 1])
    if at + 1 < len(mine):
        total += 0.5 * vector(mine[at + 1])
    return float(np.linalg.norm(total))


def _pool(memory: Memory, snapshot, rows, **limits) -> Pool:
    request = RecallRequest("q", 5, Filters(), **limits)
    space = space_view(memory.parts, memory.space, snapshot, request)
    nothing = np.zeros(len(snapshot.view.experiences.seqs))
    return Pool(space, np.array(rows), nothing, nothing, nothing)


def test_the_length_is_that_of_the_sum(memory: Memory):
    snapshot = _state(memory)
    rows = [*range(20)]
    assert np.allclose(norms(_pool(memory, snapshot, rows)), [_by_hand(snapshot, i) for i in rows])
    assert np.allclose(
        norms(_pool(memory, snapshot, [3, 8])), [_by_hand(snapshot, i) for i in (3, 8)]
    )


def test_neighbours_that_are_not_visible_do_not_count(memory: Memory):
    snapshot = _state(memory)
    visible = np.arange(20) < 9
    pool = _pool(memory, snapshot, [8], as_of=int(snapshot.view.experiences.seqs[8]))
    assert np.array_equal(pool.space.visible, visible)
    assert np.allclose(norms(pool), _by_hand(snapshot, 8, visible))


def test_without_a_vector_the_length_is_one(memory: Memory):
    snapshot = _state(memory)
    snapshot = replace(snapshot, index=type(snapshot.index).empty(16))
    assert norms(_pool(memory, snapshot, [0, 1, 2])).tolist() == [1.0, 1.0, 1.0]
