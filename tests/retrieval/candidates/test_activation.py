"""Activation of a real pool: what every policy reaches, told by paths that add up."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from meridia import Memory
from meridia.core.errors import InvalidInput
from meridia.core.recall_settings import RecallSettings
from meridia.core.settings import Settings
from meridia.core.types import Filters
from meridia.retrieval.candidates.activation import ActivationResult, activate
from meridia.retrieval.candidates.pool import Pool, gather
from meridia.retrieval.recall_service import RecallRequest
from meridia.retrieval.space_snapshot import space_view
from meridia.traversal.tracerank import unranked

POLICIES = ["spread", "sample", "walk"]
EDGES = ("HAS_WORD", "RELATED", "NEXT", "SPOKEN_BY")


def pool_of(demo: Memory, question: str = "the boat and its sail", **how) -> Pool:
    """Return the pool of a question by meaning alone."""
    recall_service = demo._components.recalls
    snapshot = recall_service.snapshot(
        demo.space, demo._components.embedder(), demo.enrichment.cursor(demo.space)
    )
    request = RecallRequest(question, 10, Filters(), seed=11, **how)
    vector = demo._components.embedder().embed([question])[0]
    return gather(space_view(demo.parts, demo.space, snapshot, request), [], vector, 20)


def reached(pool: Pool, **settings) -> ActivationResult:
    return activate(pool, RecallSettings(**settings), pool.space.view, unranked)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("hops", [0, 1, 2, 3])
def test_what_reached_a_memory_is_the_sum_of_its_paths(demo: Memory, policy: str, hops: int):
    pool = pool_of(demo)
    found = reached(pool, policy=policy, hops=hops)
    for row, amount in zip(found.rows.tolist(), found.amount.tolist(), strict=True):
        paths = list(found.paths(row))
        assert sum(path.amount for path in paths) == pytest.approx(amount, abs=1e-9)
        node = int(pool.space.view.experiences.node[row])
        assert all(path.nodes[-1] == node and path.nodes[0] != node for path in paths)


@pytest.mark.parametrize("policy", POLICIES)
def test_only_what_existed_then_is_reached_or_passed(demo: Memory, policy: str):
    then = datetime(2026, 4, 20, tzinfo=UTC)
    pool = pool_of(demo, as_of=then)
    view = pool.space.view
    found = reached(pool, policy=policy, hops=2, edges=EDGES)
    for row in found.rows.tolist():
        for path in found.paths(row):
            rows = view.experience_of[list(path.nodes)]
            assert (view.experiences.at[rows[rows >= 0]] <= then.timestamp()).all()


def test_a_start_node_gets_nothing_from_itself(demo: Memory):
    pool = pool_of(demo)
    others = 0
    for start in pool.rows.tolist():
        alone = np.zeros(len(pool.mass))
        alone[start] = 1.0
        found = reached(replace(pool, mass=alone))
        assert start not in found.rows
        others += len(found.rows)
    assert others


def test_what_too_many_share_is_not_followed(demo: Memory):
    pool = pool_of(demo)
    view = pool.space.view
    found = reached(pool, concept_share_max=0.02)
    most = max(0.02 * len(view.experiences.seqs), 2)
    passed = {path.nodes[1] for row in found.rows.tolist() for path in found.paths(row)}
    degrees = view.links("HAS_WORD", outgoing=False).degrees(np.array(sorted(passed), np.int64))
    assert len(degrees)
    assert (degrees <= most).all()


def test_the_same_seed_draws_the_same_and_another_one_does_not(demo: Memory):
    pool = pool_of(demo)
    other = replace(pool, space=replace(pool.space, random_seed=12))
    one, again, differently = (reached(p, policy="sample", walks=50) for p in (pool, pool, other))
    assert np.array_equal(one.amount, again.amount)
    assert not (
        np.array_equal(one.rows, differently.rows)
        and np.array_equal(one.amount, differently.amount)
    )


def test_many_walks_come_near_to_what_is_expected(demo: Memory):
    pool = pool_of(demo)
    expected = reached(pool)
    drawn = reached(pool, policy="sample", walks=20_000)
    assert drawn.error is not None
    starts = set(pool.rows[pool.mass[pool.rows] > 0].tolist())
    for row, amount, error in zip(
        drawn.rows.tolist(), drawn.amount.tolist(), drawn.error.tolist(), strict=True
    ):
        if row not in starts:
            assert amount == pytest.approx(
                float(expected.at(np.array([row]), expected.amount)[0]), abs=6 * error
            )
    assert any("random walks" in note for note in drawn.notes)


def test_activation_over_no_edges_reaches_nothing(demo: Memory):
    found = reached(pool_of(demo), edges=())
    assert len(found.rows) == 0
    assert found.at(np.array([1, 2]), found.amount).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("policy", POLICIES)
def test_every_policy_answers_with_scores_that_are_the_sums_of_their_traces(
    demo: Memory, policy: str
):
    settings = Settings(
        recall=RecallSettings(policy=policy, edges=("HAS_WORD", "RELATED"), walks=60)
    )
    with Memory(demo.parts.database.path, "demo", settings) as memory:
        for question in ("What did Oskar promise Dana?", "boat", "zygote"):
            for hit in memory.recall(question, limit=50).hits:
                leaves = sum(leaf.value for leaf in hit.trace.leaves())
                assert hit.score == pytest.approx(leaves, abs=1e-9)
                assert hit.score == pytest.approx(hit.trace.value, abs=1e-9)


def test_a_path_is_told_in_words_with_its_hops(demo: Memory):
    hits = demo.recall("Why did publishing the club website keep failing?").hits
    told = [leaf for hit in hits for leaf in hit.trace.leaves() if leaf.steps]
    assert told
    for leaf in told:
        assert leaf.label.startswith("via word ")
        assert ", 2 hops, from @" in leaf.label
        assert [step.type for step in leaf.steps] == ["HAS_WORD", "HAS_WORD"]
        assert leaf.source is not None
        assert leaf.steps[0].source == leaf.source
        assert leaf.as_json()["hops"] == 2


def test_an_edge_type_that_is_none_is_named(demo: Memory):
    with pytest.raises(InvalidInput, match="LIKES: activation follows HAS_WORD"):
        reached(pool_of(demo), edges=("HAS_WORD", "LIKES"))
