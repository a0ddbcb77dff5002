"""Plans from elsewhere: what is one is read as it is, everything else halts and says why."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.errors import InvalidInput
from meridia.retrieval.plans.plan import (
    Action,
    RetrievalPlan,
    SourceType,
    read_handoff,
    read_plan,
    reordered,
)
from tests.retrieval.plans.test_plan import JSON

INDEX = {
    "turn:1": SourceType.TURN_SUMMARY,
    "turn:2": SourceType.TURN_SUMMARY,
    "memory:a": SourceType.FACT,
    "memory:b": SourceType.PREFERENCE,
    "memory:c": SourceType.RESEARCH_CACHE,
    "visit:d": SourceType.VISIT_RECORD,
}


def types_of(ids):
    return {id: INDEX[id] for id in ids if id in INDEX}


def plan_of(ids):
    """Return the right plan that selects some ids of the index."""
    selected = {type: tuple(id for id in ids if INDEX[id] is type) for type in SourceType}
    return RetrievalPlan(selected, {t: "they fit" for t, found in selected.items() if found}, "so")


SELECTIONS = st.lists(st.sampled_from(sorted(INDEX)), unique=True)


@given(SELECTIONS)
def test_row_67_a_right_plan_is_read_as_it_was_written(ids):
    """Row 67: the exact schema, there and back."""
    shape = plan_of(ids).as_json()
    assert read_plan(shape, types_of).as_json() == shape
    assert read_plan(json.dumps(shape), types_of).as_json() == shape


@given(SELECTIONS, st.text(max_size=12).filter(lambda text: text not in INDEX))
def test_row_68_an_unknown_id_is_refused_wherever_it_stands(ids, unknown):
    """Row 68: unknown id → invalid."""
    for type in SourceType:
        shape = plan_of(ids).as_json()
        shape["selected_nodes"][type.value].append(unknown)
        with pytest.raises(InvalidInput, match="memory index"):
            read_plan(shape, types_of)


@given(SELECTIONS, st.sampled_from(sorted(INDEX)), st.sampled_from(SourceType))
def test_row_68_an_id_stands_in_its_own_group_and_once(ids, id, type):
    """Row 68: valid ids only."""
    shape = plan_of([one for one in ids if one != id]).as_json()
    shape["selected_nodes"][type.value].append(id)
    if INDEX[id] is not type:
        with pytest.raises(InvalidInput, match="name it in that group"):
            read_plan(shape, types_of)
    shape = plan_of([id]).as_json()
    shape["selected_nodes"][INDEX[id].value].append(id)
    with pytest.raises(InvalidInput, match="twice"):
        read_plan(shape, types_of)


def test_row_69_a_reason_stands_with_what_is_selected_and_with_nothing_else():
    """Row 69: required if non-empty; else "" or none."""
    shape = plan_of(["turn:1"]).as_json()
    for nothing in ("", "none", "None", "  "):
        shape["selection_reasons"]["fact"] = nothing
        assert read_plan(shape, types_of).reasons[SourceType.FACT] == ""
        wrong = copy.deepcopy(shape)
        wrong["selection_reasons"]["turn_summary"] = nothing
        with pytest.raises(InvalidInput, match="say why"):
            read_plan(wrong, types_of)
    shape["selection_reasons"]["fact"] = "they fit"
    with pytest.raises(InvalidInput, match="reason for no nodes"):
        read_plan(shape, types_of)


@given(SELECTIONS, st.data())
def test_row_70_coverage_that_does_not_follow_is_refused(ids, data):
    """Row 70: coverage is derived."""
    shape = plan_of(ids).as_json()
    claim = data.draw(st.sampled_from(sorted(shape["coverage"])))
    other = data.draw(st.sampled_from([not shape["coverage"][claim], 1, 0, None, "true"]))
    shape["coverage"][claim] = other
    with pytest.raises(InvalidInput, match="selected nodes make it"):
        read_plan(shape, types_of)


@pytest.mark.parametrize("reasoning", ["one\n\ntwo", "one\ntwo", "x" * 801, None, 3])
def test_row_71_reasoning_is_one_short_paragraph(reasoning):
    """Row 71: at most one paragraph."""
    with pytest.raises(InvalidInput, match=r"plan\.reasoning"):
        read_plan(plan_of(["turn:1"]).as_json() | {"reasoning": reasoning}, types_of)


def _changed(shape: dict[str, Any], change: str) -> Any:
    top, _, key = change.lstrip("+").partition(".")
    if change.startswith("+"):
        (shape[top] if key else shape)[key or top] = []
    elif key:
        del shape[top][key]
    else:
        del shape[top]
    return shape


@pytest.mark.parametrize(
    "change",
    [
        "selected_nodes",
        "selection_reasons",
        "coverage",
        "reasoning",
        "selected_nodes.fact",
        "selection_reasons.fact",
        "coverage.has_memory",
        "+thoughts",
        "+selected_nodes.poems",
        "+selection_reasons.poems",
        "+coverage.has_poems",
    ],
)
def test_row_67_a_key_that_is_missing_or_one_too_many_is_refused(change):
    """Row 67: all keys, and no others."""
    with pytest.raises(InvalidInput, match="missing|has the key"):
        read_plan(_changed(plan_of(["turn:1"]).as_json(), change), types_of)


@given(JSON | st.text())
def test_row_76_what_is_no_plan_halts_and_asks_for_somebody(given):
    """Row 76: parse failure → HALT and intervention."""
    found = read_handoff(given, types_of)
    assert found.action is Action.HALT
    assert found.plan is None
    assert found.intervention is not None
    assert found.intervention.as_json()["phase"] == "2.1"
    assert found.intervention.problem
    assert found.intervention.needed


def test_row_77_an_empty_plan_is_a_plan():
    """Row 77: valid, continue to 2.2."""
    found = read_handoff(RetrievalPlan().as_json(), types_of)
    assert found.action is Action.PROCEED
    assert found.plan is not None
    assert found.plan.ids == []
    assert not any(found.plan.coverage.values())


@given(st.permutations(sorted(INDEX)), st.integers(0, len(INDEX)))
def test_somebody_may_reorder_a_plan_and_make_it_smaller(order, kept):
    theirs = plan_of(order[:kept])
    assert reordered(plan_of(sorted(INDEX)), theirs) is theirs


@given(SELECTIONS.filter(bool))
def test_nobody_may_widen_a_plan(ids):
    with pytest.raises(InvalidInput, match="never extended"):
        reordered(plan_of(ids[1:]), plan_of(ids))
    found = read_handoff(
        plan_of(ids).as_json(), types_of, lambda theirs: reordered(plan_of(ids[1:]), theirs)
    )
    assert found.action is Action.HALT
