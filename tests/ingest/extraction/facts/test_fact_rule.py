"""The turns that most rules share."""

from __future__ import annotations

import re

import pytest

from meridia.ingest.extraction.facts.fact_rule import END, PLACE, copula_pattern, verb_pattern
from meridia.ingest.extraction.facts.pattern_blocks import expand_blocks


@pytest.mark.parametrize(
    ("text", "who"),
    [
        ("I live in Oslo", None),
        ("I actually live in Oslo", None),
        ("Ann Lee now lives in Oslo", "Ann Lee"),
        ("my older sister lives in Oslo", "my older sister"),
    ],
)
def test_a_verb_is_said_of_oneself_or_of_somebody_else(text, who):
    result = re.search(
        expand_blocks(verb_pattern("live", "lives", f" in {PLACE}"), uncased=False), text
    )
    assert (result["who"], result["o"]) == (who, "Oslo")


@pytest.mark.parametrize("text", ["Ann live in Oslo", "I lives in Oslo", "she lives in Oslo"])
def test_a_verb_agrees_with_who_it_is_said_of(text):
    assert not re.search(
        expand_blocks(verb_pattern("live", "lives", f" in {PLACE}"), uncased=False), text
    )


def test_what_somebody_is_can_be_said_short():
    pattern = expand_blocks(copula_pattern(" (?P<o>tall)"), uncased=False)
    texts = ["I'm tall", "I am now tall", "we’re tall", "Ann's tall", "my brother is tall"]
    assert all(re.search(pattern, text) for text in texts)


def test_the_end_of_a_clause_is_no_beginning_of_a_word():
    assert re.search(f"single{END}", "I'm single, and")
    assert not re.search(f"single{END}", "single-handed")
