"""What has no vector yet: it is encoded within the question, and the answer can be repeated."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia import Memory
from meridia.core.settings import Settings
from meridia.retrieval.candidates.pool import passages
from tests.fakes import FakeEmbedder, SeededBytes, TickingClock
from tests.thorough import THOROUGH

SAID = ["The mast is made of oak.", "The sail is blue.", "Nobody painted the hull.", "Rain again."]


@pytest.fixture
def memory():
    given = Settings(), TickingClock(), SeededBytes(), FakeEmbedder()
    with Memory(None, "s", *given) as opened:
        for number in range(60):
            opened.remember(f"Berth {number} is free, said the harbour master.", session="a")
        opened.enrich()
        for text in SAID:
            opened.remember(text, session="b")
        yield opened


def test_what_is_not_read_yet_is_found_by_words_and_by_meaning(memory):
    recall = memory.recall("The mast is made of oak.")
    assert (recall.hits[0].text, recall.unread) == (SAID[0], 4)
    terms = {child.label for child in recall.hits[0].trace.children}
    assert {"words", "meaning"} <= terms
    assert sum(leaf.value for leaf in recall.hits[0].trace.leaves()) == pytest.approx(
        recall.hits[0].score
    )


def test_an_answer_is_the_same_when_it_is_asked_again_after_enrichment(memory):
    recall = memory.recall("What is the mast made of?")
    memory.enrich()
    replay = memory.reasons.replay(recall.id)
    assert replay.identical, replay.differences
    assert memory.recall("What is the mast made of?").unread == 0


def test_an_answer_is_less_sure_by_what_is_not_read(memory):
    before = memory.recall("The mast is made of oak.")
    memory.enrich()
    after = memory.recall("The mast is made of oak.")
    assert before.confidence < after.confidence


def test_only_what_lacks_a_vector_is_encoded(memory):
    embedder = memory._components.embedder()
    asked = len(embedder.asked)
    memory.recall("Which berth is free?")
    assert set(embedder.asked[asked + 1 :]) <= {*SAID, "Which berth is free?"}


@given(st.lists(st.sampled_from("alpha beta gamma delta stone".split()), max_size=300), st.data())
def test_of_a_long_text_a_part_with_the_words_is_read(words, data):
    place = data.draw(st.integers(0, len(words)))
    text = " ".join([*words[:place], "unmistakable", *words[place:]])
    (_, part), *_ = passages(text, {"unmistak": "unmistakable"})
    assert part in text
    assert len(part) <= 320
    assert "unmistak" in part


@pytest.mark.parametrize("day", [40, 333, 690] if THOROUGH else [333])
def test_a_day_is_found_among_many_of_the_same_words_before_they_are_read(day: int):
    begin = datetime(2025, 1, 1, 9, tzinfo=UTC)
    with Memory.open(enrich="manual") as memory:
        memory.remember_many(
            {"text": f"Note {number}: we discussed the budget.", "at": begin + timedelta(number)}
            for number in range(700)
        )
        asked = f"What did we discuss on {begin + timedelta(day):%d %B %Y}?"
        recall = memory.recall(asked, as_of=begin + timedelta(day + 8))
        assert (recall.hits[0].text, recall.unread) == (
            f"Note {day}: we discussed the budget.",
            700,
        )


@pytest.mark.parametrize(
    ("fact", "asked"),
    [
        ("Grandma grew orchids in her winter garden.", "Which flowers did my grandmother raise?"),
        ("The surgeon took out my appendix in Verona.", "Which operation did I have in hospital?"),
        ("Our kitten is named Pepper, she is black.", "What is the cat called?"),
        ("We rent a cottage near the fjord every July.", "Where do we spend the summer holidays?"),
    ],
)
def test_a_long_text_that_is_not_read_is_found_by_what_it_means(fact: str, asked: str):
    filler = [
        f"The {thing} was {what} on the {floor} floor."
        for floor in ("first", "third", "fifth")
        for thing in ("lift", "printer", "window", "corridor", "meeting", "door")
        for what in ("closed", "repaired", "painted", "moved", "postponed")
    ]
    with Memory.open(enrich="manual") as memory:
        memory.remember_many({"text": said, "session": said} for said in SAID)
        memory.enrich()
        memory.remember(" ".join([*filler[:70], fact, *filler[70:]]), session="long")
        memory.remember(" ".join(reversed(filler)), session="other")
        hit = memory.recall(asked).hits[0]
        assert fact in hit.text
        assert fact in hit.passage.text
        assert memory.reasons.replay(memory.recall(asked).id).identical
