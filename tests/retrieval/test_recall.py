"""Recall over a real conversation: what comes back, and under which conditions."""

import json
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from meridia import Memory
from meridia.core.errors import InvalidInput
from meridia.core.settings import EmbeddingSettings, RecallSettings, Settings
from meridia.core.types import Filters
from meridia.language.questions.question import parse_question
from meridia.retrieval.ranked import Ranked
from meridia.retrieval.ranking.contributions import Evidence
from meridia.retrieval.ranking.late_interaction import (
    QuestionTokens,
    question_tokens,
    with_rewritten_tokens,
)
from meridia.retrieval.recall_record import unpacked
from meridia.retrieval.recall_result import as_json
from meridia.retrieval.recall_service import RecallRequest
from tests.thorough import THOROUGH

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
    leaves = [leaf for hit in hits for leaf in hit.trace.leaves()]
    assert {leaf.stem for leaf in leaves} <= {"sail", "maker", "address"}
    assert {leaf.evidence for leaf in leaves} == {Evidence.OWN_WORDS}
    assert hits[0].summary.sentence.startswith("Its own words say “")


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
    with pytest.raises(InvalidInput, match=f"limit {limit} is out of range"):
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


def test_two_questions_at_once_are_both_answered_first(demo: Memory):
    texts = [row["question"] for row in _questions()]
    both = 0
    for one, other in [*zip(texts, texts[3:], strict=False)][:: 1 if THOROUGH else 2]:
        wanted = [demo.recall(text).hits for text in (one, other)]
        recall = demo.recall(f"{one} {other}")
        if not any(leaf.label.startswith("for “") for leaf in recall.hits[0].trace.leaves()):
            continue  # one of them cannot be read alone
        both += 1
        firsts = {hits[0].id for hits in wanted}
        assert {hit.id for hit in recall.hits[: len(firsts)]} == firsts
        tenth = {hit.id for hits in wanted for hit in hits[:5]}
        assert tenth <= {hit.id for hit in recall.hits}
    assert both >= 5


def test_a_question_of_several_that_nothing_answers_is_named(demo: Memory):
    (row, *_), odd = _questions(), "Which quarks decay into muons?"
    assert demo.recall(odd).certainty == "probably nothing"
    notes = demo.recall(f"{row['question']} {odd}").notes
    assert f"probably nothing answers “{odd}”" in notes


def test_the_same_question_gets_the_same_answer(demo: Memory):
    first, second = demo.recall("the job"), demo.recall("the job")
    assert first.id != second.id
    assert [(h.id, h.score) for h in first.hits] == [(h.id, h.score) for h in second.hits]


def test_an_answer_is_kept_under_its_id(demo: Memory):
    recall = demo.recall("Where is the trailer?")
    demo._components.recalls.flush()
    kept = dict(demo.parts.trace.find_recall(demo.space, recall.id))
    assert len(kept["inputs"]) < 900, "settings that most answers share take no room"
    assert unpacked(kept.pop("inputs"))["limit"] == 10
    assert [hit["id"] for hit in kept["hits"]] == [hit.id for hit in recall.hits]
    assert demo.reasons.answer(recall.id) == as_json(recall)


# Looked at closely

ASKED = [
    "Why did publishing the website fail?",
    "What did Oskar promise Dana about the sail?",
    "When does the new job start?",
    "zygote quasar",
]
AFTER_A_WEEK = datetime(2026, 4, 20, tzinfo=UTC)


def _ranked(
    memory: Memory, question: str, limit: int = 1000, *, rerank_depth: bool = True
) -> Ranked:
    """Rank as a memory does, or without the words of the question."""
    recall_service, embedder = memory._components.recalls, memory._components.embedder()
    snapshot = recall_service.snapshot(
        memory.space, embedder, memory.enrichment.cursor(memory.space)
    )
    known, analyser = memory.people.known(), memory.parts.analyser
    encoded = embedder.encode(question)
    asked: QuestionTokens | None = None
    if rerank_depth:
        asked = question_tokens(question, encoded, embedder.model, analyser, known.words)
        asked = with_rewritten_tokens(asked, question, encoded, analyser)
    request = RecallRequest(question, limit, Filters())
    analysed = parse_question(question, analyser, known, request.now)
    return recall_service.rank(memory.space, snapshot, request, analysed, encoded.vector, asked)


def _scores(ranked: Ranked) -> list[tuple[int, float]]:
    return [(int(ranked.pool.rows[at]), float(ranked.scores[at])) for at in ranked.order]


