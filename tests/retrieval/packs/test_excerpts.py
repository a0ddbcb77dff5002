"""Gists: the telling part of a message, in its own words."""

from hypothesis import given
from hypothesis import strategies as st

from meridia.core.text import Analyser
from meridia.retrieval.packs.excerpts import excerpt_of, rarity_of

TERMS = Analyser().terms


def gist(text, chars=60, rest=("I like it a lot", "that is good")):
    return excerpt_of(text, TERMS, rarity_of([TERMS(one) for one in (text, *rest)]), chars)


def test_small_talk_before_the_point_is_left_out():
    assert gist("Hey Mel! Yeah, I ran a charity race on Saturday.").text == (
        "I ran a charity race on Saturday"
    )


def test_a_statement_is_worth_more_than_a_question():
    found = gist("Did you see the oak mast step? The oak mast step costs 1,850 euros.")
    assert found.text == "The oak mast step costs 1,850 euros"


def test_what_is_cut_away_leaves_a_mark():
    long = "We talked for hours, and the boatbuilder Henrike found rot in two of the floor timbers."
    found = gist(long, 50, ("We talked for hours", "We talked"))
    assert len(found.text) <= 50
    assert "…" in found.text
    assert "Henrike" in found.text


def test_a_word_in_fewer_texts_is_rarer():
    rarity = rarity_of([["boat", "mast"], ["boat"], ["boat", "boat"]])
    assert rarity["mast"] > rarity["boat"] > 0


@given(st.text(max_size=300), st.integers(20, 120))
def test_a_gist_keeps_within_its_length_and_on_one_line(text, chars):
    found = gist(text, chars)
    assert len(found.text) <= chars
    assert "\n" not in found.text
