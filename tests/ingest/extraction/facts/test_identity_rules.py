"""Rules for who somebody is."""

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
        ("My name is Dana Smith.", [("name", "Dana Smith")]),
        ("Hi, I'm Dana and I need a seat.", [("name", "Dana")]),
        ("Please call me Dee.", [("goes_by", "Dee")]),
        ("My birthday is on June 5.", [("birthday", "June 5")]),
        ("I was born on May 3, 1990.", [("born", "on May 3, 1990")]),
        ("I was born in Oslo.", [("birthplace", "Oslo")]),
        ("I'm originally from Brazil.", [("origin", "Brazil")]),
        ("I grew up in Lima.", [("grew_up_in", "Lima")]),
        ("I'm 34 years old.", [("age", "34")]),
        ("I just turned 40 last week.", [("age", "40")]),
        ("I speak French and German.", [("speaks", "French"), ("speaks", "German")]),
        ("I don't speak German.", [("not speaks", "German")]),
        ("I'm learning Japanese.", [("learns", "Japanese")]),
        ("I live in St. Louis now.", [("lives_in", "St. Louis")]),
        ("I've lived in Oslo since 2010.", [("lives_in", "Oslo")]),
        ("We just moved to New York City in May.", [("lives_in", "New York City")]),
        ("I moved from Boston to Austin.", [("lives_in", "Austin"), ("not lives_in", "Boston")]),
        ("I used to live in Paris.", [("not lives_in", "Paris")]),
        ("I no longer live in Paris.", [("not lives_in", "Paris")]),
        ("I lived in Oslo for two years.", [("not lives_in", "Oslo")]),
        ("I'm married to Ann Lee.", [("partner", "Ann Lee"), ("marital_status", "married")]),
        ("I broke up with Sam.", [("not partner", "")]),
        ("My wife passed away.", [("not partner", "")]),
        ("My sister Ann called.", [("sister", "Ann")]),
        ("Book a flight for my friend Ivan Smith, please.", [("friend", "Ivan Smith")]),
        ("We have two kids.", [("children", "2 kids")]),
        ("I have a dog named Rex.", [("pet", "Rex")]),
        ("My cat's name is Tom.", [("pet", "Tom")]),
    ],
)
def test_a_person_says_who_they_are(text, stated):
    assert utterance(text) == stated


@pytest.mark.parametrize(
    "text",
    [
        "My name isn't Bob.",
        "My name is on the list.",
        "Hi, I'm German and new here.",
        "Call me tomorrow.",
        "Call me at 5.",
        "My birthday is tomorrow.",
        "I'm from the future.",
        "I'm 30 minutes late.",
        "I'm single-handedly doing this.",
        "I saw Dana live in Boston.",
        "I moved to the left.",
        "She lives in Boston.",
        "My boss is great.",
        "My email is dana@example.org and my phone is 555-123-4567.",
    ],
)
def test_what_only_sounds_alike_says_nothing(text):
    assert utterance(text) == []
