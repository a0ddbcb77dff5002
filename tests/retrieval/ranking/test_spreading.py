"""Words along NEXT: what they give is the expectation, and what is missing punishes nobody."""

from __future__ import annotations

import statistics

import numpy as np
import pytest

from meridia import Memory
from meridia.core.errors import InvalidInput
from meridia.core.settings import RecallSettings, Settings
from meridia.core.types import Filters
from meridia.retrieval.ranking import spreading
from meridia.retrieval.ranking.contributions import WORDING, Contribution, Evidence, total
from meridia.retrieval.ranking.late_interaction import MaxSimilarities
from meridia.retrieval.ranking.ranking_weights import DEFAULT_WEIGHTS, RERANK_WEIGHTS
from meridia.retrieval.recall_record import RecallRequest
from tests.retrieval.ranking.test_formula import _ranked


def drawn_matches(pool, pieces: int, seed: int = 5):
    drawn = np.random.default_rng(seed).uniform(-0.5, 1, (5, pieces, len(pool.rows))).round(1)
    return {0: drawn[0]} | {
        offset: np.where(pool.neighbours(offset) >= 0, drawn[offset], 0.0)
        for offset in (-2, -1, 1, 2)
    }


@pytest.mark.parametrize("lexical_confidence", [0.0, 0.4, 1.0])
def test_a_word_counts_once_wherever_it_was_said(demo: Memory, lexical_confidence):
    """Against the chance of each cluster by hand: 0, 1 or 2 open edges on either side."""
    pool = _ranked(demo, "the boat").pool
    at, weights = drawn_matches(pool, 3), np.array([0.5, 0.2, 0.3])
    matches = MaxSimilarities(["boat", "sail", "boat"], weights, at)
    chains = spreading.chains(pool)
    found = spreading.token_match(chains, matches, RERANK_WEIGHTS, lexical_confidence)
    wanted = np.zeros(len(pool.rows))
    for (left, right), likely in chains.clusters.items():
        window = [at[offset] for offset in range(-left, right + 1)]
        wanted += likely * (weights @ np.maximum.reduce([*window, np.zeros_like(at[0])]))
    wanted *= lexical_confidence * RERANK_WEIGHTS.token_match
    assert np.allclose(total(found, len(pool.rows)), wanted, atol=1e-9)
    for contribution in found:
        assert contribution.term == "words"
        if contribution.source is not None:
            assert (contribution.source[contribution.values != 0] >= 0).all()


def test_an_edge_from_a_question_is_always_open(demo: Memory):
    pool = _ranked(demo, "the boat").pool
    clusters = spreading.chains(pool).clusters
    reached = sum(p for (left, _), p in clusters.items() if left)
    before = pool.neighbours(-1)
    assert set(np.unique(reached[before < 0])) <= {0.0}
    assert {round(float(p), 2) for p in np.unique(reached[before >= 0])} <= {0.75, 1.0}


def test_a_question_without_words_gives_nothing_for_them(demo: Memory):
    pool = _ranked(demo, "the boat").pool
    none = dict.fromkeys(range(-2, 3), np.zeros((0, len(pool.rows))))
    matches = MaxSimilarities([], np.zeros(0), none)
    assert spreading.token_match(spreading.chains(pool), matches, RERANK_WEIGHTS, 1.0) == []


def test_function_words_and_marks_count_by_how_far_they_are_from_the_average(demo: Memory):
    pool = _ranked(demo, "the boat").pool
    at = drawn_matches(pool, 5)
    matches = MaxSimilarities(list("wclcw"), np.full(5, 0.2), at)
    found = spreading.phrased(spreading.chains(pool).closed(), matches, RERANK_WEIGHTS, 1.0)
    own = {c.label: c.values for c in found}
    repeats = RERANK_WEIGHTS.echo * at[0][[0, 4]].mean(axis=0)
    assert np.allclose(own["repeats the question"], repeats - repeats.mean())
    wanted = RERANK_WEIGHTS.phrased * at[0][2]
    wanted = wanted + RERANK_WEIGHTS.phrased_around * np.maximum(at[0][1:4], 0).mean(axis=0)
    assert np.allclose(own[WORDING], wanted - wanted.mean())
    assert len(found) == 2
    assert spreading.phrased(spreading.chains(pool), matches, DEFAULT_WEIGHTS, 1.0) == []


def test_the_wording_of_all_that_is_looked_at_sums_to_nothing(demo: Memory):
    pool = _ranked(demo, "the boat").pool
    matches = MaxSimilarities(list("wclcw"), np.full(5, 0.2), drawn_matches(pool, 5))
    found = spreading.phrased(spreading.chains(pool), matches, RERANK_WEIGHTS, 1.0)
    assert any(c.offset for c in found)
    assert abs(total(found, len(pool.rows)).sum()) < 1e-6


def settings(**recall) -> Settings:
    return Settings(recall=RecallSettings(**recall))


