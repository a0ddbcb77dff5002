"""Names that are written like names: organisations by form."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.entities.entity_gazetteer import FoldedText
from meridia.language.names import (
    bare_name,
    clean_name,
    find_organisations,
    is_opener,
    is_valid_name,
    may_be_name,
)


def organisations(text: str) -> list[str]:
    return [matches.name for matches in find_organisations(FoldedText(text))]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("I work at Acme Inc. and like it", "Acme Inc"),
        ("Contact Foo Bar GmbH, please", "Foo Bar GmbH"),
        ("from AT&T Corp today", "AT&T Corp"),
        ("an eBay Inc letter", "eBay Inc"),
        ("at 3M Inc.", "3M Inc"),
        ("Robert Bosch GmbH & Co. KG builds", "Robert Bosch GmbH & Co. KG"),
        ("Nestlé S.A. pays", "Nestlé S.A."),
        ("with Toyota Motor Co., Ltd. since", "Toyota Motor Co., Ltd"),
        ("Thanks Siemens AG team", "Siemens AG"),
        ("The Bureau of Lights LLC case", "Bureau of Lights LLC"),
        ("the University of Oslo is", "University of Oslo"),
        ("at the Technical University of Munich", "Technical University of Munich"),
        ("an der Universität Wien", "Universität Wien"),
        ("la Universidad de Chile", "Universidad de Chile"),
        ("We love Harvard University", "Harvard University"),
        ("My Bank of America card", "Bank of America"),
        ("flying Delta Airlines again", "Delta Airlines"),
    ],
)
def test_an_organisation_says_what_it_is(text, name):
    assert name in organisations(text)


@pytest.mark.parametrize(
    "text",
    [
        "Calgary AB, Las Vegas NV, blood type AB",
        "a limited edition by the university",
        "My University. The College. Thanks Inc.",
        "University Park is nice",
        "an inc file and gmbh",
        "we bank at the river bank",
        "университет и ООО",
        "Hi! Thanks. I'm off on Monday.",
    ],
)
def test_what_is_no_organisation(text):
    assert organisations(text) == []


def test_two_organisations_are_two():
    assert organisations("London, Acme Ltd and Foo Ltd") == ["Acme Ltd", "Foo Ltd"]


def test_the_place_is_that_of_the_name_without_what_stands_before_it():
    text = "Dear Acme Inc."
    (matches,) = find_organisations(FoldedText(text))
    assert text[matches.start : matches.end] == "Acme Inc"


@pytest.mark.parametrize("word", ["Hi", "Thanks", "I'm", "Monday", "March", "It’s", "7", "", "--"])
def test_greetings_pronouns_and_times_are_no_names(word):
    assert not may_be_name(word)


def test_a_word_among_others_that_means_something_makes_a_name():
    assert may_be_name("The Harbour")
    assert may_be_name("Dana's")
    assert is_opener("hello")
    assert not is_opener("harbour")


def test_a_caller_may_call_anything_a_name_that_is_short_and_not_empty():
    assert is_valid_name("it")
    assert not is_valid_name("  ")
    assert not is_valid_name("...")
    assert not is_valid_name("x" * 201)
    assert clean_name("  Acme \n Inc, ") == "Acme Inc"


def test_a_bare_name_has_no_article_and_no_possessive():
    assert bare_name("the Grand Canyon") == "Grand Canyon"
    assert bare_name("Ed Sheeran’s") == "Ed Sheeran"
    assert bare_name("Theodore") == "Theodore"


@given(st.text(st.sampled_from("AbC é&.,-' ofInc"), max_size=80))
def test_any_text_is_read_without_an_error(text):
    words = FoldedText(text)
    for matches in find_organisations(words):
        assert 0 <= matches.start < matches.end <= len(words.text)
        assert matches.name.strip()


def test_long_noise_is_read_in_no_time():
    begun = time.process_time()
    for noise in ("A" * 20_000, "Ab " * 7_000, "A." * 9_000, "A&" * 9_000, "a B " * 5_000):
        list(find_organisations(FoldedText(f"{noise} Inc University")))
    assert time.process_time() - begun < 3
