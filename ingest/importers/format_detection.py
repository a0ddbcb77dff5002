"""Which formats are known, which one an input is in, and the one way to read any of them.

Detection looks at content, never at file names, and never guesses: what no format recognises is
refused. A new format is one file that defines `FORMAT`, and one line in `FORMATS`.
"""

from __future__ import annotations

import codecs
import json
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Self

from ...core.errors import InvalidInput, NotFound, Refused
from . import (
    chatgpt,
    claude_code,
    claude_export,
    graphiti,
    langchain,
    locomo,
    mem0,
    native,
    openai_chat,
    openai_responses,
    sharegpt,
    swe_agent,
    tau_bench,
)
from .import_options import FIELDS, ImportOptions, apply_options, name_users
from .import_record import BOM, ImportFormat, ImportLimits, ImportRecord, ImportSource
from .text_formats import csv_table, dialogue

#: Every format, in the order of detection: the first that recognises the content has it.
FORMATS: tuple[ImportFormat, ...] = (
    native.FORMAT,
    locomo.FORMAT,
    tau_bench.FORMAT,
    claude_code.FORMAT,
    openai_chat.FORMAT,
    openai_responses.FORMAT,
    langchain.FORMAT,
    swe_agent.FORMAT,
    mem0.FORMAT,
    graphiti.FORMAT,
    chatgpt.FORMAT,
    claude_export.FORMAT,
    sharegpt.FORMAT,
    dialogue.FEW_SHOT,
    csv_table.FORMAT,
    dialogue.FORMAT,
)

_OPENING = re.compile(rb"\s*+(?:\[\s*+)?+\{")
#: One whole object on one line: enough to decide, and where to look behind a bad first line.
_OBJECT_LINE = re.compile(rb"^\{[^\n]*\}\s*?$", re.MULTILINE)
_DETECTABLE = re.compile(rb"\s*+\{[^\n]*\}\s*?\n")
#: A string (perhaps cut off by the end), or a bracket, or the colon behind a key.
_TOKEN = re.compile(rb'"([^"\\]*+(?:\\.[^"\\]*+)*+)(?:"|\\?\Z)|[\[\]{}:]', re.DOTALL)
#: Two levels tell apart what formats of messages put into a list of the same name.
_KEY_LEVELS = 2
#: What is left of a character at the end of a head is no error to it.
_UTF8 = codecs.getincrementaldecoder("utf-8")
#: First bytes of what people hand in by mistake.
_BINARY_MAGIC = (
    (b"\xff\xfe", "is UTF-16 text: save it as UTF-8"),
    (b"\xfe\xff", "is UTF-16 text: save it as UTF-8"),
    (b"\x1f\x8b", "is compressed with gzip: unpack it first"),
    (b"PK\x03\x04", "is a zip archive: unpack it first"),
)


@dataclass(slots=True)
class ImportReader:
    """An iterator over records that knows how far it is, for a progress bar.

    `bytes_total` is None where the size is not known, such as for a pipe. The file is closed at
    the end, by `close`, or by leaving a `with` block; a stream handed in is left open.
    """

    format: str
    _source: ImportSource
    _records: Iterator[ImportRecord]
    _owned: bool

    @property
    def bytes_read(self) -> int:
        """How many bytes are consumed so far."""
        return self._source.bytes_read

    @property
    def name(self) -> str:
        """The name of the file or stream."""
        return self._source.name

    @property
    def unmatched(self) -> frozenset[str]:
        """What the user mapped and the input, as far as it is read, does not hold."""
        return frozenset(self._source.mapping) - self._source.matched

    @property
    def bytes_total(self) -> int | None:
        """How many bytes there are."""
        return self._source.bytes_total

    def close(self) -> None:
        """Close the file, if this reading opened it."""
        if self._owned:
            self._source.close()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> ImportRecord:
        try:
            return next(self._records)
        except StopIteration:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def formats() -> Mapping[str, str]:
    """Return the name of every format and what it is, in one line."""
    return {entry.name: entry.description for entry in FORMATS}


