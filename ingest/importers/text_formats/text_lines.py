"""Lines of a text of any size, one at a time."""

from __future__ import annotations

from collections.abc import Iterator

from ..import_record import ImportSource


def text_lines(source: ImportSource) -> Iterator[tuple[int, str]]:
    """Yield each line with its number, from 1, without its end.

    A line over `source.bytes_max` comes in several pieces under one number.
    """
    number = 0
    whole = True
    while line := source.readline(source.bytes_max):
        number += whole
        whole = line.endswith(b"\n")
        yield number, source.decode(line).rstrip("\r\n")
