"""Words and sentences with their places."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from meridia.language.sentences import own_spans


def words(text: str) -> list[str]:
    return [text[a:b] for _, spans in own_spans(text) for a, b in spans]


def test_contractions_are_two_words():
    assert words("I'll say it isn’t mine, we're gonna go") == [
        *("I", "'ll", "say", "it", "is", "n’t", "mine", ",", "we", "'re", "gon", "na", "go"),
    ]


def test_code_quotes_and_addresses_are_skipped():
    assert words("look:\n> he left\n`x = 1` at https://a.example/b now") == [
        "look",
        ":",
        "at",
        "now",
    ]


@given(st.text(max_size=200))
def test_nothing_is_lost_or_said_twice(text: str):
    spans = [span for _, spans in own_spans(text) for span in spans]
    assert all(start < end for start, end in spans)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
