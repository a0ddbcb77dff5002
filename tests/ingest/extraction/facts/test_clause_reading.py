"""Who states what: subjects, and clauses that state nothing."""

from __future__ import annotations

import pytest

from tests.ingest.extraction.facts.fact_texts import statements, utterance


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("My sister Ann lives in Oslo.", "Ann"),
        ("My older brother lives in Oslo.", "Dana's older brother"),
        ("Our kids love dinosaurs.", "Dana's kids"),
        ("Just finished my novel!", None),
    ],
)
def test_a_subject_is_who_it_is_about(text, subject):
    assert subject in {statement.subject for statement in statements(text)}


@pytest.mark.parametrize(
    "text",
    [
        "My neighbour says I won the race.",
        "As if I lived in Paris.",
        "When I live in Paris, I cook.",
        "I hope I passed the exam.",
        "She won the race.",
        "My work lives in a box.",
    ],
)
def test_what_others_say_and_what_is_hoped_states_nothing(text):
    assert utterance(text) == []


def test_what_somebody_told_themselves_counts():
    assert utterance("I wanted to tell you I joined a choir.") == [("member_of", "a choir")]
