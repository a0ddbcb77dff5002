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
    accept_event,
    decode_text,
    json_type,
    list_in,
    parse_json,
    reject,
    too_large,
)

#: A string, or a sign: between pieces, and in one. A raw newline never stands in a string, so it
#: ends one left open; it also ends a value that no bracket holds.
_INSIDE = rb'[^"\\\n]*+(?:\\[^\n][^"\\\n]*+)*+("|\\?\Z)?'
_BETWEEN = re.compile(rb'"' + _INSIDE + rb"|([\[\]{},\n])")
_IN_PIECE = re.compile(rb'"' + _INSIDE + rb"|([\[\]{}])")
_REST_OF_STRING = re.compile(_INSIDE)
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
    splitter = _Values(source.bytes_max)
    number = 0

    def pieces(cut: Iterator[bytes | int]) -> Iterator[RawValue]:
        nonlocal number
        for body in cut:
            number += 1
            where = f"{source.name} item {number}"
            if isinstance(body, int):
                yield RawValue(where, b"", too_large(body, source.bytes_max))
            else:
                yield RawValue(where, body.strip())

    while block := source.read():
        yield from pieces(splitter.feed(block))
    if splitter.depth or splitter.in_array:
        yield RawValue(
            f"{source.name} item {number + 1}",
            b"",
            f"the file ends before item {number + 1} or the list around it is closed: "
            "it was cut short, or a bracket is missing",
        )
    else:
        yield from pieces(splitter.take())


@dataclass(slots=True)
class _Cutter:
    """Cuts a document block by block; its kinds say where a piece begins, and what is no piece.

    Of the piece at hand, `depth` brackets are open, and `size` bytes are read.
    """

    bytes_max: int
    depth: int = 0
    size: int = 0
    _piece: bytearray = field(default_factory=bytearray)
    _in_string: bool = False
    _escaped: bool = False

    def feed(self, block: bytes) -> Iterator[bytes | int]:
        """Yield the pieces that are complete with this block: bytes, or the size of a large one."""
        start = 0
        for end, sign in self._signs(block):
            if self.depth:
                is_over = self.depth == 1 and sign in b"}]"
                if is_over:
                    self.add(block[start:end])
                    start = end
                self.depth += 1 if sign in b"{[" else -1
            else:
                start, is_over = self.between(block, start, end)
            if is_over:
                yield from self.take()
        self.add(block[start:])

    def between(self, block: bytes, start: int, end: int) -> tuple[int, bool]:
        """Read a sign outside of pieces, up to `end`: where to go on, and whether one is over."""
        raise NotImplementedError

    def add(self, text: bytes) -> None:
        """Let the piece go on."""
        self.size += len(text)
        if self.size <= self.bytes_max:
            self._piece += text

    def take(self) -> Iterator[bytes | int]:
        """Yield the piece at hand, if there is one."""
        if self.size:
            yield bytes(self._piece) if self.size <= self.bytes_max else self.size
        self._piece.clear()
        self.size = 0

    def _signs(self, block: bytes) -> Iterator[tuple[int, bytes]]:
        """Yield where each sign that stands in no string ends, and which it is."""
        at = self._leave_string(block) if self._in_string else 0
        while at < len(block):
            depth = self.depth
            for match in (_IN_PIECE if depth else _BETWEEN).finditer(block, at):
                at = match.end()
                if sign := match[2]:
                    yield at, sign
                    if bool(self.depth) != bool(depth):
                        break
                elif at == len(block) and match[1] != b'"':
                    self._in_string, self._escaped = True, match[1] == b"\\"
            else:
                return

    def _leave_string(self, block: bytes) -> int:
        """Return where the scan goes on: behind the string, or at the end of the block."""
        at = int(self._escaped and block[:1] != b"\n")
        match = _REST_OF_STRING.match(block, at)
        assert match
        self._in_string = match.end() == len(block) and match[1] != b'"'
        self._escaped = self._in_string and match[1] == b"\\"
        return match.end()


@dataclass(slots=True)
class _Values(_Cutter):
    """Cuts into the values of an array, or one after another."""

    in_array: bool = False

    def between(self, block: bytes, start: int, end: int) -> tuple[int, bool]:
        sign, before = block[end - 1 : end], block[start : end - 1]
        if sign == b"[" and not (self.in_array or self.size or before.strip()):
            self.in_array = True
            return end, False
        if sign in b"{[":
            self.depth = 1
        elif sign in b",\n" or (sign == b"]" and self.in_array):
            self.add(before)
            self.in_array = self.in_array and sign != b"]"
            return end, True
        return start, False

    def add(self, text: bytes) -> None:
        _Cutter.add(self, text if self.size else text.lstrip())


