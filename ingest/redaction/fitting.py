"""An event that is too large for a journal is kept with its longest texts cut, never refused.

Its ids, its time and who speaks stay. Lists and objects of which no text is long become text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ...core.events import bytes_of, encode
from .cuts import CUT, cut
from .json_fields import map_texts

#: Fields that are never cut; all others may be.
_WHOLE = frozenset({"id", "kind", "ts", "session", "person", "tool"})
#: Texts are not cut shorter than this while there is another way.
_TEXT_CHARS_MIN = 512


def fit_event(fields: Mapping[str, Any], bytes_max: int) -> tuple[dict[str, Any], int]:
    """Return an event of at most `bytes_max` bytes as far as that can be, and how many were cut."""
    parts = {name: value for name, value in fields.items() if name not in _WHOLE}
    cut_parts = _with_shorter_texts(fields, parts, bytes_max)
    if _size({**fields, **cut_parts}) > bytes_max:
        flat = {name: _flat(value) for name, value in cut_parts.items()}
        cut_parts = _with_shorter_texts(fields, flat, bytes_max)
    fitted = {**fields, **cut_parts}
    return fitted, sum(1 for text in _texts(cut_parts) if CUT.search(text))


def _with_shorter_texts(
    fields: Mapping[str, Any], parts: dict[str, Any], bytes_max: int
) -> dict[str, Any]:
    """Return the parts of an event with their longest texts cut until they fit, or are short."""
    most = max(map(len, _texts(parts)), default=0)
    while most > _TEXT_CHARS_MIN and (size := _size({**fields, **parts})) > bytes_max:
        most = max(_TEXT_CHARS_MIN, int(most * min(0.9, 0.95 * bytes_max / size)))
        parts = map_texts(parts, cut, most)
    return parts


def _size(fields: Mapping[str, Any]) -> int:
    return bytes_of(encode(fields))


def _flat(value: Any) -> Any:
    """Return an object with each of its lists and objects as JSON text."""
    if not isinstance(value, dict):
        return value
    return {
        name: json.dumps(item, ensure_ascii=False) if isinstance(item, (dict, list)) else item
        for name, item in value.items()
    }


def _texts(root: Any) -> Iterator[str]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            yield node
        elif isinstance(node, (dict, list)):
            waiting.extend(node.values() if isinstance(node, dict) else node)
