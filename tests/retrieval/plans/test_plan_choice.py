"""The choice: from numbers and nodes alone, in order, with what was left out."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.settings import PlanSettings
from meridia.language.analyser import Analyser
from meridia.retrieval.plans import plan_choice
from meridia.retrieval.plans.plan import REASONING_CHARS_MAX, QueryAnalysis, SourceType, read_plan
from meridia.retrieval.plans.plan_choice import is_archived, select_nodes
from tests.retrieval.plans.plan_samples import NOW, node

ANALYSER = Analyser()
LIMITS = PlanSettings()
ASKED = QueryAnalysis("Which genoa does the boat have?")


def chosen(scores, nodes, analysis=ASKED, settings=LIMITS):
    return select_nodes(analysis, scores, nodes, ANALYSER, NOW, settings)


def test_row_73_the_planner_is_given_no_loader_and_imports_nothing_that_reads():
    """Row 73: plan only; the loader is another part."""
    given = list(inspect.signature(select_nodes).parameters)
    assert given == ["analysis", "scores", "nodes", "analyser", "bounds", "settings"]
    tree = ast.parse(Path(inspect.getfile(plan_choice)).read_text("utf-8"))
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert imported - {"__future__", "collections.abc", "dataclasses"} == {
        *("core.codec", "core.ids", "core.settings", "core.text"),
        *("language.analyser", "language.marks", "plan"),
    }
    called = {
        n.func.id for n in ast.walk(tree) if isinstance(n, ast.Call) and hasattr(n.func, "id")
    }
    assert not called & {"open", "exec", "eval", "__import__"}


def test_turns_are_in_the_order_that_recall_gave():
    nodes = [node("turn:1"), node("turn:2"), node("turn:3")]
    found = chosen({"turn:1": 1.0, "turn:2": 3.0, "turn:3": 2.4}, nodes)
    assert found.plan.selected[SourceType.TURN_SUMMARY] == ("turn:2", "turn:3")
    assert [choice.relevance for choice in found.choices] == [1.0, pytest.approx(0.8)]


def test_a_node_that_shares_a_name_alone_says_something_else():
    nodes = [
        node("turn:1"),
        node("memory:a", SourceType.FACT, "Dana lives in Bergen.", links=("turn:1",)),
        node("memory:b", SourceType.FACT, "Dana has a genoa.", links=("turn:1",)),
    ]
    asked = QueryAnalysis("Which genoa does Dana sail with?", names=("Dana",))
    found = chosen({"turn:1": 1.0}, nodes, asked)
    assert found.plan.selected[SourceType.FACT] == ("memory:b",)
    everything = QueryAnalysis("Dana?", names=("Dana",))
    about = chosen({"turn:1": 1.0}, nodes, everything).plan.selected[SourceType.FACT]
    assert set(about) == {"memory:a", "memory:b"}


def test_a_linked_node_is_chosen_for_words_of_its_own():
    nodes = [
        node("turn:1"),
        node("memory:a", SourceType.FACT, "Dana has a genoa.", links=("turn:1",)),
        node("memory:b", SourceType.FACT, "Dana lives in Bergen.", links=("turn:1",)),
    ]
    found = chosen({"turn:1": 4.0}, nodes)
    assert found.plan.selected[SourceType.FACT] == ("memory:a",)
    assert "turn:1" in found.plan.reasons[SourceType.FACT]
    assert "genoa" in found.plan.reasons[SourceType.FACT]


def test_row_72_a_hint_can_bring_in_what_the_question_does_not_name():
    """Row 72: hints help, and are never needed."""
    nodes = [
        node("turn:1"),
        node("visit:a", SourceType.VISIT_RECORD, "price list", links=("turn:1",)),
    ]
    without = chosen({"turn:1": 4.0}, nodes)
    hinted = QueryAnalysis(ASKED.resolved_query, hints={"data": ["prices"]})
    assert without.plan.selected[SourceType.VISIT_RECORD] == ()
    found = chosen({"turn:1": 4.0}, nodes, hinted)
    assert found.plan.selected[SourceType.VISIT_RECORD] == ("visit:a",)


def test_row_80_what_is_expired_is_left_out_and_the_plan_says_so():
    """Row 80: below .30 excluded."""
    nodes = [node("turn:1", confidence=0.3), node("turn:2", confidence=0.2999)]
    found = chosen({"turn:1": 1.0, "turn:2": 2.0}, nodes)
    assert found.plan.ids == ["turn:1"]
    assert [choice.node.node_id for choice in found.expired] == ["turn:2"]
    assert "below confidence 0.30: turn:2" in found.plan.reasoning


def test_row_81_a_turn_of_more_than_thirty_days_is_archived_and_stays():
    """Row 81: 30 days; summary kept."""
    nodes = [
        node("turn:1", days=30),
        node("turn:2", days=30.01),
        node("memory:a", SourceType.FACT, "the genoa", days=400, links=("turn:1",)),
    ]
    found = chosen({"turn:1": 1.5, "turn:2": 2.0}, nodes)
    assert len(found.plan.ids) == 3
    assert [is_archived(one, NOW, PlanSettings()) for one in nodes] == [False, True, False]
    assert "1 turn older than 30 days" in found.plan.reasoning


def test_row_77_nothing_recalled_is_an_empty_plan():
    """Row 77: a new topic is no error."""
    found = chosen({}, [])
    assert found.plan.ids == []
    assert "Nothing is selected" in found.plan.reasoning


NODES = st.lists(
    st.builds(
        node,
        st.integers(1, 40).map(lambda seq: f"turn:{seq}"),
        st.sampled_from(SourceType),
        st.sampled_from(["the genoa", "bread", "a boat", ""]),
        confidence=st.floats(0, 1),
        days=st.floats(0, 400),
        links=st.lists(st.integers(1, 40).map(lambda seq: f"turn:{seq}"), max_size=3).map(tuple),
    ),
    max_size=20,
    unique_by=lambda one: one.node_id,
)


@given(
    NODES,
    st.dictionaries(st.integers(1, 40).map(lambda seq: f"turn:{seq}"), st.floats(-5, 50)),
    st.text(max_size=300),
    st.integers(1, 5),
)
def test_rows_67_to_71_whatever_is_chosen_makes_a_right_plan(nodes, scores, question, limit):
    """Rows 67 to 71: our own plans pass the check that others' must pass."""
    found = chosen(scores, nodes, QueryAnalysis(question), PlanSettings(limit=limit))
    types = {one.node_id: one.source_type for one in nodes}
    shape = found.plan.as_json()
    assert read_plan(shape, lambda ids: types).as_json() == shape
    assert len(shape["reasoning"]) <= REASONING_CHARS_MAX
    assert all(len(ids) <= limit for ids in found.plan.selected.values())
    assert all(choice.node.confidence >= 0.3 for choice in found.choices)
    assert all(0 <= choice.relevance <= 1 for choice in found.choices)
