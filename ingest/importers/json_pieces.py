"""JSON documents of any size, cut into lines, values, or the items of a list deep in them.

Only the piece at hand is held, and what stands around it. Pieces are told apart by brackets and
strings alone: a broken one does not spoil the rest.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from ...core.errors import InvalidInput
from ...core.types import Json
from .import_record import (
    HEAD_BYTES,
    ImportRecord,
    ImportSource,
    decode_text,
    json_type,
    list_in,
    parse_json,
    reject,
    too_large,
)

#: Bytes that matter between the strings of JSON; a newline ends a value that no bracket holds.
_STRUCTURE = re.compile(rb'["\[\]{},\n]')
#: The inside of a string. A raw newline never stands there, so it ends a string left open.
_INSIDE = re.compile(rb'[^"\\\n]*+(?:\\[^\n][^"\\\n]*+)*+')
_FIRST_LINE = re.compile(rb"\s*+(?:\[|[^\n]*\n)")
#: A list, or an object that goes on behind its first line; torn lines seldom end like this.
_MULTILINE_JSON = re.compile(rb"\s*+(?:\[|\{(?:[^\n]*[\[{,:])?[ \t\r]*\n)")


@dataclass(frozen=True, slots=True)
class RawValue:
    """The bytes of one JSON value, not parsed yet; `problem` says why they cannot be."""

    where: str
    body: bytes
    problem: str | None = None

    def fields(self) -> dict[str, Json]:
        """Return the object that it is; `InvalidInput` says why it is none."""
        if self.problem:
            raise InvalidInput(self.problem)
        fields = parse_json(decode_text(self.body))
        if not isinstance(fields, dict):
            raise InvalidInput(f"is {json_type(fields)}: an object in braces is needed")
        return fields


def split_input(source: ImportSource) -> Iterator[RawValue]:
    """Cut into lines, or into values where a list or an object spreads over several lines."""
    return (values if _MULTILINE_JSON.match(source.head(_FIRST_LINE)) else lines)(source)


def read_objects(
    source: ImportSource,
    read: Callable[[str, dict[str, Json], int], Iterable[ImportRecord]],
    cut: Callable[[ImportSource], Iterator[RawValue]] = split_input,
) -> Iterator[ImportRecord]:
    """Yield what `read` makes of each object: where it stands, its fields, its number from 0.

    What is malformed is refused alone; `read` may raise `InvalidInput`.
    """
    for number, raw in enumerate(cut(source)):
        try:
            yield from read(raw.where, raw.fields(), number)
        except InvalidInput as error:
            yield reject(raw.where, str(error))


def read_items(
    source: ImportSource,
    lists: Sequence[str],
    item_name: str,
    read: Callable[[str, Json, int, Mapping[str, Json]], Iterable[ImportRecord]],
) -> Iterator[ImportRecord]:
    """Yield what `read` makes of each item: of a list that objects hold by a name, or an object.

    It is given where the item stands, its number in the file from 0, and what holds it.
    """
    before = 0  # items of lists, besides one each

    def read_object(where: str, fields: dict[str, Json], number: int) -> Iterator[ImportRecord]:
        nonlocal before
        if (items := list_in(fields, *lists)) is None:
            yield from read(where, fields, number + before, fields)
            return
        first, before = number + before, before + len(items) - 1
        for index, item in enumerate(items):
            at = f"{where} {item_name} {index + 1}"
            try:
                yield from read(at, item, first + index, fields)
            except InvalidInput as error:
                yield reject(at, str(error))

    return read_objects(source, read_object)


def lines(source: ImportSource) -> Iterator[RawValue]:
    """Cut into lines that are not blank; of one over `source.bytes_max` only its size is kept."""
    number, bytes_max = 0, source.bytes_max
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


def values(source: ImportSource) -> Iterator[RawValue]:
    """Cut a JSON array, or JSON values one after another, into its values, unparsed.

    Only the value at hand is held; of one over `source.bytes_max` only its size is kept. Pieces
    are told apart by brackets and strings alone, so a broken value need not spoil the next one.
    """
    splitter = _JsonSplitter(source.name, source.bytes_max)
    while block := source.read():
        yield from splitter.feed(block)
    yield from splitter.finish()


class _Signs:
    """Finds brackets, commas and newlines that stand in no string, block by block."""

    def __init__(self) -> None:
        self._in_string = self._escaped = False

    def of(self, block: bytes) -> Iterator[tuple[int, bytes]]:
        """Yield where each of them ends, and which it is."""
        at = 0
        while at < len(block):
            if self._in_string:
                at = self._leave_string(block, at)
            elif match := _STRUCTURE.search(block, at):
                at = match.end()
                if match[0] == b'"':
                    self._in_string = True
                else:
                    yield at, match[0]
            else:
                return

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


class _JsonSplitter:
    """The state of `values` between two blocks."""

    def __init__(self, name: str, bytes_max: int) -> None:
        self._name, self._bytes_max = name, bytes_max
        self._buffer = bytearray()
        self._size = 0
        self._count = 0
        self._depth = 0
        self._in_array = False
        self._signs = _Signs()

    def feed(self, block: bytes) -> Iterator[RawValue]:
        start = 0
        for at, token in self._signs.of(block):
            if token in b"{[":
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


# The items of a list: exports of chats are one object with a list of messages in it, perhaps in a
# list of chats.

_CLOSING = {ord("{"): b"}", ord("["): b"]"}


@dataclass(frozen=True, slots=True)
class ListItem:
    """One item of a list, and the fields of the object that has the list, as far as they go."""

    where: str
    holder: dict[str, Json]
    fields: dict[str, Json]


def read_list_items(
    source: ImportSource, name: str, read: Callable[[ListItem], Iterable[ImportRecord]]
) -> Iterator[ImportRecord]:
    """Yield what `read` makes of each object in every list called `name`.

    What is malformed is refused alone; `read` may raise `InvalidInput`.
    """
    scanner = _Scanner(name, source.bytes_max)
    number = 0
    while block := source.read():
        for item in scanner.feed(block):
            number += 1
            where = f"{source.name} item {number}"
            try:
                yield from read(_parsed(where, item, scanner))
            except InvalidInput as error:
                yield reject(where, str(error))
    if scanner.is_open:
        yield reject(
            f"{source.name} item {number + 1}",
            "the file ends in the middle: it was cut short, or a bracket is missing",
        )


def list_lines(name: str, bytes_max: int, blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the items of every list called `name` in a document, each as one line.

    What is cut short, or over `bytes_max`, becomes a line that no reader takes.
    """
    scanner = _Scanner(name, bytes_max)
    for block in blocks:
        for item in scanner.feed(block):
            body = b"{" if isinstance(item, int) else item
            yield body.replace(b"\r", b" ").replace(b"\n", b" ") + b"\n"
    if scanner.is_open:
        yield b"{\n"


