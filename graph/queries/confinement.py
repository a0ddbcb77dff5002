"""Confines a statement to one partition of a shared Neo4j, by rewriting what it parsed.

Every node pattern gets the partition's label, wherever it stands: clauses, paths, subqueries,
comprehensions, predicates. A relationship of variable length, whose inner nodes are not written,
follows edges of the partition only, and nodes that a procedure finds are filtered. What this
parser does not know is refused: no statement runs with a pattern that was not seen.

A bracket is read by what may stand there: a pattern, a statement, or an expression, in which a
pattern shows by its connectors (`--`, `-[..]->`, `<-[..]-`).
"""

from __future__ import annotations

from collections.abc import Callable

from ...core.errors import Refused
from ..schema import EDGE_PROPERTIES, EDGES, HIDDEN, LABELS, MEMORY, Partition
from .query_guard import DEPTH_MAX, NAMES, Token, dotted, is_named, tokens

#: The parameter that holds the partition's id.
PARAMETER = "meridia_partition"
#: Procedures that give nodes as `node`; those that list names were replaced: `catalogue`.
_FINDERS = frozenset({"db.index.fulltext.queryNodes", "db.index.vector.queryNodes"})
_PROPERTIES = frozenset(
    {"id", *HIDDEN, *EDGE_PROPERTIES, *(p for label in LABELS.values() for p in label.properties)}
)
#: Clauses that are an expression up to the next one.
_EXPRESSIONS = frozenset(
    ["WITH", "RETURN", "UNWIND", "WHERE", "ORDER", "SKIP", "LIMIT", "OFFSET", "FINISH"]
)
#: Clauses that have patterns or statements in them.
_STRUCTURES = frozenset(["MATCH", "OPTIONAL", "CALL", "UNION"])
_SELECTORS = frozenset(["ANY", "ALL", "SHORTEST", "PATH", "PATHS", "GROUP", "GROUPS"])
_SHORTEST = frozenset(["SHORTESTPATH", "ALLSHORTESTPATHS"])
_SUBQUERIES = frozenset(["EXISTS", "COUNT", "COLLECT"])
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_END = Token("end", "", -1)


def confined(statement: str, partition: Partition) -> str:
    """Return `statement`, which the guard admitted, so that it sees nodes of `partition` only.

    Raises `Refused` for what cannot be confined.
    """
    parser = _Parser(statement, partition.label)
    parser.statement("")
    parser.join_labels()
    for place, text in sorted(parser.insertions, key=lambda item: item[0], reverse=True):
        statement = statement[:place] + text + statement[place:]
    return statement


def unknown_names(statement: str) -> list[str]:
    """Return the labels, types and properties of a confinable statement that are none of ours.

    An engine that others share says only what nobody has: that would tell what others have.
    """
    parser = _Parser(statement, "")
    parser.statement("")
    names = [name for name in parser.labels if name not in {*LABELS, *EDGES, MEMORY}]
    read = list(tokens(statement))
    for variable, dot, token, behind in zip(
        read, read[1:], read[2:], [*read[3:], _END], strict=False
    ):
        of_ours = variable.kind in NAMES and dot.text == "." and token.kind in NAMES
        if of_ours and variable.name in parser.variables and behind.text not in {"(", "."}:
            names += [token.name] if token.name not in _PROPERTIES else []
    return sorted(set(names))


