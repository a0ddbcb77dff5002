"""The source's walk from a real pool, and scores of every policy that are the sums of traces."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from meridia import Memory
from meridia.core.settings import RecallSettings, Settings
from meridia.core.types import Filters
from meridia.retrieval.candidates.activation import activate
from meridia.retrieval.candidates.pool import Pool, gather
from meridia.retrieval.recall_service import RecallRequest
from meridia.retrieval.space_snapshot import space_view
from meridia.traversal.tracerank import unranked


def pool_of(demo: Memory, question: str = "the boat and its sail", **how) -> Pool:
    """Return the pool of a question by meaning alone."""
    recall_service = demo._components.recalls
    snapshot = recall_service.snapshot(
        demo.space, demo._components.embedder(), demo.enrichment.cursor(demo.space)
    )
    request = RecallRequest(question, 10, Filters(), seed=11, **how)
    vector = demo._components.embedder().embed([question])[0]
    return gather(space_view(demo.parts, demo.space, snapshot, request), [], vector, 20)


def test_the_signal_at_a_memory_is_the_sum_of_its_paths(demo: Memory):
    pool = pool_of(demo)
    found = activate(pool, pool.space.view, unranked)
    assert len(found.rows)
    for row, amount in zip(found.rows.tolist(), found.amount.tolist(), strict=True):
        paths = list(found.paths(row))
        assert sum(path.amount for path in paths) == pytest.approx(amount, abs=1e-9)
        node = int(pool.space.view.experiences.node[row])
        assert all(path.nodes[-1] == node and path.nodes[0] != node for path in paths)


def test_only_what_existed_then_is_reached_or_passed(demo: Memory):
    pool = pool_of(demo, as_of=datetime(2026, 4, 20, tzinfo=UTC))
    view = pool.space.view
    found = activate(pool, view, unranked)
    for row in found.rows.tolist():
        for path in found.paths(row):
            rows = view.experience_of[list(path.nodes)]
            assert pool.space.visible[rows[rows >= 0]].all()


@pytest.mark.parametrize("policy", ["spread", "sample", "walk"])
def test_every_policy_answers_with_scores_that_are_the_sums_of_their_traces(demo, policy: str):
    for question in ("Why did publishing the website fail?", "Where is the boat?"):
        recall = demo.recall(question, policy=policy)
        assert recall.hits
        for hit in recall.hits:
            assert sum(leaf.value for leaf in hit.trace.leaves()) == pytest.approx(hit.score)


def test_a_setting_that_is_no_more_is_told():
    with pytest.raises(ValueError, match="hops"):
        Settings(recall=RecallSettings.model_validate({"hops": 2}))
