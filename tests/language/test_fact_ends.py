"""Endings: which later sentence says that a fact is over, or may be."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.language.fact_ends import Ending, ending_of, may_end

MOMO = ("pet", "Momo", "I have a cat called Momo.")
NORDWIND = ("works_at", "Nordwind", "I work at Nordwind.")
IMRE = ("partner", "Imre", "I'm married to Imre.")
BERGEN = ("lives_in", "Bergen", "I live in Bergen.")
VEGAN = ("diet", "vegan", "I'm vegan.")


@pytest.mark.parametrize(
    ("fact", "sentence"),
    [
        (MOMO, "We gave Momo away."),
        (MOMO, "Momo died yesterday."),
        (MOMO, "We had to put Momo to sleep."),
        (MOMO, "I lost my cat in May."),
        (NORDWIND, "Nordwind fired me."),
        (NORDWIND, "I don't work at Nordwind any more."),
        (NORDWIND, "I quit my job last week."),
        (NORDWIND, "I got laid off."),
        (NORDWIND, "I used to work for Nordwind."),
        (NORDWIND, "I handed in my notice at Nordwind."),
        (IMRE, "Imre and I got divorced last month."),
        (IMRE, "My husband left me."),
        (IMRE, "I'm divorced now."),
        (IMRE, "We broke up."),
        (BERGEN, "I no longer live in Bergen."),
        (BERGEN, "We left Bergen for good."),
        (BERGEN, "I used to live in Bergen."),
        (VEGAN, "I'm not vegan any more."),
        (VEGAN, "I gave up being vegan."),
        (VEGAN, "I eat fish and meat again."),
        (("sister", "Ana", ""), "Ana died in May."),
        (("likes", "jazz", ""), "I don't love jazz any more."),
        (("hobby", "cello", ""), "I gave up the cello."),
        (("owns", "blue Skoda", ""), "I sold the Skoda."),
    ],
)
def test_an_object_named_again_with_a_word_of_ending_is_over(fact, sentence):
    assert ending_of(sentence, *fact) is Ending.OVER
    for frame in (
        "If {}, I would cry.",
        "Did you hear that {}?",
        'She said: "{}"',
        "I dreamed: {}",
    ):
        assert ending_of(frame.format(sentence.rstrip(".")), *fact) is None


@pytest.mark.parametrize(
    ("fact", "sentence"),
    [
        (MOMO, "We gave Momo a bath."),
        (MOMO, "I never gave up on Momo."),
        (MOMO, "Momo nearly died."),
        (MOMO, "My sister's dog died."),
        (NORDWIND, "I left Nordwind early today."),
        (NORDWIND, "Nordwind fired my boss."),
        (NORDWIND, "My sister left Nordwind."),
        (NORDWIND, "I quit smoking."),
        (IMRE, "Imre and I had a fight."),
        (IMRE, "My parents got divorced."),
        (BERGEN, "I left Bergen at nine to catch the ferry."),
        (("allergic_to", "nuts", ""), "I no longer buy nuts."),
        (("sister", "Ana", ""), "Ana quit her job."),
    ],
)
def test_what_only_sounds_like_an_end_is_none(fact, sentence):
    assert ending_of(sentence, *fact) is None


def test_what_is_about_to_end_may_be_over():
    assert ending_of("I'm leaving Nordwind in May.", *NORDWIND) is Ending.MAYBE
    assert ending_of("We are giving Momo away.", *MOMO) is Ending.MAYBE
    assert ending_of("I'm not leaving Nordwind.", *NORDWIND) is None


@given(st.text(max_size=120), st.sampled_from([MOMO, NORDWIND, IMRE, BERGEN, VEGAN]))
def test_a_sentence_without_a_word_of_ending_ends_nothing(sentence, fact):
    if not may_end(sentence):
        assert ending_of(sentence, *fact) is None


TRADES = {"cook": "cooking", "teacher": "teaching", "nurse": "nursing", "baker": "baking"}


@pytest.mark.parametrize(("trade", "work"), TRADES.items())
@pytest.mark.parametrize("words", ["I gave up {}.", "I stopped {} last year.", "I quit {}."])
def test_a_trade_is_over_where_its_work_is_given_up(trade, work, words):
    fact = ("works_as", f"a {trade}")
    assert ending_of(words.format(work), *fact) is Ending.OVER
    assert ending_of(words.format("smoking"), *fact) is None
    assert ending_of(f"I love {work}.", *fact) is None


def test_another_trade_now_may_end_the_one_before():
    assert ending_of("I'm a beekeeper now.", "works_as", "a cook") is Ending.MAYBE
    assert ending_of("I'm a grandmother now.", "works_as", "a cook") is None
    assert ending_of("I'm a beekeeper now.", "lives_in", "Bergen") is None


def test_a_move_ends_the_home_that_it_leaves_alone():
    moved = "We moved from Ghent to Aarhus."
    assert ending_of(moved, "lives_in", "Ghent") is Ending.OVER
    assert ending_of(moved, "lives_in", "Aarhus") is None
