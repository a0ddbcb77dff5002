"""Tests of the LangGraph store: against LangGraph's own store, and what is beyond that."""

from __future__ import annotations

import asyncio
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langgraph.store.base import (
    GetOp,
    InvalidNamespaceError,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchOp,
)
from langgraph.store.memory import InMemoryStore

from meridia import Memory, Settings
from meridia.integrations.langgraph import MeridiaStore
from tests.fakes import FakeEmbedder

labels = st.sampled_from(["users", "kim", "lee", "notes", "Ärger", "a b", "x/y"])
namespaces = st.lists(labels, min_size=1, max_size=3).map(tuple)
keys = st.sampled_from(["diet", "music", "k.1", "k/2", ""])
#: Without 0 and 1: those are equal to False and True in Python, and not in JSON.
plain = st.sampled_from([2, 2.5, "jazz", "", True, None])
values = st.dictionaries(
    st.sampled_from(["text", "stars", "a.b"]),
    plain | st.lists(plain, max_size=2) | st.dictionaries(st.just("in"), plain),
    max_size=3,
)
comparisons = st.sampled_from([{"$eq": 2}, {"$ne": "jazz"}])
filters = st.none() | st.dictionaries(
    st.sampled_from(["text", "stars"]), plain | comparisons | values, min_size=1, max_size=1
)
conditions = st.lists(
    st.builds(
        MatchCondition,
        st.sampled_from(["prefix", "suffix"]),
        st.lists(labels | st.just("*"), min_size=1, max_size=2).map(tuple),
    ),
    max_size=2,
).map(tuple)
operations = st.one_of(
    st.builds(PutOp, namespaces, keys, st.none() | values, st.none(), st.none()),
    st.builds(GetOp, namespaces, keys),
    st.builds(SearchOp, namespaces | st.just(()), filters, st.integers(1, 4), st.integers(0, 2)),
    st.builds(
        ListNamespacesOp,
        conditions,
        st.none() | st.integers(1, 2),
        st.integers(1, 5),
        st.integers(0, 2),
    ),
)


def shown(result):
    """Return what a result says, but for its times."""
    if isinstance(result, list):
        return sorted(map(shown, result), key=repr)
    if hasattr(result, "key"):
        return (result.namespace, result.key, repr(sorted(result.value.items(), key=repr)))
    return result


def whole(op):
    """Return a search without a cut, as stores may differ in what stands first."""
    return op._replace(limit=100, offset=0) if isinstance(op, SearchOp) else op


@given(st.lists(operations.map(whole), max_size=12))
def test_it_answers_as_langgraphs_own_store(given):
    with Memory(None, "default", Settings(), embedder=FakeEmbedder()) as memory:
        ours, theirs = MeridiaStore(memory), InMemoryStore()
        for op in given:
            if isinstance(op, ListNamespacesOp):  # theirs also names those that became empty
                items, theirs = theirs.search((), limit=100), InMemoryStore()
                theirs.batch([PutOp(item.namespace, item.key, item.value) for item in items])
            assert shown(ours.batch([op])[0]) == shown(theirs.batch([op])[0]), op


def test_a_batch_reads_before_it_writes_and_the_last_write_stands(memory):
    store = MeridiaStore(memory)
    results = store.batch(
        [
            PutOp(("a",), "k", {"v": 1}),
            GetOp(("a",), "k"),
            PutOp(("a",), "k", {"v": 2}),
        ]
    )
    assert results == [None, None, None]
    assert store.get(("a",), "k").value == {"v": 2}


def test_a_search_by_a_question_puts_the_best_first_and_the_rest_without_a_score(memory):
    store = MeridiaStore(memory)
    store.put(("users", "kim"), "diet", {"text": "Kim hates olives", "stars": 2})
    store.put(("users", "kim"), "music", {"text": "Kim plays the oboe", "stars": 4})
    store.put(("users", "lee"), "music", {"text": "Lee plays the oboe", "stars": 5})
    store.put(("users", "lee"), "secret", {"text": "the oboe is a surprise"}, index=False)
    found = store.search(("users",), query="Who plays the oboe?")
    assert {item.key for item in found[:2]} == {"music"}
    assert found[0].score >= found[1].score
    assert [item.score for item in found if item.key == "secret"] == [None]
    assert [
        i.namespace[1] for i in store.search(("users",), query="oboe", filter={"stars": 5})
    ] == ["lee"]
    assert [
        i.value["stars"] for i in store.search((), query="oboe", filter={"stars": {"$gte": 5}})
    ] == [5]


def test_only_the_named_paths_are_searched(memory):
    store = MeridiaStore(memory, fields=["note.text"])
    store.put(("n",), "1", {"note": {"text": "all about sails"}, "other": "about oboes"})
    assert memory.recall("sails")[0].text == "all about sails"
    assert memory.recall("oboes").certainty == "probably nothing"


def test_a_version_keeps_when_its_key_was_first_put(memory):
    store = MeridiaStore(memory)
    store.put(("a",), "k", {"v": 1})
    first = store.get(("a",), "k")
    store.put(("a",), "k", {"v": 2})
    second = store.get(("a",), "k")
    assert second.created_at == first.created_at < second.updated_at
    assert len(memory.history("langgraph:a.k")) == 2


def test_what_is_over_is_not_there_until_it_is_put_again(memory):
    store = MeridiaStore(memory, ttl={"default_ttl": 0.01, "refresh_on_read": False})
    store.put(("a",), "k", {"v": 1})
    store.put(("a",), "stays", {"v": 1}, ttl=None)
    assert store.get(("a",), "k") is not None
    time.sleep(0.7)
    assert store.get(("a",), "k") is None
    assert [item.key for item in store.search(("a",))] == ["stays"]
    assert store.sweep_ttl() == 1
    store.put(("a",), "k", {"v": 1}, ttl=5)
    assert store.get(("a",), "k").value == {"v": 1}


def test_a_read_renews_a_lifetime_unless_told_otherwise(memory):
    store = MeridiaStore(memory)
    store.put(("a",), "k", {"v": 1}, ttl=0.01)
    for _ in range(4):
        time.sleep(0.25)
        assert store.get(("a",), "k") is not None
    assert store.search(("a",), refresh_ttl=False)
    time.sleep(0.7)
    assert store.get(("a",), "k") is None


def test_a_value_that_was_deleted_is_forgotten(memory):
    store = MeridiaStore(memory)
    store.put(("a",), "k", {"text": "the launch is on Tuesday"})
    store.delete(("a",), "k")
    assert store.get(("a",), "k") is None
    assert not memory.recall("launch").hits
    store.put(("a",), "k", {"text": "the launch is on Tuesday"})
    assert store.get(("a",), "k") is not None


def test_a_label_with_a_period_and_an_unknown_comparison_are_errors(memory):
    store = MeridiaStore(memory)
    with pytest.raises(InvalidNamespaceError):
        store.batch([PutOp(("a.b",), "k", {"v": 1})])
    store.put(("a",), "k", {"v": 1})
    with pytest.raises(ValueError, match=r"'\$regex' is not known: use \$eq"):
        store.search(("a",), filter={"v": {"$regex": "1"}})


def test_the_asynchronous_methods_do_the_same(memory):
    async def use():
        store = MeridiaStore(memory)
        await store.aput(("users", "kim"), "music", {"text": "plays the oboe"})
        found = await store.asearch(("users",), query="oboe")
        assert await store.alist_namespaces() == [("users", "kim")]
        return found[0].value

    assert asyncio.run(use()) == {"text": "plays the oboe"}
