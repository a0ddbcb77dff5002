"""What every reader yields, and the byte stream that it reads.

A reader turns each piece of its input into an `ImportRecord`: an event, or a refusal that says
where and why. Bad input never stops a reader. Nothing here knows a format, stores anything or
repairs text.
"""

from __future__ import annotations

import codecs
import io
import json
import re
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Any, BinaryIO, Generic, NoReturn, TypeVar, cast

from ...core.calls.cleaning import clean_id
from ...core.errors import InvalidInput, Unavailable
from ...core.events import Event, parse_event
from ...core.types import Json

# Texts that are no UTF-8: UTF-16 and UTF-32, with or without a mark, and older encodings.

#: How a text in wide characters begins; of two marks that begin alike, the longer one first.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
#: As much as tells wide characters from others.
WIDE_SAMPLE_BYTES = 64
#: Older encodings that exports are found in; of those for Latin scripts, the letters beyond ASCII
#: of the languages that they were made for. The first is taken where nothing speaks for another.
_LATIN = {
    "cp1252": "äöüß àâæçéèêëîïôœùûü áéíñóúü àáâãçéêíóôõú àèéìîòóù åäö æøå áéíóúýþæöð éëïöóèü",
    "cp1250": "ąćęłńóśźż áčďéěíňóřšťúůýž áäčďéíĺľňóôŕšťúýž áéíóöőúüű čćđšž ăâîșțşţ",
    "cp1254": "çğıöşüâîû",
}
_OTHERS = "cp1251 cp1253 cp1255 cp1256 koi8_r cp932 gb18030 cp949 big5".split()
#: A text in a Latin script has at most this share of bytes that are no ASCII.
_LATIN_MAX = 1 / 3
#: A shorter text tells nothing.
_TELLING_BYTES = 8


def older_encoding(sample: bytes) -> str | None:
    """Return the encoding, by Python's name, that a text is in where it is not UTF-8.

    None where most of it that is no ASCII is UTF-8, so that the rest is damage, or where nobody
    can tell.
    """
    signs = [sign for sign in sample.decode("utf-8", "surrogateescape") if not sign.isascii()]
    broken = sum("\ud800" <= sign <= "\udfff" for sign in signs)
    if 2 * broken <= len(signs) or len(sample) < _TELLING_BYTES:
        return None
    from charset_normalizer import from_bytes  # noqa: PLC0415 - rarely needed

    likely = from_bytes(sample, cp_isolation=[*_LATIN, *_OTHERS])
    if not likely:
        return None
    possible = {name for match in likely for name in match.could_be_from_charset}
    latin = [name for name in _LATIN if name in possible]
    if latin and sum(byte > 0x7F for byte in sample) <= _LATIN_MAX * len(sample):
        return max(latin, key=lambda name: _explained(sample.decode(name, "replace"), _LATIN[name]))
    return likely[0].encoding


def _explained(text: str, alphabets: str) -> int:
    """Return how many letters beyond ASCII belong to the one language that has most of them."""
    letters = [sign for sign in text.lower() if sign.isalpha() and not sign.isascii()]
    return max(sum(letter in alphabet for letter in letters) for alphabet in alphabets.split())


class BlockFile(io.RawIOBase):
    """A file to read, of the blocks that a function returns; an empty one is the end.

    With the file that they come from, `stream`, it is closed too.
    """

    def __init__(self, next_block: Callable[[], bytes], stream: BinaryIO | None = None) -> None:
        super().__init__()
        self._next_block, self._stream = next_block, stream
        self._ready = b""

    def close(self) -> None:
        """Close the stream too."""
        if self._stream is not None:
            self._stream.close()
        super().close()

    def readable(self) -> bool:
        """Say yes: that is all it is for."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer; 0 at the end."""
        self._ready = self._ready or self._next_block()
        size = min(len(buffer), len(self._ready))
        buffer[:size], self._ready = self._ready[:size], self._ready[size:]
        return size


