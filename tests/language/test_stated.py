"""Clauses that are stated, and what stands in none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.language.fact_ends import stated_clauses, without_quoted


def clauses(sentence: str) -> list[str]:
    """Return the clauses of a sentence that are stated."""
    text = without_quoted(sentence)
    return [text[clause.start : clause.end].strip() for clause in stated_clauses(text)]


@pytest.mark.parametrize(
    ("sentence", "stated"),
    [
        ("I live in Rome, and you?", ["I live in Rome"]),
        ("Do I live in Rome?", []),
        ("Well, I live in Rome and my cat sleeps.", ["Well", "I live in Rome", "my cat sleeps."]),
        ("I sing because my cat sleeps and I am glad, but it rains.", ["I sing", "it rains."]),
        ("If I were rich, I would sing.", []),
        ("Ask if they sing, I dance.", ["I dance."]),
        ("I dance, she said I sing.", ["I dance", "she"]),
        ("My brother and I dance.", ["My brother and I dance."]),
        ("Just kidding, I dance.", []),
    ],
)
def test_only_what_is_so_is_stated(sentence, stated):
    assert clauses(sentence) == stated


@given(st.text(max_size=200))
def test_clauses_stand_in_order_within_their_sentence(sentence):
    text = without_quoted(sentence)
    assert len(text) == len(sentence)
    end = 0
    for clause in stated_clauses(text):
        assert end <= clause.start
        assert clause.end <= len(text)
        end = clause.end
