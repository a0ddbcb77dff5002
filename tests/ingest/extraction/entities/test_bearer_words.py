"""Who bears a name."""

from __future__ import annotations

from meridia.ingest.extraction.entities.bearer_words import ANIMALS, KIN, predicate_by_word
from meridia.ingest.extraction.facts.predicates import PREDICATES


def test_a_table_is_read_word_by_word():
    assert predicate_by_word("a: x y\nb: z") == {"x": "a", "y": "a", "z": "b"}


def test_relatives_have_predicates_and_are_no_animals():
    assert {*KIN.values()} <= PREDICATES.keys()
    assert ANIMALS.isdisjoint(KIN)