def wide_encoding(head: bytes) -> str | None:
    """Return the encoding of a text in UTF-16 or UTF-32; None for all else.

    Without a mark it is told by ASCII of which each second byte, but no first one, is NUL.
    """
    if marked := next((name for mark, name in _MARKS if head.startswith(mark)), None):
        return marked
    sample = head[:WIDE_SAMPLE_BYTES]
    even, odd = sample[::2], sample[1::2]
    if len(odd) < _TELLING_BYTES // 2 or not (even.count(0) or odd.count(0)):
        return None
    little = 0 not in even and 2 * odd.count(0) > len(odd)
    big = 0 not in odd and 2 * even.count(0) > len(even)
    return "utf-16-le" if little else "utf-16-be" if big else None


def wide_text(encoding: str, blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield a text in UTF-16 or UTF-32 as UTF-8; what is in neither becomes �."""
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    for block in blocks:
        if text := decoder.decode(block):
            yield text.encode("utf-8")
    if text := decoder.decode(b"", final=True):
        yield text.encode("utf-8")


H = TypeVar("H")
#: What detection may look at, and how much is read at once, bytes.
HEAD_BYTES = 65_536
#: Largest unit of a file that is held at once: a line, a value, a text; in bytes.
UNIT_BYTES_MAX = 268_435_456
#: What reading raises where a medium fails, or an archive is damaged.
UNREADABLE: tuple[type[Exception], ...] = (
    *(OSError, EOFError, ValueError, RuntimeError, zipfile.BadZipFile, zlib.error),
    # A Python may be without it.
    getattr(getattr(zipfile, "lzma", None), "LZMAError", EOFError),
)
BOM = b"\xef\xbb\xbf"
#: Deeper nesting is no event; later readers of the JSON must not run out of stack.
NESTING_MAX = 100
LABEL_CHARS_MAX = 256
_NEVER = re.compile(rb"(?!)")
#: What is left out: what holds no words, no picture and no call, and what a client writes down for
#: itself, such as snapshots and progress.
EMPTY = "empty messages"
BOOKKEEPING = "lines of bookkeeping"


@dataclass(frozen=True, slots=True)
class ImportRecord:
    """One event, one refusal, or what is left out on purpose: one of the three is set.

    `where` names file and line or index; `space` is a suggestion for users who named none,
    `other_id` the event's id where another session of the space has the first one already.
    `skipped` says what `count` things are, in the plural ("system lines"): for the report.
    """

    where: str
    event: Event | None
    problem: str | None
    space: str | None = None
    other_id: str | None = None
    skipped: str | None = None
    count: int = 1


class ImportSource:
    """A byte stream read once, forwards; `bytes_read` of `bytes_total` (if known) are consumed.

    A line, value or text of more than `bytes_max` is refused.
    A UTF-8 byte order mark at the beginning is dropped; UTF-16 and UTF-32 are read as UTF-8. A read
    that fails raises `Unavailable`.
    `mapping` is what the user says of names and columns in it (see `import_options`); those that
    a reader came upon are `matched`. Of a file in a folder or archive, `key` is its path without
    suffix, `container` the name of the archive, and `beside` reads a file by its path from there.
    A reader says in `variant` and `remarks` what it found out about the whole.
    """

    def __init__(self, stream: BinaryIO, name: str, bytes_total: int | None = None) -> None:
        self.name, self.bytes_max = name, UNIT_BYTES_MAX
        self.owned = True
        self.key: str | None = None
        self.container: str | None = None
        self.beside: Callable[[str], bytes | None] = lambda _: None
        self.bytes_total = bytes_total
        self.mapping: Mapping[str, str] = {}
        self.matched: set[str] = set()
        self.variant: str | None = None
        self.remarks: list[str] = []
        self.bytes_read = 0
        self._origin: int | None = None
        self._stream = stream
        self._lookahead = bytearray()
        self._started = False
        self._encoding: str | None = "utf-8"

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

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yield each line of a text with its number, from 1, without its end.

        A line over `bytes_max` comes in several pieces under one number.
        """
        number, whole = 0, True
        while line := self.readline(self.bytes_max):
            number += whole
            whole = line.endswith(b"\n")
            yield number, self.decode(line).rstrip("\r\n")

    def decode(self, body: bytes) -> str:
        """Return a part of the text that was read: whole lines, or all of it.

        Where it is not UTF-8, the encoding is told from it and from what comes next, and said in
        `remarks`; what is in no known encoding becomes �.
        """
        try:
            return body.decode("utf-8")
        except UnicodeDecodeError:
            if self._encoding == "utf-8":
                self._encoding = older_encoding((body + self.head(_NEVER))[:HEAD_BYTES])
                if self._encoding is not None:
                    self.remarks.append(
                        f"{self.name} is not UTF-8: read as {self._encoding}; "
                        "where letters are wrong, save it as UTF-8 and import that"
                    )
            return body.decode(self._encoding or "utf-8", "replace")

    def file(self) -> BinaryIO:
        """Return what can be read from any place; a pipe is copied to a temporary file first."""
        self._start()
        if self._origin is None:
            if not self._stream.seekable():
                copy = tempfile.TemporaryFile()  # noqa: SIM115 - gone with the source
                copy.write(self._lookahead)
                while block := self._read_block(HEAD_BYTES):
                    copy.write(block)
                self._stream, self._origin = cast("BinaryIO", copy), 0
                self.owned = True
            else:
                self._origin = self._stream.tell() - len(self._lookahead)
        self.rewind()
        return self._stream

    def rewind(self) -> None:
        """Begin again, after `file` made that possible."""
        self._lookahead.clear()
        self._stream.seek(self._origin or 0)
        self.bytes_read = 0

    def recode(self, change: Callable[[Iterable[bytes]], Iterator[bytes]]) -> None:
        """From here on, give what `change` makes of the blocks that are not consumed yet."""
        stream = self._stream
        read = partial(self._checked_read, getattr(stream, "read1", stream.read), HEAD_BYTES)
        changed = change(chain([bytes(self._lookahead)], iter(read, b"")))
        self._lookahead.clear()
        file = BlockFile(partial(next, changed, b""), stream)
        self._stream, self._origin = cast("BinaryIO", io.BufferedReader(file)), None

    def close(self) -> None:
        """Close the stream, unless somebody handed it in (`owned`), and a copy of it."""
        if self.owned:
            self._stream.close()

    def _start(self) -> None:
        if self._started:
            return
        self._started = True
        wanted = len(BOM)
        while len(self._lookahead) < wanted and (block := self._read_block(HEAD_BYTES)):
            self._lookahead += block
            wanted = WIDE_SAMPLE_BYTES if b"\0" in self._lookahead[:4] else wanted
        if self._lookahead.startswith(BOM):
            del self._lookahead[: len(BOM)]
            self.bytes_read = len(BOM)
        elif encoding := wide_encoding(bytes(self._lookahead[:WIDE_SAMPLE_BYTES])):
            self.recode(partial(wide_text, encoding))
            self.remarks.append(f"{self.name} is {encoding[:6].upper()} text: read as such")

    def _read_block(self, size: int) -> bytes:
        return self._checked_read(getattr(self._stream, "read1", self._stream.read), size)

    def _checked_read(self, call: Callable[[int], bytes], size: int) -> bytes:
        try:
            return call(size)
        except UNREADABLE as error:
            why = getattr(error, "strerror", None) or error
            raise Unavailable(
                f"{self.name}: reading failed after {self.bytes_read:,} bytes "
                f"({why}): check the medium and import again"
            ) from None


@dataclass(slots=True)
class TextPiece(Generic[H]):
    """Lines of a text that belong together: what the first of them is, and those behind it."""

    line: int
    head: H
    more: list[str] = field(default_factory=list)


def text_pieces(
    lines: Iterable[tuple[int, str]],
    head_of: Callable[[str], H | None],
    chars_max: int = UNIT_BYTES_MAX,
) -> Iterator[TextPiece[H]]:
    """Cut a text before each line that is a head; what is before the first is left out.

    Of a longer piece the beginning is kept.
    """
    piece: TextPiece[H] | None = None
    size = 0
    for number, line in lines:
        if (head := head_of(line)) is not None:
            if piece:
                yield piece
            piece, size = TextPiece(number, head), 0
        elif piece and size <= chars_max:
            size += len(line)
            piece.more.append(line)
    if piece:
        yield piece


@dataclass(frozen=True, slots=True)
class ImportFormat:
    """One input format: its name, what it is, how it is recognised, and its reader.

    `marks` are the keys that its first object has, in alternatives: "a b" are a and b, "c -d e*" c
    and what begins with e without d. `unless` are keys that it never has. `recognises_text` gets
    the beginning of content that is no JSON.
    """

    name: str
    description: str
    read: Callable[[ImportSource], Iterator[ImportRecord]]
    marks: Sequence[str] = ()
    unless: str = ""
    recognises_text: Callable[[str], bool] = lambda _: False

    def recognises(self, keys: frozenset[str]) -> bool:
        """Whether the first object is this format's, by its keys as far as the first 64 kB go.

        Those are the keys at the top, and as "outer.inner" those of the objects in it.
        """
        return keys.isdisjoint(self.unless.split()) and any(
            all(_has(keys, mark) for mark in marks.split()) for marks in self.marks
        )

    @property
    def title(self) -> str:
        """What the format is called, for people."""
        return self.description.partition(":")[0].partition(",")[0]


def _has(keys: frozenset[str], mark: str) -> bool:
    if mark.endswith("*"):
        return any(key.startswith(mark[:-1]) for key in keys)
    return mark[1:] not in keys if mark.startswith("-") else mark in keys


def accept_event(where: str, fields: Mapping[str, Any], space: str | None = None) -> ImportRecord:
    """Return the record of the event that `fields` describe, or its refusal."""
    try:
        _check_nesting(fields)
        return ImportRecord(where, parse_event(fields), None, space)
    except InvalidInput as error:
        return reject(where, str(error), space)


def reject(where: str, problem: str, space: str | None = None) -> ImportRecord:
    """Return the refusal of what stands at `where`."""
    return ImportRecord(where, None, problem, space)


def refusing(where: str, records: Iterable[ImportRecord]) -> Iterator[ImportRecord]:
    """Yield records, up to where they turn out to be malformed, and then why."""
    try:
        yield from records
    except InvalidInput as error:
        yield reject(where, str(error))


def skip(where: str, what: str, count: int = 1) -> ImportRecord:
    """Return the record of what is left out on purpose, such as "empty messages"."""
    return ImportRecord(where, None, None, skipped=what, count=count)


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
            f"is not JSON: {error.msg} at character {error.pos + 1}: repair or remove it"
        ) from None
    except ValueError:
        raise InvalidInput("contains a number with too many digits: write it as text") from None


