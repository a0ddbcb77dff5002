"""All rules: they compile, have a predicate, and stand under the words that lead to them."""

from __future__ import annotations

import pytest

from meridia.ingest.extraction.facts.predicates import FAVOURITE, PREDICATES
from meridia.ingest.extraction.facts.rule_index import FACT_RULES, RULES_BY_CUE, compile_rule

places = pytest.mark.parametrize("place", range(len(FACT_RULES)))


@places
@pytest.mark.parametrize("uncased", [False, True])
def test_a_pattern_names_what_it_finds(place, uncased):
    groups = compile_rule(place, uncased=uncased).groupindex
    assert groups.keys() <= {"who", "o", "o2", "than", "kind", "what"}
    assert "o" in groups or FACT_RULES[place].ends


@places
def test_a_rule_has_a_predicate_of_the_table_or_finds_one(place):
    rule = FACT_RULES[place]
    existing = PREDICATES.keys() | {FAVOURITE}
    result = "kind" in compile_rule(place, uncased=False).groupindex and rule.predicate in (
        "",
        "count",
    )
    assert rule.predicate in existing or result


def test_every_rule_is_reached_by_its_cues():
    assert {place for places in RULES_BY_CUE.values() for place in places} == {
        *range(len(FACT_RULES))
    }
    assert all(cue == cue.casefold() for cue in RULES_BY_CUE)
