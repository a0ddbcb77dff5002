"""Names that are written like names: organisations by form, matters by being repeated."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.entities import Words
from meridia.ingest.entity_names import (
    bare,
    is_name,
    is_nameable,
    is_opener,
    matters_in,
    organisations_in,
    tidy,
)


def organisations(text: str) -> list[str]:
    return [found.name for found in organisations_in(Words(text))]


def matters(text: str, *people: str) -> list[str]:
    return [found.name for found in matters_in(text, frozenset(people))]


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
    (found,) = organisations_in(Words(text))
    assert text[found.start : found.end] == "Acme Inc"


def test_a_name_that_comes_back_within_sentences_is_a_matter():
    text = "we plan the Harbour Lights walk; at Harbour Lights we meet"
    assert matters(text) == ["Harbour Lights"]


@pytest.mark.parametrize(
    "text",
    [
        "we plan the Harbour Lights walk",
        "Good Morning! Good Morning!",
        "- **Flight Number**: 1\n- **Flight Number**: 2",
        "HELP ME PLEASE, help ME PLEASE",
        "see you Next Monday, yes Next Monday",
        "я вижу большой дом и вижу большой дом",
        "like Thank You and then Thank You",
    ],
)
def test_capitals_alone_make_no_matter(text):
    assert matters(text) == []


def test_a_name_with_a_person_in_it_is_no_matter():
    text = "the Dana Plan and the Dana Plan"
    assert matters(text) == ["Dana Plan"]
    assert matters(text, "dana") == []


@pytest.mark.parametrize("word", ["Hi", "Thanks", "I'm", "Monday", "March", "It’s", "7", "", "--"])
def test_greetings_pronouns_and_times_are_no_names(word):
    assert not is_name(word)


def test_a_word_among_others_that_means_something_makes_a_name():
    assert is_name("The Harbour")
    assert is_name("Dana's")
    assert is_opener("hello")
    assert not is_opener("harbour")


def test_a_caller_may_call_anything_a_name_that_is_short_and_not_empty():
    assert is_nameable("it")
    assert not is_nameable("  ")
    assert not is_nameable("...")
    assert not is_nameable("x" * 201)
    assert tidy("  Acme \n Inc, ") == "Acme Inc"


def test_a_bare_name_has_no_article_and_no_possessive():
    assert bare("the Grand Canyon") == "Grand Canyon"
    assert bare("Ed Sheeran’s") == "Ed Sheeran"
    assert bare("Theodore") == "Theodore"


@given(st.text(st.sampled_from("AbC é&.,-' ofInc"), max_size=80))
def test_any_text_is_read_without_an_error(text):
    words = Words(text)
    for found in (*organisations_in(words), *matters_in(words.text, frozenset())):
        assert 0 <= found.start < found.end <= len(words.text)
        assert found.name.strip()


def test_long_noise_is_read_in_no_time():
    begun = time.perf_counter()
    for noise in ("A" * 20_000, "Ab " * 7_000, "A." * 9_000, "A&" * 9_000, "a B " * 5_000):
        list(organisations_in(Words(f"{noise} Inc University")))
        list(matters_in(noise, frozenset()))
    assert time.perf_counter() - begun < 3