# The items of a list: exports of chats are one object with a list of messages in it, perhaps in a
# list of chats.

_CLOSING = {ord("{"): b"}", ord("["): b"]"}


@dataclass(frozen=True, slots=True)
class ListItem:
    """One item of a list, and the fields of the object that has the list, as far as they go."""

    where: str
    index: int
    holder: dict[str, Json]
    fields: dict[str, Json]


def read_list_items(
    source: ImportSource, name: str, read: Callable[[ListItem], Iterable[ImportRecord]]
) -> Iterator[ImportRecord]:
    """Yield what `read` makes of each object in every list called `name`.

    What is malformed is refused alone; `read` may raise `InvalidInput`.
    """
    scanner = _Items(source.bytes_max, name=name)
    number = 0
    while block := source.read():
        for item in scanner.feed(block):
            number += 1
            where = f"{source.name} item {number}"
            try:
                if isinstance(item, int):
                    raise InvalidInput(too_large(item, scanner.bytes_max))
                yield from read(
                    ListItem(where, number, scanner.holder, RawValue(where, item).fields())
                )
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
    scanner = _Items(bytes_max, name=name)
    for block in blocks:
        for item in scanner.feed(block):
            body = b"{" if isinstance(item, int) else item
            yield body.replace(b"\r", b" ").replace(b"\n", b" ") + b"\n"
    if scanner.is_open:
        yield b"{\n"


@dataclass(slots=True)
class _Items(_Cutter):
    """Cuts into the items of every list called `name`.

    `around` is all that stands outside of items; `opened` are the brackets that are open there,
    each by its place in it. `list_levels` are how many brackets are open in each list that is read,
    `spent` in each object whose list is over.
    """

    name: str = ""
    holder: dict[str, Json] = field(default_factory=dict)
    around: bytearray = field(default_factory=bytearray)
    opened: list[int] = field(default_factory=list)
    list_levels: list[int] = field(default_factory=list)
    spent: list[int] = field(default_factory=list)

    @property
    def is_open(self) -> bool:
        return bool(self.opened or self.depth)

    def between(self, block: bytes, start: int, end: int) -> tuple[int, bool]:
        sign = block[end - 1 : end]
        self.add(block[start : end - 1])
        in_list = bool(self.list_levels) and self.list_levels[-1] == len(self.opened)
        if in_list and sign in b"{[":
            self.holder = self.holder or self._fields_around()
            self.depth = 1
            return end - 1, False
        if not (in_list and sign == b","):
            self._add_around(sign)
        return end, False

    def _add_around(self, sign: bytes) -> None:
        if sign in b"{[":
            is_list = sign == b"[" and self._key() == self.name
            self.opened.append(len(self.around))
            if is_list:
                self.list_levels.append(len(self.opened))
                self.holder = {}
        elif sign in b"}]" and self.opened:
            start = self.opened.pop()
            if self.list_levels and self.list_levels[-1] > len(self.opened):
                self.list_levels.pop()
                self.spent.append(len(self.opened))
            elif self.spent and self.spent[-1] > len(self.opened):
                self.spent.pop()
                del self.around[start:]  # its items are read: it is not needed again
                sign = b"{}"
        self.add(sign)

    def add(self, text: bytes) -> None:
        if self.depth:
            _Cutter.add(self, text)
        else:
            self.around += text
            if len(self.around) > self.bytes_max:
                raise InvalidInput(too_large(len(self.around), self.bytes_max))

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


# Meridia's own form: JSON Lines with one event an object, or a JSON array of such objects.
#
# Nothing is repaired or guessed: what is not a valid event is refused with its line. A line over
# the limit is refused by its size, without being parsed or held in memory.

#: As much as it takes to tell an array of objects from lines; a line may also begin "[WARN] …".
_NATIVE_OPENING = re.compile(rb"\s*+(?:[^\s\[]|\[\s*+\S)")
_NATIVE_ARRAY = re.compile(rb"\s*+\[\s*+[{\]]")


def read_native(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield one record for each line that is not blank, or for each element of an array."""
    cut = values if _NATIVE_ARRAY.match(source.head(_NATIVE_OPENING)) else lines
    return read_objects(source, lambda where, fields, _: [accept_event(where, fields)], cut)
