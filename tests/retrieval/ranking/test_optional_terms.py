"""Mechanisms that are off until the settings give them a weight."""

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia import Memory
from meridia.core.settings import RecallSettings
from meridia.core.types import Filters
from meridia.retrieval.candidates.pool import Pool, gather
from meridia.retrieval.ranking import optional_terms
from meridia.retrieval.ranking.formula import first_vectors
from meridia.retrieval.recall_service import RecallRequest
from meridia.retrieval.space_snapshot import space_view

DAY = 86_400


@pytest.fixture(scope="module")
def pool(demo: Memory) -> Pool:
    recall_service = demo._components.recalls
    snapshot = recall_service.snapshot(
        demo.space, demo._components.embedder(), demo.enrichment.cursor(demo.space)
    )
    asked_at = datetime.fromtimestamp(float(snapshot.view.experiences.at.max()), UTC)
    request = RecallRequest("the boat", 10, Filters(), asked_at=asked_at)
    vector = demo._components.embedder().embed(["the mast of the boat"])[0]
    return gather(space_view(demo.parts, demo.space, snapshot, request), [], vector, 50)


def test_by_default_nothing_is_added(pool, demo):
    assert optional_terms.contributions(pool, [], demo.parts.catalog, RecallSettings()) == []


def test_every_weight_is_one_share(pool, demo):
    on = RecallSettings(significance=1.0, recency=1.0, memrank=1.0, diversity=1.0)
    found = optional_terms.contributions(pool, [], demo.parts.catalog, on)
    assert [contribution.term for contribution in found] == [
        "significance",
        "recency",
        "centrality",
        "diversity",
    ]


def test_row_103_the_most_central_memory_gains_the_whole_weight(pool):
    every = replace(pool, rows=np.arange(len(pool.space.view.experiences.seqs)), beside={})
    contribution = optional_terms.centrality(every, 2.0)
    assert contribution.values.max() == pytest.approx(2.0)
    assert 0 < contribution.values.min() < 2.0


def test_row_22_significance_counts_by_its_weight(pool):
    seqs = pool.space.view.experiences.seqs[pool.rows]
    contribution = optional_terms.significance(pool, {int(seqs[1]): 0.5}, 3.0)
    assert contribution.values[1] == 1.5
    assert np.count_nonzero(contribution.values) == 1


def test_row_22_recency_halves_within_its_half_life(pool):
    at = pool.space.view.experiences.at[pool.rows]
    contribution = optional_terms.recency(pool, 30.0, 2.0)
    age = (at.max() - at) / DAY
    assert np.allclose(contribution.values, 2.0 * 0.5 ** (age / 30.0))
    later = replace(pool, space=replace(pool.space, now=float(at.max() - 10 * DAY)))
    assert optional_terms.recency(later, 30.0, 2.0).values.max() == 2.0


def _mmr(vectors, scores, weight):
    """Return what each loses, by the definition: one by one, nothing shared between steps."""
    left, chosen, taken = list(range(len(scores))), [], [0.0] * len(scores)
    while left:
        near = {i: max([0.0, *(float(vectors[i] @ vectors[j]) for j in chosen)]) for i in left}
        best = max(left, key=lambda i: (scores[i] - weight * near[i], scores[i], -i))
        taken[best] = weight * near[best]
        chosen.append(best)
        left.remove(best)
    return taken


@given(st.integers(0, 1000), st.sampled_from([0.5, 2.0, 8.0]))
def test_row_22_diversity_takes_what_a_better_one_says_already(pool, seed, weight):
    few = replace(pool, rows=pool.rows[:12])
    scores = np.random.default_rng(seed).uniform(0, 10, 12)
    contribution = optional_terms.diversity(few, few.space.index, scores, weight)
    wanted = _mmr(
        first_vectors(few.space.view, few.space.index, few.rows).astype(np.float64), scores, weight
    )
    assert np.allclose(contribution.values, -np.array(wanted), atol=1e-6)


def test_what_diversity_does_not_look_at_stays_behind(pool):
    rows = np.arange(len(pool.space.view.experiences.seqs))
    everything = replace(pool, rows=rows)
    assert len(rows) > 100
    scores = np.linspace(10, 1, len(rows))
    contribution = optional_terms.diversity(everything, pool.space.index, scores, 5.0)
    assert (scores + contribution.values)[:100].min() > (scores + contribution.values)[100:].max()


def test_the_whole_score_is_still_the_sum_of_its_trace(demo):
    on = demo.settings.recall.model_copy(
        update={"significance": 1.0, "recency": 2.0, "diversity": 3.0}
    )
    settings = demo.settings.model_copy(update={"recall": on})
    with Memory.open(demo.parts.database.path, space=demo.space, settings=settings) as other:
        hits = other.recall("What did Dana say about the boat?", limit=20).hits
        assert len(hits) == 20
        for hit in hits:
            assert sum(leaf.value for leaf in hit.trace.leaves()) == pytest.approx(hit.score)
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
