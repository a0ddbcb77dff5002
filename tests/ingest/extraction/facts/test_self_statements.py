"""What somebody says of themselves: names, ages, favourites, goals, ends."""

from __future__ import annotations

import pytest

from tests.ingest.extraction.facts.fact_texts import utterance


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("My goal is to open a bakery.", [("wants", "open a bakery")]),
        ("I want to become a nurse.", [("wants", "become a nurse")]),
        ("I want to see a movie.", []),
        ("My hobbies are pottery and origami.", [("hobby", "pottery"), ("hobby", "origami")]),
        ("I'm vegan.", [("diet", "vegan")]),
        ("I'm pregnant.", [("health", "pregnant")]),
        ("I got fired.", [("not works_at", ""), ("not works_as", "")]),
        ("I got divorced.", [("marital_status", "divorced")]),
        ("My husband cooks well.", [("partner", "husband")]),
        ("My ex husband cooks.", []),
        ("I took my kids to school.", [("children", "kids")]),
        ("As a nurse, I see a lot.", [("works_as", "nurse")]),
        ("My favorite treat is this plum tart.", [("favourite_treat", "a plum tart")]),
    ],
)
def test_a_person_says_it_of_themselves(text, stated):
    assert utterance(text) == stated
