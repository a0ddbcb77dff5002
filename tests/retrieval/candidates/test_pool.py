"""What is scored for a question."""

import numpy as np
import pytest

from meridia import Memory
from meridia.core.types import Filters
from meridia.retrieval.candidates.pool import gather
from meridia.retrieval.recall_service import RecallRequest
from meridia.retrieval.space_snapshot import space_view


@pytest.fixture
def space(demo: Memory):
    recall_service = demo._components.recalls
    snapshot = recall_service.snapshot(
        demo.space, demo._components.embedder(), demo.enrichment.cursor(demo.space)
    )
    return space_view(demo.parts, demo.space, snapshot, RecallRequest("", 10, Filters()))


def test_neighbours_of_a_match_are_scored_with_it(space):
    seq = int(space.view.experiences.seqs[20])
    pool = gather(space, [(seq, 5.0)], None, 10)
    assert pool.rows.tolist() == [18, 19, 20, 21, 22]
    assert pool.mass[20] == 1.0
    assert pool.mass.sum() == 1.0


def test_meaning_brings_as_many_candidates_as_asked(space, demo: Memory):
    vector = demo._components.embedder().embed(["the mast of the boat"])[0]
    pool = gather(space, [], vector, 5)
    alone = np.argsort(-pool.similarity)[:5]
    assert set(alone) <= set(pool.rows.tolist())
    assert len(pool.rows) <= 25


def test_nothing_found_is_an_empty_pool(space):
    assert gather(space, [], None, 10).rows.tolist() == []


def test_a_neighbours_value_is_zero_where_the_session_ends(space):
    pool = gather(space, [(int(space.view.experiences.seqs[0]), 1.0)], None, 10)
    everything = np.ones(len(space.view.experiences.seqs))
    assert pool.at(everything, -1).tolist()[0] == 0.0
    assert pool.at(everything, 1).tolist()[0] == 1.0


def test_of_the_favoured_half_as_many_candidates_come_in_besides(space, demo: Memory):
    vector = demo._components.embedder().embed(["the mast of the boat"])[0]
    plain = gather(space, [], vector, 4)
    worst = np.argsort(plain.similarity)[:6]
    mask = np.zeros(len(space.visible), bool)
    mask[worst] = True
    more = gather(space, [], vector, 4, [mask])
    best_of_them = worst[np.argsort(-plain.similarity[worst])[:2]]
    assert set(best_of_them.tolist()) <= set(more.rows.tolist())
    assert set(plain.rows.tolist()) <= set(more.rows.tolist())