class _Parser:
    """Reads a statement once, from left to right, and notes what to insert where."""

    def __init__(self, statement: str, label: str) -> None:
        self._tokens = list(tokens(statement))
        self._label = label
        #: Where labels of the clause end that get one more, and whether any is joined as `:A:B`.
        self._ends: list[int] = []
        self._has_colons = False
        self._place = 0
        self._depth = 0
        #: Labels and types in patterns, and the variables of nodes and relationships.
        self.labels: list[str] = []
        self.variables: set[str] = set()
        #: Names of the shortest paths in the MATCH that is being read.
        self._shortest: list[str] = []
        self.insertions: list[tuple[int, str]] = []
        for token in self._tokens:
            if token.kind == "mark" and not token.text.isascii():
                raise _refusal(f"{token.text!r}: write brackets, dashes and arrows in ASCII")

    # Tokens

    def _at(self, ahead: int = 0) -> Token:
        place = self._place + ahead
        return self._tokens[place] if 0 <= place < len(self._tokens) else _END

    def _next(self) -> Token:
        token = self._at()
        self._place += 1
        return token

    def _take(self, text: str) -> Token:
        if self._at().text != text:
            raise _refusal(f"{self._at().text or 'its end'!r} where {text!r} was expected")
        return self._next()

    def _insert(self, place: int, text: str) -> None:
        self.insertions.append((place, text))

    def _nested(self, read: Callable[[], None]) -> None:
        self._depth += 1
        if self._depth > DEPTH_MAX:
            raise _refusal(f"brackets more than {DEPTH_MAX} deep")
        read()
        self._depth -= 1

    # Statements and clauses

    def statement(self, closing: str) -> None:
        """Read clauses up to a closing bracket, or the end."""
        while self._at().text != closing:
            word = self._next().keyword
            if word == "MATCH":
                if not closing:  # what is inside a clause counts as its own
                    self.join_labels()
                self._patterns()
            elif word == "OPTIONAL" and self._at().keyword in {"MATCH", "CALL"}:
                continue
            elif word == "CALL":
                self._call()
            elif word == "UNION":
                if self._at().keyword in {"ALL", "DISTINCT"}:
                    self._next()
            elif word in _EXPRESSIONS:
                self._expression(closing, clauses=True)
            else:
                raise _refusal(f"{self._at(-1).text or 'its end'!r} where a clause was expected")

    def _call(self) -> None:
        if self._at().text in {"(", "{"}:
            if self._at().text == "(":
                self._bracket()
            self._take("{")
            self._nested(lambda: self.statement("}"))
            self._take("}")
            return
        if self._at().kind not in NAMES:
            raise _refusal(f"{self._at().text or 'its end'!r} behind CALL")
        name, self._place = dotted(self._tokens, self._place)
        if name not in _FINDERS:
            raise _refusal(f"procedure {name}, which shows more than one space")
        if self._at().text == "(":
            self._bracket()
        if self._at().keyword == "YIELD":
            self._next()
            node_name = self._yielded()
            if not node_name:
                raise _refusal("a procedure that finds nodes, without YIELD node")
            self._narrow(f"{node_name}:{self._label}")
        else:
            raise _refusal(f"procedure {name} without YIELD node")

    def _yielded(self) -> str:
        """Read what is yielded; return the name that `node` has from here on, or nothing."""
        node = ""
        while self._at().kind in NAMES:
            field = shown = self._next()
            if self._at().keyword == "AS":
                self._next()
                shown = self._next()
            if field.name == "node":
                node = shown.text
            if self._at().text != ",":
                break
            self._next()
        return node

    def _narrow(self, condition: str) -> None:
        """Add a condition to the WHERE that stands here, or write one."""
        if self._at().keyword != "WHERE":
            last = self._at(-1)
            self._insert(last.start + len(last.text), f" WHERE {condition}")
            return
        where = self._next()
        self._insert(where.start + len(where.text), f" {condition} AND (")
        self._expression("", clauses=True, only=True)
        last = self._at(-1)
        self._insert(last.start + len(last.text), ")")

    # Patterns

    def _patterns(self) -> None:
        """Read patterns, separated by commas."""
        outer, self._shortest = self._shortest, []
        self._path()
        while self._at().text == ",":
            self._next()
            self._path()
        if self._shortest:
            inside = (
                f"all(meridia_node IN nodes({p}) WHERE meridia_node:{self._label})"
                for p in self._shortest
            )
            self._narrow(" AND ".join(inside))
        self._shortest = outer

    def join_labels(self) -> None:
        """Add the label to others: engines refuse `:A:B` beside other signs in a clause."""
        joint = ":" if self._has_colons else "&"
        for end in self._ends:
            self._insert(end, f"{joint}{self._label}")
        self._ends, self._has_colons = [], False

    def _path(self) -> None:
        """Read one path with its name, its selector and its function, if it has any."""
        name = ""
        if self._at().kind in NAMES and self._at(1).text == "=":
            name = self._next().text
            self._next()
        while self._at().keyword in _SELECTORS or self._at().kind == "number":
            self._next()
        if self._at().keyword in _SHORTEST:
            # It takes no property map: the nodes on the way are looked at instead.
            if not name:
                name = f"meridia_path_{self._place}"
                self._insert(self._at().start, f"{name} = ")
            self._shortest.append(name)
            self._next()
            self._take("(")
            self._nested(lambda: self._elements(shortest=True))
            self._take(")")
        else:
            self._elements()

    def _elements(self, *, shortest: bool = False) -> None:
        """Read nodes and what connects them; `shortest` is narrowed by a condition instead."""
        if self._at().text != "(":
            raise _refusal(f"{self._at().text or 'its end'!r} where a pattern was expected")
        while self._at().text == "(":
            named = self._at(1).kind in NAMES and self._at(2).text == "="
            if self._at(1).text == "(" or named:
                self._next()
                self._nested(self._path)
                if self._at().keyword == "WHERE":
                    self._next()
                    self._expression(")")
                self._take(")")
                self._quantifier()
            else:
                self._node()
            if self._connector_end() is not None:
                self._connector(narrow=not shortest)

    def _node(self) -> None:
        """Read a node and give it the label."""
        place = self._take("(").start + 1
        if self._at().kind in NAMES and not self._starts_condition():
            name = self._next()
            self.variables.add(name.name)
            place = name.start + len(name.text)
        if self._at().text == ":" or self._at().keyword == "IS":
            self._labels()
        else:
            self._insert(place, f":{self._label}")
        if self._at().text == "{":
            self._bracket()
        if self._at().keyword == "WHERE":
            self._next()
            self._expression(")")
        self._take(")")

    def _starts_condition(self) -> bool:
        """Return whether IS or WHERE begins a condition here, and is no variable of that name."""
        return self._at().keyword in {"IS", "WHERE"} and self._at(1).text not in {")", ":", "{"}

    def _labels(self) -> None:
        """Read a label expression and narrow it."""
        sign = self._next()
        start, place = sign.start + len(sign.text), self._place
        self._label_expression()
        read = self._tokens[place : self._place]
        end = read[-1].start + len(read[-1].text)
        if all(token.kind in NAMES or token.text == ":" for token in read):
            self._ends.append(end)
            self._has_colons |= len(read) > 1
            if sign.keyword and len(read) > 1:
                raise _refusal("IS with more than one label: write them with :")
        elif any(token.text == ":" for token in read):
            raise _refusal("a label expression with : and other signs: use & for :")
        else:
            self._insert(start, " (")
            self._insert(end, f")&{self._label}")

    def _label_expression(self) -> None:
        """Read labels or types with their signs: after a whole one, only a sign goes on."""
        opened, whole = 0, False
        while True:
            token = self._at()
            if whole and token.text in {":", "|", "&"}:
                whole = False
            elif not whole and token.text == "(":
                opened += 1
            elif whole and token.text == ")" and opened:
                opened -= 1
            elif not whole and (token.kind in NAMES or token.text == "%"):
                whole = True
                self.labels += [token.name] if token.kind in NAMES else []
            elif whole or token.text not in {"!", ":"}:
                break
            self._next()
        if opened or not whole:
            raise _refusal(f"{token.text or 'its end'!r} where a label was expected")

    def _connector_end(self) -> int | None:
        """Return where the connector that stands here ends, None where none does."""
        start = self._place
        place = start + (self._tokens[start].text == "<") if start < len(self._tokens) else start
        if self._text(place) != "-":
            return None
        place += 1
        if self._text(place) == "[":
            place = self._behind_bracket(place)
        if self._text(place) != "-":
            return None
        place += 1
        return place + (self._text(place) == ">")

    def _text(self, place: int) -> str:
        return self._tokens[place].text if place < len(self._tokens) else ""

    def _behind_bracket(self, place: int) -> int:
        """Return the place behind the bracket that opens at `place`."""
        open_: list[str] = []
        while place < len(self._tokens):
            text = self._tokens[place].text
            if text in _CLOSING:
                open_.append(_CLOSING[text])
            elif open_ and text == open_[-1]:
                open_.pop()
                if not open_:
                    return place + 1
            elif text in {")", "]", "}"}:
                break
            place += 1
        raise _refusal("a bracket that is not closed")

    def _connector(self, *, narrow: bool) -> None:
        """Read a relationship; one of many steps keeps to the partition's own."""
        if self._at().text == "<":
            self._next()
        dash = self._take("-")
        own = f"{{partition: ${PARAMETER}}}"
        place, text, steps = dash.start + 1, f"[{own}]", False
        if self._at().text == "[":
            place, text, steps = self._detail()
        self._take("-")
        if self._at().text == ">":
            self._next()
        steps = self._quantifier() or steps
        if steps and narrow:
            self._insert(place, text)
        if self._at().text != "(":
            raise _refusal(f"{self._at().text or 'its end'!r} where a node was expected")

    def _detail(self) -> tuple[int, str, bool]:
        """Read what stands in a relationship's brackets.

        Return where its property map would be narrowed, by what, and whether it has many steps.
        """
        self._take("[")
        if self._at().kind in NAMES and not self._starts_condition():
            self.variables.add(self._next().name)
        if self._at().text == ":" or self._at().keyword == "IS":
            self._next()
            self._label_expression()
        steps = self._at().text == "*"
        while self._at().text in {"*", ".."} or self._at().kind == "number":
            self._next()
        own = f"partition: ${PARAMETER}"
        place, text = self._at().start, f" {{{own}}} "
        if self._at().text == "{":
            place, text = place + 1, own if self._at(1).text == "}" else f"{own}, "
            self._bracket()
        if self._at().keyword == "WHERE":
            self._next()
            self._expression("]")
        self._take("]")
        return place, text, steps

    def _quantifier(self) -> bool:
        """Read how often what stands before is repeated; return whether anything says so."""
        if self._at().text in {"+", "*"}:
            self._next()
            return True
        if self._at().text == "{":
            self._bracket()
            return True
        return False

    # Expressions

    def _expression(self, closing: str, *, clauses: bool = False, only: bool = False) -> None:
        """Read up to `closing`, or with `clauses` also up to a clause with a structure.

        `only` stops at any clause.
        """
        while (token := self._at()).text != closing:
            named = is_named(self._at(-1))
            if clauses and not named and token.keyword in _STRUCTURES:
                return
            prefix = self._at(-1).keyword in {"STARTS", "ENDS"}
            if only and not named and not prefix and token.keyword in _EXPRESSIONS:
                return
            if token is _END:
                if only:
                    return
                raise _refusal("a bracket that is not closed")
            if token.text == "}" and only:
                return
            if token.text in {")", "]", "}"}:
                raise _refusal(f"{token.text!r} where none is open")
            if token.text == "(":
                self._round_bracket()
            elif token.text in _CLOSING:
                self._bracket()
            else:
                self._next()

    def _round_bracket(self) -> None:
        """Read a pattern, where connectors say that it is one, or an expression in brackets."""
        if self._at(-1).keyword in _SHORTEST:
            raise _refusal("a shortest path outside of a MATCH")
        if self._at(-1).text == ")":
            raise _refusal("')(' outside of a MATCH")
        here = self._place
        self._place = self._behind_bracket(here)
        end = self._connector_end()
        is_pattern = end is not None and self._text(self._behind_quantifier(end)) == "("
        arrow = (self._at().text, self._at(1).text) == ("-", ">")
        self._place = here
        if arrow:
            raise _refusal("'->' without a second dash")
        if is_pattern:
            self._nested(self._elements)
        else:
            self._bracket()

    def _behind_quantifier(self, place: int) -> int:
        if self._text(place) in {"+", "*"}:
            return place + 1
        return self._behind_bracket(place) if self._text(place) == "{" else place

    def _bracket(self) -> None:
        """Read an expression in brackets, a map, or a subquery."""
        before, opening = self._at(-1), self._next()
        closing = _CLOSING[opening.text]
        if opening.text == "{":
            subquery = before.keyword in _SUBQUERIES and self._at(-3).text not in {".", "$"}
            if subquery:
                self._nested(self._subquery)
                self._take("}")
                return
            self._check_map()
        self._nested(lambda: self._expression(closing))
        self._take(closing)

    def _check_map(self) -> None:
        """Refuse a bracket that holds neither a map nor a quantifier: it may hold a statement."""
        first, second = self._at(), self._at(1)
        key = first.kind in {*NAMES, "text"} and second.text in {":", ",", "}"}
        if not key and first.kind != "number" and first.text not in {"}", ".", ","}:
            raise _refusal(f"{first.text or 'its end'!r} behind '{{'")

    def _subquery(self) -> None:
        """Read a statement, or patterns with a condition."""
        if self._at().keyword in _STRUCTURES | _EXPRESSIONS and self._at(1).text != "=":
            self.statement("}")
            return
        self._patterns()
        if self._at().keyword == "WHERE":
            self._next()
            self._expression("}")


def _refusal(what: str) -> Refused:
    return Refused(
        f"the statement cannot be confined to its space ({what}): rewrite it, use a named "
        "query, or --all-spaces if you may see every space"
    )
