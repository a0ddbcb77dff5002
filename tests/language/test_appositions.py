"""Who is called what, by the word that stands beside the name."""

from __future__ import annotations

import pytest

from meridia.language.names import appositions_in
from meridia.language.tagging import analyse
from meridia.models.embedder import MiniLmEmbedder

_ENCODER = MiniLmEmbedder()


def _named(text):
    sentence = analyse(text, _ENCODER.encode).sentences[0]
    return [(one.noun, one.name, one.own) for one in appositions_in(sentence)]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("My daughter Sara works hard.", [("daughter", "Sara", True)]),
        ("My older sister, Ann Lee, called.", [("sister", "Ann Lee", True)]),
        ("Ann, my sister, called.", [("sister", "Ann", True)]),
        ("My dog Rex barks.", [("dog", "Rex", True)]),
        ("Our cat's name is Milo.", [("cat", "Milo", True)]),
        ("I got a puppy named Toby.", [("puppy", "Toby", False)]),
        (
            "We have two cats named Luna and Oliver.",
            [("cats", "Luna", False), ("cats", "Oliver", False)],
        ),
        ("Oscar is my guinea pig.", [("pig", "Oscar", True)]),
        ("The game was called Catan.", [("game", "Catan", False)]),
        ("My partner Toby cooks.", [("partner", "Toby", True)]),
    ],
)
def test_a_word_says_what_bears_a_name(text, named):
    assert _named(text) == named


@pytest.mark.parametrize(
    "text",
    [
        "My sister called Monday.",
        "Say hi to my sister, Dana!",
        "Toby likes my dog.",
        "Hi, my friend.",
    ],
)
def test_a_name_alone_is_of_no_kind(text):
    assert [one for one in _named(text) if one[1] != "Monday"] == []
