"""What to avoid with somebody."""

from __future__ import annotations

from datetime import timedelta

from meridia.retrieval.history.cautions import CautionKind
from tests.retrieval.history.experience_builders import MET, memory_of
from tests.retrieval.history.test_relationship_summary import SAID

LATER = MET + timedelta(days=30)


def test_row_53_what_to_avoid_is_what_the_person_set_right():
    with memory_of(*SAID) as memory:
        corrections = [
            caution
            for caution in memory.relationship("Nora").cautions
            if caution.kind is CautionKind.CORRECTION
        ]
    assert [caution.memories[0].event_id for caution in corrections] == ["n3"]


def test_a_theme_that_felt_bad_more_than_once_is_to_be_avoided():
    with memory_of(
        ("1", 0, "a", "Nora", "I'm so frustrated with the tax office."),
        ("2", 1, "b", "Nora", "The tax office again, I am really angry."),
        ("3", 2, "c", "Nora", "Bread tomorrow."),
        ("4", 3, "d", "Nora", "The train was on time."),
    ) as memory:
        (sore,) = memory.relationship("Nora").cautions
    assert sore.kind is CautionKind.SORE_TOPIC
    assert "tax" in sore.text
    assert {memory.event_id for memory in sore.memories} == {"1", "2"}


def test_a_theme_of_which_somebody_tells_bad_things_is_not_to_be_avoided():
    with memory_of(
        ("1", 0, "a", "Nora", "My mother fell in the bathroom and broke her hip, terrible."),
        ("2", 1, "b", "Nora", "My mother was never ill before, it is awful."),
        ("3", 2, "c", "Nora", "Bread tomorrow."),
        ("4", 3, "d", "Nora", "The train was on time."),
    ) as memory:
        assert not memory.relationship("Nora").cautions


def test_what_feedback_called_wrong_is_to_be_avoided_until_that_is_taken_back():
    with memory_of(*SAID) as memory:
        given = memory.feedback("a2", "wrong")
        disputed = [
            caution
            for caution in memory.relationship("Nora").cautions
            if caution.kind is CautionKind.DISPUTED
        ]
        assert [one.memories[0].event_id for one in disputed] == ["a2"]
        assert disputed[0].text.startswith("wrong: I looked up")
        kinds = {c.kind for c in memory.relationship("Nora", as_of=LATER).cautions}
        assert CautionKind.DISPUTED not in kinds, "it was said only afterwards"
        memory.feedback.undo(given)
        kinds = {caution.kind for caution in memory.relationship("Nora").cautions}
        assert CautionKind.DISPUTED not in kinds
