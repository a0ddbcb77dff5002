"""`where`: each way to write a condition means what it says, and what is none is an error."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia import InvalidInput, Memory
from meridia.core.calls.where import alternatives_of

METADATA: list[dict[str, Any]] = [
    {"n": 1, "c": "a", "k": "users/1", "t": ["x", "y"], "z": None, "b": True, "o": {"n": {"m": 7}}},
    {"n": 2.5, "c": "b", "k": "users/2", "t": [], "b": False},
    {"n": 3, "c": "c", "k": "docs/%_", "t": ["é", 3]},
    {"n": "3", "c": "*", "k": "Users/1", "o.p": 7},
    {},
]
ABSENT = object()


@pytest.fixture(scope="module")
def memory():
    with Memory.open() as memory:
        for number, metadata in enumerate(METADATA):
            memory.remember(f"remark {number}", metadata=metadata or None)
        yield memory


def found(memory, where):
    return [int(m.text[-1]) for m in memory.list(where=where).memories]


@pytest.mark.parametrize(
    ("where", "rows"),
    [
        ({"OR": [{"n": 1}, {"n": 3}]}, [0, 2]),
        ({"$or": [{"n": 1}, {"n": 3}]}, [0, 2]),
        ({"or": [{"n": 1}, {"n": 3}]}, [0, 2]),
        ({"OR": {"n": 3, "c": "a"}}, [0, 2]),
        ({"$nor": {"n": 3, "c": "a"}}, [1, 3, 4]),
        ({"n": [1, 3]}, [0, 2]),
        ({"n": {"in": [1, 3]}}, [0, 2]),
        ({"n": {"$in": [1, 3]}}, [0, 2]),
        ({"n": {"$nin": [1, 3]}}, [1, 3, 4]),
        ({"n": {"$ne": 1}}, [1, 2, 3, 4]),
        ({"n": {"$gt": 1, "$lte": 3}}, [1, 2]),
        ({"n": {">=": 2.5}}, [1, 2]),
        ({"AND": [{"n": {"gte": 1}}, {"c": "a"}]}, [0]),
        ({"AND": [{"OR": [{"n": 1}, {"n": 2.5}]}, {"NOT": {"c": "b"}}]}, [0]),
        ({"NOT": [{"n": 1}, {"n": 3}]}, [1, 3, 4]),
        ({"$nor": [{"n": 1}, {"n": 3}]}, [1, 3, 4]),
        ({"NOT": {"n": 1, "c": "b"}}, [0, 1, 2, 3, 4]),
        ({"n": {"$not": {"gt": 2}}}, [0, 3, 4]),
        ({"k": {"prefix": "users/"}}, [0, 1]),
        ({"k": {"$startswith": "docs/%"}}, [2]),
        ({"k": {"contains": "s/1"}}, [0, 3]),
        ({"t": {"contains": "y"}}, [0]),
        ({"t": "é"}, [2]),
        ({"t": 3}, [2]),
        ({"c": "*"}, [0, 1, 2, 3]),
        ({"c": {"eq": "*"}}, [3]),
        ({"NOT": {"b": "*"}}, [2, 3, 4]),
        ({"z": None}, [0]),
        ({"b": {"ne": True}}, [1, 2, 3, 4]),
        ({"o.n.m": {"gte": 7}}, [0]),
        ({"NOT": {"o.n": "*"}}, [1, 2, 3, 4]),
        ({"o.p": 7}, [3]),
        ({"m": 7}, []),
    ],
)
def test_a_condition_finds_what_it_says(memory, where, rows):
    assert found(memory, where) == rows
    assert {int(hit.text[-1]) for hit in memory.recall("remark", where=where).hits} == set(rows)
    assert memory.forget(where=where, dry_run=True).memories == len(rows)


@pytest.mark.parametrize(
    "where",
    [
        {"n": {"$regex": "x"}},
        {"n": {"above": 2}},
        {"n": {}},
        {"$where": "1"},
        {"$and": {}},
        {"OR": []},
        {"OR": [{}]},
        {"OR": {"n": 1}, "NOT": 3},
        {"n": {"gt": [1]}},
        {"n": {"gt": True}},
        {"n": {"prefix": 1}},
        {"n": {"in": 3}},
        {"n": {"exists": True}},
        {"n": {"contains": [1]}},
        {"n": "\ud800"},
        {"\ud800": 1},
        {"n": {"nested": {"a": 1}}},
        {"n": float("nan")},
        {"n": object()},
        {1: 2},
        {"AND": [{"OR": [{"n": n} for n in range(40)]}] * 2},
    ],
)
def test_what_is_no_condition_is_an_error_and_no_empty_answer(memory, where):
    for call in (
        lambda: memory.list(where=where),
        lambda: memory.recall("remark", where=where),
        lambda: memory.forget(where=where, dry_run=True),
    ):
        with pytest.raises(InvalidInput, match="where"):
            call()


def test_an_unknown_comparison_lists_those_there_are():
    with pytest.raises(InvalidInput, match=r"eq, ne, in, nin, lt, .*prefix.*AND, OR, NOT"):
        alternatives_of({"n": {"$regex": "x"}})


def test_a_tree_without_end_is_refused():
    where: dict[str, Any] = {"n": 1}
    for _ in range(10_000):
        where = {"NOT": where}
    with pytest.raises(InvalidInput, match="is nested too deeply"):
        alternatives_of(where)


scalars = st.sampled_from([1, 2.5, 3, "3", "a", "users/1", None, True, "x", "é"])
ordered = st.sampled_from([1, 2.5, 3, "3", "a", "users/1"])
keys = st.sampled_from(["n", "c", "k", "t", "z", "b", "missing"])
comparisons = (
    st.tuples(st.sampled_from(["eq", "ne", "contains"]), scalars)
    | st.tuples(st.sampled_from(["in", "nin"]), st.lists(scalars, max_size=3))
    | st.tuples(st.sampled_from(["lt", "lte", "gt", "gte"]), ordered)
    | st.tuples(st.just("prefix"), st.sampled_from(["users/", "", "é", "3"]))
)
leaves = st.builds(lambda key, comparison: {key: dict([comparison])}, keys, comparisons)
leaves |= st.builds(lambda key: {key: "*"}, keys)
trees = st.recursive(
    leaves,
    lambda inner: st.builds(
        lambda join, parts: {join: parts},
        st.sampled_from(["AND", "OR", "NOT", "$nor"]),
        st.lists(inner, min_size=1, max_size=3),
    ),
    max_leaves=6,
)


def _same(a: Any, b: Any) -> bool:
    both = (bool, type(None))
    return ((isinstance(a, both) or isinstance(b, both)) and a is b) or (
        not isinstance(a, both) and not isinstance(b, both) and a == b
    )


def _compares(name: str, value: Any, operand: Any, *, whole: bool) -> bool:
    numbers = all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in (value, operand))
    texts = isinstance(value, str) and isinstance(operand, str)
    match name:
        case "eq":
            return _same(value, operand)
        case "contains":
            return _same(value, operand) or (texts and whole and operand in value)
        case "prefix":
            return texts and value.startswith(operand)
    if not (numbers or texts):
        return False
    return {"lt": value < operand, "lte": value <= operand}.get(
        name, {"gt": value > operand, "gte": value >= operand}.get(name, False)
    )


def holds(where: dict[str, Any], metadata: dict[str, Any]) -> bool:
    """Say what a tree means, in the plainest way."""
    ((key, wanted),) = where.items()
    if key in {"AND", "OR", "NOT", "$nor"}:
        each = [holds(one, metadata) for one in wanted]
        return all(each) if key == "AND" else any(each) if key == "OR" else not any(each)
    value = metadata.get(key, ABSENT)
    if wanted == "*":
        return value is not ABSENT
    ((name, operand),) = wanted.items()
    if name in {"ne", "nin"}:
        return not holds({key: {"eq" if name == "ne" else "in": operand}}, metadata)
    operands = operand if name == "in" else [operand]
    name = "eq" if name == "in" else name
    whole = not isinstance(value, list)
    values = [] if value is ABSENT else [value] if whole else value
    return any(_compares(name, v, o, whole=whole) for v in values for o in operands)


@given(trees)
def test_a_tree_of_conditions_means_what_its_parts_mean(memory, where):
    assert found(memory, where) == [n for n, each in enumerate(METADATA) if holds(where, each)]
