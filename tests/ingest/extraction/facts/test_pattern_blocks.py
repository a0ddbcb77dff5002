"""Building blocks: patterns come out whole, and names are names."""

from __future__ import annotations

import re

import pytest

from meridia.ingest.extraction.facts.pattern_blocks import COUNTED, KIN, expand_blocks
from meridia.ingest.extraction.facts.predicates import PREDICATES


@pytest.mark.parametrize(
    ("block", "text", "whole"),
    [
        ("@person", "Ann-Marie Lee", True),
        ("@person", "I", False),
        ("@person", "ann", False),
        ("@place", "the United States of America", True),
        ("@place", "Boston, MA", True),
        ("@occupation", "senior data scientist", True),
        ("@occupation", "great fan", False),
        ("@languages", "French, German and Thai", True),
        ("@day", "next Friday", True),
        ("@day", "May 3rd, 2026", True),
        ("@day", "May", False),
        ("@number", "twelve", False),
    ],
)
def test_a_block_knows_its_words(block, text, whole):
    assert (re.fullmatch(expand_blocks(block, uncased=False), text) is not None) is whole


def test_without_capitals_names_are_written_small():
    assert re.fullmatch(expand_blocks("@place", uncased=True), "new york")
    assert not re.fullmatch(expand_blocks("@place", uncased=False), "new york")


def test_a_pattern_is_put_together_to_the_last_block():
    assert "@" not in expand_blocks("@who @place @thing @kinship", uncased=False)


def test_every_relative_and_every_count_has_a_predicate():
    assert {*KIN.values(), *COUNTED.values()} <= PREDICATES.keys()
