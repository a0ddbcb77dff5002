"""Quotation: sentences as they were said, and outcomes of calls in one line."""

from __future__ import annotations

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.language.quotations import (
    QUOTE_CHARS_MAX,
    describe_call,
    quotable_sentences,
    quote,
    speaker_label,
    spoken_text,
)
from tests.ingest.ingest_events import agent, boundary, result, user

TEXTS = st.text(max_size=600) | st.text(alphabet="aB. !?#*-[]()`\n1", max_size=300)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. Two! Three? four", ["One.", "Two!", "Three?", "four"]),
        ("It is so easy. Look at it.", ["It is so easy.", "Look at it."]),
        ("Meet Dr. Wu at 5 p.m. EST.", ["Meet Dr. Wu at 5 p.m. EST."]),
        ("He comes on May 19. She stays.", ["He comes on May 19.", "She stays."]),
        ("- **Fare**: $5\n2. Two bags", ["Fare: $5", "Two bags"]),
        ("Look:\n```\ncode here. Not said.\n```\nDone.", ["Look:", "Done."]),
        ("> quoted by me\nNo.", ["No."]),
        ("See [the page](https://a.example/x).", ["See the page."]),
        ("Bye! ###STOP###", ["Bye!"]),
        ("今日は雨。明日は晴れ。", ["今日は雨。", "明日は晴れ。"]),
        ("...", []),
    ],
)
def test_a_text_falls_into_its_sentences(text, sentences):
    assert quotable_sentences(text) == sentences


@given(TEXTS)
def test_a_sentence_has_no_words_that_were_not_said(text):
    for sentence in quotable_sentences(text):
        assert {*sentence} - {" "} <= {*text}
        assert sentence == " ".join(sentence.split())


@pytest.mark.parametrize("text", ["[" * 6_000, "](" * 3_000 + "a", "[a" * 3_000, "```" * 2_000])
def test_markup_without_end_is_read_in_no_time(text):
    start = process_time()
    quotable_sentences(text)
    assert process_time() - start < 1


def test_a_speaker_has_a_name_or_a_part():
    assert speaker_label(user("hi", person="Dana")) == "Dana"
    assert [speaker_label(user("hi")), speaker_label(agent("hi"))] == ["User", "Agent"]
    assert speaker_label(boundary()) == ""


def test_neither_results_nor_boundaries_say_anything():
    assert spoken_text(user("hi")) == "hi"
    assert spoken_text(result()) == spoken_text(boundary()) == ""


@given(TEXTS, st.text(min_size=1, max_size=256), st.integers(100, 400))
def test_a_quotation_is_closed_and_as_long_as_it_may_be(text, name, most):
    reported = quote({"kind": "user_message", "payload": {}, "person": name}, text, most)
    assert len(reported) <= most
    assert "“" in reported
    assert reported.endswith("”")


def test_a_quotation_names_its_speaker():
    assert quote(user("Hi.", person="Dana"), "Hi.") == "Dana: “Hi.”"
    assert len(quote(user("x"), "x" * 999)) == QUOTE_CHARS_MAX


def test_a_call_is_told_with_its_first_arguments():
    assert describe_call(result("make", args={"target": "all", "jobs": 4})) == "make (all 4)"
    assert describe_call(result("make")) == "make"
