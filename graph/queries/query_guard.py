"""What makes a user's statement harmless, on both engines: it is judged before it runs.

First by its words: one statement, no prefix that changes database or settings, no file or network
access, no procedure or function that is not known to be harmless. Then by the engine's own plan:
only reading operators. Neither is enough alone: a read transaction still reads files, a plan hides
what stands inside an expression, and words cannot tell every write. What is not listed is refused,
also what a later version of an engine brings. Answers become the same JSON values on every engine.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from itertools import pairwise
from pathlib import Path
from typing import Any

from ...core.errors import InvalidInput, Refused
from ...core.text import check_text
from ...core.time import to_text
from ...core.types import Json

_LISTS = tomllib.loads((Path(__file__).parent / "data" / "allowed.toml").read_text("utf-8"))
#: What a statement may call and hold, and what may not start it: the file says what each list is.
PROCEDURES, NAMESPACES, REFUSED_STARTS, NEO4J_OPERATORS, KGLITE_OPERATIONS = (
    frozenset(_LISTS[name].split())
    for name in (
        *("procedures", "namespaces", "refused_starts", "neo4j_operators"),
        "kglite_operations",
    )
)

_TOKEN = re.compile(
    r"""
      (?P<comment> //[^\n\r]* | /\*.*?\*/ )
    | (?P<text> '(?:\\.|[^'\\])*' | "(?:\\.|[^"\\])*" )
    | (?P<quoted> `(?:[^`]|``)*` )
    | (?P<word> [^\W\d]\w* )
    | (?P<number> \d\w*(?:\.\d\w*)? )
    | (?P<mark> \.\. | \S )
    """,
    re.VERBOSE | re.DOTALL,
)
#: The kinds of tokens that may be a name.
NAMES = ("word", "quoted")
OPENING, CLOSING = frozenset("([{"), frozenset(")]}")
#: How large a statement may be: more of any of these has ended an engine, or kept it planning.
_CHARS_MAX = 50_000
DEPTH_MAX = 50
_UNIONS_MAX, _CALLS_MAX, _CASES_MAX = 50, 50, 100


@dataclass(frozen=True, slots=True)
class CheckedStatement:
    """A statement that passed by its words: without comments, and without its EXPLAIN.

    `parameters` are the names that it gives values to with $.
    """

    text: str
    explain: bool
    parameters: frozenset[str]


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a statement: its kind, its text and where it starts."""

    kind: str
    text: str
    start: int

    @property
    def keyword(self) -> str:
        """The word in capitals; empty for a token that is not a word."""
        return self.text.upper() if self.kind == "word" else ""

    @property
    def name(self) -> str:
        """The name without its backticks."""
        return self.text[1:-1].replace("``", "`") if self.kind == "quoted" else self.text


def check_statement(statement: str) -> CheckedStatement:
    """Judge a statement by its words; raise `Refused` or `InvalidInput`, naming what is wrong.

    Comments are taken out, so that the engine sees exactly the text that was judged.
    """
    check_text("statement", statement)
    if len(statement) > _CHARS_MAX:
        raise Refused(
            f"the statement has {len(statement):,} characters; the limit is {_CHARS_MAX:,}: "
            "pass long values as parameters"
        )
    text = _TOKEN.sub(_blank_comment, statement)
    if "\\u" in text or "\\U" in text:
        # Neo4j may read an escaped quote as the end of a text: what follows would not be judged.
        raise Refused(
            "Unicode escapes (\\u...) are not allowed in a statement: write the character itself, "
            "or pass it as a parameter"
        )
    parts = list(tokens(text))
    if parts and parts[-1].text == ";":
        parts.pop()
    if not parts:
        raise InvalidInput("the statement is empty: give one")
    explain = parts[0].keyword == "EXPLAIN"
    if explain:
        text = text[parts.pop(0).start + len("EXPLAIN") :]
    if not parts:
        raise InvalidInput("the statement after EXPLAIN is missing: add one")
    _check_size(parts)
    _check_words(parts)
    if parts[0].keyword in REFUSED_STARTS:
        raise _not_read_only(parts[0].keyword)
    _check_names(parts)
    used = frozenset(
        token.name
        for dollar, token in pairwise(parts)
        if dollar.text == "$" and token.kind in NAMES
    )
    return CheckedStatement(text.strip().removesuffix(";").rstrip(), explain, used)


