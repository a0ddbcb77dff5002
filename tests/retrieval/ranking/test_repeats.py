"""What somebody says again word for word takes one place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from meridia import Memory
from meridia.core.settings import Settings
from meridia.retrieval.recall_result import as_json
from tests.thorough import examples

REMINDER = "Good morning, please water the plants today."
ORCHID = "The orchid plants must only get water on Sundays."
QUESTION = "What did Mara say about water and plants?"


@contextmanager
def reminded(*reminders: str, **of_recall: object) -> Iterator[Memory]:
    """Somebody who reminds of the same thing day after day, and said something else once."""
    with Memory(None, "plants", Settings(recall=of_recall)) as memory:
        memory.remember(ORCHID, person="Mara", session="o", at="2026-02-01T07:00:00Z")
        for day, text in enumerate(reminders, start=1):
            at = f"2026-03-{day:02d}T07:00:00Z"
            memory.remember(text, person="Mara", session=f"g{day}", at=at)
        memory.enrich()
        yield memory


def test_a_repeated_sentence_takes_one_place_and_names_the_others():
    with reminded(*[REMINDER] * 12) as memory:
        answer = memory.recall(QUESTION)
        assert sorted(hit.text for hit in answer.hits) == [REMINDER, ORCHID]
        (hit,) = [hit for hit in answer.hits if hit.text == REMINDER]
        assert len(hit.repeats) == 11
        days = [again.at for again in hit.repeats]
        assert days == sorted(days)
        (shape,) = [each for each in as_json(answer)["hits"] if each["id"] == hit.id]
        assert [each["seq"] for each in shape["repeats"]] == [m.seq for m in hit.repeats]
        for again in hit.repeats:
            assert memory.get(again.id).text == REMINDER
        assert len(list(memory.list(limit=50))) == 13


def test_replay_and_reasons_know_of_what_was_folded():
    with reminded(*[REMINDER] * 12) as memory:
        answer = memory.recall(QUESTION)
        why = memory.reasons
        assert why.replay(answer.id).identical
        (hit,) = [hit for hit in answer.hits if hit.text == REMINDER]
        because = why.why_not(answer.id, hit.repeats[0].id)
        assert because.cause == "outranked"
        assert "repeats" in {gap.term for gap in because.lacked}
        for found in answer.hits:
            leaves = [leaf.value for leaf in found.trace.leaves()]
            assert found.score == pytest.approx(sum(leaves), abs=1e-9)
            for edge in why.counterfactuals(answer.id, found.id):
                assert edge.rank == found.rank


@settings(max_examples=examples(4), deadline=None)
@given(st.lists(st.sampled_from([REMINDER, REMINDER.upper(), f"{REMINDER}!!", "No plants."])))
def test_ten_places_hold_different_things(reminders: list[str]):
    with reminded(*reminders[:20]) as memory:
        hits = memory.recall(QUESTION).hits
        texts = [hit.text.casefold().rstrip("!.") for hit in hits]
        assert len(texts) == len(set(texts))
        assert sum(1 + len(hit.repeats) for hit in hits) == 1 + len(reminders[:20])


def test_what_differs_in_a_number_or_a_speaker_is_not_the_same():
    with reminded("I weigh 82 kg.", "I weigh 76 kg.") as memory:
        memory.remember("I weigh 76 kg.", person="Oskar", session="w")
        memory.enrich()
        hits = memory.recall("How much does Mara weigh?").hits
        assert not any(hit.repeats for hit in hits)
        assert len(hits) == 4


def test_the_last_of_several_is_the_one_that_is_asked_for():
    with reminded(*[REMINDER] * 5) as memory:
        hit = memory.recall("When did Mara last remind of watering the plants?").hits[0]
        assert hit.at.day == 5


def test_it_can_be_switched_off():
    with reminded(*[REMINDER] * 3, fold=False) as memory:
        hits = memory.recall(QUESTION).hits
        assert len(hits) == 4
        assert not any(hit.repeats for hit in hits)
