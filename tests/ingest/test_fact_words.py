"""Building blocks: patterns come out whole, and names are names."""

from __future__ import annotations

import re

import pytest

from meridia.ingest.fact_predicates import PREDICATES
from meridia.ingest.fact_words import COUNTED, KIN, expand


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
    assert (re.fullmatch(expand(block, loose=False), text) is not None) is whole


def test_without_capitals_names_are_written_small():
    assert re.fullmatch(expand("@place", loose=True), "new york")
    assert not re.fullmatch(expand("@place", loose=False), "new york")


def test_a_pattern_is_put_together_to_the_last_block():
    assert "@" not in expand("@who @place @thing @kinship", loose=False)


def test_every_relative_and_every_count_has_a_predicate():
    assert {*KIN.values(), *COUNTED.values()} <= PREDICATES.keys()
