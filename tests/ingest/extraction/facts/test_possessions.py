"""What somebody calls theirs: pets, groups, goods, loves, favourites, where they come from."""

from __future__ import annotations

import pytest

from tests.ingest.extraction.facts.fact_texts import utterance


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("It makes me so happy to watch my turtles.", [("pet", "turtles")]),
        ("My laptop crashed last week.", [("owns", "a laptop")]),
        ("I read it with the ladies at my writing club.", [("member_of", "a writing club")]),
        ("I want to share my love of gaming.", [("likes", "gaming")]),
        ("It is a gift from my home country, Sweden.", [("origin", "Sweden")]),
        ("Spider-Man has always been a favorite of mine.", [("likes", "Spider-Man")]),
        ("Acting is my passion.", [("likes", "acting")]),
        ("Hiking is one of my favorites.", [("likes", "hiking")]),
    ],
)
def test_what_is_called_the_speaker_s_is_theirs(text, stated):
    assert utterance(text) == stated


@pytest.mark.parametrize(
    "text",
    [
        "My own bakery will open soon.",
        "My dream car is red.",
        "Check my ideal bakery by the water.",
        "I'm on the hunt for a spot for my bakery.",
        "My old dog is dead tired, and was a stray.",
        "My laptop got stolen on the train.",
        "I had my laptop repaired when I was a student.",
        "Here is my stuffed dog.",
        "My support group is great.",
        "My team won.",
        "My love for you is endless.",
        "Your dog is cute.",
    ],
)
def test_what_was_what_is_wished_for_and_what_is_vague_says_nothing(text):
    assert utterance(text) == []
