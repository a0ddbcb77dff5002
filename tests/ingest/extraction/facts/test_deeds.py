"""Deeds: told in the past, with the whole object and without the time."""

from __future__ import annotations

import pytest

from tests.ingest.extraction.facts.fact_texts import utterance


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        (
            "I won my first chess tournament last week!",
            [("did", "won their first chess tournament")],
        ),
        ("I've gone to Lisbon.", [("did", "went to Lisbon")]),
        ("I just signed up for a pottery class.", [("did", "signed up for a pottery class")]),
        ("I started writing a novel.", [("did", "started writing a novel")]),
        ("Here's a drawing I made last week.", [("made", "a drawing")]),
        ("We made this bowl in our class.", [("made", "a bowl in their class")]),
        ("We went camping with my family.", [("did", "went camping with their family")]),
        (
            "I just got back from a conference in Rome.",
            [("did", "got back from a conference in Rome")],
        ),
        ("I started painting in May.", [("hobby", "painting")]),
        ("I lost my dad last year.", [("not father", "dad"), ("did", "lost their dad")]),
        ("I love helping people.", [("likes", "helping people")]),
        ("I had an audition for a play.", [("did", "had an audition for a play")]),
        ("I was accepted into Oxford.", [("did", "was accepted into Oxford")]),
        ("I love painting landscapes.", [("likes", "painting landscapes")]),
        (
            "We enjoy hiking in the hills and exploring caves.",
            [("likes", "hiking in the hills"), ("likes", "exploring caves")],
        ),
    ],
)
def test_a_deed_is_told_whole(text, stated):
    assert utterance(text) == stated


@pytest.mark.parametrize(
    "text",
    [
        "I will win the tournament.",
        "I'm going to a conference next month.",
        "I got the chance to meet people.",
        "I went to the class you told me about.",
        "I bought the car we saw.",
        "I won it!",
        "I would have won the race.",
    ],
)
def test_what_is_not_done_or_points_elsewhere_is_no_deed(text):
    assert utterance(text) == []