def _parsed(where: str, item: bytes | int, scanner: _Scanner) -> ListItem:
    if isinstance(item, int):
        raise InvalidInput(too_large(item, scanner.bytes_max))
    return ListItem(where, scanner.holder, RawValue(where, item).fields())


@dataclass(slots=True)
class _Scanner:
    """The place in the document between two blocks.

    `around` is all that stands outside of items; `opened` are the brackets that are open there,
    each by its place in it. An item is collected while `depth` of its brackets are open.
    `list_levels` are how many brackets are open in each list that is read, `spent` in each object
    whose list is over.
    """

    name: str
    bytes_max: int
    holder: dict[str, Json] = field(default_factory=dict)
    around: bytearray = field(default_factory=bytearray)
    opened: list[int] = field(default_factory=list)
    item: bytearray = field(default_factory=bytearray)
    item_size: int = 0
    depth: int = 0
    list_levels: list[int] = field(default_factory=list)
    spent: list[int] = field(default_factory=list)
    signs: _Signs = field(default_factory=_Signs)

    @property
    def is_open(self) -> bool:
        return bool(self.opened or self.depth)

    @property
    def _in_list(self) -> bool:
        return bool(self.list_levels) and self.list_levels[-1] == len(self.opened)

    def feed(self, block: bytes) -> Iterator[bytes | int]:
        """Yield the items that are complete with this block: bytes, or the size of a large one."""
        start = 0
        for at, token in self.signs.of(block):
            self._add(block[start : at - 1])
            start = at
            yield from self._take(token)
        self._add(block[start:])

    def _take(self, token: bytes) -> Iterator[bytes | int]:
        if self.depth:
            self._add(token)
            self.depth += (token in b"{[") - (token in b"}]")
            if not self.depth:
                yield bytes(self.item) if self.item_size <= self.bytes_max else self.item_size
                self.item.clear()
                self.item_size = 0
        elif self._in_list and token in b"{[":
            if not self.holder:
                self.holder = self._fields_around()
            self.depth = 1
            self._add(token)
        elif self._in_list and token == b",":
            return
        else:
            self._add_around(token)

    def _add_around(self, token: bytes) -> None:
        if token in b"{[":
            is_list = token == b"[" and self._key() == self.name
            self.opened.append(len(self.around))
            if is_list:
                self.list_levels.append(len(self.opened))
                self.holder = {}
        elif token in b"}]" and self.opened:
            start = self.opened.pop()
            if self.list_levels and self.list_levels[-1] > len(self.opened):
                self.list_levels.pop()
                self.spent.append(len(self.opened))
            elif self.spent and self.spent[-1] > len(self.opened):
                self.spent.pop()
                del self.around[start:]  # its items are read: it is not needed again
                token = b"{}"
        self._add(token)

    def _add(self, text: bytes) -> None:
        if not self.depth:
            self.around += text
            if len(self.around) > self.bytes_max:
                raise InvalidInput(too_large(len(self.around), self.bytes_max))
            return
        self.item_size += len(text)
        if self.item_size <= self.bytes_max:
            self.item += text

    def _key(self) -> str | None:
        match = re.search(rb'"([^"\\]{1,80})"\s*:\s*$', bytes(self.around[-200:]))
        return match[1].decode("utf-8", "replace") if match else None

    def _fields_around(self) -> dict[str, Json]:
        """Return the object that holds the list, as far as it goes before the list."""
        closing = b"".join(_CLOSING[self.around[start]] for start in reversed(self.opened))
        value: Json = None
        with suppress(InvalidInput):
            value = parse_json(decode_text(bytes(self.around) + closing))
        for _ in self.opened[1:-1]:
            inner = [*value.values()] if isinstance(value, dict) else value
            value = inner[-1] if isinstance(inner, list) and inner else None
        return value if isinstance(value, dict) else {}
