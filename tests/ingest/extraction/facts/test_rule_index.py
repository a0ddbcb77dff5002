"""All rules: they compile, have a predicate, and stand under the words that lead to them."""

from __future__ import annotations

import pytest

from meridia.ingest.extraction.facts.predicates import FAVOURITE, PREDICATES
from meridia.ingest.extraction.facts.rule_index import FACT_RULES, RULES_BY_CUE, compile_rule


@pytest.mark.parametrize("uncased", [False, True])
def test_a_pattern_names_what_it_finds(uncased):
    for place, rule in enumerate(FACT_RULES):
        groups = compile_rule(place, uncased=uncased).groupindex
        assert groups.keys() <= {"who", "o", "o2", "than", "kind", "what"}, rule
        assert "o" in groups or rule.ends, rule


def test_a_rule_has_a_predicate_of_the_table_or_finds_one():
    existing = PREDICATES.keys() | {FAVOURITE}
    for place, rule in enumerate(FACT_RULES):
        groups = compile_rule(place, uncased=False).groupindex
        found = "kind" in groups and rule.predicate in ("", "count")
        assert rule.predicate in existing or found, rule


def test_every_rule_is_reached_by_its_cues():
    assert {place for places in RULES_BY_CUE.values() for place in places} == {
        *range(len(FACT_RULES))
    }
    assert all(cue == cue.casefold() for cue in RULES_BY_CUE)