def check_neo4j_plan(query_type: str | None, plan: Mapping[str, Any]) -> None:
    """Raise `Refused` for a plan of Neo4j that does more than read, naming the operator."""
    for operator in _operators(plan):
        name, _, database = str(operator["operatorType"]).partition("@")
        name = name.partition("(")[0]
        if name not in NEO4J_OPERATORS or database == "system":
            raise _not_read_only(name)
        if name == "ProcedureCall":
            called = str(operator.get("args", {}).get("Details", "")).partition("(")[0].strip()
            _check_procedure(called.replace("`", ""))
    if query_type != "r":
        raise _not_read_only(f"a statement of type {query_type!r}")


def check_kglite_operations(operations: Sequence[str]) -> None:
    """Raise `Refused` for a plan of kglite that does more than read, naming the operation."""
    for operation in operations:
        name = operation.partition(" ")[0]
        if name not in KGLITE_OPERATIONS:
            raise _not_read_only(name)


def timeout_refusal(timeout_s: float) -> Refused:
    """Return the refusal of a statement that ran into its time limit."""
    return Refused(f"the statement took longer than {timeout_s:g} s: narrow it or raise --timeout")


def memory_refusal(memory_mb: int) -> Refused:
    """Return the refusal of a statement that used more memory than it may."""
    return Refused(
        f"the statement used more than {memory_mb:,} MB: narrow it or raise graph.query_memory_mb"
    )


def plan_steps(plan: Mapping[str, Any]) -> list[tuple[int, str, float | None]]:
    """Return a Neo4j plan as rows of step, operation and estimated rows, the first step first."""
    rows = [
        (str(o["operatorType"]).partition("@")[0], o.get("args", {}).get("EstimatedRows"))
        for o in _operators(plan)
    ]
    return [(step, name, rows_) for step, (name, rows_) in enumerate(reversed(rows), 1)]


def tokens(text: str) -> Iterator[Token]:
    """Cut a statement into its tokens, comments included."""
    for match in _TOKEN.finditer(text):
        token = Token(match.lastgroup or "", match.group(), match.start())
        if token.text in {"'", '"', "`"}:
            raise InvalidInput(f"a text or name that starts with {token.text} is not closed")
        yield token


def _blank_comment(match: re.Match[str]) -> str:
    if match.lastgroup != "comment":
        return match.group()
    # Line breaks stay, so that the engine's messages name the right line.
    return " " + "\n" * match.group().count("\n")


def _check_size(parts: Sequence[Token]) -> None:
    """Refuse what is so large or so deep that an engine could end, or plan for minutes."""
    depth = deepest = 0
    for token in parts:
        depth += (token.text in OPENING) - (token.text in CLOSING)
        deepest = max(deepest, depth)
    counts = Counter(token.keyword for token in parts)
    for what, number, most in (
        ("brackets inside brackets", deepest, DEPTH_MAX),
        ("UNION", counts["UNION"], _UNIONS_MAX),
        ("CALL", counts["CALL"], _CALLS_MAX),
        ("CASE", counts["CASE"], _CASES_MAX),
    ):
        if number > most:
            raise Refused(f"the statement has {number:,} {what}; the limit is {most}: split it")


def _check_words(parts: Sequence[Token]) -> None:
    """Refuse the words that are dangerous wherever they stand, and a second statement."""
    start, end = Token("start", "", 0), Token("end", "", 0)
    padded = [start, *parts, end]
    for before, token, after in zip(padded, padded[1:], padded[2:], strict=False):
        if token.text == ";":
            raise Refused("only one statement is allowed: remove what follows the ;")
        if token.text == "/" and after.text == "*" and after.start == token.start + 1:
            raise InvalidInput("a comment that starts with /* is not closed")
        if token.keyword in {"LOAD", "FORMAT"} and after.keyword == "CSV":
            raise _not_read_only(f"{token.keyword} CSV")
        if token.keyword == "USE" and after.kind in NAMES and not is_named(before):
            raise Refused("USE is not allowed: a statement stays in its own database")


