"""What holds now comes before what held once, where a question asks for now."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from meridia import Memory
from meridia.core.settings import Settings

SENTENCES = (
    (
        "old",
        "2026-01-05",
        "Dana",
        "I live in Bonn, in a small flat near the river, where I live alone.",
    ),
    ("pet", "2026-01-06", "Dana", "My cat Mona hates the river."),
    ("news", "2026-03-05", "Dana", "We packed everything at last. I moved to Leipzig in March."),
    ("other", "2026-03-06", "Oskar", "I live in Kiel and sail there."),
)


@pytest.fixture(scope="module")
def memory() -> Iterator[Memory]:
    """Two people, one of whom moved."""
    with Memory(None, "moved", Settings()) as opened:
        for id, day, person, text in SENTENCES:
            event = {"id": id, "kind": "user_message", "ts": f"{day}T10:00:00Z", "person": person}
            opened.capture({**event, "payload": {"text": text}})
        opened.enrich()
        yield opened


def ranks(memory: Memory, question: str, **more: object) -> list[str]:
    return [hit.event_id for hit in memory.recall(question, **more).hits]


@pytest.mark.parametrize(
    "question", ["Where does Dana live now?", "Where does she live?", "What is Dana's home town?"]
)
def test_what_holds_comes_before_what_was_superseded(memory: Memory, question: str):
    answer = memory.recall(question)
    order = [hit.event_id for hit in answer.hits]
    assert order.index("news") < order.index("old")


def test_the_trace_says_why_and_sums_to_the_score(memory: Memory):
    answer = memory.recall("Where does Dana live?")
    hit = next(hit for hit in answer.hits if hit.event_id == "news")
    (branch,) = [branch for branch in hit.trace.children if branch.label == "facts"]
    assert branch.children[0].label == "says what holds since @1: Dana lives in Leipzig."
    for hit in answer.hits:
        assert hit.score == pytest.approx(sum(leaf.value for leaf in hit.trace.leaves()), abs=1e-9)
    assert memory.reasons.replay(answer.id).identical


@pytest.mark.parametrize(
    "question",
    [
        "Where did Dana live?",
        "Where does Oskar live?",
        "What does Dana's cat hate?",
        "Where does Dana live in January 2026?",
    ],
)
def test_a_question_about_then_or_about_something_else_is_answered_as_ever(
    memory: Memory, question: str
):
    for hit in memory.recall(question).hits:
        assert all(branch.label != "facts" for branch in hit.trace.children)


def test_before_the_later_statement_the_earlier_one_holds(memory: Memory):
    assert ranks(memory, "Where does Dana live?", as_of=2)[0] == "old"
