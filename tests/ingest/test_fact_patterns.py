"""All rules: they compile, have a predicate, and stand under the words that lead to them."""

from __future__ import annotations

import pytest

from meridia.ingest.fact_patterns import BY_CUE, RULES, compiled
from meridia.ingest.fact_predicates import FAVOURITE, PREDICATES

places = pytest.mark.parametrize("place", range(len(RULES)))


@places
@pytest.mark.parametrize("loose", [False, True])
def test_a_pattern_names_what_it_finds(place, loose):
    groups = compiled(place, loose=loose).groupindex
    assert groups.keys() <= {"who", "o", "o2", "than", "kind", "what"}
    assert "o" in groups or RULES[place].ends


@places
def test_a_rule_has_a_predicate_of_the_table_or_finds_one(place):
    rule = RULES[place]
    known = PREDICATES.keys() | {FAVOURITE}
    found = "kind" in compiled(place, loose=False).groupindex and rule.predicate in ("", "count")
    assert rule.predicate in known or found


def test_every_rule_is_reached_by_its_cues():
    assert {place for places in BY_CUE.values() for place in places} == {*range(len(RULES))}
    assert all(cue == cue.casefold() for cue in BY_CUE)
