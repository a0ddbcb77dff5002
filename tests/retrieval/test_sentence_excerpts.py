"""Excerpts: whole sentences about a question, in the room there is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.language.analyser import Analyser
from meridia.language.sentences import split_sentences
from meridia.retrieval.sentence_excerpts import CUT, MORE, excerpt, fair_shares

ANALYSER = Analyser()
STORY = "The mast is oak. Henrike mends it in May. Oskar brings cake. The anchor is lost. We laugh."
WORDS = st.lists(st.sampled_from("mast oak cake anchor Henrike 錨 🎂 Holz".split()), min_size=1)
TEXTS = st.lists(WORDS.map(lambda words: " ".join(words).capitalize() + "."), min_size=1).map(
    " ".join
)


def shown(question, room, text=STORY):
    return excerpt(text, question, ANALYSER, room, len)


def test_a_text_that_fits_is_shown_whole_and_on_one_line():
    assert shown("cake", 200, "One line.\nAnother one.") == "One line. Another one."


def test_the_sentences_about_the_question_are_shown_and_the_rest_is_marked_behind_them():
    assert shown("Where is the anchor?", 40) == "The anchor is lost. We laugh." + MORE
    assert shown("Who brings cake?", 26) == "Oskar brings cake." + MORE


def test_without_a_word_in_common_the_beginning_is_shown():
    assert shown("Who sings?", 50) == "The mast is oak. Henrike mends it in May." + MORE


def test_a_sentence_longer_than_the_room_is_shown_around_the_words_of_the_question():
    long = "pine " * 100 + "then the anchor was found under a chair"
    said = shown("anchor", 60, long)
    assert "anchor was found" in said
    assert said.endswith(CUT)
    assert len(said) <= 60


@pytest.mark.parametrize("text", ["x" * 500, "錨" * 500])
def test_a_text_of_one_word_is_cut_within_it(text):
    assert shown("anchor", 50, text) == text[: 50 - len(CUT)] + CUT


@given(TEXTS, st.sampled_from(["cake", "mast oak", "nothing"]), st.integers(30, 300))
def test_an_excerpt_fits_and_ends_with_a_sentence_or_says_that_it_is_cut(text, question, room):
    said = shown(question, room, text)
    assert len(said) <= room
    if not said.endswith(CUT):
        whole = " ".join(split_sentences(text))
        assert said.removesuffix(MORE) in whole
        assert said.removesuffix(MORE).endswith(".")


@given(st.lists(st.integers(0, 500), max_size=10), st.integers(0, 2000))
def test_shares_fill_the_room_and_nobody_gets_more_than_is_wanted(wanted, room):
    shares = fair_shares(wanted, room)
    assert all(0 <= share <= want for share, want in zip(shares, wanted, strict=True))
    assert sum(shares) <= room
    if sum(wanted) <= room:
        assert shares == wanted
