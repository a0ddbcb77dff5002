"""Columns of secrets in tables that are written as text: CSV, TSV, Markdown.

A line of names, one of which is that of a secret, makes the same cell of the lines behind it
secret, as long as they have as many cells. Nothing here knows a rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from .rules import SecretSpan, Spans
from .secret_names import SecretNames
from .secret_values import is_key
from .value_shapes import stands_for_secret

_DELIMITERS = "|\t;,"
_CELLS_MIN, _VALUE_CHARS_MIN, _LINE_CHARS_MAX = 2, 3, 4096
_NAME = re.compile(r"[^\W\d][\w.-]*(?: [\w.-]+){0,2}")
#: Columns that hold secrets where their cells look like some.
_UNSURE = {"key", "value"}
_SIGNS = " \t\r\"'`*"


def find_in_tables(text: str, lowered: str, names: SecretNames) -> Spans:
    """Yield the cells below the names of secrets in `text`; `lowered` has its letters small."""
    done = 0
    stems = "|".join(map(re.escape, names.stems_in(lowered)))
    for stem in re.finditer(stems, lowered) if stems else ():
        if stem.start() < done:
            continue
        start, done = text.rfind("\n", 0, stem.start()) + 1, _line_end(text, stem.end())
        header = _header(text, start, done, names)
        if header is not None:
            for span in _rows(text, done + 1, *header):
                done = span.end
                yield span


def _rows(text: str, start: int, delimiter: str, count: int, kinds: dict[int, str]) -> Spans:
    """Yield the secret cells of the lines from `start` on that have `count` cells."""
    while start < len(text):
        end = _line_end(text, start)
        cells = [*_cells(text, start, end, delimiter)]
        if len(cells) < count or end - start > _LINE_CHARS_MAX:
            return
        for place, kind in kinds.items():
            cell = text[slice(*cells[place])]
            if is_key(cell) if kind.endswith("?") else _is_value(cell, delimiter):
                yield SecretSpan(*cells[place], kind.rstrip("?"))
        start = end + 1


def _header(
    text: str, start: int, end: int, names: SecretNames
) -> tuple[str, int, dict[int, str]] | None:
    """Return the delimiter of a line of names, how many, and the kinds of secret by place."""
    line = text[start : min(end, start + _LINE_CHARS_MAX)]
    delimiter = next((sign for sign in _DELIMITERS if sign in line), "")
    cells = [text[slice(*span)] for span in _cells(text, start, end, delimiter)]
    # Something may stand before the first name; a comma and a space are prose.
    if len(cells) < _CELLS_MIN or not all(map(_NAME.fullmatch, cells[1:])) or ", " in line:
        return None
    sensitive = enumerate(names.of(cell.replace(" ", "_")) for cell in cells)
    kinds = {place: name.kind for place, name in sensitive if name and name.sure}
    kinds |= {place: "secret_key?" for place, cell in enumerate(cells) if cell.lower() in _UNSURE}
    return (delimiter, len(cells), kinds) if kinds else None


def _is_value(cell: str, delimiter: str) -> bool:
    """Return whether a cell holds a value: not a rule of the table, a placeholder or prose."""
    is_prose = delimiter in ",;" and len(cell.split()) > 1
    is_empty = len(cell.strip("-: ")) < _VALUE_CHARS_MIN
    return not (is_prose or is_empty or stands_for_secret(cell))


def _cells(text: str, start: int, end: int, delimiter: str) -> Iterable[tuple[int, int]]:
    """Return where the content of each cell of a line stands, without what encloses it."""
    return _spans(text, start, end, delimiter) if delimiter else ()


def _spans(text: str, start: int, end: int, delimiter: str) -> Iterator[tuple[int, int]]:
    line = text[start:end]
    if delimiter == "|" and line.strip().startswith("|") | line.rstrip().endswith("|"):
        start += line.index("|") + 1
        line = text[start:end].rstrip().removesuffix("|")
    for cell in line.split(delimiter):
        content = cell.strip(_SIGNS)
        begin = start + cell.index(content)
        yield begin, begin + len(content)
        start += len(cell) + 1


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end
