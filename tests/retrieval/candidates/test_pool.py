"""What is scored for a question."""

from dataclasses import replace

import numpy as np
import pytest

from meridia import Memory
from meridia.core.types import Filters
from meridia.retrieval.candidates.pool import gather
from meridia.retrieval.recall_service import RecallRequest
from meridia.retrieval.space_snapshot import space_view
from meridia.storage import vectors


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
    alone = np.argsort(-pool.similarity[:])[:5]
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
    worst = np.argsort(plain.similarity[:])[:6]
    mask = np.zeros(len(space.visible), bool)
    mask[worst] = True
    more = gather(space, [], vector, 4, [mask])
    best_of_them = worst[np.argsort(-plain.similarity[worst])[:2]]
    assert set(best_of_them.tolist()) <= set(more.rows.tolist())
    assert set(plain.rows.tolist()) <= set(more.rows.tolist())


@pytest.mark.parametrize("share", [1, 5])
def test_with_a_screen_the_same_candidates_come_and_few_are_compared(space, demo: Memory, share):
    index = replace(space.index, screen=vectors.Screen.of(space.index.rows))
    allowed = space.allowed & (np.arange(len(space.allowed)) % share == 0)
    plain = replace(space, allowed=allowed)
    vector = demo._components.embedder().embed(["the mast of the boat"])[0]
    expected, pool = (gather(each, [], vector, 4) for each in (plain, replace(plain, index=index)))
    assert pool.rows.tolist() == expected.rows.tolist()
    for offset in (-1, 0, 1):
        assert pool.at(pool.similarity, offset) == pytest.approx(
            expected.at(expected.similarity, offset), abs=1e-6
        )
    assert pool.similarity[:] == pytest.approx(expected.similarity[:], abs=1e-6)


def test_of_a_few_that_a_filter_allows_no_others_are_compared(space, demo: Memory, monkeypatch):
    index = replace(space.index, screen=vectors.Screen.of(space.index.rows))
    allowed = space.allowed & (np.arange(len(space.allowed)) % 5 == 0)
    monkeypatch.setattr(vectors.VectorIndex, "likely", None)  # whoever calls it fails
    vector = demo._components.embedder().embed(["the mast of the boat"])[0]
    filtered = replace(space, allowed=allowed, index=index)
    everyone = gather(filtered, [], vector, len(allowed))
    assert everyone.rows.tolist() == np.flatnonzero(allowed).tolist()


def test_answers_are_the_same_with_a_screen(demo: Memory, monkeypatch):
    asked = ("the mast of the boat", "When did Dana move?", "something about work and rest")
    before = [demo.recall(question, limit=8) for question in asked]
    monkeypatch.setattr(vectors, "SCREENED_MIN", 1)
    demo._components.drop_caches(demo.space)
    demo._components.indexes.forget(demo.space)
    after = [demo.recall(question, limit=8) for question in asked]
    snapshot = demo._components.recalls.snapshot(
        demo.space, demo._components.embedder(), demo.enrichment.cursor(demo.space)
    )
    assert snapshot.index.screen is not None
    for answers, said in ((before, False), (after, True)):
        leaves = [leaf.label for a in answers for h in a.hits for leaf in h.trace.leaves()]
        assert ("close in meaning, past the screen" in leaves) is said
        assert ("close in meaning" in leaves) is not said
    for one, other in zip(before, after, strict=True):
        assert [hit.memory.id for hit in one.hits] == [hit.memory.id for hit in other.hits]
        assert [h.score for h in one.hits] == pytest.approx([h.score for h in other.hits], abs=1e-5)
        assert one.confidence == pytest.approx(other.confidence, abs=1e-5)
