"""Why something was not recalled: the first reason that kept it out, and no other."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from meridia import Memory
from meridia.core.errors import NotFound
from meridia.core.settings import RecallSettings, Settings
from meridia.retrieval.explain.counterfactual import Cause
from tests.retrieval.random_spaces import world

QUESTION = "Why did publishing the website fail?"


@pytest.fixture
def few():
    """Open a world in which only a few are candidates."""
    settings = Settings(recall=RecallSettings(candidates=10, spread=False))
    with world(None, seed=11, count=120, settings=settings) as memory:
        yield memory


def test_every_memory_is_either_recalled_or_told_why_not(few: Memory):
    recall, why = few.recall("storm over the harbour", limit=5), few.reasons
    recalled = {hit.id: hit.rank for hit in recall.hits}
    causes = set()
    for memory in few.list(limit=200).memories:
        found = why.why_not(recall.id, memory.id)
        causes.add(found.cause)
        assert (found.cause is Cause.RECALLED) == (memory.id in recalled)
        if found.cause is Cause.RECALLED:
            assert found.rank == recalled[memory.id]
        assert found.because
    assert causes == {Cause.RECALLED, Cause.OUTRANKED, Cause.NO_CANDIDATE}


def test_what_came_later_was_not_there_yet(few: Memory):
    recall = few.recall("storm over the harbour")
    late = few.remember("a storm over the harbour", person="Dana")
    few.enrich()
    found = few.reasons.why_not(recall.id, late.id)
    assert found.cause is Cause.NOT_THERE
    assert found.because == [
        f"it is journal {late.seq}; the answer saw the journal up to {recall.seq}"
    ]


def test_what_had_not_happened_or_was_not_known_then_was_not_there_yet(demo: Memory):
    memory = demo.recall(QUESTION).hits[0].memory
    by_time = demo.recall(QUESTION, as_of=datetime(2026, 3, 1, tzinfo=UTC))
    found = demo.reasons.why_not(by_time.id, memory.id)
    assert found.cause is Cause.NOT_THERE
    assert "it happened at 2026-" in found.because[0]
    by_seq = demo.recall(QUESTION, as_of=1)
    found = demo.reasons.why_not(by_seq.id, memory.id)
    assert f"it is journal {memory.seq}; the question was asked as of 1" in found.because


def test_the_filter_that_left_it_out_is_named_and_no_other(demo: Memory):
    memory = next(h.memory for h in demo.recall("boat").hits if h.memory.person == "Oskar")
    recall = demo.recall("boat", person="Dana", session=memory.session)
    found = demo.reasons.why_not(recall.id, memory.id)
    assert found.cause is Cause.FILTERED
    assert [line.split(" = ")[0] for line in found.because] == ["the filter person"]


def test_what_was_outranked_is_compared_with_the_last_one_term_by_term(demo: Memory):
    more, recall = demo.recall(QUESTION, limit=30), demo.recall(QUESTION, limit=3)
    for hit in more.hits[3:10]:
        found = demo.reasons.why_not(recall.id, hit.memory.uri)
        assert (found.cause, found.rank) == (Cause.OUTRANKED, hit.rank)
        assert found.score == pytest.approx(hit.score, abs=1e-9)
        assert sum(one.its for one in found.lacked) == pytest.approx(found.score, abs=1e-9)
        last = sum(one.last for one in found.lacked)
        assert last == pytest.approx(found.last_score, abs=1e-9)
        assert last == pytest.approx(recall.hits[-1].score, abs=1e-9)
        assert found.as_json()["cause"] == "outranked"


def test_what_was_no_candidate_is_told_what_it_shares_and_how_far_it_is_in_meaning(few: Memory):
    recall = few.recall("storm over the harbour", limit=1)
    lines = set()
    for memory in few.list(limit=200).memories:
        found = few.reasons.why_not(recall.id, memory.id)
        if found.cause is Cause.NO_CANDIDATE:
            lines |= {line.split(";")[0].rstrip("0123456789") for line in found.because}
    assert any(line.startswith("it has no word of the question: ") for line in lines)
    assert "in meaning it is number " in lines


def test_with_words_alone_meaning_is_not_spoken_of():
    settings = Settings(recall=RecallSettings(profile="simple"))
    with world(None, seed=12, settings=settings) as memory:
        recall = memory.recall("zygote")
        found = memory.reasons.why_not(recall.id, memory.list().memories[0].id)
    assert found.because == ["it has no word of the question: “zygote”"]


def test_a_memory_that_does_not_exist_is_not_found(demo: Memory):
    recall = demo.recall("boat")
    with pytest.raises(NotFound, match="no memory 'nope'"):
        demo.reasons.why_not(recall.id, "nope")
