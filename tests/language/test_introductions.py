"""How somebody is called: what they say of it, and how others address them."""

from __future__ import annotations

import pytest

from meridia.language.introductions import addressed_names, own_names
from tests.ingest.extraction.fact_texts import analysed


@pytest.mark.parametrize(
    ("text", "name", "how"),
    [
        ("I'm Priya.", "Priya", "introduced"),
        ("My name is Kim.", "Kim", "introduced"),
        ("my name is kim", "Kim", "introduced"),
        ("My name's Bob Stein and I fix clocks.", "Bob Stein", "introduced"),
        ("call me Wan, not Wanda", "Wan", "asked"),
        ("Everyone calls me Bobby.", "Bobby", "asked"),
        ("My friends call me Zaz, my mother does not.", "Zaz", "asked"),
        ("You can call me just Kim", "Kim", "asked"),
        ("Most people know me as Zaz.", "Zaz", "introduced"),
        ("I go by Zaz.", "Zaz", "introduced"),
        ("Hi, it's Priya here.", "Priya", "introduced"),
        ("Kim speaking, how are you?", "Kim", "introduced"),
        ("Hello! This is Tom's wife Ana.", "Ana", "introduced"),
        ("See you tomorrow.\n– Kim", "Kim", "introduced"),
        ("See you tomorrow.\nBest,\nKim Berg", "Kim Berg", "introduced"),
        ("I am Sky", "Sky", "introduced"),
        ("I am called Bogdan by everybody.", "Bogdan", "introduced"),
    ],
)
def test_who_says_how_they_are_called_is_heard(text, name, how):
    assert [(one.name, one.how.value) for one in own_names(analysed(text))] == [(name, how)]


@pytest.mark.parametrize(
    "text",
    [
        "I'm happy.",
        "I'm German.",
        "I'm OK",
        "I'm Priya's sister.",
        "call me later",
        "Call me Monday.",
        "Don't call me Bob.",
        "Nobody knows me as Bob.",
        "I go by Berlin every day.",
        "We go by train.",
        "My name is on the list.",
        "my name is not kim",
        "Is my name Kim?",
        'She said "my name is Ana".',
        "This is Bella.",
        "this is Tom's dog",
        "Todo:\n- Milk\n- Tomatoes",
    ],
)
def test_what_is_no_introduction_names_nobody(text):
    assert own_names(analysed(text)) == []


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Noted, Kim.", ["Kim"]),
        ("Hi Kim! How can I help?", ["Kim"]),
        ("I will warn you about bees, Boris.", ["Boris"]),
        ("Got it, Boris, I will remind you.", ["Boris"]),
        ("Your wife, Ana.", []),
        ("I live in Porto, Portugal.", []),
        ("Great, Python is installed.", []),
        ("Hi there!", []),
        ("Yes, Monday is fine.", []),
    ],
)
def test_who_is_addressed_is_heard(text, names):
    assert addressed_names(analysed(text)) == names
