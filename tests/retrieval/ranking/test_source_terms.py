"""What other systems' searches give: one share, bounded, and rows that join the pool."""

from dataclasses import replace

import numpy as np
import pytest

from meridia import Memory
from meridia.core.types import Filters
from meridia.retrieval.candidates.pool import gather
from meridia.retrieval.ranking import optional_terms
from meridia.retrieval.recall_service import RecallRequest
from meridia.retrieval.space_snapshot import space_view


@pytest.fixture(scope="module")
def pool(demo: Memory):
    recalls, embedder = demo._components.recalls, demo._components.embedder()
    snapshot = recalls.snapshot(demo.space, embedder, demo.enrichment.cursor(demo.space))
    space = space_view(demo.parts, demo.space, snapshot, RecallRequest("", 10, Filters()))
    return gather(space, [(int(snapshot.view.experiences.seqs[9]), 1.0)], None, 50)


def with_finds(pool, *finds):
    return replace(pool, space=replace(pool.space, finds=finds))


def test_without_finds_nothing_changes(pool):
    assert optional_terms.with_finds(pool) is pool
    assert optional_terms.graphiti_finds(pool, 2.0) == []


def test_finds_join_the_pool_unless_they_may_not_be_returned(pool):
    seqs = pool.space.view.experiences.seqs
    wider = optional_terms.with_finds(with_finds(pool, (int(seqs[50]), 0.5), (10**9, 0.5)))
    assert set(wider.rows) == {*pool.rows, 50}
    nobody = replace(pool.space, allowed=np.zeros(len(seqs), bool), finds=((int(seqs[50]), 0.5),))
    assert 50 not in optional_terms.with_finds(replace(pool, space=nobody)).rows


def test_a_find_gains_the_weight_times_its_score_between_0_and_1(pool):
    seqs = [int(seq) for seq in pool.space.view.experiences.seqs[pool.rows]]
    finds = (seqs[0], 0.5), (seqs[1], -0.2), (seqs[2], 1.2)
    (share,) = optional_terms.graphiti_finds(with_finds(pool, *finds), 2.0)
    assert share.values[:4].tolist() == [1.0, 0.0, 2.0, 0.0]