@pytest.mark.parametrize("rerank_depth", [0, 7, 1000])
@pytest.mark.parametrize(
    "how",
    [
        {"limit": 1},
        {"limit": 12},
        {"limit": 1000},
        {"limit": 50, "person": "oskar"},
        {"limit": 50, "session": "2026-04-13"},
        {"limit": 50, "as_of": AFTER_A_WEEK},
        {"limit": 50, "as_of": 30, "person": "Dana"},
    ],
    ids=str,
)
def test_a_score_is_the_sum_of_its_trace_however_many_were_looked_at_closely(
    demo: Memory, rerank_depth: int, how: dict
):
    with _like(demo, recall=RecallSettings(rerank_depth=rerank_depth)) as memory:
        for question in ASKED:
            hits = memory.recall(question, **how).hits
            for hit in hits:
                leaves = sum(leaf.value for leaf in hit.trace.leaves())
                assert hit.score == pytest.approx(leaves, abs=1e-9)
                assert hit.score == pytest.approx(hit.trace.value, abs=1e-9)
            scores = [hit.score for hit in hits]
            assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("question", ASKED)
def test_looking_closely_at_none_is_the_formula_without(demo: Memory, question: str):
    with _like(demo, recall=RecallSettings(rerank_depth=0)) as without:
        assert _scores(_ranked(without, question)) == _scores(
            _ranked(demo, question, rerank_depth=False)
        )


@pytest.mark.parametrize("question", ASKED[:3])
def test_the_first_by_the_formula_are_looked_at_and_come_first(demo: Memory, question: str):
    with _like(demo, recall=RecallSettings(rerank_depth=5)) as memory:
        before = [row for row, _ in _scores(_ranked(memory, question, rerank_depth=False))]
        after = [row for row, _ in _scores(_ranked(memory, question))]
    assert sorted(after[:5]) == sorted(before[:5])
    assert after[5:] == before[5:]


def test_a_limit_cuts_the_answer_and_changes_nothing_else(demo: Memory):
    every = _scores(_ranked(demo, ASKED[0], 90))
    assert _scores(_ranked(demo, ASKED[0], 9)) == every[:9]


def test_what_a_word_is_like_is_among_the_reasons(demo: Memory):
    leaves = [leaf for hit in demo.recall(ASKED[1]).hits for leaf in hit.trace.leaves()]
    assert any("says something like “" in leaf.label for leaf in leaves)


def test_where_few_are_looked_at_the_others_say_what_it_took_to_come_after_them(demo: Memory):
    with _like(demo, recall=RecallSettings(rerank_depth=3)) as memory:
        hits = memory.recall("Who makes sails?", limit=10).hits
    label = "was not looked at closely"
    taken = [leaf.value for hit in hits for leaf in hit.trace.leaves() if leaf.label == label]
    assert len(taken) == 7
    assert len({round(value, 9) for value in taken}) == 1
    assert taken[0] < 0


SAID = ["We adopted a puppy in March.", "The puppy chewed my shoe.", "I adopted a new plan."]


def _small() -> Memory:
    memory = Memory(None, "s", Settings())
    for text in SAID:
        memory.remember(text, person="Mira", session="a")
    memory.enrich()
    return memory


def test_a_memory_without_token_vectors_is_ranked_all_the_same():
    with _small() as memory:
        before = {hit.text for hit in memory.recall("young dog").hits}
        with memory.parts.database.writing() as connection:
            gone = connection.execute("DELETE FROM token_vectors WHERE seq = 1").rowcount
        assert gone == 1
        hits = memory.recall("young dog").hits
        leaves = [sum(leaf.value for leaf in hit.trace.leaves()) for hit in hits]
    assert {hit.text for hit in hits} == before == set(SAID)
    assert np.isfinite(leaves).all()
    assert [hit.score for hit in hits] == pytest.approx(leaves, abs=1e-9)


def test_without_any_token_vectors_it_is_the_formula_without():
    with _small() as memory:
        with memory.parts.database.writing() as connection:
            connection.execute("DELETE FROM token_vectors")
        found, without = (
            _scores(_ranked(memory, "who adopted a puppy?", rerank_depth=rerank_depth))
            for rerank_depth in (True, False)
        )
    assert found == without


def test_where_the_evidence_lies_does_not_depend_on_what_is_quoted():
    """A neighbour that says “meaning” is a neighbour; only a vector is evidence by meaning."""
    with Memory(None, "default", Settings(embedding=EmbeddingSettings(enabled=False))) as memory:
        memory.remember("What is the meaning of this?", person="Dana", session="s")
        memory.remember("Ask the harbour office.", person="Robin", session="s")
        hits = {hit.memory.person: hit.trace.leaves() for hit in memory.recall("meaning").hits}
    quoting = [leaf for leaf in hits["Robin"] if "the meaning of this" in leaf.label]
    assert {leaf.evidence for leaf in quoting} == {Evidence.NEIGHBOUR}
    assert Evidence.MEANING not in {leaf.evidence for leaves in hits.values() for leaf in leaves}
