"""What every engine adds to nodes for itself is not shown to whoever writes a statement.

Neo4j has labels and properties that tell partitions apart; the embedded engine answers a few names
of its own on every node. `labels()` and `keys()` leave them out, and what a node does not have is
null, the same on both engines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..partition import HIDDEN, OWN_LABEL, SPACE_PREFIX
from .query_guard import NAMES, Token, is_named, tokens

#: What the embedded engine gives every node and edge.
OF_THE_ENGINE = ("title", "type", "label", "node_type")
_LABELS = f" WHERE meridia_name <> '{OWN_LABEL}' AND NOT meridia_name STARTS WITH '{SPACE_PREFIX}']"
_KEYS = f" WHERE NOT meridia_name IN {sorted({*HIDDEN, *OF_THE_ENGINE})}]"
#: No node has a property of this name.
_MISSING = "meridia_missing_"
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")


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
        elif token.keyword == "KEYS" and of_variable:
            places += [(token.start, "[meridia_name IN "), (behind.start + 1, _KEYS)]
    return _inserted(statement, places)


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
        depth += (token.text in _OPENING) - (token.text in _CLOSING)
        if depth == 0:
            return token.start + len(token.text)
    return 0


def _inserted(statement: str, places: Sequence[tuple[int, str]]) -> str:
    for place, text in sorted(places, reverse=True):
        statement = statement[:place] + text + statement[place:]
    return statement