def test_what_is_drawn_is_near_to_what_is_expected_and_says_by_how_much():
    texts = ["the boat leaks", "who paints it?", "Dana does", "the boat sails", "good night"]
    with Memory(None, "s", settings(walks=2000)) as memory:
        for place in range(20):
            memory.remember(f"{texts[place % 5]} {place}", session=f"s{place // 5}", person="Dana")
        expected = {hit.id: hit.score for hit in memory.recall("boat paint", limit=20).hits}
        drawn = memory.recall("boat paint", limit=20, policy="sample")
        assert len(drawn.hits) == len(expected)
        for hit in drawn.hits:
            assert hit.score == pytest.approx(expected[hit.id], abs=0.5)
            assert hit.score == pytest.approx(sum(leaf.value for leaf in hit.trace.leaves()))
        labels = [leaf.label for hit in drawn.hits for leaf in hit.trace.leaves()]
        assert any("standard error" in label for label in labels)
        arrivals = [n for hit in drawn.hits for n in hit.trace.leaves() if n.edge == "IN_SESSION"]
        assert all("standard error" in leaf.label for leaf in arrivals)
        assert arrivals


def test_two_runs_differ_by_about_as_much_as_both_say_and_one_seed_draws_the_same():
    with Memory(None, "s", settings(walks=100, policy="sample")) as memory:
        for place in range(24):
            text = ["the boat leaks", "who paints it?", "Dana does", "the boat sails"][place % 4]
            memory.remember(f"{text} {place}", session=f"s{place // 4}", person="Dana")
        runs = [memory.recall("boat paint", limit=20, random_seed=seed) for seed in range(30)]
        again = memory.recall("boat paint", limit=20, random_seed=7)
        assert [(h.id, h.score) for h in again] == [(h.id, h.score) for h in runs[7]]
        assert memory.reasons.replay(runs[3].id).identical
        assert len({tuple(hit.score for hit in run) for run in runs}) > 20
        for id in {hit.id for hit in runs[0]}:
            drawn = [hit for run in runs for hit in run if hit.id == id]
            spread = statistics.stdev(hit.score for hit in drawn)
            reported = statistics.fmean(hit.error for hit in drawn)
            assert 0.25 * reported <= spread <= 2 * reported, (spread, reported)
        expected = memory.recall("boat paint", policy="spread")
        assert {hit.error for hit in expected} == {None}
    with pytest.raises(InvalidInput, match="random seed"):
        RecallRequest("?", 1, Filters(), random_seed=-1)


def test_a_memory_without_a_session_gains_what_others_gain_on_average():
    with Memory(None, "home", settings()) as memory:
        memory.remember("the boat still leaks", session="a", id="inside")
        memory.remember("it needs paint", session="a", id="next")
        memory.remember("the boat leaks", id="alone")
        given = {
            hit.event_id: [
                leaf for leaf in hit.trace.leaves() if "no session is known" in leaf.label
            ]
            for hit in memory.recall("the boat leaks").hits
        }
    assert [leaf.value > 0 for leaf in given["alone"]] == [True]
    assert given["inside"] == given["next"] == []


def test_what_a_memory_says_itself_is_not_given_again_as_what_its_session_would_bring(tmp_path):
    """Where sessions bring nothing beyond the own words, having none is worth next to nothing."""
    with Memory.open(tmp_path / "m.db", enrich="manual") as memory:
        for place in range(6):
            memory.remember("the boat leaks" if place % 2 else "the mast fell", session=f"s{place}")
        memory.remember("the boat leaks", id="alone")
        memory.enrich()
        pool = _ranked(memory, "the boat leaks").pool
    own = np.where(np.arange(len(pool.rows)) % 2, 3.0, 1.0)
    given = [Contribution("words", Evidence.OWN_WORDS, "says", own)]
    (missing,) = spreading.missing(pool, given, lambda: given)
    has = pool.space.view.experiences.session[pool.rows] >= 0
    assert not missing.values[has].any()
    assert (np.abs(missing.values[~has]) < 0.6).all()
    brought = [*given, Contribution("session", Evidence.SESSION, "about this", 2.0 * has)]
    (more,) = spreading.missing(pool, brought, lambda: given)
    assert more.values[~has] == pytest.approx(missing.values[~has] + 2)


def test_what_follows_a_long_message_has_less_of_it(tmp_path):
    with Memory.open(tmp_path / "m.db", enrich="manual") as memory:
        for size in (10, 80, 160, 800):
            memory.remember("word " * size, session=f"s{size}")
            memory.remember("Go on.", session=f"s{size}")
        memory.enrich()
        pool = _ranked(memory, "word").pool
        clusters = spreading.chains(pool).clusters
        open_before = sum(p for (left, _), p in clusters.items() if left)
        open_after = sum(p for (_, right), p in clusters.items() if right)
        before, after = pool.neighbours(-1) >= 0, pool.neighbours(1) >= 0
        assert np.allclose(open_before[before], 0.75 * np.array([1, 1, 0.5, 0.1]))
        assert np.allclose(open_after[after], 0.6)
