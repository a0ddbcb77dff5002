"""Concepts: the content words of a text by their stems, without the people in it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from meridia.language.analyser import Analyser
from meridia.language.topics import CONCEPTS_MAX, extract_concepts

english = Analyser()


def test_a_concept_is_a_stem_shown_by_the_first_word_for_it():
    text = "Walking and walked: the WALKS of Rome's cats"
    result = extract_concepts(text, english, ())
    assert result == {"walk": "walking", "rome": "rome", "cat": "cats"}


def test_people_are_not_concepts():
    assert extract_concepts("Dana's dog met Bob", english, {"dana", "bob"}) == {
        "dog": "dog",
        "met": "met",
    }


def test_a_text_without_content_has_no_concepts():
    assert extract_concepts("", english, ()) == {}
    assert extract_concepts("and so it is, but why?", english, ()) == {}


def test_a_long_text_keeps_its_first_concepts():
    result = extract_concepts(" ".join(f"w{i}" for i in range(1000)), english, ())
    assert list(result) == [f"w{i}" for i in range(CONCEPTS_MAX)]


def test_scripts_without_spaces_have_concepts_of_two_characters():
    assert extract_concepts("東京都", english, ()) == {"東京": "東京", "京都": "京都"}


@given(st.text(st.characters(codec=None), max_size=200))
def test_every_concept_is_a_term_that_search_knows(text):
    result = extract_concepts(text, english, ())
    assert set(result) <= set(english.terms(text))
    assert len(result) <= CONCEPTS_MAX
    assert all(result.values())
