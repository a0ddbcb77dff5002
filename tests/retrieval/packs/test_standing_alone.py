"""Which sentences can be told alone."""

import pytest

from meridia.core.text import Analyser
from meridia.retrieval.packs.standing_alone import StandingAlone, agrees_on_time

ALONE = StandingAlone(Analyser().terms, ["joanna", "melani"])


@pytest.mark.parametrize(
    "chatter",
    [
        "Just wanted to say hi!",
        "Later, take care!",
        "I'll definitely let you know my thoughts.",
        "Hoping for the best!",
        "Nice one, Jo!",
        "Most of them did!",
        "Glad it helped ya, Mel!",
    ],
)
def test_greetings_wishes_compliments_and_short_answers_name_nothing(chatter):
    assert ALONE.content(chatter) == []


def test_an_event_names_something():
    assert ALONE.content("I'm finally filming my own movie") == ["film", "movi"]


@pytest.mark.parametrize(
    ("sentence", "leans"),
    [
        ("I made it in pottery class yesterday.", True),
        ("I put a lot of effort into it and I'm crossing my fingers.", True),
        ("His voice and songs were amazing.", True),
        ("It's been on my list forever.", True),
        ("Feels like just yesterday I put this dress on!", True),
        ("I tried my newest recipe and it was a winner.", False),
        ("My friends are coming and they bring cake.", False),
        ("I'm going to a conference this month.", False),
    ],
)
def test_a_pronoun_leans_where_nothing_was_named_before_it(sentence, leans):
    assert ALONE.leans(sentence) == leans


def test_the_sentence_before_is_told_where_it_names_something():
    assert ALONE.sentence_before("Hi! I bought a kiln.") == "I bought a kiln."
    assert ALONE.sentence_before("I bought a kiln. How are you?") == ""
    assert ALONE.sentence_before("I bought a kiln. It was great.") == ""


@pytest.mark.parametrize(
    ("sentence", "agrees"),
    [
        ("Next Friday works", True),
        ("Sure, Saturday at noon sounds good to me!", True),
        ("I opened my store on Friday and it works", False),
        ("My new job on Monday is great", False),
    ],
)
def test_row_53_to_agree_to_a_time_tells_nothing(sentence, agrees):
    assert agrees_on_time(sentence) is agrees
