"""`where`: what metadata must say, read into alternatives that one SQL fragment compares.

A name leads to a value, to a list of which any will do, or to comparisons, as `{"gte": 3}`; AND, OR
and NOT join such mappings. Names of Mongo, mem0 and LangGraph (`$or`, `$gte`, `startswith`) are the
same words. What is none of them is an error that lists them.

Values are compared as JSON has them: numbers with numbers, text with text, by code points. A list
in the metadata has each of its elements; what is not there equals nothing: NOT and `ne` find it.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Mapping, Sequence

from ..errors import InvalidInput
from ..vocabulary import Json

#: A condition has a `key`, a `comparison`, the `values` that it is made with, and is `negated`.
Condition = dict[str, Json]
#: One of several lists of conditions, all of which hold.
Alternatives = list[list[Condition]]

_JOINS = ("AND", "OR", "NOT", "NOR")
COMPARISONS = ("eq", "ne", "in", "nin", "lt", "lte", "gt", "gte", "prefix", "contains")
_ORDERED = frozenset({"lt", "lte", "gt", "gte"})
_OTHER_NAMES = {
    "=": "eq",
    "==": "eq",
    "!=": "ne",
    "<": "lt",
    "<=": "lte",
    ">": "gt",
    ">=": "gte",
    **dict.fromkeys(("startswith", "starts_with", "begins_with"), "prefix"),
    "not_in": "nin",
    "notin": "nin",
    "neq": "ne",
    "le": "lte",
    "ge": "gte",
}
#: Stands for any value, as in mem0; `{"eq": "*"}` is the sign itself.
_ANYTHING = "*"
_ALTERNATIVES_MAX = 1000


def alternatives_of(where: Mapping[str, Json] | None) -> Alternatives:
    """Return `where` as lists of conditions: those of at least one list hold.

    Raises `InvalidInput` for what is no condition, and where there are more than 1,000 lists.
    """
    try:
        return _mapping(where or {}, negated=False)
    except RecursionError:
        raise InvalidInput("where is nested too deeply: flatten it") from None


def _mapping(where: Mapping[str, Json], *, negated: bool) -> Alternatives:
    clauses = [_clause(key, wanted, negated=negated) for key, wanted in where.items()]
    return _joined(clauses, all_hold=not negated)


def _clause(key: str, wanted: Json, *, negated: bool) -> Alternatives:
    name: object = key  # JSON has no other keys, but Python has
    word = name.removeprefix("$").upper() if isinstance(name, str) else ""
    if word in _JOINS:
        inner = negated != (word in {"NOT", "NOR"})
        each_alone = word in {"OR", "NOR"} and isinstance(wanted, Mapping)
        wanted = [{name: value} for name, value in wanted.items()] if each_alone else wanted
        mappings = [_mapping(each, negated=inner) for each in _mappings(key, wanted)]
        return _joined(mappings, all_hold=(word == "OR") == negated)
    if not isinstance(name, str) or name.startswith("$"):
        raise InvalidInput(f"where: {key!r} is not a valid name of metadata: {_advice()}")
    if not isinstance(wanted, Mapping):
        if isinstance(wanted, str) and wanted == _ANYTHING:
            return [[{"key": key, "comparison": "any", "values": [None], "negated": negated}]]
        return _comparison(key, "eq", wanted, negated=negated)
    return _comparisons(key, wanted, negated=negated)


def _mappings(key: str, wanted: Json) -> Sequence[Mapping[str, Json]]:
    each = [wanted] if isinstance(wanted, Mapping) else wanted
    is_list = isinstance(each, (list, tuple)) and all(
        isinstance(inner, Mapping) and inner for inner in each
    )
    if not is_list or not each:
        raise InvalidInput(f"where {key}: give conditions, such as {{{key!r}: [{{'key': 1}}]}}")
    return each


def _comparisons(key: str, wanted: Mapping[str, Json], *, negated: bool) -> Alternatives:
    if not wanted:
        raise InvalidInput(f"where {key}: {{}} is not a comparison: {_advice()}")
    clauses = []
    for name, value in wanted.items():
        word = str(name).removeprefix("$").lower()
        if word == "not":
            inner = value if isinstance(value, Mapping) else {"eq": value}
            clauses.append(_comparisons(key, inner, negated=not negated))
        else:
            clauses.append(_comparison(key, word, value, negated=negated, written=name))
    return _joined(clauses, all_hold=not negated)


def _comparison(
    key: str, name: str, value: Json, *, negated: bool, written: str = ""
) -> Alternatives:
    word = _OTHER_NAMES.get(name, name)
    if word not in COMPARISONS:
        inside = f"a value inside it is {key + '.' + str(written)!r}; of a value itself"
        raise InvalidInput(f"where {key}: {written!r} is not a comparison: {inside} {_advice()}")
    values = _values(key, word, value)
    negated = negated != (word in {"ne", "nin"})
    if word in {"ne", "in", "nin"}:
        word = "eq"
    return [[{"key": key, "comparison": word, "values": values, "negated": negated}]]


def _values(key: str, word: str, value: Json) -> list[Json]:
    """Return what a comparison is made with; `InvalidInput` for what it cannot be made with."""
    several = word in {"eq", "ne", "in", "nin"} and isinstance(value, (list, tuple))
    values = list(value) if several else [value]
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if word in {"in", "nin"} and not several:
        needed = "a list"
    elif word in _ORDERED and not (is_number or isinstance(value, str)):
        needed = "a number or text"
    elif word == "prefix" and not isinstance(value, str):
        needed = "text"
    elif word == "contains" and isinstance(value, (Mapping, list, tuple)):
        needed = "a number, text, true, false or null"
    else:
        try:
            json.dumps([key, values], allow_nan=False, ensure_ascii=False).encode()
        except (TypeError, ValueError) as error:
            raise InvalidInput(f"where {key}: {error}: give a value that JSON can hold") from None
        return values
    raise InvalidInput(f"where {key}: {word} is given {type(value).__name__}: give {needed}")


def _joined(clauses: Iterable[Alternatives], *, all_hold: bool) -> Alternatives:
    if not all_hold:
        return [conditions for clause in clauses for conditions in clause]
    combined: Alternatives = [[]]
    for clause in clauses:
        if len(combined) * len(clause) > _ALTERNATIVES_MAX:
            raise InvalidInput(
                f"where has over {_ALTERNATIVES_MAX} combinations: use lists of values"
            )
        combined = [[*first, *second] for first, second in itertools.product(combined, clause)]
    return combined


def _advice() -> str:
    return (
        f"use {', '.join(COMPARISONS)}, also with $, as {{'key': {{'gte': 3}}}}, '*' for any, "
        f"{', '.join(_JOINS[:3])} over lists of conditions"
    )
