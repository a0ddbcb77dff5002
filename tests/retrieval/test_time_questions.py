"""Questions whose only clue is a time: what is of it stands first and is sure, else nothing is."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from meridia import Memory

NOW = datetime(2026, 4, 13, 9, tzinfo=UTC)
LIFE = {
    datetime(1994, 6, 1, tzinfo=UTC): "I won a bicycle.",
    datetime(2024, 11, 20, tzinfo=UTC): "I sold the rowing boat.",
    datetime(2025, 5, 20, tzinfo=UTC): "I learned to dive.",
    datetime(2025, 8, 3, tzinfo=UTC): "I picked plums.",
    datetime(2025, 8, 15, tzinfo=UTC): "I lost my wallet.",
    datetime(2025, 11, 2, tzinfo=UTC): "I adopted a hedgehog.",
    datetime(2026, 1, 1, 0, 30, tzinfo=UTC): "I kissed a stranger.",
}


@pytest.fixture(scope="module")
def space() -> Iterator[Memory]:
    """A life of somebody, and what somebody else says on other days."""
    with Memory.open() as memory:
        for number, (at, text) in enumerate(LIFE.items()):
            memory.remember(text, person="Ilse", session=f"s{number}", at=at)
        for day in range(1, 28):
            memory.remember(
                f"The train on Tuesday the {day}th is in August, I booked seat {day}.",
                person="Mara",
                session="trains",
                at=datetime(2026, 2, day, tzinfo=UTC),
            )
        memory.remember("Oskar broke the window.", at=datetime(2025, 9, 9, tzinfo=UTC))
        yield memory


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What did Ilse do in May 2025?", "dive"),
        ("What did Ilse do in early August 2025?", "plums"),
        ("What happened on 15 August 2025?", "wallet"),
        ("Tell me what happened on 15/8/2025", "wallet"),
        ("What was Ilse up to in the nineties?", "bicycle"),
        ("What did Ilse do on New Year's Eve?", "stranger"),
        ("What did Ilse do in November?", "hedgehog"),
        ("What did Ilse do between 10 and 20 August 2025?", "wallet"),
        ("What did Ilse lose in August 2025?", "wallet"),
        ("What happened in September 2025?", "window"),
    ],
)
def test_what_is_of_the_time_is_first_and_sure(space: Memory, question: str, answer: str):
    recall = space.recall(question, as_of=NOW)
    assert answer in recall.hits[0].text
    assert recall.confident


@pytest.mark.parametrize(
    "question",
    [
        "What did Ilse do in May 2019?",
        "What did Ilse do in February 2026?",
        "What did Mara do in August 2025?",
        "What happened on 15 August 2011?",
        "What did Ilse do in the eighties?",
        "What did Ilse buy in August 2025?",
    ],
)
def test_where_nothing_is_of_the_time_nothing_is_sure(space: Memory, question: str):
    assert not space.recall(question, as_of=NOW).confident


def test_a_memory_that_says_the_asked_time_itself_may_still_be_sure(space: Memory):
    space.remember("The wedding is on 7 March 2027.", person="Mara", session="w", at=NOW)
    recall = space.recall("What happens on 7 March 2027?")
    assert "wedding" in recall.hits[0].text
    assert recall.confident


def test_the_time_is_a_line_of_the_trace(space: Memory):
    hit = space.recall("What did Ilse do in May 2025?", as_of=NOW).hits[0]
    labels = [leaf.label for leaf in hit.trace.leaves()]
    assert "is of the time asked for" in labels
