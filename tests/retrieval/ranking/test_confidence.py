"""Confidence: a question that nothing answers says so, whatever comes back for it."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from meridia import Memory
from meridia.core.settings import EmbeddingSettings, RecallSettings, Settings
from tests.fakes import WAITING

DATA = Path(__file__).parents[3] / "bench" / "data"
ANSWERED = [
    json.loads(row) for row in (DATA / "demo_questions.jsonl").read_text("utf-8").splitlines()
]
UNANSWERABLE = (DATA / "unanswerable.txt").read_text("utf-8").splitlines()


def _marked(memory: Memory, questions: list[str]) -> float:
    return sum(not memory.recall(question).confident for question in questions) / len(questions)


def test_nonsense_is_marked_and_what_is_answered_first_is_not_called_nothing(demo: Memory):
    assert _marked(demo, UNANSWERABLE) >= 0.95
    answers = [(demo.recall(row["question"]), row["evidence"]) for row in ANSWERED]
    said = [recall.certainty for recall, right in answers if recall.hits[0].event_id in right]
    assert said.count("sure") >= 0.3 * len(said)
    assert said.count("probably nothing") <= 0.1 * len(said)


def test_by_words_alone_too(demo: Memory):
    path = demo.parts.path
    with Memory(path, "demo", Settings(embedding=EmbeddingSettings(enabled=False))) as words:
        assert _marked(words, UNANSWERABLE) >= 0.8
        assert _marked(words, [row["question"] for row in ANSWERED]) <= 0.3


def test_it_does_not_depend_on_the_other_memories():
    """Ten times as many memories of other things leave the confidence nearly as it was."""
    with Memory.open(settings=WAITING) as memory:
        at = datetime(2026, 5, 1, tzinfo=UTC)
        memory.remember("My sister Sara moved to Porto in March.", person="Dana", at=at)
        asked = "Where did Dana's sister move?"
        alone = memory.recall(asked)
        for place in range(10):
            memory.remember(f"Build {place} passed, nothing to report.", person="Jo", at=at)
        crowded = memory.recall(asked)
    assert alone.confident
    assert crowded.confidence == pytest.approx(alone.confidence, abs=0.15)


def test_an_empty_space_and_an_empty_question_have_none():
    with Memory.open(settings=WAITING) as memory:
        memory.remember("The harbour opens at nine.")
        assert memory.recall(" ").confidence < 0.5


def test_the_threshold_is_a_setting(demo: Memory):
    path = demo.parts.path
    with Memory(path, "demo", Settings(recall=RecallSettings(confidence_min=0))) as memory:
        recall = memory.recall(UNANSWERABLE[0])
    assert recall.confident
    assert recall.confidence < 0.5


def test_plans_and_topic_packs_are_empty_where_hardly_anything_answers(demo: Memory):
    question = UNANSWERABLE[0]
    recall = demo.recall(question)
    assert recall.hits, "an answer is still returned"
    assert not recall.usable
    assert not demo.planning.plan(question).choices
    assert demo.reconstitute("topic_reentry", query=question) is None


def test_plans_use_what_may_answer(demo: Memory):
    questions = [row["question"] for row in ANSWERED]
    maybe = next(q for q in questions if 0.2 < demo.recall(q).confidence < 0.5)
    assert demo.planning.plan(maybe).choices


def test_a_question_near_the_topic_is_not_sure():
    """Each asks the same memories for something that stands beside what they say."""
    with Memory.open(settings=WAITING) as memory:
        for place, text in enumerate(
            [
                "Puppy course full, four on the waiting list",
                "The conference in Tartu accepted the poster, not the talk",
                "Could you ask the plumber about the tap?",
                "Dana sold the boat to a colleague for 900 euros",
            ]
        ):
            memory.remember(text, person="Fern", session=f"s{place}")
        memory.remember("I start at the dental clinic on the ninth.", person="Ada", session="a")
        near = [
            "What does the puppy course cost?",
            "What is the name of the conference's host?",
            "How much does Ada earn at the clinic?",
            "Where does Fern start at the clinic?",
        ]
        assert [memory.recall(question).certainty for question in near].count("sure") == 0
        for question in ("When does Ada start at the clinic?", "How much did the boat sell for?"):
            assert memory.recall(question).confident


#: What nobody named, and the same of what somebody did.
NAMED = [
    ("When does the contract with Halberd end?", "When does the contract with Veldt end?"),
    ("Does our office in Turin have a bike cellar?", "Does our office in Lyon have a bike cellar?"),
    ("When is the ferry to Öland?", "When is the ferry to Gotland?"),
]


@pytest.mark.parametrize(("unheard", "heard"), NAMED)
def test_a_question_that_names_what_nobody_named_is_not_sure(unheard, heard):
    said = (
        "The contract with Veldt ends in 2027.",
        "Our office in Lyon has a bike cellar.",
        "We booked the ferry to Gotland for the 3rd of July.",
    )
    with Memory.open(settings=WAITING) as memory:
        memory.remember_many([{"text": text, "person": "Dana"} for text in said])
        for _ in range(2):
            assert memory.recall(unheard).confidence <= 0.4
            assert memory.recall(heard).confident
            memory.enrich()


#: What is remembered; what asks for it, and what asks the same of another.
OF_ANOTHER = [
    ("Our cat is called Pixel.", "What is our cat called?", "What is our dog called?"),
    ("My brother works at the harbour.", "Where does my brother work?", "Where does my aunt work?"),
    ("Grandfather was born in Trieste.", "Where was grandpa born?", "Where was grandmother born?"),
    (
        "The staging cluster has twelve nodes.",
        "How many nodes has the staging cluster?",
        "How many nodes has the production cluster?",
    ),
    ("My daughter plays handball.", "Which sport does my daughter play?", "What does my son play?"),
]


@pytest.mark.parametrize(("said", "right", "near"), OF_ANOTHER)
def test_a_question_of_another_is_not_sure(said, right, near):
    others = ("The kitchen was painted green.", "The red bicycle has a flat tyre.")
    with Memory.open(settings=WAITING) as memory:
        memory.remember_many([{"text": text, "person": "Lea"} for text in (said, *others)])
        memory.enrich()
        assert memory.recall(right, person="Lea").confident
        answer = memory.recall(near, person="Lea")
        assert answer.hits[0].text == said
        assert not answer.confident
