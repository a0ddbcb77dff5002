"""Plan values: seven fields, four keys, coverage that cannot lie, hints that cannot fail."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from meridia.retrieval.plans.plan import (
    COVERED,
    QueryAnalysis,
    RetrievalPlan,
    SourceType,
    TemporalBounds,
)
from tests.fakes import START
from tests.retrieval.plans.plan_samples import node

IDS = st.lists(st.text(min_size=1, max_size=8), max_size=3, unique=True).map(tuple)
SELECTIONS = st.dictionaries(st.sampled_from(SourceType), IDS)
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


def test_row_63_a_node_has_the_seven_fields():
    """Row 63: 7 node fields."""
    assert list(node("turn:1").as_json()) == [
        "node_id",
        "source_type",
        "summary",
        "confidence",
        "timestamp",
        "source_ref",
        "links",
    ]


def test_row_64_there_are_five_source_types():
    """Row 64: 5 values."""
    assert [type.value for type in SourceType] == [
        "turn_summary",
        "preference",
        "fact",
        "research_cache",
        "visit_record",
    ]


@given(SELECTIONS)
def test_row_67_a_plan_has_four_keys_whatever_is_selected(selected):
    """Row 67: 4 top keys, all present."""
    shape = RetrievalPlan(selected).as_json()
    assert list(shape) == ["selected_nodes", "selection_reasons", "coverage", "reasoning"]
    types = [type.value for type in SourceType]
    assert list(shape["selected_nodes"]) == list(shape["selection_reasons"]) == types
    assert list(shape["coverage"]) == list(COVERED)


@given(SELECTIONS)
def test_row_70_coverage_follows_from_the_arrays(selected):
    """Row 70: 4 booleans equal arrays."""
    shape = RetrievalPlan(selected).as_json()
    arrays, covered = shape["selected_nodes"], shape["coverage"]
    assert covered["has_prior_turns"] is bool(arrays["turn_summary"])
    assert covered["has_memory"] is bool(arrays["preference"] or arrays["fact"])
    assert covered["has_cached_research"] is bool(arrays["research_cache"])
    assert covered["has_visit_data"] is bool(arrays["visit_record"])


@given(JSON)
def test_row_72_hints_of_any_shape_only_add_words(hints):
    """Row 72: missing or inconsistent hints never fail."""
    analysis = QueryAnalysis("Where is the boat?", hints=hints)
    assert analysis.question == "Where is the boat?"
    assert isinstance(analysis.hinted, str)


def test_the_words_of_hints_are_found_wherever_they_stand():
    hints = {"content_reference": {"title": "sails"}, "needs": ["prices", 3, None]}
    assert QueryAnalysis("?", hints=hints).hinted == "sails prices"
    endless: list[Any] = []
    endless.append(endless)
    assert QueryAnalysis("?", hints=endless).hinted == ""


def test_the_purpose_is_asked_with_the_question():
    assert QueryAnalysis("Which sail?", "to order one").question == "Which sail? to order one"


def test_a_moment_bounds_one_clock_and_not_the_other():
    happened = TemporalBounds(START, happened=START)
    assert happened.includes(99, START)
    assert not happened.includes(1, START + timedelta(seconds=1))
    known = TemporalBounds(START, until=5)
    assert known.includes(5, START + timedelta(days=9))
    assert not known.includes(6, START)
