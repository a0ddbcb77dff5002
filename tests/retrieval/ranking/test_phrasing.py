"""How a question is put counts by its little words and its whole, and each unit has its source."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from meridia import Memory
from meridia.retrieval.ranking.contributions import total
from meridia.retrieval.ranking.late_interaction import (
    CONTENT_WORD,
    FUNCTION_WORD,
    SPECIAL_TOKEN,
    MaxSimilarities,
)
from meridia.retrieval.ranking.phrasing import phrased
from meridia.retrieval.ranking.ranking_weights import DEFAULT_WEIGHTS, RERANK_WEIGHTS
from tests.retrieval.ranking.test_formula import _ranked

KINDS = SPECIAL_TOKEN + FUNCTION_WORD + CONTENT_WORD + FUNCTION_WORD + SPECIAL_TOKEN


def _nearest(pool, kinds: str = KINDS) -> MaxSimilarities:
    drawn = np.random.default_rng(3).uniform(-0.5, 1, (5, len(kinds), len(pool.rows))).round(1)
    at = {0: drawn[0]} | {
        offset: np.where(pool.neighbours(offset) >= 0, drawn[offset], 0.0)
        for offset in (-2, -1, 1, 2)
    }
    return MaxSimilarities(kinds, np.full(len(kinds), 1 / max(len(kinds), 1)), at)


@pytest.mark.parametrize("lexical_confidence", [0.0, 0.4, 1.0])
def test_little_words_and_the_whole_count_here_and_all_words_in_five_messages(
    demo: Memory, lexical_confidence: float
):
    pool = _ranked(demo, "the boat").pool
    max_similarities = _nearest(pool)
    here, five = max_similarities.at[0], np.maximum.reduce(list(max_similarities.at.values()))
    wanted = (
        RERANK_WEIGHTS.phrased * here[[1, 3]].mean(axis=0)
        + RERANK_WEIGHTS.echo * here[[0, 4]].mean(axis=0)
        + RERANK_WEIGHTS.phrased_near * five[[1, 2, 3]].mean(axis=0)
    )
    contributions = phrased(pool, max_similarities, RERANK_WEIGHTS, lexical_confidence)
    assert np.allclose(total(contributions, len(pool.rows)), lexical_confidence * wanted, atol=1e-9)


def test_what_a_neighbour_gives_comes_along_the_edge_to_it(demo: Memory):
    pool = _ranked(demo, "the boat").pool
    contributions = phrased(pool, _nearest(pool), RERANK_WEIGHTS, 1.0)
    beside = [contribution for contribution in contributions if contribution.edge is not None]
    assert {contribution.edge for contribution in beside} == {"NEXT"}
    for contribution in beside:
        assert (contribution.source[contribution.values != 0] >= 0).all()
    assert [contribution.source for contribution in contributions if contribution.edge is None] == [
        None,
        None,
        None,
    ]


@pytest.mark.parametrize(("kinds", "count"), [("", 0), (SPECIAL_TOKEN * 2, 1)])
def test_a_question_without_words_gives_nothing_for_them(demo: Memory, kinds: str, count: int):
    pool = _ranked(demo, "the boat").pool
    contributions = phrased(pool, _nearest(pool, kinds), RERANK_WEIGHTS, 1.0)
    assert [contribution.label for contribution in contributions] == [
        "repeats the question"
    ] * count


def test_without_weights_there_are_no_shares(demo: Memory):
    pool = _ranked(demo, "the boat").pool
    assert phrased(pool, _nearest(pool), replace(DEFAULT_WEIGHTS), 1.0) == []