def _check_names(parts: Sequence[Token]) -> None:
    """Refuse procedures and namespaced functions that are not known to be harmless."""
    place, before = 0, Token("start", "", 0)
    while place < len(parts):
        token = parts[place]
        if token.kind not in NAMES or before.text == ".":
            place += 1
        elif token.keyword == "CALL" and not is_named(before) and _is_name(parts, place + 1):
            name, place = dotted(parts, place + 1)
            _check_procedure(name)
        else:
            name, place = dotted(parts, place)
            if "." in name and place < len(parts) and parts[place].text == "(":
                namespace, _, _ = name.rpartition(".")
                if namespace.lower() not in NAMESPACES:
                    raise Refused(f"function {name} is not allowed: it belongs to a plug-in")
        before = parts[place - 1]


def is_named(before: Token) -> bool:
    """Return whether what follows `before` is a name, even if it reads like a keyword."""
    return before.text in {".", ":", "$"} or before.keyword == "AS"


def _is_name(parts: Sequence[Token], place: int) -> bool:
    return place < len(parts) and parts[place].kind in NAMES


def dotted(parts: Sequence[Token], place: int) -> tuple[str, int]:
    """Read a name with its parts from `place`; return it and where it ends."""
    name = parts[place].name
    place += 1
    while place + 1 < len(parts) and parts[place].text == "." and (parts[place + 1].kind in NAMES):
        name += "." + parts[place + 1].name
        place += 2
    return name, place


def _check_procedure(name: str) -> None:
    if name not in PROCEDURES:
        allowed = ", ".join(sorted(PROCEDURES))
        raise Refused(f"procedure {name} is not allowed: use one of {allowed}")


def _operators(plan: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    pending = [plan]
    while pending:
        operator = pending.pop()
        yield operator
        pending.extend(reversed(operator.get("children", ())))


def _not_read_only(what: str) -> Refused:
    return Refused(f"{what} is not allowed: a query can only read, and this one did not run")


_SURROGATE = re.compile("[\ud800-\udfff]")
_INTEGER_MIN, _INTEGER_MAX = -(2**63), 2**63 - 1


def json_value(  # noqa: PLR0911 - one return a type
    value: Any, translate: Callable[[Any], Any] = lambda value: value
) -> Json:
    """Return `value` as JSON; `translate` turns an engine's own values into Python's first."""
    match translate(value):
        case None | bool() | int() | str() as same:
            return same
        case float() as number:
            return number if math.isfinite(number) else None
        case datetime(tzinfo=zone) as instant if zone is not None:
            return to_text(instant)
        case date() | time() as local:
            return local.isoformat()
        case bytes() | bytearray() as raw:
            return raw.hex()
        case Mapping() as fields:
            return {str(key): json_value(item, translate) for key, item in fields.items()}
        case list() | tuple() | set() | frozenset() as parts:
            return [json_value(item, translate) for item in parts]
        case other:
            return str(other)


def node(labels: Sequence[str], properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return a node as both engines show it."""
    return {"labels": sorted(labels), "properties": dict(properties)}


def relationship(type: str, properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return an edge as both engines show it."""
    return {"type": type, "properties": dict(properties)}


def check_parameters(parameters: Mapping[str, Any], used: Collection[str] = ()) -> None:
    """Raise `InvalidInput` for a used one without a value, and what not every engine can take."""
    for name in sorted({*used} - {*parameters, "space"}):
        raise InvalidInput(
            f"statement: parameter ${name} has no value: give it one (--param {name}=…)"
        )
    for name, value in parameters.items():
        try:
            _check(name, value)
        except RecursionError:
            raise InvalidInput(
                f"parameter {name!r} contains itself, or is nested too deeply"
            ) from None


def _check(name: str, value: Any) -> None:
    if isinstance(value, Mapping):
        for key, item in value.items():
            _check(f"{name}.{key}", item)
    elif isinstance(value, list | tuple):
        for item in value:
            _check(name, item)
    elif problem := _problem(value):
        raise InvalidInput(f"parameter {name!r}: {problem}")


def _problem(value: Any) -> str | None:
    match value:
        case None | bool():
            return None
        case str():
            return "it holds half of a surrogate pair" if _SURROGATE.search(value) else None
        case int():
            fits = _INTEGER_MIN <= value <= _INTEGER_MAX
            return None if fits else f"{value} does not fit into 64 bits"
        case float():
            return None if math.isfinite(value) else f"{value} is not a finite number"
        case datetime():
            return None if value.tzinfo else "add a timezone to the time"
        case other:
            return f"{type(other).__name__} is neither a JSON value nor a time"
