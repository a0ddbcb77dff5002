"""What is changed in a user's statement before it runs, so that it sees the graph and nothing else.

Engines add labels and properties of their own, and procedures that list labels, types and
properties name what belongs to other spaces. `labels()`, `keys()` and maps of all properties leave
the former out, and
calls of those procedures become subqueries over rows of the space itself. The columns of the answer
are named as the author wrote them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from ...core.errors import InvalidInput
from ..schema import (
    BOOKKEEPING,
    EDGE_PROPERTIES,
    HIDDEN,
    OWN_LABEL,
    SPACE_PREFIX,
    cypher,
    public_labels,
)
from .query_guard import CLOSING, NAMES, OPENING, Token, dotted, is_named, tokens

#: What the embedded engine gives every node and edge.
OF_THE_ENGINE = ("title", "type", "label", "node_type")
#: By these, what `properties(x)` and `x {.*}` return is known: of a node and an edge of Neo4j, and
#: of the embedded engine.
_MADE_OF = (
    *({"space", "node_key"}, {"space", "partition"}),
    *({"space", "title", "type"}, {*EDGE_PROPERTIES, "type"}),
)
_LABELS = f" WHERE meridia_name <> '{OWN_LABEL}' AND NOT meridia_name STARTS WITH '{SPACE_PREFIX}']"
_KEYS = f" WHERE NOT meridia_name IN {sorted({*HIDDEN, *OF_THE_ENGINE})}]"
#: No node has a property of this name.
_MISSING = "meridia_missing_"


def without_own_names(statement: str) -> str:
    """Return a statement in which `labels()` and `keys()` leave out what is not the graph's."""
    parts = list(tokens(statement))
    bound = set(_bound(parts))
    places: list[tuple[int, str]] = []
    for place, token in enumerate(parts[:-3]):
        opening, first, behind = parts[place + 1 : place + 4]
        if opening.text != "(" or (place and is_named(parts[place - 1])):
            continue
        of_variable = first.name in bound and behind.text == ")"
        if token.keyword == "LABELS" and (end := _end(parts, place + 1)):
            places += [(token.start, "[meridia_name IN "), (end, _LABELS)]
        elif token.keyword == "KEYS" and (of_variable or first.keyword == "PROPERTIES"):
            places += [(token.start, "[meridia_name IN "), (_end(parts, place + 1), _KEYS)]
    return _inserted(statement, places)


