"""Text and JSON from outside, made fit for a journal or refused with a clear error.

NUL becomes ␀, and half of a surrogate pair �; bytes that are no UTF-8 are such halves once they are
decoded with `surrogateescape`. What colours a terminal or moves its cursor is dropped. The rest of
a text is kept, and what was replaced can be counted for the caller. JSON is refused where Python's
reader would take a number that no journal holds, or end in a traceback over what is nested too
deeply.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

from ..errors import InvalidInput

#: How the two replacements are called where they are counted.
NUL, INVALID = "nul", "invalid_text"
_UNFIT = re.compile("[\0\ud800-\udfff]")
#: What a terminal acts on and does not show: colours, the cursor, titles, the ends of links.
_CONTROLS = re.compile(
    r"\x1b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|[\]PX^_][^\x07\x1b]{0,4096}(?:\x07|\x1b\\)"
    r"|[ -/]{0,8}[0-Z\\`-~])?"
)
_NUL_SIGN, _UNKNOWN = "\N{SYMBOL FOR NULL}", "\N{REPLACEMENT CHARACTER}"


def clean_text(text: str, counts: Counter[str] | None = None) -> str:
    """Return a text that can be kept; what was replaced is added to `counts`."""
    if "\x1b" in text:
        text = _CONTROLS.sub("", text)
    if not _UNFIT.search(text):
        return text
    # Two halves that belong together, as some decoders leave them, are one sign.
    joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    replaced = Counter(NUL if sign == "\0" else INVALID for sign in _UNFIT.findall(joined))
    if counts is not None:
        counts += replaced
    return _UNFIT.sub(lambda sign: _NUL_SIGN if sign[0] == "\0" else _UNKNOWN, joined)


def clean_id(text: str, counts: Counter[str] | None = None) -> str:
    """Return what identifies something as text that can be kept, still different from others.

    Where a sign is lost, a digest of the whole stands behind it.
    """
    replaced: Counter[str] = Counter()
    clean = clean_text(text, replaced)
    if counts is not None:
        counts += replaced
    if not replaced[INVALID]:
        return clean
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=4)
    return f"{clean}#{digest.hexdigest()}"


def clean_event(fields: Mapping[str, Any], counts: Counter[str]) -> Mapping[str, Any]:
    """Return an event's fields, whose texts, keys too, can all be kept; itself where they can.

    Different ids stay different. A space that is named beside them stays: it names something that
    is there, or is refused.
    """
    if not _is_unfit(fields):
        return fields
    fixed = dict(fields)
    if isinstance(fixed.get("id"), str):
        fixed["id"] = clean_id(fixed["id"], counts)
    session = fixed.get("session")
    if isinstance(session, Mapping) and isinstance(session.get("key"), str):
        fixed["session"] = {**session, "key": clean_id(session["key"], counts)}
    space = {"space": fixed.pop("space")} if "space" in fixed else {}
    clean: dict[str, Any] = _cleaned(fixed, counts)
    return clean | space


def _is_unfit(value: Any) -> bool:
    waiting, visited = [value], set()
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            if not node.isprintable() and ("\x1b" in node or _UNFIT.search(node)):
                return True
        elif isinstance(node, (Mapping, list, tuple)) and id(node) not in visited:
            visited.add(id(node))
            waiting.extend((*node, *node.values()) if isinstance(node, Mapping) else node)
    return False


def _cleaned(value: Any, counts: Counter[str]) -> Any:
    if isinstance(value, str):
        return clean_text(value, counts)
    if isinstance(value, (list, tuple)):
        return [_cleaned(item, counts) for item in value]
    if not isinstance(value, Mapping):
        return value
    fields: dict[Any, Any] = {}
    for key, item in value.items():
        name = clean_text(key, counts) if isinstance(key, str) else key
        while name is not key and (name in value or name in fields):
            name += _UNKNOWN
        fields[name] = _cleaned(item, counts)
    return fields


#: How deep lists and objects may be nested, and the whole numbers that every store takes.
_DEPTH_MAX = 200
_INTEGER_MIN, _INTEGER_MAX = -(2**63), 2**63 - 1


def read_json(text: str | bytes, where: str, *, any_number: bool = False) -> Any:
    """Return the value that a text holds; `InvalidInput` names `where` it stands.

    Texts that are not UTF-8, numbers that are not finite or do not fit into 64 bits, and more than
    200 levels are refused; `any_number` takes every number.
    """
    hooks = {} if any_number else _HOOKS
    try:
        value = json.loads(text, **hooks)
    except RecursionError:
        raise _nested(where) from None
    except ValueError as error:
        raise InvalidInput(f"{where} is not JSON: {error}") from None
    level, depth = [value], 0
    while level:
        depth += 1
        if depth > _DEPTH_MAX:
            raise _nested(where)
        level = [item for each in level for item in _items(each)]
    return value


def read_json_object(text: str | bytes, where: str, *, any_number: bool = False) -> dict[str, Any]:
    """Return the same, where it is to be an object."""
    value = read_json(text, where, any_number=any_number)
    if not isinstance(value, dict):
        raise InvalidInput(f"{where} is not a JSON object: write it in braces")
    return value


def _items(value: Any) -> list[Any]:
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [item for item in inside if isinstance(item, dict | list)]


def _number(text: str) -> float:
    if not math.isfinite(number := float(text)):
        raise ValueError(f"{text[:20]} is not a finite number")
    return number


def _integer(text: str) -> int:
    if len(text) > len(str(_INTEGER_MIN)) or not _INTEGER_MIN <= int(text) <= _INTEGER_MAX:
        raise ValueError(f"{text[:20]} does not fit into 64 bits")
    return int(text)


def _nested(where: str) -> InvalidInput:
    return InvalidInput(f"{where} nests deeper than {_DEPTH_MAX} levels: flatten it")


_HOOKS: dict[str, Any] = {
    "parse_constant": _number,
    "parse_float": _number,
    "parse_int": _integer,
}
