"""Which formats are known, and which one an input is in.

Detection looks at content, never at file names, and never guesses: what no format recognises is
refused. A new format is a reader and a section of `formats.toml`.
"""

from __future__ import annotations

import codecs
import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from importlib import import_module
from itertools import starmap
from operator import attrgetter
from pathlib import Path
from typing import Any

from ...core.errors import InvalidInput
from . import csv_table
from .import_record import BOM, ImportFormat, older_encoding


def _format(name: str, fields: dict[str, Any]) -> ImportFormat:
    for part in fields.keys() & {"read", "recognises_text"}:
        module, _, path = fields[part].partition(".")
        fields[part] = attrgetter(path)(import_module(f".{module}", __package__))
    return ImportFormat(name, **fields)


_FILE = Path(__file__).parent / "formats.toml"
#: Every format, in the order of detection: the first that recognises the content has it.
FORMATS = tuple(starmap(_format, tomllib.loads(_FILE.read_text("utf-8")).items()))
#: The formats of what nobody says, the special one first.
_DOCUMENTS = FORMATS[-2:]

_OPENING = re.compile(rb"\s*+(?:\[\s*+)?+\{")
#: One whole object on one line: enough to decide, and where to look behind a bad first line.
_OBJECT_LINE = re.compile(rb"^\{[^\n]*\}\s*?$", re.MULTILINE)
#: What is enough to detect: one whole object on the first line.
DETECTABLE = re.compile(rb"\s*+\{[^\n]*\}\s*?\n")
#: A string (perhaps cut off by the end), or a bracket, or the colon behind a key.
_TOKEN = re.compile(rb'"([^"\\]*+(?:\\.[^"\\]*+)*+)(?:"|\\?\Z)|[\[\]{}:]', re.DOTALL)
#: How a list of objects begins that an object holds by a name.
_LIST = re.compile(rb'"([^"\\]{1,80})"\s*+:\s*+\[\s*+\{')
#: Two levels tell apart what formats of messages put into a list of the same name.
_KEY_LEVELS = 2
#: Keys whose values tell forms of messages apart.
_TELLING = frozenset({"type", "kind"})
#: What is left of a character at the end of a head is no error to it.
_UTF8 = codecs.getincrementaldecoder("utf-8")
#: What is so broken, or has so many control characters, is no text: shares of its characters.
_BROKEN, _BROKEN_MAX = "\N{REPLACEMENT CHARACTER}", 0.1
_CONTROL, _CONTROL_MAX = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]"), 0.05
_MARKUP = re.compile(r"\s*(?:<!doctype|<html|<\?xml|<svg|<rss|<feed)\b", re.IGNORECASE)
#: First bytes of what people hand in by mistake.
_MISTAKES = (
    (b"\x1f\x8b", "is compressed with gzip: unpack it first"),
    (b"PK\x03\x04", "is a zip archive in an archive: unpack it first"),
    (b"\xff\xd8\xff", "is a picture: there is no text in it"),
    (b"\x89PNG", "is a picture: there is no text in it"),
    (b"GIF8", "is a picture: there is no text in it"),
    (b"%PDF", "is a PDF: save its text"),
    (b"SQLite format 3\0", "is a database: export what it holds"),
    (b"RIFF", "is a picture or a recording: there is no text in it"),
    (b"OggS", "is a recording: there is no text in it"),
    (b"ID3", "is a recording: there is no text in it"),
    (b'{"meridia_archive"', "is an archive of `meridia export`: `meridia restore FILE` reads it"),
)


def formats() -> Mapping[str, str]:
    """Return the name of every format and what it is, in one line."""
    return {entry.name: entry.description for entry in FORMATS}