def detect(head: bytes) -> str:
    """Return the name of the format that content begins like; blank content is native.

    `head` is at most the first 64 kB. `InvalidInput` when no format recognises it.
    """
    head = head.removeprefix(BOM)
    for magic, what in _BINARY_MAGIC:
        if head.startswith(magic):
            raise InvalidInput(what)
    if not head.strip():
        return native.FORMAT.name
    text = "" if _OPENING.match(head) or b"\0" in head else head.decode("utf-8", "replace")
    for candidate in FORMATS if text else ():
        if candidate.recognises_text(text):
            return candidate.name
    for keys in _objects(head):
        for candidate in FORMATS:
            if candidate.recognises(keys):
                return candidate.name
    try:
        _UTF8().decode(head)
    except UnicodeDecodeError:
        raise InvalidInput(
            "is no UTF-8 text, and in no known format: save a text as UTF-8"
        ) from None
    raise InvalidInput(
        f"is in no known format ({', '.join(formats())}): name its format with --format, and the "
        "columns of a table with --map COLUMN=text"
    )


def read(
    origin: Path | BinaryIO,
    format_name: str | None = None,
    limits: ImportLimits | None = None,
    options: ImportOptions | None = None,
) -> ImportReader:
    """Open a file, or take a binary stream, and return its records; without a name, detect.

    Raises at once `NotFound` or `Refused` for a file that cannot be opened, and `InvalidInput`
    for a format that is not known. After that, bad content only gives refusals.
    """
    if format_name is not None and format_name not in formats():
        raise InvalidInput(f"format {format_name!r} is not known: use {', '.join(formats())}")
    chosen = options or ImportOptions()
    source = _open(origin) if isinstance(origin, Path) else ImportSource(origin, _name(origin))
    source.mapping = chosen.mapping
    try:
        name = format_name or _by_columns(chosen) or detect(source.head(_DETECTABLE))
    except InvalidInput as error:
        if isinstance(origin, Path):
            source.close()
        raise InvalidInput(f"{source.name} {error}") from None
    entry_format = next(entry for entry in FORMATS if entry.name == name)
    records = entry_format.read(source, limits or ImportLimits())
    if chosen != ImportOptions():
        records = apply_options(records, chosen, source.matched)
    if entry_format is not native.FORMAT:  # which names people itself, and may be read as it grows
        records = name_users(records)
    return ImportReader(name, source, records, isinstance(origin, Path))


def _by_columns(options: ImportOptions) -> str | None:
    """Return the format of tables where the user named the column of the text, and another."""
    fields = {target for target in options.mapping.values() if target in FIELDS}
    return csv_table.FORMAT.name if "text" in fields and len(fields) > 1 else None


def _open(path: Path) -> ImportSource:
    try:
        about = path.stat()
        total = about.st_size if stat.S_ISREG(about.st_mode) else None
        return ImportSource(path.open("rb"), path.name, total)
    except FileNotFoundError:
        raise NotFound(f"{path} does not exist: check the name") from None
    except PermissionError:
        raise Refused(f"{path} may not be read: check its permissions") from None
    except IsADirectoryError:
        raise InvalidInput(f"{path} is a directory: name a file") from None
    except OSError as error:
        raise InvalidInput(f"{path} cannot be opened: {error.strerror}") from None


def _name(stream: BinaryIO) -> str:
    name = getattr(stream, "name", None)
    is_named = isinstance(name, str) and not name.startswith("<")
    return Path(str(name)).name if is_named else "standard input"


def _objects(head: bytes) -> Iterator[frozenset[str]]:
    """Yield the keys of the object that the content opens with, then of each one-line object."""
    if opening := _OPENING.match(head):
        yield _keys(head, opening.end())
    for line in _OBJECT_LINE.finditer(head):
        yield _keys(head, line.start() + 1)


def _keys(head: bytes, start: int) -> frozenset[str]:
    """Return the keys of the object whose brace stands before `start`, and those of objects in it.

    A key of an inner object is "outer.inner", however many lists stand between the two.
    """
    keys, opened, level, outer, last = set(), [b"{"], 1, "", b""
    for match in _TOKEN.finditer(head, start):
        token = match[0]
        if token in b"{[":
            opened.append(token)
            level += token == b"{"
        elif token in b"}]":
            level -= opened.pop() == b"{"
            if not opened:
                break
        elif token != b":":
            last = match[1]
        elif opened[-1] == b"{" and level <= _KEY_LEVELS:
            key = _unescape(last)
            outer = key if level == 1 else outer
            keys.add(key if level == 1 else f"{outer}.{key}")
    return frozenset(keys)


def _unescape(key: bytes) -> str:
    text = key.decode("utf-8", "replace")
    try:
        return str(json.loads(f'"{text}"'))
    except ValueError:
        return text