def object_in(fields: Mapping[str, Json], name: str) -> dict[str, Json]:
    """Return the object that a field holds; an empty one where it holds none."""
    value = fields.get(name)
    return value if isinstance(value, dict) else {}


def list_in(fields: Mapping[str, Json], *names: str) -> list[Json] | None:
    """Return the first list that some fields hold, or None."""
    return next((fields[name] for name in names if isinstance(fields.get(name), list)), None)


def objects_in(fields: Mapping[str, Json], name: str) -> list[dict[str, Json]]:
    """Return the objects in the list that a field holds; none where it holds no list."""
    return [item for item in list_in(fields, name) or () if isinstance(item, dict)]


def label(fields: Mapping[str, Json], name: str) -> str:
    """Return a field that names things, as text: a number, or up to 256 printable characters."""
    value = fields.get(name)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise InvalidInput(f"{name} is {json_type(value)}: a number or a name is needed")
    value = clean_id(value)
    if not value or len(value) > LABEL_CHARS_MAX or not value.isprintable():
        raise InvalidInput(f"{name} is not 1 to {LABEL_CHARS_MAX} printable characters: shorten it")
    return value


def first_label(fields: Mapping[str, Json], *names: str) -> str | None:
    """Return the first of some fields that can name something, or None."""
    for name in names:
        try:
            return label(fields, name)
        except InvalidInput:
            continue
    return None


def decode_text(body: bytes) -> str:
    """Return UTF-8 as text; bytes that are none are halves of pairs, which `cleaning` replaces."""
    return body.decode("utf-8", "surrogateescape")


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
    raise InvalidInput(f"is not JSON: {name} is not a number that JSON can hold: use null or text")


#: Control characters in a text, NUL too, are kept or replaced: see `cleaning`.
_DECODER = json.JSONDecoder(parse_float=_finite, parse_constant=_not_a_number, strict=False)


def too_large(size: int, bytes_max: int) -> str:
    """Say that something is over a limit, and what to do."""
    return f"is {size:,} bytes, over the limit of {bytes_max:,}: split it or raise the limit"
