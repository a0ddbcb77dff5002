"""What every reader yields, and how a byte stream is cut into pieces of bounded size.

A reader turns each piece of its input into an `ImportRecord`: an event, or a refusal that says
where and why. Bad input never stops a reader. Nothing here knows a format, stores anything or
repairs text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO, NoReturn

from ...core.errors import InvalidInput, Unavailable
from ...core.events import Event, encode, parse_event
from ...core.types import Json

#: What detection may look at, and how much is read at once, bytes.
HEAD_BYTES = 65_536
BOM = b"\xef\xbb\xbf"
#: Deeper nesting is no event; later readers of the JSON must not run out of stack.
NESTING_MAX = 100
LABEL_CHARS_MAX = 256

#: Bytes that matter between the strings of JSON; a newline ends a value that no bracket holds.
_STRUCTURE = re.compile(rb'["\[\]{},\n]')
#: The inside of a string. A raw newline never stands there, so it ends a string left open.
_INSIDE = re.compile(rb'[^"\\\n]*+(?:\\[^\n][^"\\\n]*+)*+')


@dataclass(frozen=True, slots=True)
class ImportRecord:
    """One event, or one refusal: exactly one of `event` and `problem` is set.

    `where` names file and line or index; `space` is a suggestion for users who named none,
    `other_id` the event's id where another session of the space has the first one already.
    """

    where: str
    event: Event | None
    problem: str | None
    space: str | None = None
    other_id: str | None = None


@dataclass(frozen=True, slots=True)
class ImportLimits:
    """Largest event (as JSON in UTF-8), and largest unit of a format without lines, in bytes."""

    event_bytes_max: int = 1_048_576
    document_bytes_max: int = 268_435_456


@dataclass(frozen=True, slots=True)
class RawValue:
    """The bytes of one JSON value, not parsed yet; `problem` says why they cannot be."""

    where: str
    body: bytes
    problem: str | None = None


class ImportSource:
    """A byte stream read once, forwards; `bytes_read` of `bytes_total` (if known) are consumed.

    A UTF-8 byte order mark at the beginning is dropped. A read that fails raises `Unavailable`.
    `mapping` is what the user says of names and columns in it (see `import_options`); those that
    a reader came upon are `matched`.
    """

    def __init__(self, stream: BinaryIO, name: str, bytes_total: int | None = None) -> None:
        self.name = name
        self.bytes_total = bytes_total
        self.mapping: Mapping[str, str] = {}
        self.matched: set[str] = set()
        self.bytes_read = 0
        self._stream = stream
        self._lookahead = bytearray()
        self._started = False

    def head(self, until: re.Pattern[bytes]) -> bytes:
        """Return up to 64 kB without consuming them; no more than `until` needs to match.

        Stopping early lets a pipe that is still being written be read as it grows.
        """
        self._start()
        while len(self._lookahead) < HEAD_BYTES and not until.match(self._lookahead):
            if not (block := self._read_block(HEAD_BYTES - len(self._lookahead))):
                break
            self._lookahead += block
        return bytes(self._lookahead)

    def read(self) -> bytes:
        """Return the next block, at most 64 kB; empty at the end."""
        self._start()
        block = bytes(self._lookahead) or self._read_block(HEAD_BYTES)
        self._lookahead.clear()
        self.bytes_read += len(block)
        return block

    def readline(self, size: int) -> bytes:
        """Return the next line with its newline, or its first `size` bytes; empty at the end."""
        self._start()
        end = self._lookahead.find(b"\n", 0, size) + 1 or min(size, len(self._lookahead))
        line = bytes(self._lookahead[:end])
        del self._lookahead[:end]
        if not line.endswith(b"\n") and len(line) < size:
            line += self._checked_read(self._stream.readline, size - len(line))
        self.bytes_read += len(line)
        return line

    def close(self) -> None:
        """Close the stream."""
        self._stream.close()

    def _start(self) -> None:
        if self._started:
            return
        self._started = True
        while len(self._lookahead) < len(BOM) and (block := self._read_block(HEAD_BYTES)):
            self._lookahead += block
        if self._lookahead.startswith(BOM):
            del self._lookahead[: len(BOM)]
            self.bytes_read = len(BOM)

    def _read_block(self, size: int) -> bytes:
        return self._checked_read(getattr(self._stream, "read1", self._stream.read), size)

    def _checked_read(self, call: Callable[[int], bytes], size: int) -> bytes:
        try:
            return call(size)
        except OSError as error:
            raise Unavailable(
                f"{self.name}: reading failed after {self.bytes_read:,} bytes "
                f"({error.strerror}): check the medium and import again"
            ) from None


@dataclass(frozen=True, slots=True)
class ImportFormat:
    """One input format: its name, what it is, how it is recognised, and its reader.

    `recognises` gets the keys of the first object, as far as the first 64 kB show them: those at
    the top, and as "outer.inner" those of the objects in it. `recognises_text` gets the beginning
    of content that is no JSON.
    """

    name: str
    description: str
    recognises: Callable[[frozenset[str]], bool]
    read: Callable[[ImportSource, ImportLimits], Iterator[ImportRecord]]
    recognises_text: Callable[[str], bool] = lambda _: False


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
            fields = _decode(raw_value.body)
            if not isinstance(fields, dict):
                raise InvalidInput(f"is {json_type(fields)}: an object in braces is needed")
        except InvalidInput as error:
            yield reject(raw_value.where, str(error))
        else:
            yield raw_value.where, fields


def accept_event(
    where: str, fields: Mapping[str, Any], limits: ImportLimits, space: str | None = None
) -> ImportRecord:
    """Return the record of the event that `fields` describe, or its refusal."""
    try:
        _check_nesting(fields)
        size = len(encode(fields).encode("utf-8"))
        if size > limits.event_bytes_max:
            raise InvalidInput(too_large(size, limits.event_bytes_max))
        return ImportRecord(where, parse_event(fields), None, space)
    except InvalidInput as error:
        return reject(where, str(error), space)


def reject(where: str, problem: str, space: str | None = None) -> ImportRecord:
    """Return the refusal of what stands at `where`."""
    return ImportRecord(where, None, problem, space)


def json_type(value: Json) -> str:
    """Name the JSON type of a value, with its article, as people say it."""
    names: dict[type, str] = {dict: "an object", list: "a list", str: "text", bool: "true or false"}
    return "null or missing" if value is None else names.get(type(value), "a number")


def parse_json(text: str) -> Json:
    """Parse strict JSON: no NaN, no infinity; `InvalidInput` says what is wrong and where."""
    try:
        return _DECODER.decode(text)
    except RecursionError:
        raise InvalidInput(f"nests deeper than {NESTING_MAX} levels: flatten it") from None
    except json.JSONDecodeError as error:
        raise InvalidInput(
            f"is not JSON: {error.msg} at character {error.pos + 1}: mend or remove it"
        ) from None
    except ValueError:
        raise InvalidInput("holds a number of too many digits: write it as text") from None


def label(fields: Mapping[str, Json], name: str) -> str:
    """Return a field that names things, as text: a number, or up to 256 printable characters."""
    value = fields.get(name)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise InvalidInput(f"{name} is {json_type(value)}: a number or a name is needed")
    if not value or len(value) > LABEL_CHARS_MAX or not value.isprintable():
        raise InvalidInput(f"{name} is not 1 to {LABEL_CHARS_MAX} printable characters: shorten it")
    return value


def _decode(body: bytes) -> Json:
    return parse_json(decode_text(body))


def decode_text(body: bytes) -> str:
    """Return UTF-8 as text; `InvalidInput` says what is wrong and where."""
    if (nul := body.find(b"\0")) >= 0:
        raise InvalidInput(
            f"holds NUL bytes, the first at byte {nul + 1}: it is damaged, binary or UTF-16"
        )
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"is not UTF-8: byte 0x{body[error.start]:02x} at byte {error.start + 1}: "
            "save it as UTF-8"
        ) from None


def _check_nesting(fields: Mapping[str, Json]) -> None:
    level: list[Any] = [fields]
    for _ in range(NESTING_MAX):
        level = [
            child
            for container in level
            for child in (container.values() if isinstance(container, Mapping) else container)
            if isinstance(child, (dict, list))
        ]
        if not level:
            return
    raise InvalidInput(f"nests deeper than {NESTING_MAX} levels: flatten it")


def _finite(digits: str) -> float:
    number = float(digits)
    return number if number - number == 0 else _not_a_number(digits)


def _not_a_number(name: str) -> NoReturn:
    raise InvalidInput(f"is not JSON: {name} is no number that JSON can hold: use null or text")


_DECODER = json.JSONDecoder(parse_float=_finite, parse_constant=_not_a_number)


def too_large(size: int, bytes_max: int) -> str:
    """Say that something is over a limit, and what to do."""
    return f"is {size:,} bytes, over the limit of {bytes_max:,}: split it or raise the limit"
