"""Merges of entities: folded in journal order, taken back one by one, never in a circle."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.entity_merges import (
    MERGED,
    UNMERGED,
    check_merge,
    check_unmerge,
    fold_merges,
    own_merges,
    resolve,
)
from meridia.core.errors import Conflict, InvalidInput, MeridiaError, NotFound

IDS = st.sampled_from("abcdefg")


def merged(entity: str, into: str) -> tuple[str, dict[str, str]]:
    return MERGED, {"entity": entity, "into": into, "reason": "the same", "by": "user"}


def unmerged(entity: str) -> tuple[str, dict[str, str]]:
    return UNMERGED, {"entity": entity}


HISTORIES = st.lists(st.builds(merged, IDS, IDS) | st.builds(unmerged, IDS), max_size=30)


def test_row_102_a_chain_of_merges_is_followed_and_taken_back_link_by_link():
    chain = [merged("a", "b"), merged("b", "c")]
    assert fold_merges(chain) == {"a": "c", "b": "c"}
    assert fold_merges([*chain, unmerged("b")]) == {"a": "b"}
    assert fold_merges([*chain, unmerged("a")]) == {"b": "c"}


def test_the_order_of_two_merges_of_a_chain_does_not_matter():
    assert fold_merges([merged("b", "c"), merged("a", "b")]) == {"a": "c", "b": "c"}


def test_what_would_close_a_circle_means_nothing():
    assert fold_merges([merged("a", "a")]) == {}
    assert fold_merges([merged("a", "b"), merged("b", "a")]) == {"a": "b"}
    circle = [merged("a", "b"), merged("b", "c"), merged("c", "a")]
    assert fold_merges(circle) == {"a": "c", "b": "c"}


def test_of_two_merges_of_one_entity_the_later_counts():
    assert fold_merges([merged("a", "b"), merged("a", "c")]) == {"a": "c"}


def test_taking_back_what_was_never_merged_changes_nothing():
    assert fold_merges([merged("a", "b"), unmerged("b"), unmerged("x")]) == {"a": "b"}


@pytest.mark.parametrize(
    "entry",
    [
        ("FactAsserted", {"entity": "a", "into": "b"}),
        (MERGED, {"entity": "a"}),
        (MERGED, {"into": "b"}),
        (MERGED, {"entity": 1, "into": "b"}),
        (UNMERGED, {}),
    ],
)
def test_other_entries_and_half_ones_mean_nothing(entry):
    assert fold_merges([entry]) == {}


@given(HISTORIES)
def test_what_stands_for_an_entity_stands_for_itself(history):
    ends = fold_merges(history)
    assert not ends.keys() & {*ends.values()}


@given(HISTORIES)
def test_no_history_makes_a_circle(history):
    own = own_merges(history)
    for entity in own:
        at, steps = entity, 0
        while at in own:
            at, steps = own[at], steps + 1
            assert steps <= len(own)


@given(HISTORIES, IDS, IDS)
def test_a_merge_that_is_allowed_and_taken_back_leaves_what_was(history, entity, into):
    before = own_merges(history)
    try:
        check_merge(before, entity, into)
    except MeridiaError:
        return
    assert own_merges([*history, merged(entity, into)]) == before | {entity: into}
    assert own_merges([*history, merged(entity, into), unmerged(entity)]) == before


@given(HISTORIES, IDS, IDS)
def test_a_merge_is_allowed_exactly_where_the_fold_takes_it_without_losing_another(
    history, entity, into
):
    before = own_merges(history)
    taken = own_merges([*history, merged(entity, into)]) == before | {entity: into}
    try:
        check_merge(before, entity, into)
        allowed = True
    except MeridiaError:
        allowed = False
    assert allowed == (taken and entity not in before)


@given(HISTORIES, IDS)
def test_taking_back_touches_no_other_merge(history, entity):
    before = own_merges(history)
    after = own_merges([*history, unmerged(entity)])
    assert after == {id: into for id, into in before.items() if id != entity}


def test_a_merge_is_refused_with_what_to_do():
    own = {"a": "b", "b": "c"}
    with pytest.raises(InvalidInput, match="given twice"):
        check_merge(own, "x", "x")
    with pytest.raises(Conflict, match="a is merged into b: unmerge it first"):
        check_merge(own, "a", "x")
    with pytest.raises(InvalidInput, match="a stands under c already"):
        check_merge(own, "c", "a")
    with pytest.raises(NotFound, match="c is not merged"):
        check_unmerge(own, "c")


def test_a_circle_in_what_is_handed_in_is_refused():
    with pytest.raises(InvalidInput, match="in a circle"):
        resolve({"a": "b", "b": "a", "x": "a"})


def test_a_chain_of_many_links_is_followed():
    own = {str(n): str(n + 1) for n in range(5_000)}
    assert {*resolve(own).values()} == {"5000"}
