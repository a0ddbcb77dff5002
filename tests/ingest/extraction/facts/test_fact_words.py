"""Closed lists of words: small letters, and no word of two minds."""

from __future__ import annotations

from meridia.ingest.extraction.facts import fact_words
from meridia.ingest.extraction.facts.fact_words import COUNTED, LANGUAGES, OCCUPATIONS, TOOLS, VAGUE
from meridia.ingest.extraction.facts.predicates import PREDICATES


def test_words_are_written_small():
    lists = [value for value in vars(fact_words).values() if isinstance(value, frozenset)]
    assert len(lists) > 10
    assert all(word == word.casefold() for words in lists for word in words)


def test_what_is_counted_has_a_predicate():
    assert {*COUNTED.values()} <= PREDICATES.keys()


def test_what_says_nothing_is_in_no_other_list():
    assert VAGUE.isdisjoint(OCCUPATIONS | LANGUAGES | TOOLS)
