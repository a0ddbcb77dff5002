"""Messages in their context: the length of a vector with half of each neighbour's."""

import numpy as np
import pytest
from fakes import FakeEmbedder

from meridia import Memory
from meridia.core.settings import Settings
from meridia.retrieval.ranking.formula import extend_norms, norms


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


def test_the_length_is_that_of_the_sum(memory: Memory):
    snapshot = _state(memory)
    rows = np.arange(20)
    assert np.allclose(
        norms(snapshot.view, snapshot.index, rows), [_by_hand(snapshot, i) for i in rows]
    )


def test_neighbours_that_are_not_visible_do_not_count(memory: Memory):
    snapshot = _state(memory)
    visible = np.arange(20) < 9
    found = norms(snapshot.view, snapshot.index, np.array([8]), visible)
    assert np.allclose(found, _by_hand(snapshot, 8, visible))


def test_extending_gives_the_same_as_working_everything_out(memory: Memory):
    before = _state(memory)
    for place in range(20, 27):
        memory.remember(f"word{place} sail", session=f"s{place % 3}")
    after = _state(memory)
    rows = np.arange(27)
    assert np.allclose(after.norms, norms(after.view, after.index, rows))
    assert np.allclose(extend_norms(before.norms, after.view, after.index, 20), after.norms)


def test_without_a_vector_the_length_is_one(memory: Memory):
    snapshot = _state(memory)
    empty = type(snapshot.index).empty(16)
    assert norms(snapshot.view, empty, np.arange(3)).tolist() == [1.0, 1.0, 1.0]
