"""How a byte stream is cut into JSON values, or lines, of bounded size.

Only the piece at hand is held, so that an export of any size is read in constant memory. Pieces
are told apart by brackets and strings alone: a broken one need not spoil the next.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ...core.errors import InvalidInput
from ...core.types import Json
from .import_record import (
    HEAD_BYTES,
    ImportRecord,
    ImportSource,
    decode_text,
    json_type,
    parse_json,
    reject,
    too_large,
)

#: Bytes that matter between the strings of JSON; a newline ends a value that no bracket holds.
_STRUCTURE = re.compile(rb'["\[\]{},\n]')
#: The inside of a string. A raw newline never stands there, so it ends a string left open.
_INSIDE = re.compile(rb'[^"\\\n]*+(?:\\[^\n][^"\\\n]*+)*+')


@dataclass(frozen=True, slots=True)
class RawValue:
    """The bytes of one JSON value, not parsed yet; `problem` says why they cannot be."""

    where: str
    body: bytes
    problem: str | None = None


def lines(source: ImportSource, bytes_max: int) -> Iterator[RawValue]:
    """Cut into lines that are not blank; of a line over `bytes_max` only its size is kept."""
    number = 0
    while line := source.readline(bytes_max + len(b"\r\n")):
        number += 1
        rest = 0
        while not line.endswith(b"\n") and (block := source.readline(HEAD_BYTES)):
            rest += len(block)
            if block.endswith(b"\n"):
                rest -= 1
                break
        body = line.rstrip(b"\r\n")
        size = len(line) + rest if rest else len(body)
        where = f"{source.name} line {number}"
        if size > bytes_max:
            yield RawValue(where, b"", too_large(size, bytes_max))
        elif body.strip():
            yield RawValue(where, body)


def values(source: ImportSource, bytes_max: int) -> Iterator[RawValue]:
    """Cut a JSON array, or JSON values one after another, into its values, unparsed.

    Only the value at hand is held; of one over `bytes_max` only its size is kept. Pieces are
    told apart by brackets and strings alone, so a broken value need not spoil the next one.
    """
    splitter = _JsonSplitter(source.name, bytes_max)
    while block := source.read():
        yield from splitter.feed(block)
    yield from splitter.finish()


class _JsonSplitter:
    """The state of `values` between two blocks."""

    def __init__(self, name: str, bytes_max: int) -> None:
        self._name, self._bytes_max = name, bytes_max
        self._buffer = bytearray()
        self._size = 0
        self._count = 0
        self._depth = 0
        self._in_array = self._in_string = self._escaped = False

    def feed(self, block: bytes) -> Iterator[RawValue]:
        start = at = 0
        while at < len(block):
            if self._in_string:
                at = self._leave_string(block, at)
                continue
            if not (match := _STRUCTURE.search(block, at)):
                break
            token, at = match[0], match.end()
            if token == b'"':
                self._in_string = True
            elif token in b"{[":
                if token == b"[" and self._opens_array(block[start : at - 1]):
                    self._in_array, start = True, at
                else:
                    self._depth += 1
            elif self._depth and token in b"}]":
                self._depth -= 1
                if not self._depth:
                    self._append(block[start:at])
                    yield from self._take_value()
                    start = at
            elif not self._depth and (token in b",\n" or (token == b"]" and self._in_array)):
                self._append(block[start : at - 1])
                yield from self._take_value()
                self._in_array = self._in_array and token != b"]"
                start = at
        self._append(block[start:])

    def finish(self) -> Iterator[RawValue]:
        if self._depth or self._in_array:
            number = self._count + 1
            yield RawValue(
                f"{self._name} item {number}",
                b"",
                f"the file ends before item {number} or the list around it is closed: "
                "it was cut short, or a bracket is missing",
            )
        else:
            yield from self._take_value()

    def _leave_string(self, block: bytes, at: int) -> int:
        """Return where the scan goes on: behind the string, or at the end of the block."""
        if self._escaped:
            self._escaped = False
            if block[at : at + 1] != b"\n":
                at += 1
        if match := _INSIDE.match(block, at):
            at = match.end()
        stop = block[at : at + 1]
        if stop == b"\\" and at + 1 == len(block):
            self._escaped = True
        elif stop == b'"':
            self._in_string = False
        elif stop:  # a newline, perhaps behind a backslash: the string was never closed
            self._in_string = False
            return at + (stop == b"\\")
        return at + len(stop)

    def _opens_array(self, before: bytes) -> bool:
        empty = not self._size and not before.strip()
        return empty and not self._depth and not self._in_array

    def _append(self, block: bytes) -> None:
        if not self._size:
            block = block.lstrip()
        self._size += len(block)
        if self._size <= self._bytes_max:
            self._buffer += block

    def _take_value(self) -> Iterator[RawValue]:
        body, size = bytes(self._buffer).strip(), self._size
        self._buffer.clear()
        self._size = 0
        if not size:
            return
        self._count += 1
        where = f"{self._name} item {self._count}"
        if size > self._bytes_max:
            yield RawValue(where, b"", too_large(size, self._bytes_max))
        else:
            yield RawValue(where, body)


def parse_objects(
    raw_values: Iterable[RawValue],
) -> Iterator[ImportRecord | tuple[str, dict[str, Json]]]:
    """Parse each piece: yield where it stands and its fields, or the refusal that it deserves."""
    for raw_value in raw_values:
        try:
            if raw_value.problem:
                raise InvalidInput(raw_value.problem)
            fields = parse_json(decode_text(raw_value.body))
            if not isinstance(fields, dict):
                raise InvalidInput(f"is {json_type(fields)}: an object in braces is needed")
        except InvalidInput as error:
            yield reject(raw_value.where, str(error))
        else:
            yield raw_value.where, fields
