"""How a question is put counts by its little words and its whole, and each unit has its source."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from meridia import Memory
from meridia.retrieval.late import CONTENT, LITTLE, WHOLE, Nearest
from meridia.retrieval.phrasing import phrased
from meridia.retrieval.profile import CLOSE, DEFAULT
from meridia.retrieval.shares import total
from tests.retrieval.test_ranking import _ranked

KINDS = WHOLE + LITTLE + CONTENT + LITTLE + WHOLE


def _nearest(pool, kinds: str = KINDS) -> Nearest:
    drawn = np.random.default_rng(3).uniform(-0.5, 1, (5, len(kinds), len(pool.rows))).round(1)
    at = {0: drawn[0]} | {
        offset: np.where(pool.neighbours(offset) >= 0, drawn[offset], 0.0)
        for offset in (-2, -1, 1, 2)
    }
    return Nearest(kinds, np.full(len(kinds), 1 / max(len(kinds), 1)), at)


@pytest.mark.parametrize("trust", [0.0, 0.4, 1.0])
def test_little_words_and_the_whole_count_here_and_all_words_in_five_messages(
    demo: Memory, trust: float
):
    pool = _ranked(demo, "the boat").pool
    nearest = _nearest(pool)
    here, five = nearest.at[0], np.maximum.reduce(list(nearest.at.values()))
    wanted = (
        CLOSE.phrased * here[[1, 3]].mean(axis=0)
        + CLOSE.echo * here[[0, 4]].mean(axis=0)
        + CLOSE.phrased_near * five[[1, 2, 3]].mean(axis=0)
    )
    shares = phrased(pool, nearest, CLOSE, trust)
    assert np.allclose(total(shares, len(pool.rows)), trust * wanted, atol=1e-9)


def test_what_a_neighbour_gives_comes_along_the_edge_to_it(demo: Memory):
    pool = _ranked(demo, "the boat").pool
    shares = phrased(pool, _nearest(pool), CLOSE, 1.0)
    beside = [share for share in shares if share.edge is not None]
    assert {share.edge for share in beside} == {"NEXT"}
    for share in beside:
        assert (share.source[share.values != 0] >= 0).all()
    assert [share.source for share in shares if share.edge is None] == [None, None, None]


@pytest.mark.parametrize(("kinds", "count"), [("", 0), (WHOLE * 2, 1)])
def test_a_question_without_words_gives_nothing_for_them(demo: Memory, kinds: str, count: int):
    pool = _ranked(demo, "the boat").pool
    shares = phrased(pool, _nearest(pool, kinds), CLOSE, 1.0)
    assert [share.label for share in shares] == ["sounds like the question itself"] * count


def test_without_weights_there_are_no_shares(demo: Memory):
    pool = _ranked(demo, "the boat").pool
    assert phrased(pool, _nearest(pool), replace(DEFAULT), 1.0) == []
