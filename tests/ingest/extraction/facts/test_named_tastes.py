"""What is called a favourite, a hobby or an outlet, and what only sounds like it."""

from __future__ import annotations

import pytest

from tests.ingest.extraction.facts.fact_texts import utterance


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("Painting landscapes is my favorite!", [("likes", "painting landscapes")]),
        (
            "Cooking and baking are my creative outlets.",
            [("hobby", "cooking"), ("hobby", "baking")],
        ),
        (
            "Playing chess and watching films are my main hobbies.",
            [("hobby", "playing chess"), ("hobby", "watching films")],
        ),
        ("My hobbies are knitting and chess.", [("hobby", "knitting"), ("hobby", "chess")]),
        ("Drawing flowers is one of my faves.", [("likes", "drawing flowers")]),
        ("Blue's my fave, it makes me feel relaxed.", [("likes", "blue")]),
        ("Watching birds is my favorite pastime.", [("hobby", "watching birds")]),
        ("Iron Man is my top pick.", [("likes", "Iron Man")]),
        ("Spider-Man has always been a favorite of mine.", [("likes", "Spider-Man")]),
        ("Jazz is my passion, and you?", [("likes", "jazz")]),
    ],
)
def test_what_somebody_calls_a_favourite_or_a_hobby_is_stated(text, stated):
    assert utterance(text) == stated


@pytest.mark.parametrize(
    "text",
    [
        "This is my favorite!",
        "That's one of my favorites.",
        "The first one is my favorite.",
        "Your painting is my favorite.",
        "Pizza is not my favorite.",
        "Is pizza your favorite?",
        "Pizza was my favorite.",
        "My passion is helping people.",
        "What a beautiful view, summer is my favorite, what about you?",
    ],
)
def test_what_is_shown_asked_denied_or_past_states_nothing(text):
    assert utterance(text) == []
