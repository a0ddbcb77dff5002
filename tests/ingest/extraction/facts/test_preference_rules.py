"""Rules for what somebody likes, plans, feels and asks to have noted."""

from __future__ import annotations

import pytest

from meridia.ingest.extraction.facts.statement_extraction import extract_statements
from tests.ingest.ingest_events import user


def utterance(text):
    """Return what Dana states: predicate, object, and whether it ends."""
    made = extract_statements(user(text), "Dana")
    return [("not " * s.ends + s.predicate, s.object) for s in made]


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("My favourite colour is blue.", [("favourite_colour", "blue")]),
        ("The Witcher is my favorite game!", [("favourite_game", "The Witcher")]),
        ("My favorite color is blue.", [("favourite_colour", "blue")]),
        ("I prefer tea over coffee.", [("prefers", "tea over coffee")]),
        ("I prefer walking to driving.", [("prefers", "walking over driving")]),
        ("I prefer economy class.", [("prefers", "economy class")]),
        ("I love hiking and camping.", [("likes", "hiking"), ("likes", "camping")]),
        (
            "I like cats, dogs and birds.",
            [("likes", "cats"), ("likes", "dogs"), ("likes", "birds")],
        ),
        ("I like cats, thanks.", [("likes", "cats")]),
        ("I love to travel.", [("likes", "to travel")]),
        ("I'm a big fan of Nintendo games.", [("likes", "Nintendo games")]),
        ("I can't stand loud music.", [("dislikes", "loud music")]),
        ("I don't like mushrooms.", [("dislikes", "mushrooms")]),
        ("I don't like mushrooms anymore.", [("not likes", "mushrooms")]),
        ("I used to love hiking.", [("not likes", "hiking")]),
        (
            "I'm allergic to peanuts, shellfish and dairy.",
            [("allergic_to", "peanuts"), ("allergic_to", "shellfish"), ("allergic_to", "dairy")],
        ),
        ("I'm not allergic to cats.", [("not allergic_to", "cats")]),
        ("I have a meeting with Bob on Friday.", [("meeting", "with Bob on Friday")]),
        ("I'm flying to Rome tomorrow.", [("plan", "flying to Rome tomorrow")]),
        ("I'm feeling sad today.", [("mood", "sad")]),
        (
            "Please remember: the API key rotates on Mondays.",
            [("note", "the API key rotates on Mondays")],
        ),
        ("Note that the door is locked.", [("note", "the door is locked")]),
    ],
)
def test_a_person_says_what_they_like_plan_feel_and_want_noted(text, stated):
    assert utterance(text) == stated


def test_what_is_due_is_said_of_the_thing():
    made = extract_statements(user("The deadline for the grant is March 3rd."), "Dana")
    assert [(s.subject, s.predicate, s.object) for s in made] == [
        ("grant", "deadline", "March 3rd")
    ]


@pytest.mark.parametrize(
    "text",
    [
        "I like it.",
        "I love your idea.",
        "I like games that make me think.",
        "I'd like coffee.",
        "I would love pizza.",
        "I like to think so.",
        "I'd prefer tea over coffee.",
        "My favorite part was the end.",
        "I feel that this is wrong.",
        "Remember that staying positive is very important.",
        "Note that you should never do this.",
    ],
)
def test_what_only_sounds_alike_says_nothing(text):
    assert utterance(text) == []