def detect(head: bytes) -> str:
    """Return the name of the format that content begins like; blank content is native.

    `head` is at most the first 64 kB. `InvalidInput` when no format recognises it.
    """
    head = head.removeprefix(BOM)
    for magic, what in _MISTAKES:
        if head.startswith(magic):
            raise InvalidInput(what)
    if not head.strip():
        return "native"
    text = "" if _OPENING.match(head) else _text(head).replace("\r\n", "\n")
    is_binary = len(_CONTROL.findall(text)) > _CONTROL_MAX * len(text)
    text = "" if is_binary else text.replace("\0", "")
    spoken = (entry for entry in FORMATS if text and entry not in _DOCUMENTS)
    if name := next((entry.name for entry in spoken if entry.recognises_text(text)), None):
        return name
    for is_last in (False, True):
        for keys in _objects(head):
            if name := _recognised(keys, is_last=is_last):
                return name
    if is_binary:
        raise InvalidInput("is binary and has no known format: give a file with text")
    if text.count(_BROKEN) > _BROKEN_MAX * len(text):
        raise InvalidInput("is not UTF-8 text and has no known format: save it as UTF-8")
    return _document(text)


def detect_inside(head: bytes) -> tuple[str, str] | None:
    """Return the first list of objects within an object that a format recognises, and its name.

    For what programs wrap up that no format knows, such as `{"version": 2, "threads": [...]}`.
    """
    if _OPENING.match(head):
        for is_last in (False, True):
            for found in _LIST.finditer(head):
                if name := _recognised(_keys(head, found.end()), is_last=is_last):
                    return found[1].decode("utf-8", "replace"), name
    return None


def _recognised(keys: frozenset[str], *, is_last: bool) -> str | None:
    """Return the format that recognises keys; the last to be asked is the one of no program."""
    if is_last:
        return "json" if csv_table.is_message(keys) else None
    return next((entry.name for entry in FORMATS if entry.recognises(keys)), None)


def _text(head: bytes) -> str:
    try:
        return _UTF8().decode(head)
    except UnicodeDecodeError:
        return head.decode(older_encoding(head) or "utf-8", "replace")


def _document(text: str) -> str:
    """Return the format of a text that nobody says; `InvalidInput` where it is data, or markup."""
    if _MARKUP.match(text):
        raise InvalidInput("is markup (HTML, XML or SVG): save its text, or export it as JSON")
    for candidate in _DOCUMENTS:
        is_data = _is_json(text) or (candidate.name == "document" and _is_table(text))
        if candidate.recognises_text(text) and not is_data:
            return candidate.name
    raise InvalidInput(
        "has no known format (`meridia import --help` lists them): name its format with "
        "--format, and the columns of a table with --map COLUMN=text"
    )


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _is_table(text: str) -> bool:
    """Whether the first lines have the same number of values, and no blank behind a separator."""
    rows = [line for line in text.split("\n")[:20] if line.strip()]
    return len(rows) > 1 and any(
        rows[0].count(mark) and len({row.count(mark) for row in rows}) == 1
        for mark in ",;\t|"
        if f"{mark} " not in rows[0] and all(cell.strip() for cell in rows[0].split(mark))
    )


def _objects(head: bytes) -> Iterator[frozenset[str]]:
    """Yield the keys of the object that the content opens with, then of each one-line object."""
    if opening := _OPENING.match(head):
        yield _keys(head, opening.end())
    elif head.count(b"\n{") < head.count(b"\n") / 2:  # a text that shows an object or two
        return
    for line in _OBJECT_LINE.finditer(head):
        yield _keys(head, line.start() + 1)


def _keys(head: bytes, start: int) -> frozenset[str]:
    """Return the keys of the object whose brace stands before `start`, and those of objects in it.

    A key of an inner object is "outer.inner", however many lists stand between the two. Of keys
    that tell what an object is, there is also "key=value".
    """
    keys, opened, level, outer, last, telling = set(), [b"{"], 1, "", b"", ""
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
            if telling:
                keys.add(f"{telling}={_unescape(last)}")
        elif opened[-1] == b"{" and level <= _KEY_LEVELS:
            key = _unescape(last)
            outer = key if level == 1 else outer
            keys.add(key if level == 1 else f"{outer}.{key}")
            telling = "" if key not in _TELLING else key if level == 1 else f"{outer}.{key}"
            continue
        telling = ""
    return frozenset(keys)


def _unescape(key: bytes) -> str:
    text = key.decode("utf-8", "replace")
    try:
        return str(json.loads(f'"{text}"'))
    except ValueError:
        return text
