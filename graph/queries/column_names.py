"""Names the columns of an answer by what the author of the statement wrote.

An engine heads an expression without AS with the text that it was sent, and what confines a
statement to its space, or answers a procedure, stands in that text.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from .query_guard import NAMES, Token, is_named, tokens

_BEHIND = frozenset({"ORDER", "SKIP", "LIMIT", "OFFSET", "UNION"})
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")


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
        depth -= token.text in _CLOSING
        word = "" if depth or is_named(before) else token.keyword
        if word == "RETURN":
            items, reading = [[]], True
        elif word in _BEHIND:
            reading = False
        elif reading and depth == 0 and token.text == ",":
            items.append([])
        elif reading and not (word == "DISTINCT" and items == [[]]):
            items[-1].append(token)
        depth += token.text in _OPENING
    return items


def _name(statement: str, item: Sequence[Token]) -> str:
    """Return how an item without AS is written; nothing where it has its own name."""
    if len(item) > 2 and item[-2].keyword == "AS" and item[-1].kind in NAMES:
        return ""
    return statement[item[0].start : item[-1].start + len(item[-1].text)]
