"""Merges of entities: folded in journal order, taken back one by one, never in a circle."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.entities.entity_gazetteer import check_merge, check_unmerge, resolve
from meridia.core.errors import Conflict, InvalidInput, MeridiaError, NotFound

IDS = st.sampled_from("abcdefg")
#: What is asked for: a merge of two entities, or of one and None: that its merge is taken back.
HISTORIES = st.lists(st.tuples(IDS, IDS | st.none()), max_size=30)


def merges_after(history):
    """Return the merges that there are when everything refused was left undone."""
    own = {}
    for entity, into in history:
        try:
            if into is None:
                check_unmerge(own, entity)
                del own[entity]
            else:
                check_merge(own, entity, into)
                own[entity] = into
        except MeridiaError:
            continue
    return own


def test_row_102_a_chain_of_merges_is_followed_and_taken_back_link_by_link():
    chain = [("a", "b"), ("b", "c")]
    assert resolve(merges_after(chain)) == {"a": "c", "b": "c"}
    assert resolve(merges_after([*chain, ("b", None)])) == {"a": "b"}
    assert resolve(merges_after([*chain, ("a", None)])) == {"b": "c"}
    assert resolve(merges_after(reversed(chain))) == {"a": "c", "b": "c"}


@given(HISTORIES)
def test_no_history_makes_a_circle_and_who_stands_for_another_stands_for_itself(history):
    ends = resolve(merges_after(history))
    assert not ends.keys() & {*ends.values()}


def test_a_merge_is_refused_with_what_to_do():
    own = {"a": "b", "b": "c"}
    with pytest.raises(InvalidInput, match="given twice"):
        check_merge(own, "x", "x")
    with pytest.raises(Conflict, match="a is merged into b: unmerge it first"):
        check_merge(own, "a", "x")
    with pytest.raises(InvalidInput, match="a was merged into c before"):
        check_merge(own, "c", "a")
    with pytest.raises(NotFound, match="c is not merged"):
        check_unmerge(own, "c")


def test_a_circle_in_what_is_handed_in_is_refused():
    with pytest.raises(InvalidInput, match="merged into itself"):
        resolve({"a": "b", "b": "a", "x": "a"})


def test_a_chain_of_many_links_is_followed():
    own = {str(n): str(n + 1) for n in range(5_000)}
    assert {*resolve(own).values()} == {"5000"}
