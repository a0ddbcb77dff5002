"""Objects: cut out of what a pattern matched, or nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.ingest.extraction.facts.object_phrases import (
    extract_name,
    extract_phrase,
    extract_phrases,
)


@pytest.mark.parametrize(
    ("raw", "phrase"),
    [
        ("hiking these days", "hiking"),
        ("hiking because it helps", "hiking"),
        ("the Beatles", "the Beatles"),
        ("the idea", ""),
        ("games that last", ""),
        ("sharing what I know", ""),
        ("painting together", "painting"),
        ("to read", "to read"),
        ("to say", ""),
        ("your dog", ""),
        ("flights within", ""),
        ("one two three four five six seven", ""),
        ("...", ""),
    ],
)
def test_a_phrase_ends_where_another_clause_begins(raw, phrase):
    assert extract_phrase(raw) == phrase


@pytest.mark.parametrize(
    ("raw", "things"),
    [
        ("cats, dogs, and birds", ["cats", "dogs", "birds"]),
        ("cats or dogs", ["cats", "dogs"]),
        ("cats, thanks", ["cats"]),
        ("pizza and John hates pasta", ["pizza"]),
        ("football, but no tennis", ["football"]),
        ("most nuts and also seeds", ["nuts", "seeds"]),
        ("it and that", []),
    ],
)
def test_a_list_ends_with_the_first_that_is_no_thing(raw, things):
    assert extract_phrases(raw) == things


@pytest.mark.parametrize(
    ("raw", "name"), [("Acme's", "Acme"), ("Boston now", "Boston"), ("Monday", ""), ("fear", "")]
)
def test_a_name_is_no_day_and_no_feeling(raw, name):
    assert extract_name(raw) == name


@given(st.text(max_size=80))
def test_a_phrase_is_short_and_made_of_the_words_it_was_cut_from(raw):
    phrase = extract_phrase(raw)
    assert len(phrase.split()) <= 6
    assert all(word in raw for word in phrase.split())
