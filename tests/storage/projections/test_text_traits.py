"""Traits: what can be said of a text at a glance."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.storage.projections.text_traits import Trait, traits_of

NONE = Trait(0)


@pytest.mark.parametrize(
    ("text", "traits"),
    [
        ("Where is it?", Trait.ENDS_AS_QUESTION | Trait.ASKS),
        ("どこですか？ \n", Trait.ENDS_AS_QUESTION | Trait.ASKS),
        ("أين؟", Trait.ENDS_AS_QUESTION | Trait.ASKS),
        ("Why? Because.", Trait.ASKS),
        ("Because.", NONE),
        ("", NONE),
        ("See you on FRIDAY", Trait.NAMES_A_TIME),
        ("two weeks ago", Trait.NAMES_A_TIME),
        ("in 2019", Trait.NAMES_A_TIME),
        ("the 3rd", Trait.NAMES_A_TIME),
        ("bitterly 12345 sunday's", Trait.NAMES_A_TIME),
        ("maybe a monthly decision", NONE),
        ("12345", NONE),
    ],
)
def test_a_text_is_seen_for_what_it_is(text, traits):
    assert traits_of(text, []) == traits


@pytest.mark.parametrize(
    ("text", "dated"),
    [
        ("in 2024", True),
        ("12024", False),
        ("a2024", False),
        ("20241", False),
        ("the 3RD", True),
        ("the 31st.", True),
        ("x3rd", False),
        ("123rd", False),
        ("3rdly", False),
    ],
)
def test_a_year_and_a_day_of_the_month_stand_alone(text, dated):
    assert bool(traits_of(text, []) & Trait.NAMES_A_TIME) == dated


def test_a_picture_is_told_by_its_caption():
    assert traits_of("Look", ["a barn"]) == Trait.HAS_CAPTION
    assert traits_of("Look", []) == NONE


def test_the_bits_that_are_stored_never_change_their_meaning():
    assert {trait.name: trait.value for trait in Trait} == {
        "ENDS_AS_QUESTION": 1,
        "ASKS": 2,
        "HAS_CAPTION": 4,
        "NAMES_A_TIME": 8,
        "ECHO": 16,
        "UNFIT": 32,
        "RESTRICTED": 64,
        "BOUNDARY": 128,
        "INACTIVE": 256,
    }


@given(st.text(), st.lists(st.text(), max_size=2))
def test_what_ends_as_a_question_asks(text, captions):
    found = traits_of(text, captions)
    assert Trait.ASKS in found or Trait.ENDS_AS_QUESTION not in found


@given(st.text(), st.lists(st.text(), max_size=2))
def test_no_text_is_an_echo_or_unfit_by_its_looks(text, captions):
    assert not traits_of(text, captions) & (Trait.ECHO | Trait.UNFIT)