def public_map(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a map of an answer; of a node's or edge's properties, those that the graph has."""
    if not any(names <= fields.keys() for names in _MADE_OF):
        return fields
    return {k: v for k, v in fields.items() if k not in HIDDEN and k not in OF_THE_ENGINE}


def without_engine_properties(statement: str) -> str:
    """Return a statement that reads none of the properties that the embedded engine makes up."""
    parts = list(tokens(statement))
    bound = set(_bound(parts))
    read = zip(parts, parts[1:], parts[2:], strict=False)
    return _inserted(
        statement,
        [
            (token.start, _MISSING)
            for variable, dot, token in read
            if dot.text == "." and token.text in OF_THE_ENGINE and variable.name in bound
        ],
    )


def _bound(parts: Sequence[Token]) -> Iterator[str]:
    """Yield the variables of nodes and edges: those that open a bracket of a pattern."""
    for before, opening, variable, behind in zip(
        [Token("start", "", 0), *parts], parts, parts[1:], parts[2:], strict=False
    ):
        is_pattern = (opening.text == "(" and before.kind not in NAMES) or opening.text == "["
        is_pattern = is_pattern or before.keyword in {"MATCH", "WHERE", "EXISTS"}
        if is_pattern and variable.kind in NAMES and behind.text in {")", "]", ":", "{", "*"}:
            yield variable.name


def _end(parts: Sequence[Token], place: int) -> int:
    """Return where the bracket that opens at a token ends in the text, 0 where it does not."""
    depth = 0
    for token in parts[place:]:
        depth += (token.text in OPENING) - (token.text in CLOSING)
        if depth == 0:
            return token.start + len(token.text)
    return 0


def _inserted(statement: str, places: Sequence[tuple[int, str]]) -> str:
    for place, text in sorted(places, reverse=True):
        statement = statement[:place] + text + statement[place:]
    return statement


_BEHIND = frozenset({"ORDER", "SKIP", "LIMIT", "OFFSET", "UNION"})


def as_written(statement: str, columns: Sequence[str]) -> list[str]:
    """Return an answer's columns as `statement` heads them; unchanged where that is not clear."""
    items = _returned(list(tokens(statement)))
    if items and [token.text for token in items[0]] == ["*"]:
        items = items[1:]
    elif len(items) != len(columns):
        return list(columns)
    if len(items) > len(columns) or not all(items):
        return list(columns)
    first = len(columns) - len(items)
    named = [
        _name(statement, item) or column
        for item, column in zip(items, columns[first:], strict=True)
    ]
    return [*columns[:first], *named]


def _returned(parts: Sequence[Token]) -> list[list[Token]]:
    """Return the tokens of each item behind the last RETURN that stands in no bracket."""
    items: list[list[Token]] = []
    depth, reading = 0, False
    for before, token in pairwise([Token("start", "", 0), *parts]):
        depth -= token.text in CLOSING
        word = "" if depth or is_named(before) else token.keyword
        if word == "RETURN":
            items, reading = [[]], True
        elif word in _BEHIND:
            reading = False
        elif reading and depth == 0 and token.text == ",":
            items.append([])
        elif reading and not (word == "DISTINCT" and items == [[]]):
            items[-1].append(token)
        depth += token.text in OPENING
    return items


def _name(statement: str, item: Sequence[Token]) -> str:
    """Return how an item without AS is written; nothing where it has its own name."""
    if len(item) > 2 and item[-2].keyword == "AS" and item[-1].kind in NAMES:
        return ""
    return statement[item[0].start : item[-1].start + len(item[-1].text)]


#: The columns of each procedure.
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "db.labels": ("label",),
    "db.propertyKeys": ("propertyKey",),
    "db.relationshipTypes": ("relationshipType",),
    "db.schema.nodeTypeProperties": (
        *("nodeType", "nodeLabels", "propertyName", "propertyTypes", "mandatory"),
    ),
    "db.schema.relTypeProperties": ("relType", "propertyName", "propertyTypes", "mandatory"),
}
#: Those that tell of nodes alone, and of edges alone.
_OF_NODES = frozenset({"db.labels", "db.schema.nodeTypeProperties"})
_OF_EDGES = frozenset({"db.relationshipTypes", "db.schema.relTypeProperties"})
_TYPES = {
    "str": "String",
    "bool": "Boolean",
    "int": "Long",
    "float": "Double",
    "datetime": "DateTime",
}
#: What a statement ends with that says itself what it gives.
_ENDS = frozenset({"RETURN", "FINISH"})
_END = Token("end", "", -1)
Row = dict[str, Any]
Ask = Callable[[str, Mapping[str, Any]], list[Row]]


def answered(statement: str) -> tuple[str, frozenset[str]]:
    """Return the statement with its calls of catalogue procedures replaced, and their names.

    Raises `InvalidInput` for a call that no engine would take.
    """
    parts = list(tokens(statement))
    calls = list(_calls(parts))
    for _, start, end, text, _ in reversed(calls):
        stop = parts[end - 1].start + len(parts[end - 1].text)
        statement = statement[: parts[start].start] + text + statement[stop:]
    if calls and calls[0][1] == 0 and not any(t.keyword in _ENDS for t in parts[calls[0][2] :]):
        statement += f" RETURN {', '.join(calls[0][4])}"
    return statement, frozenset(name for name, *_ in calls)


def parameters(called: Iterable[str], fill: Callable[[str], str], ask: Ask) -> dict[str, list[Row]]:
    """Return the rows of the procedures that were `called`, by the parameter that holds them.

    `fill` completes a statement of ours for its partition, `ask` runs it and gives raw values.
    """
    called = frozenset(called)
    hidden = {"hidden": [*HIDDEN, *OF_THE_ENGINE]}
    nodes: list[Row] = []
    edges: list[Row] = []
    if called - _OF_EDGES:
        nodes = [
            {**row, "labels": sorted(public_labels(row["labels"]))}
            for row in ask(fill(cypher("read/catalogue_of_nodes")), hidden)
            if BOOKKEEPING not in row["labels"]
        ]
    if called - _OF_NODES:
        edges = ask(fill(cypher("read/catalogue_of_edges")), hidden)
    return {_parameter(name): list(_rows(name, nodes, edges)) for name in called}


