"""The lists of words by which facts are told."""

from __future__ import annotations

from meridia.language import fact_objects as fact_words
from meridia.language.fact_objects import FAMILY, KIN
from meridia.language.predicates import PREDICATES


def test_every_relative_has_a_predicate_of_the_table():
    assert {*KIN.values(), *FAMILY.values()} <= set(PREDICATES)


def test_words_stand_in_small_letters_and_once():
    lists = [words for words in vars(fact_words).values() if isinstance(words, frozenset)]
    assert all(word == word.lower() for words in lists for word in words)
    assert fact_words.TRADES.isdisjoint(fact_words.PERHAPS_TRADES)
