"""Recall over a real conversation: what comes back, and under which conditions."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from meridia import Memory
from meridia.core.errors import InvalidInput
from meridia.core.settings import EmbeddingSettings, RecallSettings, Settings
from meridia.retrieval.recall import as_json

QUESTIONS = Path(__file__).parents[2] / "bench" / "data" / "demo_questions.jsonl"


def _questions():
    return [json.loads(line) for line in QUESTIONS.read_text("utf-8").splitlines()]


def _found(memory: Memory) -> float:
    """Return the share of evidence among the first ten, over all questions."""
    shares = []
    for row in _questions():
        hits = {hit.event_id for hit in memory.recall(row["question"]).hits}
        shares.append(len(hits & set(row["evidence"])) / len(row["evidence"]))
    return sum(shares) / len(shares)


def _like(demo: Memory, **sections) -> Memory:
    return Memory(demo.parts.database.path, "demo", Settings(**sections))


def test_most_evidence_is_among_the_first_ten_and_more_than_by_words_alone(demo: Memory):
    with _like(demo, recall=RecallSettings(profile="simple")) as simple:
        by_words = _found(simple)
    found = _found(demo)
    assert found >= 0.7
    assert found > by_words


def test_the_simple_profile_is_words_alone(demo: Memory):
    with _like(demo, recall=RecallSettings(profile="simple")) as simple:
        hits = simple.recall("sail maker address").hits
    assert hits
    assert all(len(hit.trace.leaves()) == 1 for hit in hits)
    assert all("BM25" in hit.trace.leaves()[0].label for hit in hits)


def test_without_embeddings_it_answers_from_words_and_says_so(demo: Memory):
    with _like(demo, embedding=EmbeddingSettings(enabled=False)) as memory:
        recall = memory.recall("sail maker's address")
    assert {"d2-09"} & {hit.event_id for hit in recall.hits}
    assert any("embedding is off" in note for note in recall.notes)


def test_a_caption_is_found_and_shown_apart_from_the_text(demo: Memory):
    hits = [hit for hit in demo.recall("photo of the boat").hits if hit.memory.artifacts]
    assert hits
    assert all(a.description not in hit.text for hit in hits for a in hit.memory.artifacts)


@pytest.mark.parametrize("limit", [1, 7, 100, 1000])
def test_any_limit_up_to_a_thousand_is_answered(demo: Memory, limit: int):
    hits = demo.recall("the boat and the job", limit=limit).hits
    assert 1 <= len(hits) <= limit
    assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))


@pytest.mark.parametrize("limit", [0, -1, 1001])
def test_a_limit_out_of_range_is_refused(demo: Memory, limit: int):
    with pytest.raises(InvalidInput, match="1 to 1000"):
        demo.recall("boat", limit=limit)


def test_filters_narrow_what_comes_back(demo: Memory):
    by_person = demo.recall("boat", person="oskar", limit=50).hits
    assert {hit.memory.person for hit in by_person} == {"Oskar"}
    by_session = demo.recall("boat", session="2026-04-13", limit=50).hits
    assert {hit.memory.session for hit in by_session} == {"2026-04-13"}
    by_kind = demo.recall("publish", kind="tool_result", limit=50).hits
    assert {hit.memory.kind for hit in by_kind} == {"tool_result"}
    since = datetime(2026, 5, 1, tzinfo=UTC)
    assert all(hit.memory.at >= since for hit in demo.recall("boat", since=since, limit=50).hits)


def test_a_filter_that_leaves_nothing_is_an_empty_answer(demo: Memory):
    assert demo.recall("boat", person="Nobody").hits == []


def test_as_of_a_time_shows_only_what_had_happened_and_lets_nothing_later_speak(demo: Memory):
    instant = datetime(2026, 4, 13, 8, 38, tzinfo=UTC)
    hits = demo.recall("Why did publishing fail?", as_of=instant, limit=100).hits
    assert hits
    assert all(hit.memory.at <= instant for hit in hits)
    sources = {leaf.source for hit in hits for leaf in hit.trace.leaves() if leaf.source}
    assert all(demo.get(source).at <= instant for source in sources)


def test_as_of_a_sequence_shows_only_what_was_known(demo: Memory):
    hits = demo.recall("boat", as_of=30, limit=100).hits
    assert hits
    assert all(hit.memory.seq <= 30 for hit in hits)


def test_as_of_before_everything_is_empty(demo: Memory):
    assert demo.recall("boat", as_of=datetime(2020, 1, 1, tzinfo=UTC)).hits == []


def test_the_same_question_gets_the_same_answer(demo: Memory):
    first, second = demo.recall("the job"), demo.recall("the job")
    assert first.id != second.id
    assert [(h.id, h.score) for h in first.hits] == [(h.id, h.score) for h in second.hits]


def test_an_answer_is_kept_under_its_id(demo: Memory):
    recall = demo.recall("Where is the trailer?")
    demo._recollection.settle()
    kept = demo.parts.trace.find_recall(demo.space, recall.id)
    assert kept == json.loads(json.dumps(as_json(recall)))