def _rows(name: str, nodes: Sequence[Row], edges: Sequence[Row]) -> Iterator[Row]:
    columns = COLUMNS[name]
    if name == "db.schema.nodeTypeProperties":
        types = [(row, [_typed(row["labels"]), row["labels"]]) for row in nodes]
        values: Iterable[Sequence[Any]] = _properties(types)
    elif name == "db.schema.relTypeProperties":
        values = _properties([(row, [_typed([row["type"]])]) for row in edges])
    else:
        names = {
            "db.labels": {label for row in nodes for label in row["labels"]},
            "db.relationshipTypes": {row["type"] for row in edges},
            "db.propertyKeys": {row["property"] for row in [*nodes, *edges]} - {""},
        }
        values = [[listed] for listed in sorted(names[name])]
    for row in values:
        yield dict(zip(columns, row, strict=True))


def _properties(rows: Sequence[tuple[Row, list[Any]]]) -> Iterator[list[Any]]:
    """Yield each property of each type: its name, the types of its values, whether all have it."""
    totals = {shown[0]: row["times"] for row, shown in rows if not row["property"]}
    having = {shown[0] for row, shown in rows if row["property"]}
    for row, shown in sorted(rows, key=lambda item: (item[1][0], item[0]["property"])):
        if row["property"]:
            always = row["times"] == totals[shown[0]]
            yield [*shown, row["property"], [_type(row["example"])], always]
        elif shown[0] not in having:
            yield [*shown, None, None, False]


def _typed(names: Sequence[str]) -> str:
    return "".join(f":`{name}`" for name in names)


def _type(value: Any) -> str:
    if isinstance(value, list):
        return f"{_type(value[0] if value else '')}Array"
    return _TYPES.get(type(value).__name__, type(value).__name__)


def _calls(parts: Sequence[Token]) -> Iterator[tuple[str, int, int, str, list[str]]]:
    """Yield each call: procedure, the tokens it covers, the text in its place, what it gives."""
    place, before = 0, _END
    while place < len(parts):
        token = parts[place]
        following = _at(parts, place + 1)
        if token.keyword == "CALL" and not is_named(before) and following.kind in NAMES:
            name, end = dotted(parts, place + 1)
            if name in COLUMNS:
                columns, end = _given(name, parts, end, alone=place == 0)
                text = _subquery(name, columns)
                text += " WITH *" if _at(parts, end).keyword == "WHERE" else ""
                yield name, place, end, text, list(columns.values())
            place = end
        else:
            place += 1
        before = parts[place - 1]


def _given(
    name: str, parts: Sequence[Token], place: int, *, alone: bool
) -> tuple[dict[str, str], int]:
    """Read a call from its brackets on: each column and the name it gets, and where it ends."""
    if _at(parts, place).text == "(":
        if _at(parts, place + 1).text != ")":
            raise InvalidInput(f"statement: {name}() takes no arguments")
        place += 2
    elif not alone or place < len(parts):
        raise InvalidInput(f"statement: write brackets after the procedure: {name}()")
    if _at(parts, place).keyword == "YIELD":
        return _yielded(name, parts, place + 1, alone=alone)
    if not alone or place < len(parts):
        every = ", ".join(COLUMNS[name])
        raise InvalidInput(f"statement: inside a query, name what {name}() yields: YIELD {every}")
    return {column: column for column in COLUMNS[name]}, place


def _subquery(name: str, columns: Mapping[str, str]) -> str:
    returned = ", ".join(f"meridia_row.{column} AS {shown}" for column, shown in columns.items())
    return f"CALL () {{ UNWIND ${_parameter(name)} AS meridia_row RETURN {returned} }}"


def _yielded(
    name: str, parts: Sequence[Token], place: int, *, alone: bool
) -> tuple[dict[str, str], int]:
    """Read what is yielded: each column and the name it gets, and where that ends."""
    if _at(parts, place).text == "*" and alone and place + 1 == len(parts):
        return {column: column for column in COLUMNS[name]}, place + 1
    columns: dict[str, str] = {}
    while True:
        field = shown = _at(parts, place)
        if field.name not in COLUMNS[name]:
            every = ", ".join(COLUMNS[name])
            raise InvalidInput(f"statement: {name}() yields {every}, not {field.text!r}")
        if _at(parts, place + 1).keyword == "AS":
            place += 2
            shown = _at(parts, place)
        columns[field.name] = shown.text
        if _at(parts, place + 1).text != ",":
            return columns, place + 1
        place += 2


def _at(parts: Sequence[Token], place: int) -> Token:
    return parts[place] if place < len(parts) else _END


def _parameter(name: str) -> str:
    return f"meridia_{name.replace('.', '_')}"
