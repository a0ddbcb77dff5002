"""Words that close what is open, and formulas."""

from __future__ import annotations

import pytest

from meridia.language.closings import ClosingWord, closing_of, is_formula, moves_on


@pytest.mark.parametrize(
    "sentence",
    [
        "Thanks for the invoice, it arrived.",
        "I sent you the list this morning.",
        "The gate is repaired.",
        "Here is the recipe.",
        "I've booked the table.",
    ],
)
def test_a_word_of_completion_says_that_it_was_done(sentence):
    assert closing_of(sentence) is ClosingWord.DONE
    assert closing_of(f"If {sentence}") is None
    assert closing_of(f"{sentence.rstrip('.')}?") is None


@pytest.mark.parametrize(
    "sentence",
    [
        "Never mind, I bought it myself.",
        "The trip is cancelled.",
        "No need, thanks.",
        "I changed my mind about the tiles.",
        "We called off the party.",
    ],
)
def test_a_word_of_calling_off_says_that_it_is_off(sentence):
    assert closing_of(sentence) is ClosingWord.OFF


@pytest.mark.parametrize(
    "sentence",
    [
        "The invoice has not arrived yet.",
        "I'll send it tomorrow.",
        "I still have to call her.",
        "The weather is grey.",
        "Have you sent it?",
        "I haven't booked the table.",
    ],
)
def test_what_is_not_done_yet_closes_nothing(sentence):
    assert closing_of(sentence) is None


@pytest.mark.parametrize(
    "sentence",
    [
        "Let me know if you need anything else.",
        "I'll be here if you have questions.",
        "Okay, feel free to ask.",
        "How are you?",
        "How can I help you today?",
        "I'd be happy to help.",
        "I'll let you know.",
        "And you?",
        "Would you like to look at another problem or word?",
    ],
)
def test_a_set_phrase_is_a_formula(sentence):
    assert is_formula(sentence)
    assert not is_formula("I'll send you the recipe tomorrow.")
    assert not is_formula("How do I prune an apple tree?")


def test_a_set_phrase_may_stand_in_a_later_clause():
    sentence = "Once you have the number, feel free to reach out."
    assert is_formula(sentence, anywhere=True)
    assert not is_formula(sentence)
    assert not is_formula("Once you have the number, I'll book the ferry.", anywhere=True)


def test_whoever_moves_on_leaves_what_was_talked_of():
    assert moves_on("Let's move on to the others!")
    assert not moves_on("I'll move the sofa on Friday.")
