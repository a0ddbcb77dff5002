"""Text that no journal can keep is replaced sign by sign, so that the rest of it is kept.

NUL becomes ␀, and half of a surrogate pair �. Bytes that are no UTF-8 are such halves once they
are decoded with `surrogateescape`. What is counted can be told to the caller.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

#: How the two replacements are called where they are counted.
NUL, INVALID = "nul", "invalid_text"
_UNFIT = re.compile("[\0\ud800-\udfff]")
_NUL_SIGN, _UNKNOWN = "\N{SYMBOL FOR NULL}", "\N{REPLACEMENT CHARACTER}"


def clean_text(text: str, counts: Counter[str] | None = None) -> str:
    """Return a text that can be kept; what was replaced is added to `counts`."""
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


def clean_json(value: Any, counts: Counter[str]) -> Any:
    """Return JSON data whose texts, keys too, can all be kept; itself where nothing is wrong."""
    return _cleaned(value, counts) if _is_unfit(value) else value


def clean_event(fields: Mapping[str, Any], counts: Counter[str]) -> Mapping[str, Any]:
    """Return an event's fields as `clean_json` does; different ids stay different.

    A space that is named beside them stays: it names something that is there, or is refused.
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
            if not node.isprintable() and _UNFIT.search(node):
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
