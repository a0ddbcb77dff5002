"""Texts that are no UTF-8: UTF-16 and UTF-32, with or without a mark, and older encodings."""

from __future__ import annotations

import codecs
import io
from collections.abc import Callable, Iterable, Iterator
from typing import Any, BinaryIO

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
