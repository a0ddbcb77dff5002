"""One way to split sentences, and one to leave out what is quoted."""

from __future__ import annotations

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.language.sentences import (
    is_list,
    own_words,
    quotations,
    split_sentences,
    without_lists,
)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. Two! Three? four", ["One.", "Two!", "Three?", "four"]),
        ("Meet Dr. Wu at 5 p.m. EST.", ["Meet Dr. Wu at 5 p.m. EST."]),
        ("He comes on May 19. She stays.", ["He comes on May 19.", "She stays."]),
        (
            "He said \u201cgo.\u201d Then (late.) he left",
            ["He said \u201cgo.\u201d", "Then (late.)", "he left"],
        ),
        ("Well... maybe not. Hm... No", ["Well... maybe not.", "Hm...", "No"]),
        ("- Fare: 3.50\n2. Two  bags\n\n", ["Fare: 3.50", "Two bags"]),
        ("Nice! :) 😊", ["Nice!", ":) 😊"]),
        ("今日は雨。「明日は晴れ。」", ["今日は雨。", "「明日は晴れ。」"]),
        ("", []),
    ],
)
def test_a_text_is_split_into_its_sentences(text, sentences):
    assert split_sentences(text) == sentences


@given(st.text(max_size=600) | st.text(alphabet='aB. !?\n1…"', max_size=300))
def test_only_spaces_and_bullets_are_left_out(text):
    sentences = split_sentences(text)
    assert all(sentence and sentence == " ".join(sentence.split()) for sentence in sentences)
    rest = iter("".join(text.split()))
    assert all(sign in rest for sign in "".join("".join(sentences).split()))


def test_own_words_leave_out_code_quoted_lines_and_addresses():
    text = "Mine `x = 1`\n> yours\n```\ncode\n```\nat https://a.example/x or a@b.example"
    assert own_words(text).split() == ["Mine", "at", "or"]
    assert quotations(text) == ["> yours", "```\ncode\n```"]
    assert own_words("a > b") == "a > b"


def test_a_list_is_known_by_its_bullets():
    assert is_list("Options:\n- one\n- two")
    assert not is_list("One.\nTwo.\n- three")
    assert not is_list("")


@pytest.mark.parametrize(
    "text",
    ["[" * 6_000, "```" * 2_000, "`" * 5_001, "a@" * 3_000, ". " * 3_000, "a-" * 40_000 + "`"],
)
def test_a_text_without_end_is_read_in_no_time(text):
    start = process_time()
    split_sentences(own_words(text))
    assert process_time() - start < 1


def test_lists_fields_and_what_announces_them_are_left_out():
    lists = "The flights are:\n- **Date:** May 22\n1. HAT136\n**Gate:** 7\n### Total"
    text = f"It is booked. {lists}\nYou pay $5."
    assert without_lists(text).split() == "It is booked. You pay $5.".split()
