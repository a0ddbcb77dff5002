"""Texts as they are shown: nothing unseen, quotes found, JSON for a terminal."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.text import (
    ascii_marks,
    escaped,
    find_quote,
    is_blank,
    json_line,
    printable,
    quote,
)

anything = st.text(st.characters(codec=None), max_size=80)


_BIDI = "\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"


@given(anything)
def test_of_any_text_only_what_is_seen_is_printed(text):
    shown = printable(text)
    seen = [sign for sign in shown if sign not in "\n\t"]
    assert not {sign for sign in seen if ord(sign) < 32 or 127 <= ord(sign) < 160 or sign in _BIDI}
    assert printable(shown) == shown


@given(anything)
def test_json_for_a_terminal_is_the_same_json(text):
    line = json_line({text: [text]})
    assert json.loads(line) == {text: [text]}
    assert escaped(line) == line == printable(line)


@pytest.mark.parametrize(
    "text",
    [
        "👩\u200d🚀 ❤️\u200d🔥",
        "می\u200cخواهم",
        "naïve – “yes”\n\tok",
        "Grüße aus 東京",
        "1\ufe0f\u20e3 葛\U000e0100",
    ],
)
def test_signs_that_belong_to_a_script_or_a_picture_stay(text):
    assert printable(text) == text


@pytest.mark.parametrize("text", ["a\u200db", "\u200dא", "x\u200c\u200d\u200cy"])
def test_joiners_that_join_nothing_are_marked(text):
    assert "\u200d" not in printable(text)


@pytest.mark.parametrize(
    "text",
    ["a\ufe0fb", "❤️\ufe01\U000e0130", "c\u034fd", "\U0001d173x", "\U000e0fffx", "1\ufe0f2"],
)
def test_signs_that_hide_a_message_behind_a_letter_or_picture_are_marked(text):
    assert "\N{REPLACEMENT CHARACTER}" in printable(text)


def test_words_end_where_their_quotation_does():
    assert quote("He said “now”.\n„No”", 80) == "“He said ‘now’. ‚No’”"
    assert quote("abcdef", 4) == "“abc…”"


@pytest.mark.parametrize(
    ("text", "quote", "found"),
    [
        ("He said “it’s\n fine”.", "“it's fine”", "it’s\n fine"),
        ("I moved  to Turin.", "moved to Turin", "moved  to Turin"),
        ("I moved to Turin.", "moved to Tur", None),
        ("I moved to Turin.", "I moved to Rome", None),
        ("I moved to Turin.", "moved", None),
        ("I moved to Turin.", "", None),
    ],
)
def test_a_quote_is_found_whatever_its_spaces_and_marks(text, quote, found):
    span = find_quote(text, quote)
    assert (span and text[slice(*span)]) == found


def test_marks_become_ascii_one_for_one():
    assert ascii_marks("“It’s” «fine»") == '"It\'s" "fine"'


@given(anything, st.text("\u200b\u200d\ufe0f\ufeff\xad\u3164 \n\t", max_size=9))
def test_a_text_is_blank_where_a_reader_sees_nothing(text, unseen):
    assert is_blank(unseen)
    seen = printable(text).replace("\N{REPLACEMENT CHARACTER}", "").strip()
    assert not (seen and seen.isascii() and is_blank(f"{unseen}{text}{unseen}"))
