"""Reading plain JSON: what is wrong is named, with what is needed instead."""

from __future__ import annotations

from contextlib import suppress
from enum import StrEnum

import pytest
from hypothesis import given as over
from hypothesis import strategies as st

from meridia.core.errors import InvalidInput
from meridia.core.json_validation import (
    optional,
    read_count,
    read_list,
    read_number,
    read_object,
    read_text,
    read_texts,
    read_word,
    read_words,
    without_none,
)

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


def test_only_none_is_left_out():
    assert without_none(a=None, b=0, c="", d=False) == {"b": 0, "c": "", "d": False}


def test_what_is_right_is_read():
    assert read_object({"a": 1}, "x") == {"a": 1}
    assert read_list([1, 2], "x", lambda item: item + 1) == (2, 3)
    assert read_list(None, "x", lambda item: item) == ()
    assert read_texts(["a"], "x") == ("a",)
    assert read_number(1, "x") == 1.0
    assert read_count(0, "x") == 0
    assert read_words(Colour, ["red"], "x") == (Colour.RED,)
    assert optional(None, read_object) is None
    assert optional("a", lambda text: read_text(text, "x")) == "a"


@pytest.mark.parametrize(
    ("read", "value", "complaint"),
    [
        (read_object, [], "the place is a list: an object is needed"),
        (read_object, None, "the place is missing: an object is needed"),
        (read_text, 1, "the place is a int: text is needed"),
        (read_texts, "abc", "the place is a str: a list is needed"),
        (read_texts, [1], "the place is a int: text is needed"),
        (read_number, True, "the place is a bool: a number is needed"),
        (read_number, 10**400, "the place is too large a number: give a smaller one"),
        (read_count, -1, "the place is -1: a whole number from 0 is needed"),
        (read_count, 1.5, "the place is 1.5: a whole number from 0 is needed"),
    ],
)
def test_what_is_wrong_is_named_with_what_is_needed(read, value, complaint):
    with pytest.raises(InvalidInput) as caught:
        read(value, "the place")
    assert str(caught.value) == complaint


def test_a_word_outside_the_vocabulary_is_answered_with_the_words_there_are():
    with pytest.raises(InvalidInput, match="colour is 'green': choose from red, blue"):
        read_word(Colour, "green", "colour")


@over(ANYTHING)
def test_no_value_at_all_raises_anything_but_invalid_input(value):
    readers = (
        read_object,
        read_text,
        read_texts,
        read_number,
        read_count,
        lambda v, where: read_word(Colour, v, where),
        lambda v, where: read_words(Colour, v, where),
    )
    for read in readers:
        with suppress(InvalidInput):
            read(value, "x")
